//! Any chunk of any filter of HDF5 that a codec of the list reads, with any settings of the filter.
//!
//! `cargo +nightly fuzz run --no-default-features codec_read_only`
#![no_main]

use livetime_codecs::ALL;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [which, element, low, high, packed, block, chunk @ ..] = input else { return };
    let readers: Vec<_> = ALL.iter().filter_map(|codec| codec.reader).collect();
    let reader = readers[usize::from(*which) % readers.len()];
    let values = [0, 0, u32::from(*element), u32::from(*block), u32::from(*packed)];
    let mut output = vec![0; usize::from(u16::from_le_bytes([*low, *high]))];
    let decoder = (reader.decoder)(&values, usize::from(*element));
    if let Err(error) = decoder.and_then(|mut decoder| decoder(chunk, &mut output)) {
        assert!(!error.to_string().is_empty());
    }
});
