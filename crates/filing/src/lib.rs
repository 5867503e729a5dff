//! What sinks that write files share, whatever the format.
//!
//! - [`Destination`] is where files go: folder, names, numbers, as parameters with areaDetector's names.
//! - [`Writing`] is how writing fares: a full disk is tried again once a second, and what could not be finished is told.
//! - [`Recorder`] is a node with open files: it notices when one is taken away, and ends them.
//!
//! How a single file is written, so that half of one never has its name, is in
//! [`GrowingFile`](livetime_formats::file::GrowingFile).

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod destination;
mod error;
mod names;
mod recorder;
mod series;
mod stop_after;
mod writing;

pub use destination::{Destination, tell_missing};
pub use error::{Error, Result};
pub use names::{ensure_folder, file_name, may_be_file, may_write, numbered};
pub use recorder::Recorder;
pub use series::Series;
pub use stop_after::{Recorded, StopAfter};
pub use writing::{WriteReport, WriteStatus, Writing};
