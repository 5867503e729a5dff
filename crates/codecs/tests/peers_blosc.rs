//! Blosc with its original library, as python-blosc and numcodecs bring it, and zlib with Python's: they read ours, and we read theirs.
//!
//! The libraries come from `tools/peers.sh codecs`; without them the test says so and passes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;
use crate::peers;

use std::fs;
use std::path::Path;

use livetime_codecs::{Blosc, BloscCompressor, BloscSettings, BloscShuffle, Codec, DType, Zlib};

const COMPRESSORS: [BloscCompressor; 4] = BloscCompressor::ALL;
const SHUFFLES: [BloscShuffle; 3] = [BloscShuffle::None, BloscShuffle::Byte, BloscShuffle::Bit];

fn write_ours(folder: &Path, name: &str, codec: &mut dyn Codec) {
    let types = [(DType::U8, 1), (DType::U16, 2), (DType::F32, 1), (DType::I64, 4)];
    for ((dtype, kind), elements) in types.into_iter().flat_map(|t| LENGTHS.map(|n| (t, n))) {
        let bytes = common::data::make(dtype, elements, kind, 3);
        let stem = folder.join(format!("{name}-{dtype}-{elements}"));
        fs::write(stem.with_extension("raw"), &bytes).unwrap();
        fs::write(stem.with_extension("ours"), common::encode(codec, dtype, &bytes)).unwrap();
    }
}

const LENGTHS: [usize; 8] = [0, 1, 7, 130, 1000, 16_384, 50_001, 300_000];

#[test]
fn chunks_go_both_ways() {
    let Some(python) = peers::python("codecs") else { return };
    let folder = tempfile::tempdir().unwrap();
    for (compressor, shuffle) in COMPRESSORS.into_iter().flat_map(|c| SHUFFLES.map(|s| (c, s))) {
        for level in [0, 1, 5] {
            let name = format!("blosc-{compressor:?}-{shuffle:?}-{level}");
            let settings = BloscSettings { compressor, level, shuffle };
            write_ours(folder.path(), &name, &mut Blosc::new(settings));
        }
    }
    write_ours(folder.path(), "zlib", &mut Zlib::new(6));
    peers::run(&python, "blosc_chunks.py", folder.path());
    let read = read_theirs(folder.path());
    assert!(read > 1000, "only {read} chunks were made");
}

fn read_theirs(folder: &Path) -> usize {
    let settings = BloscSettings { compressor: BloscCompressor::Lz4, level: 1, shuffle: BloscShuffle::None };
    let (mut blosc, mut zlib) = (Blosc::new(settings), Zlib::new(1));
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let chunks = files.filter(|path| path.extension().is_some_and(|extension| extension == "chunk"));
    let mut read = 0;
    for path in chunks {
        let bytes = fs::read(path.with_extension("raw")).unwrap();
        let is_zlib = path.to_str().unwrap().contains("zlib_stream");
        let codec: &mut dyn Codec = if is_zlib { &mut zlib } else { &mut blosc };
        let mut back = vec![0; bytes.len()];
        let decoded = codec.decode(&fs::read(&path).unwrap(), DType::U8, &mut back);
        assert_eq!(decoded, Ok(()), "{}", path.display());
        assert!(back == bytes, "{}", path.display());
        read += 1;
    }
    read
}
