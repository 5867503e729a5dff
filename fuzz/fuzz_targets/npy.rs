//! Any bytes as an array of NumPy: refused, or as many values as its shape says.
//!
//! `cargo +nightly fuzz run --no-default-features npy`
#![no_main]

use livetime_formats::npy::Npy;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Ok(array) = Npy::parse(input) {
        assert_eq!(array.values.len(), array.shape.iter().product::<usize>());
    }
});
