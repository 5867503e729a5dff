//! Buffers that live from call to call.

use super::blocks::Columns;
use super::histogram::Bins;
use super::profiles::ProfileBuffers;
use super::projections::Projections;
use super::results::Profiles;

/// Working memory of [`statistics`](super::statistics()), and the arrays it leaves behind.
///
/// Grows to the need of the largest image and never shrinks. One per stream of images; it may be
/// used with any pixel type and size in turn.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) projections: Projections,
    pub(super) columns: Columns,
    pub(super) bins: Bins,
    pub(super) profiles: ProfileBuffers,
}

impl Scratch {
    /// The profiles of the latest call.
    pub fn profiles(&self) -> Profiles<'_> {
        self.profiles.view()
    }

    /// The histogram counts of the latest call, one per bin; empty when not wanted.
    pub fn counts(&self) -> &[u64] {
        self.bins.counts()
    }

    /// The pixel values that the bins of the latest call stand for, one per bin.
    pub fn axis(&self) -> &[f64] {
        self.bins.axis()
    }
}
