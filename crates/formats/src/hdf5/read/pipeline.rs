//! Filters of chunks, undone.

use livetime_codecs::{
    Blosc, BloscCompressor, BloscSettings, BloscShuffle, Bslz4, Codec, DType, Lz4Hdf5, Zlib, Zstd,
};

use super::super::filter::Filter;
use super::header::Message;
use super::input::Fields;
use crate::{Error, Result};

const SHUFFLE: u16 = 2;
const FLETCHER32: u16 = 3;
/// Filters of one data set.
const MOST_FILTERS: u64 = 32;

/// The filters of a data set, in the order in which they were applied.
pub(super) fn filters(message: &Message) -> Result<Vec<Filter>> {
    let mut fields = message.fields();
    let (version, count) = (fields.u8()?, u64::from(fields.u8()?));
    if !matches!(version, 1 | 2) || count > MOST_FILTERS {
        return Err(fields.refused("filters of version 1 or 2", format!("{count} of version {version}")));
    }
    fields.skip(if version == 1 { 6 } else { 0 })?;
    (0..count).map(|_| filter(&mut fields, version)).collect()
}

fn filter(fields: &mut Fields<'_>, version: u8) -> Result<Filter> {
    let id = fields.uint(2)? as u16;
    let name = if version == 1 || id >= 256 { fields.uint(2)? as usize } else { 0 };
    fields.skip(2)?;
    let count = fields.uint(2)? as usize;
    fields.skip(if version == 1 { name.next_multiple_of(8) } else { name })?;
    let values = (0..count).map(|_| fields.uint(4).map(|value| value as u32)).collect::<Result<_>>()?;
    fields.skip(if version == 1 && count % 2 == 1 { 4 } else { 0 })?;
    Ok(Filter { id, values })
}

/// What a filter is called.
pub(super) fn name(id: u16) -> Option<&'static str> {
    Some(match id {
        Filter::ZLIB => "zlib",
        SHUFFLE => "shuffle",
        FLETCHER32 => "fletcher32",
        Filter::BLOSC => "blosc",
        Filter::LZ4 => "lz4",
        Filter::BITSHUFFLE => "bslz4",
        Filter::ZSTD => "zstd",
        _ => return None,
    })
}

/// The decoders of a thread, with their memory.
#[derive(Default)]
pub(super) struct Decoders {
    zlib: Option<Zlib>,
    bslz4: Option<Bslz4>,
    blosc: Option<Blosc>,
    lz4: Option<Lz4Hdf5>,
    zstd: Option<Zstd>,
    between: Vec<u8>,
}

/// What a filter means for the length of a chunk.
enum Length {
    Same,
    Longer(usize),
    Packed,
}

fn length(filter: &Filter) -> Length {
    match filter.id {
        SHUFFLE => Length::Same,
        FLETCHER32 => Length::Longer(4),
        _ => Length::Packed,
    }
}

impl Decoders {
    /// Undoes `filters`, but for those that `mask` says were left out, of elements of `size` bytes. `chunk` is what
    /// the file has.
    pub(super) fn decode(
        &mut self,
        filters: &[Filter],
        mask: u32,
        size: usize,
        chunk: &mut Vec<u8>,
        output: &mut [u8],
    ) -> Result<()> {
        let is_applied = |number: usize| number >= 32 || mask & (1 << number) == 0;
        let applied: Vec<&Filter> =
            filters.iter().enumerate().filter(|(number, _)| is_applied(*number)).map(|(_, f)| f).collect();
        let mut wanted = output.len();
        let mut before = Vec::with_capacity(applied.len());
        for (number, filter) in applied.iter().enumerate() {
            before.push(wanted);
            match length(filter) {
                Length::Same => {}
                Length::Longer(more) => wanted += more,
                Length::Packed
                    if applied[number + 1..].iter().any(|f| matches!(length(f), Length::Packed)) =>
                {
                    return Err(Error::new("chunks that are compressed once", "twice"));
                }
                Length::Packed => wanted = 0,
            }
        }
        // The usual case, straight into its place.
        if let [filter] = applied[..]
            && matches!(length(filter), Length::Packed)
        {
            return self.unpack(filter, size, chunk, output);
        }
        for (filter, bytes) in applied.iter().zip(before).rev() {
            let mut between = std::mem::take(&mut self.between);
            match filter.id {
                FLETCHER32 => check_sum(chunk)?,
                SHUFFLE => {
                    between.resize(chunk.len(), 0);
                    let size = filter.values.first().map_or(size, |size| *size as usize);
                    unshuffle(size, chunk, &mut between);
                    std::mem::swap(chunk, &mut between);
                }
                _ => {
                    between.resize(bytes, 0);
                    self.unpack(filter, size, chunk, &mut between)?;
                    std::mem::swap(chunk, &mut between);
                }
            }
            self.between = between;
        }
        if chunk.len() != output.len() {
            let wanted = format!("a chunk of {} bytes", output.len());
            return Err(Error::new(wanted, chunk.len().to_string()));
        }
        output.copy_from_slice(chunk);
        Ok(())
    }

    fn unpack(&mut self, filter: &Filter, size: usize, chunk: &[u8], output: &mut [u8]) -> Result<()> {
        let settings =
            BloscSettings { compressor: BloscCompressor::Lz4, level: 1, shuffle: BloscShuffle::Byte };
        let codec: &mut dyn Codec = match filter.id {
            Filter::ZLIB => self.zlib.get_or_insert_with(|| Zlib::new(1)),
            Filter::LZ4 => self.lz4.get_or_insert_with(|| Lz4Hdf5::new(0)),
            Filter::BLOSC => self.blosc.get_or_insert_with(|| Blosc::new(settings)),
            Filter::BITSHUFFLE => {
                check_bitshuffle(filter, size)?;
                self.bslz4.get_or_insert_with(Bslz4::new)
            }
            Filter::ZSTD => match &mut self.zstd {
                Some(zstd) => zstd,
                none => none.insert(Zstd::new(1).map_err(|e| Error::new("memory for zstd", e.to_string()))?),
            },
            other => {
                let wanted =
                    "a filter that is read here (zlib, shuffle, fletcher32, lz4, bslz4, blosc, zstd)";
                return Err(Error::new(wanted, format!("filter {other} of HDF5")));
            }
        };
        // Only the size of an element matters to a decoder.
        let dtype = match size {
            2 => DType::U16,
            4 => DType::U32,
            8 => DType::F64,
            _ => DType::U8,
        };
        codec.decode(chunk, dtype, output).map_err(|e| Error::new("a compressed chunk", e.to_string()))
    }
}

/// The filter may compress in other ways than ours.
fn check_bitshuffle(filter: &Filter, size: usize) -> Result<()> {
    let known = filter.values.get(2).map_or(size, |size| *size as usize);
    match filter.values.get(4).copied().unwrap_or(0) {
        2 if known == size && matches!(size, 1 | 2 | 4 | 8) => Ok(()),
        2 => Err(Error::new("bits shuffled of elements of their size", format!("{known} for {size} bytes"))),
        0 => Err(Error::new("bits shuffled and LZ4", "bits shuffled alone, which is not read here")),
        _ => Err(Error::new("bits shuffled and LZ4", "bits shuffled and zstd, which is not read here")),
    }
}

/// Takes away the checksum behind a chunk. The library has written it in two orders of bytes, and accepts both.
fn check_sum(chunk: &mut Vec<u8>) -> Result<()> {
    let body = chunk.len().checked_sub(4).ok_or_else(|| Error::new("a checksum of 4 bytes", "none"))?;
    let mut found = [0; 4];
    found.copy_from_slice(&chunk[body..]);
    let found = u32::from_le_bytes(found);
    chunk.truncate(body);
    let sum = fletcher32(chunk);
    let swapped = (sum & 0x00ff_00ff) << 8 | (sum >> 8) & 0x00ff_00ff;
    if found == sum || found == swapped {
        return Ok(());
    }
    Err(Error::new("the checksum of the chunk", "another one"))
}

/// Fletcher's checksum of 16-bit words, the first byte the higher one; a byte that is left is the higher one of a
/// last word.
fn fletcher32(bytes: &[u8]) -> u32 {
    let (mut sum1, mut sum2) = (0u32, 0u32);
    let fold = |sum: u32| (sum & 0xffff) + (sum >> 16);
    // The number of words that can be added up in 32 bits before the sums must be folded.
    for words in bytes.chunks(2 * 360) {
        for word in words.chunks(2) {
            sum1 += u32::from(word[0]) << 8 | word.get(1).map_or(0, |byte| u32::from(*byte));
            sum2 += sum1;
        }
        (sum1, sum2) = (fold(sum1), fold(sum2));
    }
    (sum1, sum2) = (fold(fold(sum1)), fold(fold(sum2)));
    sum2 << 16 | sum1
}

/// Bytes that lie plane by plane become elements; what is too short for an element stays.
fn unshuffle(size: usize, planes: &[u8], output: &mut [u8]) {
    let count = planes.len() / size.max(1);
    if size < 2 || count < 2 {
        output.copy_from_slice(planes);
        return;
    }
    let (whole, rest) = output.split_at_mut(count * size);
    for (number, element) in whole.chunks_exact_mut(size).enumerate() {
        element.iter_mut().enumerate().for_each(|(plane, byte)| *byte = planes[plane * count + number]);
    }
    rest.copy_from_slice(&planes[count * size..]);
}
