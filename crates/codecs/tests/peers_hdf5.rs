//! bslz4 with the HDF5 library and its filter 32008: it reads our chunks, and we read its.
//!
//! The library comes from `tools/peers.sh hdf5`; without it the test says so and passes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "each file of tests uses its own part")]
mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use livetime_codecs::{Bslz4, Codec, DType};

#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn python() -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/peers.sh");
    let made =
        Command::new("bash").arg(script).arg("hdf5").output().ok().filter(|made| made.status.success());
    if made.is_none() {
        eprintln!("SKIPPED: tools/peers.sh cannot install h5py and hdf5plugin");
    }
    Some(PathBuf::from(String::from_utf8(made?.stdout).ok()?.trim()))
}

#[test]
fn chunks_go_both_ways() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut codec = Bslz4::new();
    let mut cases = Vec::new();
    for (name, dtype) in [("u1", DType::U8), ("u2", DType::U16), ("i4", DType::I32), ("u8", DType::U64)] {
        for elements in [1, 8, 100, 1024, 4099, 50_001] {
            let case = (folder.path().join(format!("{name}-{elements}.raw")), dtype);
            let bytes = common::data::make(dtype, elements, 1, 3);
            fs::write(&case.0, &bytes).unwrap();
            fs::write(case.0.with_extension("ours"), common::encode(&mut codec, dtype, &bytes)).unwrap();
            cases.push(case);
        }
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/hdf5_chunks.py");
    let ran = Command::new(python).arg(script).arg(folder.path()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    for (raw, dtype) in cases {
        let bytes = fs::read(&raw).unwrap();
        let mut back = vec![0; bytes.len()];
        codec.decode(&fs::read(raw.with_extension("theirs")).unwrap(), dtype, &mut back).unwrap();
        assert!(back == bytes, "{}", raw.display());
    }
}
