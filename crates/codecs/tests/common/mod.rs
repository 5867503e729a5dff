//! All codecs, and data for them.

pub(crate) mod data;

use livetime_codecs::{
    Array, Blockpack, BlockpackTier, Blosc, BloscCompressor, BloscSettings, BloscShuffle, Bslz4, Codec,
    DType, Hist16, HistN, Lz4, Lz4Hdf5, Zlib,
};
use livetime_kernels::Level;

/// Every codec there is.
pub(crate) fn codecs(level: Level) -> Vec<Box<dyn Codec>> {
    let mut codecs: Vec<Box<dyn Codec>> = vec![
        Box::new(Hist16::with_level(level)),
        Box::new(HistN::with_level(level)),
        Box::new(Blockpack::with_level(level)),
        Box::new(Blockpack::with_level(level).with_tier(BlockpackTier::Dense)),
        Box::new(Bslz4::with_level(level)),
        Box::new(Lz4::new()),
        Box::new(Lz4Hdf5::new(0)),
        Box::new(Lz4Hdf5::new(1000)),
        Box::new(Zlib::new(1)),
        Box::new(Zlib::new(9)),
        #[cfg(feature = "zstd")]
        Box::new(livetime_codecs::Zstd::new(1).unwrap()),
    ];
    codecs.extend(bloscs().map(|settings| Box::new(Blosc::with_level(level, settings)) as Box<dyn Codec>));
    codecs
}

/// Blosc with all compressors, and with all shuffles.
fn bloscs() -> impl Iterator<Item = BloscSettings> {
    use BloscShuffle::{Bit, Byte, None};
    let settings = |(compressor, shuffle)| BloscSettings { compressor, level: 1, shuffle };
    let compressors = BloscCompressor::ALL.into_iter();
    let compressors = compressors.filter(|c| cfg!(feature = "zstd") || *c != BloscCompressor::Zstd);
    let shuffles = [(BloscCompressor::Lz4, None), (BloscCompressor::BloscLz, Bit)];
    compressors.map(|compressor| (compressor, Byte)).chain(shuffles).map(settings)
}

pub(crate) fn encode(codec: &mut dyn Codec, dtype: DType, bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0xaa; codec.bound(bytes.len())];
    let shape = [bytes.len() / dtype.bytes()];
    let size = codec.encode(Array::new(bytes, dtype, &shape).unwrap(), &mut stream).unwrap();
    stream.truncate(size);
    stream
}

#[track_caller]
pub(crate) fn roundtrip(codec: &mut dyn Codec, dtype: DType, bytes: &[u8], what: &str) {
    let stream = encode(codec, dtype, bytes);
    let mut back = vec![0x55; bytes.len()];
    let decoded = codec.decode(&stream, dtype, &mut back);
    let name = codec.name();
    assert_eq!(decoded, Ok(()), "{name} {dtype} {} bytes, {what}", bytes.len());
    assert!(back == bytes, "{name} {dtype} {} bytes, {what}", bytes.len());
}
