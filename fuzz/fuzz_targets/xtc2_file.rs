//! Any bytes as a file of LCLS-II: refused, or every value lies in its record.
//!
//! `cargo +nightly fuzz run --no-default-features xtc2_file`
#![no_main]

use livetime_formats::file::{Next, Reader};
use livetime_formats::xtc2::small_data::Original;
use livetime_formats::xtc2::{Datagram, DatagramHeader, NamesTable};

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    let mut reader = Reader::<DatagramHeader, _>::new(file);
    let mut names = NamesTable::default();
    while let Ok(Next::Datagram(raw)) = reader.next() {
        let datagram = Datagram::parse(raw.bytes).unwrap();
        names.update(&datagram);
        let _ = (datagram.check(), Original::find(&datagram, &names));
        for record in datagram.records(&names) {
            let mut size = 0;
            for value in record.values().flatten() {
                let elements: usize = value.shape().iter().product();
                assert_eq!(value.bytes.len(), elements * value.dtype.bytes());
                size += value.bytes.len();
                let _ = (value.number(), value.text());
            }
            assert!(size <= raw.bytes.len());
        }
    }
});
