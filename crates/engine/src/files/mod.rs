//! Services that nodes which play or write recordings take from a run. The common parts of recorders are in
//! `livetime_filing`.

mod notes;

pub use notes::{AttributeNote, AttributeNotes, PipelineText};

use crate::ParamEnum;

/// When events of a recording are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Timing {
    /// As fast as the queues behind the source accept them.
    #[default]
    Fast,
    /// As far apart as they were recorded, divided by `speed`.
    Recorded,
}
