//! Arrays of several axes whose blocks are boxes.

use crate::CodecError;
use crate::stream::Reader;

pub(super) const NAME: &str = "blosc2";

/// Axes of such an array.
const MOST_AXES: usize = 16;

/// How a chunk is cut into boxes. The boxes at its edges stick out.
pub(super) struct Boxes {
    /// Bytes of an element.
    size: usize,
    chunk: Vec<usize>,
    block: Vec<usize>,
}

impl Boxes {
    /// Reads the metadata `b2nd` of a chunk of `bytes` bytes.
    pub(super) fn read(content: &[u8], size: usize, bytes: usize) -> Result<Boxes, CodecError> {
        let mut reader = Reader::new(NAME, content);
        reader.take(2, "version of the metadata")?;
        let axes = usize::from(reader.u8("number of axes")?);
        if axes > MOST_AXES {
            return Err(reader.damaged("number of axes", MOST_AXES as u64, axes as u64));
        }
        list(&mut reader, axes, 8)?;
        let chunk = list(&mut reader, axes, 4)?;
        let block = list(&mut reader, axes, 4)?;
        let found = bytes_of(&chunk, size).unwrap_or(usize::MAX);
        reader.expect("bytes of a chunk", bytes as u64, found as u64)?;
        // Blocks within the chunk are no larger than the output, whatever the stream says.
        let fits = size > 0 && chunk.iter().zip(&block).all(|(chunk, block)| (1..=*chunk).contains(block));
        reader.expect("blocks within the chunk", 1, fits.into())?;
        Ok(Boxes { size, chunk, block })
    }

    fn counts(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + '_ {
        self.chunk.iter().zip(&self.block).map(|(chunk, block)| chunk.div_ceil(*block))
    }

    /// How many boxes there are.
    pub(super) fn count(&self) -> usize {
        self.counts().product()
    }

    /// Bytes of a box.
    pub(super) fn block_bytes(&self) -> usize {
        self.block.iter().product::<usize>() * self.size
    }

    /// Bytes of all boxes; `None`: more than can be counted.
    pub(super) fn padded_bytes(&self) -> Option<usize> {
        self.counts().try_fold(self.block_bytes(), usize::checked_mul)
    }

    /// Copies the part of the chunk that the box with this number covers.
    pub(super) fn put(&self, number: usize, block: &[u8], output: &mut [u8]) {
        let (mut rest, mut begin) = (number, vec![0; self.chunk.len()]);
        for (axis, count) in self.counts().enumerate().rev() {
            begin[axis] = rest % count * self.block[axis];
            rest /= count;
        }
        self.copy(0, &begin, (0, 0), block, output);
    }

    /// Copies along one axis and the axes behind it; `from` and `to` count elements.
    fn copy(
        &self,
        axis: usize,
        begin: &[usize],
        (from, to): (usize, usize),
        block: &[u8],
        output: &mut [u8],
    ) {
        let Some(count) = self.chunk.get(axis).map(|chunk| (chunk - begin[axis]).min(self.block[axis]))
        else {
            return;
        };
        let to = to * self.chunk[axis] + begin[axis];
        let from = from * self.block[axis];
        if axis + 1 == self.chunk.len() {
            let (from, to, bytes) = (from * self.size, to * self.size, count * self.size);
            return output[to..to + bytes].copy_from_slice(&block[from..from + bytes]);
        }
        (0..count).for_each(|step| self.copy(axis + 1, begin, (from + step, to + step), block, output));
    }
}

fn bytes_of(shape: &[usize], size: usize) -> Option<usize> {
    shape.iter().try_fold(size, |all, length| all.checked_mul(*length))
}

/// A list of numbers, each behind its mark.
fn list(reader: &mut Reader<'_>, count: usize, bytes: usize) -> Result<Vec<usize>, CodecError> {
    reader.u8("a list of sizes")?;
    let number = |_| {
        let all = reader.take(1 + bytes, "a size")?;
        Ok(all[1..].iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte)) as usize)
    };
    (0..count).map(number).collect()
}
