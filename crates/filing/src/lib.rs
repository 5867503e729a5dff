//! The common part of all sinks that write files, whatever the format.
//!
//! Three types come first:
//!
//! - [`Destination`]: the folder, names and numbers of the files, as parameters with areaDetector's names.
//! - [`Writing`]: the state of writing. After a full disk it tries again once a second, and it reports unfinished files.
//! - [`Recorder`]: the open files of a node. It notices a file that another program removes, and ends all of them.
//!
//! [`GrowingFile`](livetime_formats::file::GrowingFile) writes a single file, which gets its name when it is whole.
//!
//! ```
//! use livetime_filing::{Destination, file_name};
//!
//! // Templates are those of areaDetector: folder, name and number in C's printf.
//! assert_eq!(file_name("%s%s_%3.3d.h5", "/data/", "run", 7)?, "/data/run_007.h5");
//!
//! // Numbers whose files exist are skipped, so nothing is replaced.
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("run_0001.raw"), "of an earlier run")?;
//! let mut files = Destination::new("run", "%s%s_%4.4d.raw");
//! files.path = folder.path().display().to_string();
//! let mut number = 1;
//! let mut file = files.create_next(&mut number)?;
//! file.append(&[b"frame"])?;
//! assert!(folder.path().join("run_0002.raw.inprogress").exists());
//! files.end(file)?;
//! assert!(folder.path().join("run_0002.raw").exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
