//! The head of a frame, and where its chunk is.

use super::boxes::{Boxes, NAME};
use super::chunk::Chunks;
use crate::CodecError;
use crate::stream::Reader;

/// Bytes of a head before its metadata.
const HEAD: usize = 87;
/// The metadata of arrays with several axes.
const AXES: &[u8] = b"b2nd";
/// Metadata of a frame.
const MOST_METADATA: usize = 16;

/// A frame with one chunk.
pub(super) struct Frame<'a> {
    stream: &'a [u8],
    head: usize,
    /// Bytes of chunks, behind the head.
    chunks: usize,
    /// How the blocks of an array of several axes lie.
    pub(super) boxes: Option<Boxes>,
}

/// Where the bytes of the chunk are.
pub(super) enum Place<'a> {
    /// Nowhere: all are 0.
    Zeros,
    Chunk(&'a [u8]),
}

impl<'a> Frame<'a> {
    /// Reads the head of a frame for an array of `bytes` bytes.
    pub(super) fn read(stream: &'a [u8], bytes: usize) -> Result<Frame<'a>, CodecError> {
        let mut reader = Reader::new(NAME, stream);
        let begin = reader.take(10, "the begin of a frame")?;
        let is_frame = begin[2..] == *b"b2frame\0";
        reader.expect("the name of a frame", 1, is_frame.into())?;
        let head = marked(&mut reader, 4, "bytes of the head")?;
        let length = marked(&mut reader, 8, "bytes of the frame")?;
        reader.expect("bytes of the frame", stream.len() as u64, length)?;
        reader.take(5, "flags")?;
        let padded = marked(&mut reader, 8, "bytes of the array")?;
        let chunks = marked(&mut reader, 8, "bytes of chunks")?;
        let size = marked(&mut reader, 4, "bytes of an element")?;
        let (head, chunks) = (head as usize, chunks as usize);
        let rest = stream.get(..head).and_then(|bytes| bytes.get(HEAD..));
        let rest = rest.ok_or_else(|| reader.damaged("bytes of the head", HEAD as u64, head as u64))?;
        let boxes =
            metadata(stream, rest)?.map(|content| Boxes::read(content, size as usize, bytes)).transpose()?;
        let wanted = boxes.as_ref().map_or(Some(bytes), Boxes::padded_bytes);
        reader.expect("bytes of the array", wanted.map_or(u64::MAX, |wanted| wanted as u64), padded)?;
        Ok(Frame { stream, head, chunks, boxes })
    }

    /// Finds the chunk by the index, which is a chunk itself.
    pub(super) fn place(&self, chunks: &mut Chunks) -> Result<Place<'a>, CodecError> {
        let reader = Reader::new(NAME, self.stream);
        let index = reader.from(self.head.saturating_add(self.chunks), "start of the index")?;
        let index = &self.stream[index.at()..];
        let mut offset = [0; 8];
        chunks.decode(first(index)?, &mut offset)?;
        let offset = i64::from_le_bytes(offset);
        match usize::try_from(offset) {
            Ok(offset) => {
                let begin = reader.from(self.head.saturating_add(offset), "start of a chunk")?.at();
                Ok(Place::Chunk(first(&self.stream[begin..])?))
            }
            // A chunk of one value is not stored; the highest byte says which.
            Err(_) if matches!(offset >> 56 & 7, 1 | 4) => Ok(Place::Zeros),
            Err(_) => Err(CodecError::Unsupported {
                codec: NAME,
                wanted: "a chunk that is stored",
                found: "one that is not",
            }),
        }
    }
}

/// The chunk that begins here, whose length it says itself.
fn first(bytes: &[u8]) -> Result<&[u8], CodecError> {
    let mut reader = Reader::new(NAME, bytes);
    reader.take(12, "head of a chunk")?;
    let length = reader.u32("bytes of the chunk")? as usize;
    bytes.get(..length).ok_or_else(|| reader.damaged("bytes of the chunk", bytes.len() as u64, length as u64))
}

/// A big-endian number behind its mark.
fn marked(reader: &mut Reader<'_>, bytes: usize, what: &'static str) -> Result<u64, CodecError> {
    let all = reader.take(1 + bytes, what)?;
    Ok(all[1..].iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// The content of the metadata of arrays, if there are such: a map of names to places in the frame.
fn metadata<'a>(stream: &'a [u8], map: &'a [u8]) -> Result<Option<&'a [u8]>, CodecError> {
    let mut reader = Reader::new(NAME, map);
    // A list of three, the length of the map, and the map with its number of entries.
    let begin = reader.take(7, "metadata")?;
    let count = usize::from(begin[5]) << 8 | usize::from(begin[6]);
    for _ in 0..count.min(MOST_METADATA) {
        let length = usize::from(reader.u8("the name of metadata")? & 0x1f);
        let name = reader.take(length, "the name of metadata")?;
        let at = marked(&mut reader, 4, "the place of metadata")? as usize;
        if name == AXES {
            let mut content = Reader::new(NAME, stream).from(at, "the place of metadata")?;
            let length = marked(&mut content, 4, "bytes of metadata")? as usize;
            return content.take(length, "metadata").map(Some);
        }
    }
    Ok(None)
}
