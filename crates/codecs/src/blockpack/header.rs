//! The header of a stream: the type and shape of its array, and the places of its blocks.

use livetime_kernels::blockpack::BLOCK;

use super::parts::{ENTRY, NAME, Reference, checksum};
use crate::stream::{Reader, Writer};
use crate::{Array, BlockpackTier as Tier, CodecError, DType};

const MAGIC: [u8; 4] = *b"BLKP";
/// Version 1, which packed numbers in another way, was never released.
const VERSION: u8 = 2;
/// Most dimensions of an array.
pub const MOST_DIMENSIONS: usize = 8;
/// The types of elements, each at its number in a stream.
const TYPES: [DType; 10] = [
    DType::U8,
    DType::I8,
    DType::U16,
    DType::I16,
    DType::U32,
    DType::I32,
    DType::U64,
    DType::I64,
    DType::F32,
    DType::F64,
];
/// Bytes of the longest header, without the index and with its checksum.
pub(super) const MOST_BYTES: usize = 16 + 8 * MOST_DIMENSIONS + 4;

/// The description of a stream from its header, whose checksum was verified.
///
/// A caller that allocates by it should have its own limit: constant frames of any size make short streams.
#[derive(Clone, Debug)]
pub struct Header<'a> {
    dtype: DType,
    tier: Tier,
    shape: [usize; MOST_DIMENSIONS],
    dimensions: usize,
    bytes: usize,
    reference: u64,
    index: &'a [[u8; ENTRY]],
    blocks: &'a [u8],
    /// Byte of the stream where the blocks start.
    pub(super) start: usize,
}

impl<'a> Header<'a> {
    /// Reads the header of a stream.
    ///
    /// # Errors
    /// [`CodecError::Damaged`] if the stream is not one of blockpack or has been damaged.
    pub fn read(stream: &'a [u8]) -> Result<Header<'a>, CodecError> {
        let whole = stream;
        let mut stream = Reader::new(NAME, stream);
        let magic = stream.array("magic")?;
        let number = |bytes| u32::from_le_bytes(bytes).into();
        stream.expect("magic", number(MAGIC), number(magic))?;
        let version = stream.u8("version")?;
        stream.expect("version", VERSION.into(), version.into())?;
        let dtype = stream.u8("type")?;
        let known = TYPES.get(usize::from(dtype)).copied();
        let dtype = known.ok_or_else(|| stream.damaged("type", 5, dtype.into()))?;
        let dimensions = usize::from(stream.u8("dimensions")?);
        // The number is checked before the shape is read.
        if dimensions > MOST_DIMENSIONS {
            return Err(stream.damaged("dimensions", MOST_DIMENSIONS as u64, dimensions as u64));
        }
        let tier = stream.u8("tier")?;
        let known = Tier::ALL.into_iter().find(|known| *known as u8 == tier);
        let tier = known.ok_or_else(|| stream.damaged("tier, at most", Tier::Dense as u64, tier.into()))?;
        let reference = stream.u64("identity of the reference frame")?;
        let mut shape = [1; MOST_DIMENSIONS];
        for size in &mut shape[..dimensions] {
            let found = stream.u64("shape")?;
            *size = usize::try_from(found).map_err(|_| stream.damaged("shape", u32::MAX.into(), found))?;
        }
        // The product may overflow, because sizes are the stream's claims.
        let elements = shape.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
        let bytes = elements.and_then(|elements| elements.checked_mul(dtype.bytes()));
        let (Some(elements), Some(bytes)) = (elements, bytes) else {
            return Err(stream.damaged("elements", usize::MAX as u64, u64::MAX));
        };
        // The length of the index follows from the checked shape.
        let index = stream.take(elements.div_ceil(BLOCK).saturating_mul(ENTRY), "index")?;
        let found = checksum(&whole[..stream.at()]);
        let wanted = stream.u32("checksum of the header")?;
        stream.expect("checksum of the header", wanted.into(), found.into())?;
        let start = stream.at();
        let (index, blocks) = (index.as_chunks().0, &whole[start..]);
        let header = Header { dtype, tier, shape, dimensions, bytes, reference, index, blocks, start };
        // The blocks must fill the rest exactly, so that no byte is without a checksum.
        let lengths = header.index.iter().map(|entry| u64::from(length(entry))).sum::<u64>();
        stream.expect("bytes of blocks", lengths, blocks.len() as u64)?;
        Ok(header)
    }

    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// How it was packed.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Sizes, the slowest dimension first.
    pub fn shape(&self) -> &[usize] {
        &self.shape[..self.dimensions]
    }

    /// Bytes of the array.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Identity of the reference frame that is needed, if one is.
    pub fn reference(&self) -> Option<u64> {
        (self.reference != 0).then_some(self.reference)
    }

    /// Fails unless the stream holds the expected array.
    pub(super) fn check(
        &self,
        dtype: DType,
        bytes: usize,
        reference: Option<Reference<'_>>,
    ) -> Result<(), CodecError> {
        let stream = Reader::new(NAME, &[]);
        stream.expect("type", number_of(dtype).into(), number_of(self.dtype).into())?;
        stream.expect("bytes of the array", bytes as u64, self.bytes as u64)?;
        let (wanted, found) = (self.reference(), reference.map(|r| r.id()));
        // A wrong reference would decode into a wrong picture without an error.
        if wanted != found {
            return Err(CodecError::Reference { wanted, found });
        }
        super::parts::check_reference(reference, bytes)
    }

    /// Block `i`, which starts at byte `at` of the blocks, and its checksum.
    pub(super) fn block(&self, i: usize, at: usize) -> Result<(&'a [u8], u32), CodecError> {
        let found = self.index.get(i).and_then(|entry| {
            let [.., a, b, c, d] = *entry;
            let block = self.blocks.get(at..)?.get(..length(entry) as usize)?;
            Some((block, u32::from_le_bytes([a, b, c, d])))
        });
        found
            .ok_or_else(|| super::parts::damaged("blocks", i as u64 + 1, self.index.len() as u64, self.start))
    }

    /// Length of block `i`.
    pub(super) fn length(&self, i: usize) -> usize {
        self.index.get(i).map_or(0, |entry| length(entry) as usize)
    }
}

/// The number of a type in a stream.
fn number_of(dtype: DType) -> u8 {
    // All types are in the list.
    TYPES.iter().position(|known| *known == dtype).unwrap_or_default() as u8
}

fn length(entry: &[u8; ENTRY]) -> u32 {
    let [a, b, c, d, ..] = *entry;
    u32::from_le_bytes([a, b, c, d])
}

/// Writes the part before the index.
pub(super) fn write(
    input: &Array<'_>,
    tier: Tier,
    reference: u64,
    stream: &mut Writer<'_>,
) -> Result<(), CodecError> {
    let dimensions = input.shape().len();
    if dimensions > MOST_DIMENSIONS {
        return Err(CodecError::Length { what: "dimensions", wanted: MOST_DIMENSIONS, found: dimensions });
    }
    stream.put(&MAGIC);
    stream.put(&[VERSION, number_of(input.dtype()), dimensions as u8, tier as u8]);
    stream.put(&reference.to_le_bytes());
    input.shape().iter().for_each(|size| stream.put(&(*size as u64).to_le_bytes()));
    Ok(())
}
