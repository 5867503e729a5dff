//! What nodes that play or write files have in common: readbacks, waiting after a failed write, the end of a recording.
//!
//! Names and folders of files, which know nothing of nodes, are in `livetime_formats::file`.

mod notes;
mod stop_after;
mod writing;

pub use notes::{AttributeNote, AttributeNotes, PipelineText};
pub use stop_after::{Recorded, StopAfter};
pub use writing::{WriteReport, WriteStatus, Writing};

use crate::{Context, ParamEnum};

/// When events of a recording are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Timing {
    /// As fast as the queues behind the source accept them.
    #[default]
    Fast,
    /// As far apart as they were recorded, divided by `speed`.
    Recorded,
}

/// Whether a sink `found` the folder for its files; for the start of a run and changes of parameters, when
/// there is nothing to write yet. A missing folder is reported at once, but the node does not fail: clients
/// of areaDetector often name or create the folder later.
pub fn found_folder(found: Result<(), String>, ctx: &Context) -> bool {
    if let Err(why) = &found {
        ctx.tell_error(format!("{why}; frames are lost until there is one"));
    }
    found.is_ok()
}
