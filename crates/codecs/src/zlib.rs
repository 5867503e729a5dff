//! zlib: one stream of RFC 1950 for each array.

use libdeflater::{CompressionLvl, Compressor, Decompressor, adler32};

use crate::filter::decoder;
use crate::stream::{check_dtype, check_room};
use crate::{Array, Codec, CodecError, CodecType, DType, Filter, FilterReader, FrameName, Levels};

const NAME: &str = "zlib";
// The fastest level is usual, because a detector does not wait.
const LEVELS: Levels = Levels { least: 0, most: 9, usual: 1 };
/// Deflate of HDF5.
const FILTER: u16 = 1;

pub(crate) const TYPE: CodecType = CodecType {
    make: Some(|_, settings| Ok(Box::new(Zlib::new(LEVELS.of(settings) as u32)))),
    levels: Some(LEVELS),
    in_frames: Some(FrameName { name: NAME, choice: "Zlib" }),
    filter: Some(Filter {
        number: FILTER,
        name: NAME,
        choice: Some("zlib"),
        values: |_, settings| vec![LEVELS.of(settings) as u32],
        head: None,
    }),
    // The level of the decoder does not matter: a stream says how it was made.
    reader: Some(FilterReader::new(FILTER, |_| NAME, |_, size| Ok(decoder(Zlib::new(1), size)))),
    numcodecs: Some("zlib"),
    ..CodecType::new(NAME, "zlib: every type; slow; other programs understand it.")
};

/// The codec with its working memory. Takes every type.
#[derive(Debug)]
pub struct Zlib {
    stream: ZlibStream,
}

impl Zlib {
    /// With a compression level, from 0 for none over 1 for the fastest to 9 for the densest; more is 9. On the noise of detectors
    /// 1 is as dense as 6 and several times as fast.
    pub fn new(level: u32) -> Zlib {
        Zlib { stream: ZlibStream::new(level) }
    }
}

impl Codec for Zlib {
    fn name(&self) -> &'static str {
        NAME
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

/// The most bytes of a stream: data that do not shrink are stored, in blocks of at least 5,000 bytes with a head of 5.
pub(crate) fn zlib_bound(bytes: usize) -> usize {
    bytes + 5 * (bytes / 5000 + 2) + 16
}

/// Streams of zlib, one after the other.
pub(crate) struct ZlibStream {
    compress: Compressor,
    decompress: Decompressor,
}

impl std::fmt::Debug for ZlibStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ZlibStream")
    }
}

impl ZlibStream {
    pub(crate) fn new(level: u32) -> ZlibStream {
        // A higher level than the format knows is the highest one.
        let level = CompressionLvl::new(level.min(9) as i32).unwrap_or_default();
        ZlibStream { compress: Compressor::new(level), decompress: Decompressor::new() }
    }

    /// `output` has room for [`zlib_bound`].
    pub(crate) fn encode(
        &mut self,
        codec: &'static str,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        self.compress.zlib_compress(input, output).map_err(|_| CodecError::Library { codec })
    }

    /// Decodes a stream that stands at byte `at` of a stream and fills `output`.
    pub(crate) fn decode(
        &mut self,
        codec: &'static str,
        stream: &[u8],
        at: usize,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        let (wanted, made) = (output.len() as u64, self.decompress.zlib_decompress(stream, output));
        // The library fills as much as the stream has, so its length is compared.
        if !made.as_ref().is_ok_and(|made| *made == output.len()) {
            let (what, found) = ("bytes of a zlib stream", made.unwrap_or(0) as u64);
            return Err(CodecError::Damaged { codec, what, wanted, found, at });
        }
        // The library does not tell where the stream ended; its last four bytes are the checksum.
        let (checksum, end) =
            (adler32(output).to_be_bytes(), stream.last_chunk().copied().unwrap_or_default());
        let [wanted, found] = [checksum, end].map(|bytes| u32::from_be_bytes(bytes).into());
        if wanted == found {
            return Ok(());
        }
        let what = "checksum at the end of a zlib stream";
        Err(CodecError::Damaged { codec, what, wanted, found, at: at + stream.len() - end.len() })
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
        assert!(error.to_string().contains("checksum at the end of a zlib stream"), "{error}");
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
