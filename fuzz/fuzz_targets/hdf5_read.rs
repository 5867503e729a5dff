//! Any bytes behind the superblock of an HDF5 file, old or new, with the right checksums of what has one: names,
//! attributes, values and rows are read, or refused, within bounds.
//!
//! `cargo +nightly fuzz run --no-default-features hdf5_read`
#![no_main]

use livetime_formats::hdf5::{Hdf5, Scratch, checksum};

/// Rows of a data set that are read.
const MOST_ROWS: u64 = 4;
/// Longer rows than the file could hold are not asked for: their memory would be the test's own.
const MOST_BYTES: u64 = 1 << 20;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((kind, rest)) = input.split_first() else { return };
    let mut file = if kind & 1 == 0 { new(rest.len() as u64) } else { old(rest.len() as u64) };
    let begin = file.len();
    file.extend_from_slice(rest);
    seal(&mut file, begin);
    let Ok(hdf5) = Hdf5::in_memory(file) else { return };
    let content = hdf5.content();
    let mut scratch = Scratch::default();
    for array in content.found.iter().filter_map(|found| found.array.as_ref()) {
        if array.row_bytes() > MOST_BYTES {
            continue;
        }
        let mut row = vec![0; array.row_bytes() as usize];
        for number in 0..array.rows().min(MOST_ROWS) {
            drop(array.read(number, 1, &mut row, &mut scratch));
        }
        drop(array.places(0..array.rows().min(MOST_ROWS)));
        drop(array.values(0, MOST_ROWS, &mut scratch));
    }
});

/// With the root group at byte 48.
fn new(length: u64) -> Vec<u8> {
    let mut bytes = b"\x89HDF\r\n\x1a\n\x03\x08\x08\x00".to_vec();
    for number in [0, u64::MAX, 48 + length, 48] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// With the root group at byte 96.
fn old(length: u64) -> Vec<u8> {
    let mut bytes = b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0\x04\0\x10\0\0\0\0\0".to_vec();
    for number in [0, u64::MAX, 96 + length, u64::MAX, 0, 96, 0, 0, 0] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes
}

/// Gives what begins with a signature its checksum, as far as it is in the file: object headers of which the length
/// takes four bytes, and blocks of indices up to the next signature.
fn seal(file: &mut [u8], begin: usize) {
    for at in begin..file.len() {
        let Some(head) = file.get(at..at + 10) else { break };
        let length = match &head[..4] {
            b"OHDR" if head[4..6] == [2, 2] => {
                10 + u32::from_le_bytes([head[6], head[7], head[8], head[9]]) as usize
            }
            b"FAHD" => 24,
            b"EAHD" => 68,
            b"BTHD" => 34,
            b"FRHP" => 142,
            _ => continue,
        };
        let Some(body) = at.checked_add(length).and_then(|end| file.get(at..end)) else { continue };
        let sum = checksum(body);
        if let Some(place) = file.get_mut(at + length..at + length + 4) {
            place.copy_from_slice(&sum.to_le_bytes());
        }
    }
}
