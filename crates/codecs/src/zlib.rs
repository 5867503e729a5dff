//! zlib: one stream of RFC 1950 for each array.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use crate::stream::{check_dtype, check_room};
use crate::{Array, Codec, CodecError, DType};

const NAME: &str = "zlib";

/// The codec with its working memory. Takes every type.
#[derive(Debug)]
pub struct Zlib {
    stream: ZlibStream,
}

impl Zlib {
    /// With a compression level, from 0 for none over 1 for the fastest to 9 for the densest; more is 9.
    pub fn new(level: u32) -> Zlib {
        Zlib { stream: ZlibStream::new(level) }
    }
}

impl Codec for Zlib {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, _: DType) -> bool {
        true
    }

    fn bound(&self, input_bytes: usize) -> usize {
        zlib_bound(input_bytes)
    }

    fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError> {
        check_room(self, input.data().len(), output.len())?;
        self.stream.encode(NAME, input.data(), output)
    }

    fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError> {
        check_dtype(self, dtype)?;
        self.stream.decode(NAME, stream, 0, output)
    }
}

/// Bytes that a stream can become: literals of the fixed code take 9 bits, and blocks have heads.
pub(crate) fn zlib_bound(bytes: usize) -> usize {
    bytes + bytes.div_ceil(8) + bytes / 64 + 64
}

/// Streams of zlib, one after the other.
#[derive(Debug)]
pub(crate) struct ZlibStream {
    compress: Compress,
    decompress: Decompress,
}

impl ZlibStream {
    pub(crate) fn new(level: u32) -> ZlibStream {
        let compress = Compress::new(Compression::new(level.min(9)), true);
        ZlibStream { compress, decompress: Decompress::new(true) }
    }

    /// `output` has room for [`zlib_bound`].
    pub(crate) fn encode(
        &mut self,
        codec: &'static str,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        self.compress.reset();
        match self.compress.compress(input, output, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => Ok(self.compress.total_out() as usize),
            _ => Err(CodecError::Library { codec }),
        }
    }

    /// Decodes a stream that stands at byte `at` of a stream and fills `output`.
    pub(crate) fn decode(
        &mut self,
        codec: &'static str,
        stream: &[u8],
        at: usize,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        self.decompress.reset(true);
        let ended = self.decompress.decompress(stream, output, FlushDecompress::Finish);
        let (read, made) = (self.decompress.total_in(), self.decompress.total_out());
        if !matches!(ended, Ok(Status::StreamEnd)) || made != output.len() as u64 {
            let wanted = output.len() as u64;
            return Err(CodecError::Damaged {
                codec,
                what: "bytes of a zlib stream",
                wanted,
                found: made,
                at,
            });
        }
        let (wanted, found) = (0, stream.len() as u64 - read);
        if found == wanted {
            return Ok(());
        }
        let what = "bytes behind a zlib stream";
        Err(CodecError::Damaged { codec, what, wanted, found, at: at + read as usize })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_checksum_and_bytes_behind_are_refused() {
        let bytes: Vec<u8> = (0..3000u32).map(|i| (i / 9) as u8).collect();
        let (mut codec, mut back) = (Zlib::new(6), vec![0; bytes.len()]);
        let mut stream = vec![0; codec.bound(bytes.len())];
        let array = Array::new(&bytes, DType::U8, &[3000]).unwrap();
        let size = codec.encode(array, &mut stream).unwrap();
        let error = codec.decode(&stream[..size + 1], DType::U8, &mut back).unwrap_err();
        assert!(error.to_string().ends_with("bytes behind a zlib stream: wanted 0, found 1"), "{error}");
        stream[size - 1] ^= 1;
        assert!(codec.decode(&stream[..size], DType::U8, &mut back).is_err());
    }

    #[test]
    fn any_level_gives_the_bytes_back() {
        let noise: Vec<u8> =
            (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 & 63).collect();
        for level in 0..12 {
            let mut codec = Zlib::new(level);
            let (mut stream, mut back) = (vec![0; codec.bound(noise.len())], vec![0; noise.len()]);
            let array = Array::new(&noise, DType::U8, &[100_000]).unwrap();
            let size = codec.encode(array, &mut stream).unwrap();
            codec.decode(&stream[..size], DType::U8, &mut back).unwrap();
            assert!(back == noise && (level == 0 || size < noise.len() * 9 / 10), "{level} {size}");
        }
    }
}
