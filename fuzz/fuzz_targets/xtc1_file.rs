//! Any bytes as a file: reader and scan find the same datagrams, and recovery tells what every byte is.
//!
//! `cargo +nightly fuzz run --no-default-features xtc1_file`
#![no_main]

use livetime_formats::file::{Heads, Next, Reader};
use livetime_formats::xtc1::recover::{Found, Recovery};
use livetime_formats::xtc1::{DatagramHeader, index::Index};

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    let mut reader = Reader::<DatagramHeader, _>::new(file);
    let mut heads = Heads::<DatagramHeader, _>::new(file);
    loop {
        match (reader.next(), heads.next()) {
            (Ok(Next::Datagram(raw)), Ok(Some((offset, head)))) => {
                assert_eq!((raw.offset, raw.head), (offset, head));
                assert_eq!(raw.bytes, &file[offset as usize..][..raw.bytes.len()]);
            }
            (Ok(Next::End(end)), Ok(None)) => {
                assert_eq!(end, heads.end());
                break;
            }
            (Err(a), Err(b)) => {
                assert_eq!(a.to_string(), b.to_string());
                break;
            }
            (a, b) => panic!("{a:?} {b:?}"),
        }
    }
    let mut recovery = Recovery::new(file);
    let mut at = 0;
    while let Some(found) = recovery.next().unwrap() {
        let (offset, length) = match found {
            Found::Datagram(raw) | Found::Unsound(raw, _) => (raw.offset, raw.bytes.len() as u64),
            Found::Lost(lost) => (lost.offset, lost.length),
        };
        assert!(offset == at && length > 0);
        at += length;
    }
    assert_eq!(at, file.len() as u64);
    if let Ok(index) = Index::parse(file) {
        assert_eq!(Index::parse(&index.to_bytes().unwrap()).unwrap(), index);
    }
});
