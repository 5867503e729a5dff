//! LZF, the filter 32000 of HDF5 that comes with h5py. It is only read here.
//!
//! ```text
//! u8 below 32      as many bytes and one more follow as they are
//! u8 else          a match: its upper three bits are the length less 2 (7: the next byte is added to it), its lower five
//!                  and the byte behind are how far back it begins, less 1
//! ```

use crate::stream::Reader;
use crate::{CodecError, CodecType, FilterReader};

const NAME: &str = "lzf";

pub(crate) const TYPE: CodecType = CodecType {
    reader: Some(FilterReader::new(
        32000,
        |_| NAME,
        |_, _| Ok(Box::new(|stream, output| Lzf.decode(stream, output))),
    )),
    ..CodecType::new(NAME, "LZF of h5py in HDF5 files: only read.")
};

/// The decoder.
#[derive(Clone, Copy, Default, Debug)]
pub struct Lzf;

impl Lzf {
    /// Reads `stream`, which must be exactly one, into `output`, which must have exactly the size of the packed data.
    ///
    /// # Errors
    /// [`CodecError::Damaged`] if the stream is another one; `output` is undefined then.
    pub fn decode(&mut self, stream: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
        let mut reader = Reader::new(NAME, stream);
        let mut at = 0;
        while reader.left() > 0 {
            let control = usize::from(reader.u8("a control byte")?);
            let end = if control < 32 {
                let literal = reader.take(control + 1, "bytes as they are")?;
                put(output, at, literal.len(), &reader)?.copy_from_slice(literal);
                at + literal.len()
            } else {
                let (length, back) = token(control, &mut reader)?;
                repeat(output, at, length, back, &reader)?
            };
            at = end;
        }
        reader.expect("bytes of an LZF stream", output.len() as u64, at as u64)
    }
}

/// Length and distance of a match.
fn token(control: usize, reader: &mut Reader<'_>) -> Result<(usize, usize), CodecError> {
    let more = if control >> 5 == 7 { usize::from(reader.u8("the length of a match")?) } else { 0 };
    let low = usize::from(reader.u8("the distance of a match")?);
    Ok(((control >> 5) + more + 2, ((control & 31) << 8) + low + 1))
}

/// Room for `length` bytes from `at` on.
fn put<'o>(
    output: &'o mut [u8],
    at: usize,
    length: usize,
    reader: &Reader<'_>,
) -> Result<&'o mut [u8], CodecError> {
    let left = output.len() - at;
    let room = output[at..].get_mut(..length);
    room.ok_or_else(|| reader.damaged("bytes within the output", left as u64, length as u64))
}

/// Copies the bytes `back` bytes before `at`, which may reach into the copy itself. Returns the end of the copy.
fn repeat(
    output: &mut [u8],
    at: usize,
    length: usize,
    back: usize,
    reader: &Reader<'_>,
) -> Result<usize, CodecError> {
    if back > at {
        return Err(reader.damaged("the distance of a match", at as u64, back as u64));
    }
    put(output, at, length, reader)?;
    (at..at + length).for_each(|to| output[to] = output[to - back]);
    Ok(at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_matches_are_read() {
        // "abc", then six bytes from three back, then nine and twenty of one byte.
        let stream = [2, b'a', b'b', b'c', 4 << 5, 2, 7 << 5, 0, 0, 7 << 5, 11, 0];
        let mut output = [0; 3 + 6 + 9 + 20];
        Lzf.decode(&stream, &mut output).unwrap();
        assert_eq!(&output[..9], b"abcabcabc");
        assert!(output[9..].iter().all(|byte| *byte == b'c'));
    }

    #[test]
    fn streams_that_lie_are_refused() {
        let refused =
            |stream: &[u8], size: usize| Lzf.decode(stream, &mut vec![0; size]).unwrap_err().to_string();
        // Longer than the output, also by a match; shorter; before the begin; cut.
        assert!(refused(&[1, 7, 7], 1).contains("bytes within the output"));
        assert!(refused(&[0, 7, 7 << 5, 255, 0], 9).contains("bytes within the output"));
        assert!(refused(&[0, 7], 2).contains("bytes of an LZF stream: wanted 2, found 1"));
        assert!(refused(&[0, 7, 1 << 5, 1], 4).contains("the distance of a match"));
        assert!(refused(&[3, 7], 4).contains("bytes as they are"));
        assert!(refused(&[0, 7, 7 << 5], 4).contains("the length of a match"));
    }
}
