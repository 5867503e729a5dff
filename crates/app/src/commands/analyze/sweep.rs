//! The same analysis by several numbers of workers.

use image::RgbImage;

use crate::analyze::Found;
use crate::usage::{self, Usage};

/// Name of the plot's file.
pub(super) const FILE: &str = "workers.png";

/// An analysis by some number of workers.
pub(super) struct Measured {
    pub(super) workers: usize,
    pub(super) found: Found,
    pub(super) usage: Usage,
}

/// Whether all found the same, bit for bit.
pub(super) fn are_same(all: &[Measured]) -> bool {
    all.windows(2).all(|pair| pair[0].found == pair[1].found)
}

/// Rates and CPU over the number of workers.
pub(super) fn plot(all: &[Measured]) -> RgbImage {
    let rows: Vec<(usize, Usage)> = all.iter().map(|m| (m.workers, m.usage)).collect();
    usage::plot(&rows)
}
