//! The duties of recorders beside writing.

use livetime_engine::NodeError;

use crate::Writing;

/// A node that records into files which it keeps open.
pub trait Recorder {
    /// Whether all open files are where they were created.
    fn is_in_place(&self) -> bool;

    /// Ends the files that are open, if there are some.
    ///
    /// # Errors
    /// If one cannot be finished: why, and where its data are.
    fn end(&mut self) -> Result<(), NodeError>;

    /// How writing fares.
    fn writing(&mut self) -> &mut Writing;

    /// Ends the files outside of the end of a run. If a file cannot be ended, the log names the place of its data, and
    /// the run ends as failed.
    ///
    /// # Errors
    /// As [`Recorder::end`].
    fn end_or_tell(&mut self) -> Result<(), NodeError> {
        let ended = self.end();
        ended.inspect_err(|why| self.writing().tell_unfinished(why))
    }

    /// Checks, once a second, whether another program has removed an open file: data written to it could never be read.
    fn look_for_files(&mut self, now_ns: u64) {
        if self.writing().is_time_to_check(now_ns) && !self.is_in_place() {
            // The failure is in the log and ends the run as failed; the frame at hand opens a new file.
            let _ = self.end_or_tell();
        }
    }
}
