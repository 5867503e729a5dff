//! The reducers that come with the program.

mod described;
mod extremes;
mod histogram;
mod hits;
mod integers;
mod lengths;
mod mask;
mod moments;
mod panel;
mod peaks;
mod pixels;
mod statistics;
mod sums;
mod together;

pub use histogram::Histogram;
pub use hits::Hits;
pub use livetime_kernels::peaks::Peaks;
pub use mask::NoiseMask;
pub use statistics::PixelStatistics;

use super::EventPictures;

/// The pictures of one panel, of all events that have it.
fn frames<'a>(events: &[EventPictures<'a>], position: usize) -> Vec<&'a [u8]> {
    events.iter().filter_map(|event| event.picture(position)).map(|picture| picture.bytes).collect()
}
