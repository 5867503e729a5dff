//! What corrected pictures of some events gave.

use crate::{Reducer, Reducers};

/// The results of the reducers behind corrections, and what the corrections themselves count.
pub struct CorrectedPartial {
    pub(super) inner: <Reducers as Reducer>::Partial,
    /// Good pixels of all pictures whose gain code is that of no stage.
    pub(super) unknown: u64,
}
