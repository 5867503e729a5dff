//! The common part of all sinks that write pictures to files: areaDetector's NDFile.
//!
//! A format implements [`FileWriter`]: open, write, flush, close. [`FileNode`] is the node around a format. The node
//! serves the names of NDFile ([`NdFileParams`]), decides which frame goes to which file, and enters frames that could
//! not be written into the readbacks and the ledger.
//!
//! | mode | written frames |
//! |---|---|
//! | single | each frame as a file of its own, with `auto_save`; else the last one when `write_file` is set |
//! | capture | while `capture` is true, frames are kept in memory, `num_capture` at most; `write_file`, or `auto_save` at the end, writes them |
//! | stream | while `capture` is true, frames are written as they come, until there are `num_capture` |
//!
//! In all modes, frames of a format with one frame per file become one file each. A file is opened by its first
//! frame: its shape and type are known then, and no frame is needed beforehand. The file of a stream has its name, and
//! `file_number` has moved, as soon as `capture` is true; with `lazy_open` that comes with the first frame, too. A
//! capture without a frame leaves no file.
//!
//! The counts of a capture belong to this capture alone: `num_captured` is 0 before `capture` reads true, and frames
//! that were in the queue when it became true belong to the time before; they are counted in `ignored`. A detector ends
//! its acquisition only when its frames have reached the files of all downstream writers that capture, so that
//! `num_captured` is exact then.
//!
//! Without a folder a node waits for one: it starts, and frames are counted in `ignored` until `path` is named. A
//! folder that is named and missing is shown in `file_path_exists` and refuses neither the change of `path` nor the
//! start of the run; frames that should be written are lost until the folder exists.
//!
//! Frames may steer the writer by attributes, as in areaDetector: `FilePluginDestination` (another node than this
//! one: the frame is not for us), `FilePluginFileName` and `FilePluginFileNumber` (begin another file),
//! `FilePluginClose` (the last frame of its file).

mod error;
mod files;
mod new_file;
mod node;
mod params;
mod steer;
#[cfg(test)]
mod tests;
mod writer;

pub use error::{NotWritten, WriteError};
pub use new_file::NewFile;
pub use node::FileNode;
pub(super) use node::delete_driver_file;
pub use params::{FileMode, NdFileParams};
pub use writer::{FileWriter, Fit};

pub use super::event_time::EventTime;
