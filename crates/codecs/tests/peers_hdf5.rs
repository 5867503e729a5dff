//! bslz4, lz4hdf5 and Blosc with the HDF5 library and its filters 32008, 32004 and 32001: it reads our chunks, and we read its.
//!
//! The library comes from `tools/peers.sh hdf5`; without it the test says so and passes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;
use crate::peers;

use std::fs;

use livetime_codecs::{Blosc, BloscCompressor, BloscSettings, BloscShuffle, Bslz4, Codec, DType, Lz4Hdf5};

/// Our codecs under the names that the script has for the filters.
fn codecs() -> Vec<(&'static str, Box<dyn Codec>)> {
    let blosc = |compressor, shuffle| Box::new(Blosc::new(BloscSettings { compressor, level: 5, shuffle }));
    vec![
        ("bitshuffle", Box::new(Bslz4::new())),
        ("lz4", Box::new(Lz4Hdf5::new(0))),
        ("lz4_4096", Box::new(Lz4Hdf5::new(4096))),
        ("blosc_blosclz", blosc(BloscCompressor::BloscLz, BloscShuffle::Byte)),
        ("blosc_lz4", blosc(BloscCompressor::Lz4, BloscShuffle::Bit)),
        ("blosc_lz4hc", blosc(BloscCompressor::Lz4, BloscShuffle::None)),
        ("blosc_zlib", blosc(BloscCompressor::Zlib, BloscShuffle::Byte)),
        ("blosc_zstd", blosc(BloscCompressor::Zstd, BloscShuffle::Bit)),
    ]
}

#[test]
fn chunks_go_both_ways() {
    let Some(python) = peers::python("hdf5") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut cases = Vec::new();
    for (filter, mut codec) in codecs() {
        for (name, dtype) in [("u1", DType::U8), ("u2", DType::U16), ("i4", DType::I32), ("u8", DType::U64)] {
            for elements in [1, 8, 100, 1024, 4099, 50_001] {
                let raw = folder.path().join(format!("{filter}-{name}-{elements}.raw"));
                let bytes = common::data::make(dtype, elements, 1, 3);
                fs::write(&raw, &bytes).unwrap();
                fs::write(raw.with_extension("ours"), common::encode(codec.as_mut(), dtype, &bytes)).unwrap();
                cases.push((filter, raw, dtype));
            }
        }
    }
    peers::run(&python, "hdf5_chunks.py", folder.path());
    let mut codecs = codecs();
    let mut read = 0;
    for (filter, raw, dtype) in &cases {
        // The filter Blosc leaves alone what does not shrink.
        let Ok(chunk) = fs::read(raw.with_extension("theirs")) else { continue };
        let bytes = fs::read(raw).unwrap();
        let mut back = vec![0; bytes.len()];
        let codec = codecs.iter_mut().find(|(name, _)| name == filter);
        codec.unwrap().1.decode(&chunk, *dtype, &mut back).unwrap();
        assert!(back == bytes, "{}", raw.display());
        read += 1;
    }
    assert!(read > cases.len() * 2 / 3, "only {read} of {} chunks were compressed", cases.len());
}
