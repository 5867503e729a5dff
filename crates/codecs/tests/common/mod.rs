//! All codecs, and data for them.

pub(crate) mod data;

use livetime_codecs::{ALL, Array, BloscCompressor, BloscShuffle, Codec, CodecType, DType, Settings};
use livetime_kernels::Level;

/// Every codec that is written: with its usual settings, with settings that have names, and with settings for tests alone.
pub(crate) fn codecs(level: Level) -> Vec<Box<dyn Codec>> {
    ALL.iter().filter(|codec| codec.is_written()).flat_map(|codec| of_type(codec, level)).collect()
}

fn of_type(codec: &CodecType, level: Level) -> Vec<Box<dyn Codec>> {
    let named = codec.variants.iter().map(|(_, settings)| *settings);
    let known = OTHERS.iter().filter(|(name, _)| *name == codec.name).map(|(_, settings)| *settings);
    let settings = [Settings::USUAL].into_iter().chain(named).chain(known);
    settings.map(|settings| codec.make_at(level, &settings).unwrap()).collect()
}

const OTHERS: [(&str, Settings); 5] = [
    ("lz4hdf5", Settings { block: 1000, ..Settings::USUAL }),
    ("zlib", Settings::USUAL.at(9)),
    ("blosc", blosc(BloscCompressor::Lz4, BloscShuffle::None)),
    ("blosc", blosc(BloscCompressor::BloscLz, BloscShuffle::Bit)),
    ("blosc", blosc(BloscCompressor::Lz4, BloscShuffle::Byte)),
];

const fn blosc(blosc_compressor: BloscCompressor, blosc_shuffle: BloscShuffle) -> Settings {
    Settings { level: Some(1), blosc_compressor, blosc_shuffle, ..Settings::USUAL }
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
