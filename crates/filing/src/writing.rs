//! How writing to files fares, and when a write that failed is tried again.

use std::fmt::Display;

use livetime_engine::{Context, NodeError, ParamEnum, Params, Teller};

use crate::{Error, Result};

/// How long a sink waits after a failed write: a full disk or a missing folder is tried once a second, not
/// with every frame.
const RETRY_NS: u64 = 1_000_000_000;
/// How often a sink checks that its open file is still in its folder.
const CHECK_NS: u64 = 1_000_000_000;

/// How the last write fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum WriteStatus {
    /// The last write succeeded.
    #[default]
    #[pv("Write OK")]
    Ok,
    /// The last write failed.
    #[pv("Write error")]
    Error,
}

/// Readbacks of every sink that writes files; they come behind its own parameters (`#[param(flatten)]`).
#[derive(Params)]
pub struct WriteReport {
    /// How the last write fared.
    #[param(readback, pv = "WriteStatus", form = Plain)]
    pub write_status: WriteStatus,
    /// What went wrong with the last write; empty when nothing did.
    #[param(readback, pv = "WriteMessage", form = Plain)]
    pub write_message: String,
}

impl WriteReport {
    /// The last write succeeded.
    pub fn succeeded(&mut self) {
        self.write_status = WriteStatus::Ok;
        self.write_message.clear();
    }

    /// The last write failed because of `why`.
    pub fn failed(&mut self, why: impl Into<String>) {
        (self.write_status, self.write_message) = (WriteStatus::Error, why.into());
    }
}

/// The part of a sink that concerns files but not their content: it reports files that could not be finished,
/// and decides when a failed write is tried again.
///
/// ```
/// use livetime_filing::{WriteReport, Writing};
///
/// let (mut writing, mut report) = (Writing::default(), WriteReport::default());
/// let full: std::io::Result<()> = Err(std::io::Error::other("no space left"));
/// assert!(writing.settle(full, &mut report, 0).is_err());
/// // Half a second later nothing is tried, and the frame is lost for the same reason.
/// assert_eq!(writing.may_write(&report, 500_000_000).unwrap_err().to_string(), "no space left");
/// let tried = writing.may_write(&report, 1_000_000_000);
/// assert!(writing.settle(tried, &mut report, 1_000_000_000).is_ok());
/// assert_eq!(report.write_message, "");
/// ```
#[derive(Default)]
pub struct Writing {
    /// When writing is tried again; `None` when the last write succeeded.
    retry_ns: Option<u64>,
    checked_ns: u64,
    /// There from the start of the run on, because the end of a node has no context.
    teller: Option<Teller>,
}

impl Writing {
    /// To be called when the node starts, before anything can go wrong.
    pub fn start(&mut self, ctx: &mut Context) {
        self.teller = Some(ctx.teller());
    }

    /// Whether a write may be tried at `now_ns` on the clock of the run.
    ///
    /// # Errors
    /// [`Error::Waiting`] with the message of the write that failed, until it is time to try again.
    pub fn may_write(&self, report: &WriteReport, now_ns: u64) -> Result<()> {
        // The message of the failure is repeated, so that every lost frame has the true reason.
        if self.is_waiting(now_ns) { Err(Error::Waiting(report.write_message.clone())) } else { Ok(()) }
    }

    /// Whether the last write failed and it is too early to try again.
    fn is_waiting(&self, now_ns: u64) -> bool {
        self.retry_ns.is_some_and(|retry_ns| now_ns < retry_ns)
    }

    /// Whether the last write failed.
    pub fn has_failed(&self) -> bool {
        self.retry_ns.is_some()
    }

    /// Enters how a write at `now_ns` fared, which [`Writing::may_write`] may have refused, into the readbacks.
    ///
    /// # Errors
    /// That of the write.
    pub fn settle<T, E: Display>(
        &mut self,
        written: Result<T, E>,
        report: &mut WriteReport,
        now_ns: u64,
    ) -> Result<T, NodeError> {
        match written {
            Ok(written) => {
                // One good write ends the wait for all.
                self.retry_ns = None;
                report.succeeded();
                Ok(written)
            }
            Err(why) => {
                // A frame that was lost while waiting does not prolong the wait.
                if !self.is_waiting(now_ns) {
                    self.wait(now_ns);
                }
                report.failed(why.to_string());
                Err(NodeError::new(why))
            }
        }
    }

    /// Nothing is tried for a second from `now_ns` on.
    pub fn wait(&mut self, now_ns: u64) {
        self.retry_ns = Some(now_ns + RETRY_NS);
    }

    /// Ends the wait; whether there was one.
    pub fn resume(&mut self) -> bool {
        self.retry_ns.take().is_some()
    }

    /// Whether a second has passed since this returned true; then a sink checks that its file still exists.
    pub fn is_time_to_check(&mut self, now_ns: u64) -> bool {
        let is_time = now_ns.saturating_sub(self.checked_ns) >= CHECK_NS;
        if is_time {
            self.checked_ns = now_ns;
        }
        is_time
    }

    /// Reports that a file could not be finished, and where its data are. The run continues, and ends as
    /// failed.
    pub fn tell_unfinished(&self, why: &dyn Display) {
        if let Some(teller) = &self.teller {
            teller.tell_unfinished(why.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_lost_while_waiting_do_not_prolong_the_wait() {
        let (mut writing, mut report) = (Writing::default(), WriteReport::default());
        let full = |why: &'static str| -> Result<(), &str> { Err(why) };
        assert!(writing.settle(full("full"), &mut report, 7).is_err());
        for now_ns in [8, 500_000_000, 1_000_000_006] {
            let refused = writing.may_write(&report, now_ns);
            assert!(matches!(&refused, Err(Error::Waiting(why)) if why == "full"), "{refused:?}");
            assert_eq!(writing.settle(refused, &mut report, now_ns).unwrap_err().to_string(), "full");
        }
        assert_eq!(report.write_status, WriteStatus::Error);
        assert!(writing.may_write(&report, 1_000_000_007).is_ok());
        // A second failure delays the next try by another second.
        assert!(writing.settle(full("still full"), &mut report, 1_000_000_007).is_err());
        assert_eq!(writing.may_write(&report, 2_000_000_006).unwrap_err().to_string(), "still full");
        assert_eq!(writing.settle(Ok::<_, Error>(3), &mut report, 2_000_000_007), Ok(3));
        assert_eq!((report.write_status, report.write_message.as_str()), (WriteStatus::Ok, ""));
        assert!(!writing.resume());
    }

    #[test]
    fn a_file_is_checked_once_a_second() {
        let mut writing = Writing::default();
        let times = [0, 999_999_999, 1_000_000_000, 1_000_000_001, 2_500_000_000, 3_000_000_000];
        let checks = times.map(|now_ns| writing.is_time_to_check(now_ns));
        assert_eq!(checks, [false, false, true, false, true, false]);
    }
}
