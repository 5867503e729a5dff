//! Filters of chunks, undone.

use livetime_codecs::{ALL, CodecError, Decoder, FilterReader};

use super::super::filter::Filter;
use super::header::Message;
use super::input::Fields;
use crate::{Error, Result};

/// Filters of HDF5 itself that pack nothing.
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
    // In version 2 the filters of HDF5 itself have no name.
    let name = if version == 1 || id >= 256 { fields.uint(2)? as usize } else { 0 };
    fields.skip(2)?;
    let count = fields.uint(2)? as usize;
    // Version 1 pads to multiples of 8 bytes.
    fields.skip(if version == 1 { name.next_multiple_of(8) } else { name })?;
    let values = (0..count).map(|_| fields.uint(4).map(|value| value as u32)).collect::<Result<_>>()?;
    fields.skip(if version == 1 && count % 2 == 1 { 4 } else { 0 })?;
    Ok(Filter { id, values })
}

/// Filters that are not read here, by their names.
const OTHERS: [(u16, &str); 14] = [
    (4, "szip"),
    (5, "nbit"),
    (6, "scaleoffset"),
    (305, "lzo"),
    (32003, "snappy"),
    (32009, "spdp"),
    (32010, "lpc-rice"),
    (32013, "zfp"),
    (32017, "sz"),
    (32018, "fcidecomp"),
    (32019, "jpeg"),
    (32024, "sz3"),
    (32028, "sperr"),
    (32033, "htj2k"),
];

/// The codec that undoes a filter.
fn known(filter: &Filter) -> Option<FilterReader> {
    ALL.iter().filter_map(|codec| codec.reader).find(|reader| reader.number == filter.id)
}

/// The name of a filter, or its number if it has none.
pub(super) fn name(filter: &Filter) -> String {
    match filter.id {
        SHUFFLE => "shuffle".into(),
        FLETCHER32 => "fletcher32".into(),
        id => match known(filter).map(|known| (known.name)(&filter.values)).or_else(|| other(id)) {
            Some(name) => name.into(),
            None => format!("filter {id}"),
        },
    }
}

/// The names of all filters that are read here, in the order of their numbers; the filters of HDF5 itself come last.
fn names() -> String {
    let mut readers: Vec<FilterReader> = ALL.iter().filter_map(|codec| codec.reader).collect();
    readers.sort_by_key(|reader| reader.number);
    let own = ["shuffle", "fletcher32"];
    readers.iter().map(|reader| (reader.name)(&[])).chain(own).collect::<Vec<_>>().join(", ")
}

fn other(id: u16) -> Option<&'static str> {
    OTHERS.iter().find(|(known, _)| *known == id).map(|(_, name)| *name)
}

/// Why a data set with these filters cannot be read, and the next step; `None` if it can.
pub(super) fn refused(filters: &[Filter]) -> Option<Error> {
    let is_read = |filter: &&Filter| matches!(filter.id, SHUFFLE | FLETCHER32) || known(filter).is_some();
    let unknown = filters.iter().find(|filter| !is_read(filter));
    if let Some(filter) = unknown {
        let wanted = format!("filters that are read here ({})", names());
        let named = other(filter.id).map_or_else(String::new, |name| format!("{name}, "));
        let found = format!(
            "{named}filter {} of HDF5: `h5repack -f GZIP=1 FILE NEW` writes what can be read",
            filter.id
        );
        return Some(Error::new(wanted, found));
    }
    let packed = filters.iter().filter(|filter| matches!(length(filter), Length::Packed)).count();
    (packed > 1).then(|| Error::new("chunks that are compressed once", "twice"))
}

/// The decoder of a filter on elements of `size` bytes.
fn decoder(filter: &Filter, size: usize) -> Result<Decoder> {
    if filter.id == SHUFFLE {
        return Ok(shuffle(filter, size));
    }
    let known = known(filter).ok_or_else(|| Error::new("a filter that is read here", name(filter)))?;
    (known.decoder)(&filter.values, size)
        .map_err(|e| Error::new("a filter that can be undone", e.to_string()))
}

/// The filter may name the size of an element.
fn shuffle(filter: &Filter, size: usize) -> Decoder {
    let size = filter.values.first().map_or(size, |size| *size as usize).max(1);
    Box::new(move |from, to| {
        let (what, wanted, found) = ("bytes of a shuffled chunk", to.len(), from.len());
        if wanted != found {
            return Err(CodecError::Length { what, wanted, found });
        }
        unshuffle(size, from, to);
        Ok(())
    })
}

/// The decoders of a thread, with their memory.
#[derive(Default)]
pub(super) struct Decoders {
    /// The decoders that were needed so far, with the filter and the size of an element.
    made: Vec<(Filter, usize, Decoder)>,
    between: Vec<u8>,
}

/// Decoders that a thread keeps: more than the data sets of a run have filters.
const MOST_MADE: usize = 16;

/// The effect of a filter on the length of a chunk.
enum Length {
    Same,
    Longer(usize),
    Packed,
}

fn length(filter: &Filter) -> Length {
    match filter.id {
        SHUFFLE => Length::Same,
        FLETCHER32 => Length::Longer(4),
        _ if known(filter).is_some_and(|known| (known.keeps_length)(&filter.values)) => Length::Same,
        _ => Length::Packed,
    }
}

impl Decoders {
    /// Undoes `filters`, except the ones that `mask` marks as left out, for elements of `size` bytes. `chunk` is the
    /// chunk in the file.
    pub(super) fn decode(
        &mut self,
        filters: &[Filter],
        mask: u32,
        size: usize,
        chunk: &mut Vec<u8>,
        output: &mut [u8],
    ) -> Result<()> {
        // The mask has 32 bits: further filters are always applied.
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
            return self.undo(filter, size, chunk, output);
        }
        for (filter, bytes) in applied.iter().zip(before).rev() {
            if filter.id == FLETCHER32 {
                check_sum(chunk)?;
                continue;
            }
            let mut between = std::mem::take(&mut self.between);
            between.resize(bytes, 0);
            let undone = self.undo(filter, size, chunk, &mut between);
            std::mem::swap(chunk, &mut between);
            self.between = between;
            undone?;
        }
        if chunk.len() != output.len() {
            let wanted = format!("a chunk of {} bytes", output.len());
            return Err(Error::new(wanted, chunk.len().to_string()));
        }
        output.copy_from_slice(chunk);
        Ok(())
    }

    fn undo(&mut self, filter: &Filter, size: usize, chunk: &[u8], output: &mut [u8]) -> Result<()> {
        let is_it = |(known, of, _): &(Filter, usize, Decoder)| known == filter && *of == size;
        let at = match self.made.iter().position(is_it) {
            Some(at) => at,
            None => {
                let decoder = decoder(filter, size)?;
                if self.made.len() >= MOST_MADE {
                    self.made.clear();
                }
                self.made.push((filter.clone(), size, decoder));
                self.made.len() - 1
            }
        };
        let (_, _, decoder) = &mut self.made[at];
        decoder(chunk, output).map_err(|e| Error::new("a compressed chunk", e.to_string()))
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

/// Bytes that lie plane by plane become elements; a rest that is too short for an element stays.
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
