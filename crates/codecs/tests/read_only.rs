//! Codecs as HDF5 files have them, also codecs that are only read: streams of their own libraries, and any bytes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use livetime_codecs::{ALL, Blosc2, FilterReader};
use proptest::prelude::*;

/// A frame that hdf5plugin 7.1 has packed: pictures of 37 x 300 u16 whose pixel number `i` is 7 i modulo 251, and
/// zeros.
fn frame(name: &str) -> Vec<u8> {
    std::fs::read(livetime_testkit::repository().join(format!("testdata/codecs/blosc2-{name}.bin"))).unwrap()
}

fn pixels() -> Vec<u8> {
    (0..37 * 300u32).flat_map(|i| ((i * 7 % 251) as u16).to_le_bytes()).collect()
}

#[test]
fn frames_of_blosc2_are_read() {
    let mut codec = Blosc2::new();
    for (name, wanted) in [("boxes", pixels()), ("bits", pixels()), ("zeros", vec![0; 22_200])] {
        let mut output = vec![0xaa; 22_200];
        codec.decode(&frame(name), &mut output).unwrap();
        assert!(output == wanted, "{name}");
        for size in [0, 1, 22_199, 22_201, 50_000] {
            assert!(codec.decode(&frame(name), &mut vec![0; size]).is_err(), "{name} {size}");
        }
        for cut in 0..frame(name).len() {
            assert!(codec.decode(&frame(name)[..cut], &mut output).is_err(), "{name} {cut}");
        }
    }
}

/// A filter of HDF5 that is read here, with settings that it may have in a file.
fn reader() -> impl Strategy<Value = (FilterReader, Vec<u32>)> {
    let readers: Vec<FilterReader> = ALL.iter().filter_map(|codec| codec.reader).collect();
    let values = prop_oneof![0u32..10, 0u32..10, any::<u32>()];
    (prop::sample::select(readers), prop::collection::vec(values, 0..8))
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_read(
        (reader, values) in reader(),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        size in 0usize..2000,
        element in 1usize..20,
    ) {
        let mut output = vec![0; size];
        let read = (reader.decoder)(&values, element).and_then(|mut decoder| decoder(&bytes, &mut output));
        if let Err(error) = read {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    /// A stream with any changed byte is refused, or its frame fills the output.
    #[test]
    fn changed_frames_of_blosc2_are_refused_or_read(
        which in 0usize..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut frame = frame(["boxes", "bits", "zeros"][which]);
        for (place, byte) in changes {
            let place = place.index(frame.len());
            frame[place] = byte;
        }
        drop(Blosc2::new().decode(&frame, &mut [0; 22_200]));
    }
}
