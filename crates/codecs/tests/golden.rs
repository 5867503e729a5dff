//! Hist16 and HistN against streams of the original classes and files of the original program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::PathBuf;

use livetime_codecs::{Array, Codec, DType, Hist16, HistN};
use livetime_kernels::Level;
use serde_json::Value;

fn folder() -> Option<PathBuf> {
    livetime_testkit::data("xtc1")
}

fn manifest(folder: &std::path::Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap()
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn masked(mut bytes: Vec<u8>, undefined: &Value) -> Vec<u8> {
    for at in undefined.as_array().into_iter().flatten() {
        bytes[number(at)] = 0;
    }
    bytes
}

fn codecs(level: Level) -> [Box<dyn Codec>; 2] {
    [Box::new(Hist16::with_level(level)), Box::new(HistN::with_level(level))]
}

#[test]
fn engine_streams_are_made_and_read_bit_for_bit() {
    let Some(folder) = folder().map(|f| f.join("engine")) else { return };
    let mut compared = 0;
    for case in manifest(&folder).as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let dtype = if number(&case["bytes_per_pixel"]) == 1 { DType::U8 } else { DType::U16 };
        let raw = fs::read(folder.join(format!("{name}.raw"))).unwrap_or_else(|_| long_run());
        assert_eq!(raw.len(), number(&case["raw_bytes"]), "{name}");
        for level in Level::available() {
            for mut codec in codecs(level) {
                let record = &case[codec.name()];
                let Some(expected) = fs::read(folder.join(format!("{name}.{}", codec.name()))).ok() else {
                    continue;
                };
                assert_eq!(number(&record["status"]), 0);
                let mut stream = vec![0; codec.bound(raw.len())];
                let shape = [raw.len() / dtype.bytes()];
                let size = codec.encode(Array::new(&raw, dtype, &shape).unwrap(), &mut stream).unwrap();
                stream.truncate(size);
                let undefined = &record["undefined_byte_offsets_zeroed"];
                assert!(masked(stream, undefined) == expected, "{name}, {}, {level:?}", codec.name());
                let mut back = vec![0; raw.len()];
                codec.decode(&expected, dtype, &mut back).unwrap();
                assert!(back == raw, "{name}, {}, {level:?}", codec.name());
                compared += 1;
            }
        }
    }
    assert!(compared >= 30, "only {compared} streams were found");
}

/// The case without a file: runs of map words that overflow their counter.
fn long_run() -> Vec<u8> {
    let value = |i: usize| if i == 1_099_990 { 9000u16 } else { 1200 };
    (0..1_100_000).flat_map(|i| value(i).to_le_bytes()).collect()
}

#[test]
fn the_run_that_overflows_is_the_originals_by_its_checksum() {
    let Some(folder) = folder().map(|f| f.join("engine")) else { return };
    let manifest = manifest(&folder);
    let case = manifest.as_array().unwrap().iter().find(|case| case["name"] == "long_run_u16").unwrap();
    let raw = long_run();
    for mut codec in codecs(Level::best()) {
        let mut stream = vec![0; codec.bound(raw.len())];
        let size = codec.encode(Array::new(&raw, DType::U16, &[1_100_000]).unwrap(), &mut stream).unwrap();
        let record = &case[codec.name()];
        assert_eq!(size, number(&record["bytes"]));
        let checksum = format!("{:08x}", crc32fast::hash(&stream[..size]));
        assert_eq!(checksum, record["crc32"].as_str().unwrap(), "{}", codec.name());
    }
}

#[test]
fn compressed_leaves_of_files_are_read_and_made_bit_for_bit() {
    let Some(folder) = folder().map(|f| f.join("container")) else { return };
    let mut compared = 0;
    for (name, record) in manifest(&folder).as_object().unwrap() {
        let file = masked(fs::read(folder.join(name)).unwrap(), &record["undefined_byte_offsets"]);
        for leaf in record["leaves"].as_array().unwrap().iter().filter(|leaf| leaf["compressed"] == true) {
            let start = number(&leaf["offset"]) + 20;
            let mut at = start;
            for part in leaf["parts"].as_array().into_iter().flatten() {
                let header = number(&part["header_bytes"]);
                let size = number(&part["csize"]);
                let stream = &file[at + 4 + header + 16..][..size];
                compared += usize::from(compare_part(part, stream));
                at += 4 + header + 16 + size;
                at = at.next_multiple_of(4);
            }
        }
    }
    assert!(compared >= 4, "only {compared} parts were found");
}

/// False for parts that are not compressed.
fn compare_part(part: &Value, stream: &[u8]) -> bool {
    let engine = number(&part["engine"]);
    let Some(mut codec) = codecs(Level::best()).into_iter().nth(engine.wrapping_sub(1)) else { return false };
    let mut raw = vec![0; number(&part["dsize"])];
    let dtype = if engine == 2 && stream[2] == 1 { DType::U8 } else { DType::U16 };
    codec.decode(stream, dtype, &mut raw).unwrap();
    let mut again = vec![0; codec.bound(raw.len())];
    let shape = [raw.len() / dtype.bytes()];
    let size = codec.encode(Array::new(&raw, dtype, &shape).unwrap(), &mut again).unwrap();
    assert!(&again[..size] == stream, "{part}");
    true
}
