//! After the first frame of a size no codec of ours takes memory.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "each file of tests uses its own part")]
mod common;

use livetime_codecs::{Array, DType};
use livetime_kernels::Level;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

// One test, so that no other thread allocates meanwhile.
#[test]
fn frames_are_coded_in_memory_that_is_there() {
    for codec in &mut common::codecs(Level::best()) {
        for kind in 0..common::data::KINDS {
            let frame = common::data::make(DType::U16, 50_000, kind, 1);
            let array = Array::new(&frame, DType::U16, &[50_000]).unwrap();
            let (mut stream, mut back) = (vec![0; codec.bound(frame.len())], vec![0; frame.len()]);
            let mut round = || {
                let size = codec.encode(array, &mut stream).unwrap();
                codec.decode(&stream[..size], DType::U16, &mut back).unwrap();
            };
            round();
            let mut allocations = || {
                let region = Region::new(GLOBAL);
                round();
                region.change().allocations + region.change().reallocations
            };
            // The thread that runs the tests may take memory once at the start.
            let least = (0..3).map(|_| allocations()).min();
            assert_eq!(least, Some(0), "{}, kind {kind}", codec.name());
        }
    }
}
