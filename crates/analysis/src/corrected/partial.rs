//! The partial result of corrected pictures of some events.

use crate::{Reducer, Reducers};

/// The results of the reducers behind corrections, and the counts of the corrections themselves.
pub struct CorrectedPartial {
    pub(super) inner: <Reducers as Reducer>::Partial,
    /// Good pixels of all pictures whose gain code belongs to no stage.
    pub(super) unknown: u64,
}
