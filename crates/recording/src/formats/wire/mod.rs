//! Runs of the wire readout: dumps of raw frames, and files of trigger records.
//!
//! A detector is a link, and its array has a row for each channel and a column for each tick. An event of a dump is a window of 1024
//! ticks that is the same for all links; an event of a file of records is a record, with the window that was requested.

mod block;
pub(super) mod dump;
mod files;
mod input;
mod link;
pub(super) mod records;
mod scan;
mod source;
