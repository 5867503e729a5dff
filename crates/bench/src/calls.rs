//! How long the calls of a node take.

use std::time::{Duration, Instant};

use livetime_engine::NodeError;
use livetime_engine::testing::Harness;

/// Mean time in ns of as many calls as fit into a tenth of a second, after a few to warm up.
pub(crate) fn sample(
    harness: &mut Harness,
    handle: &mut impl FnMut(&mut Harness) -> Result<(), NodeError>,
    quick: bool,
) -> Result<f64, NodeError> {
    let span = Duration::from_millis(if quick { 5 } else { 100 });
    for _ in 0..3 {
        handle(harness)?;
    }
    let start = Instant::now();
    let mut calls = 0;
    while start.elapsed() < span {
        handle(harness)?;
        calls += 1;
    }
    Ok(start.elapsed().as_nanos() as f64 / f64::from(calls))
}
