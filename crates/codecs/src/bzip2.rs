//! bzip2: one stream for each array, the filter 307 of HDF5. It is only read here.

use ::bzip2::{Decompress, Status};

use crate::{CodecError, CodecType, FilterReader};

const NAME: &str = "bzip2";

pub(crate) const TYPE: CodecType = CodecType {
    reader: Some(FilterReader::new(
        307,
        |_| NAME,
        |_, _| Ok(Box::new(|stream, output| Bzip2.decode(stream, output))),
    )),
    ..CodecType::new(NAME, "bzip2 in HDF5 files: only read.")
};

/// The decoder.
#[derive(Clone, Copy, Default, Debug)]
pub struct Bzip2;

impl Bzip2 {
    /// Reads `stream`, which must be exactly one, into `output`, which must have exactly the size of the packed data.
    ///
    /// # Errors
    /// [`CodecError::Damaged`] if the stream is another one; `output` is undefined then.
    pub fn decode(&mut self, stream: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
        let (wanted, mut unpack) = (output.len() as u64, Decompress::new(false));
        let damaged = |what, wanted, found, at| CodecError::Damaged { codec: NAME, what, wanted, found, at };
        loop {
            let (read, written) = (unpack.total_in() as usize, unpack.total_out());
            // Behind the output is room for one byte, so that a stream that goes on shows.
            let mut behind = [0];
            let room =
                output.get_mut(written as usize..).filter(|room| !room.is_empty()).unwrap_or(&mut behind);
            let step = unpack.decompress(stream.get(read..).unwrap_or_default(), room);
            let status = step.map_err(|_| damaged("bytes of a bzip2 stream", wanted, written, read))?;
            if unpack.total_out() > wanted {
                return Err(damaged("bytes of a bzip2 stream", wanted, unpack.total_out(), read));
            }
            let is_at_rest = (read, written) == (unpack.total_in() as usize, unpack.total_out());
            match status {
                Status::StreamEnd => break,
                _ if is_at_rest => {
                    return Err(damaged("bytes of a bzip2 stream", wanted, written, read));
                }
                _ => {}
            }
        }
        let (length, read) = (stream.len() as u64, unpack.total_in());
        if unpack.total_out() != wanted {
            return Err(damaged("bytes of a bzip2 stream", wanted, unpack.total_out(), read as usize));
        }
        if read == length { Ok(()) } else { Err(damaged("bytes of the stream", length, read, read as usize)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100,000 times the byte 7, packed by the program of that name.
    fn packed() -> Vec<u8> {
        let mut pack = ::bzip2::Compress::new(::bzip2::Compression::best(), 0);
        let mut stream = Vec::with_capacity(1000);
        let status = pack.compress_vec(&[7; 100_000], &mut stream, ::bzip2::Action::Finish).unwrap();
        assert_eq!(status, Status::StreamEnd);
        stream
    }

    #[test]
    fn a_stream_fills_its_output_and_no_more() {
        let (stream, mut output) = (packed(), vec![0; 100_000]);
        Bzip2.decode(&stream, &mut output).unwrap();
        assert!(output.iter().all(|byte| *byte == 7));
        for size in [0, 1, 99_999, 100_001] {
            let error = Bzip2.decode(&stream, &mut vec![0; size]).unwrap_err();
            assert!(error.to_string().contains("bytes of a bzip2 stream"), "{size}: {error}");
        }
        for cut in 0..stream.len() {
            assert!(Bzip2.decode(&stream[..cut], &mut output).is_err(), "{cut}");
        }
        assert!(Bzip2.decode(&[&stream[..], &[0]].concat(), &mut output).is_err());
    }
}
