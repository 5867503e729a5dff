//! Any bytes as constants of pixels, and as a geometry: refused, or as many numbers as the shape says.
//!
//! `cargo +nightly fuzz run --no-default-features constants`
#![no_main]

use livetime_formats::geometry::Geometry;
use livetime_recording::Constants;

/// Larger detectors are right, and take long.
const MOST_PIXELS: usize = 1 << 16;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Ok(constants) = Constants::parse(input) {
        assert_eq!(constants.values.len(), constants.shape.iter().product::<usize>());
    }
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(geometry) = Geometry::parse(text) else { return };
    let pixels = geometry.shape().iter().product::<usize>();
    if pixels <= MOST_PIXELS {
        assert_eq!(geometry.coordinates().x.len(), pixels);
        let assembly = geometry.assembly().ok().filter(|a| a.rows * a.columns <= MOST_PIXELS);
        if let Some(assembly) = assembly {
            let picture = assembly.assemble(&vec![1u8; pixels], 0).unwrap();
            assert_eq!((picture.len(), picture.contains(&1)), (assembly.rows * assembly.columns, true));
        }
    }
});
