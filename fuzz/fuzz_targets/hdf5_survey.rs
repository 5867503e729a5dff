//! Any bytes as what lies behind the superblock of an HDF5 file, with the right checksums of object headers: its survey ends, and names what
//! it cannot read.
//!
//! `cargo +nightly fuzz run --no-default-features hdf5_survey`
#![no_main]

use livetime_formats::hdf5::{checksum, survey_of};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let mut file = superblock(48 + input.len() as u64);
    file.extend_from_slice(input);
    seal(&mut file);
    let survey = survey_of(&&file[..]).expect("the superblock is good");
    let objects = survey.data_sets.len() + survey.unreadable.len();
    assert!(objects <= 2 * file.len());
    assert!(survey.data_sets.iter().all(|set| set.shape.len() <= 32));
});

/// With the root group at byte 48.
fn superblock(end: u64) -> Vec<u8> {
    let mut bytes = b"\x89HDF\r\n\x1a\n\x03\x08\x08\x00".to_vec();
    for number in [0, u64::MAX, end, 48] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// Gives headers of which the length takes four bytes their checksum, as far as they are in the file.
fn seal(file: &mut [u8]) {
    for at in 48..file.len() {
        let Some(head) = file.get(at..at + 10).filter(|head| head.starts_with(b"OHDR\x02\x02")) else { continue };
        let length = u32::from_le_bytes([head[6], head[7], head[8], head[9]]) as usize;
        let Some(body) = file.get(at..).and_then(|rest| rest.get(..10 + length)) else { continue };
        let sum = checksum(body);
        if let Some(place) = file.get_mut(at + 10 + length..at + 14 + length) {
            place.copy_from_slice(&sum.to_le_bytes());
        }
    }
}
