//! Sentences for a log about something that a client can cause again and again.

use std::fmt::Display;
use std::time::Duration;

/// The shortest interval between two reports, so that a client that tries again at once does not fill the log.
const QUIET: Duration = Duration::from_secs(5);

/// Cases that were not reported yet, and the time of the last report.
#[derive(Default)]
pub struct Reports {
    count: u64,
    told: Option<Duration>,
}

impl Reports {
    /// The sentence about one more case at `now`, if it is due: `refused 10.0.0.1:4000: too many connections`, and of several
    /// `refused 7 connections, at last 10.0.0.1:4000: ...`. `whom`: the noun for several, as `connections`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use livetime_guests::Reports;
    ///
    /// let mut reports = Reports::default();
    /// let mut add = |s| reports.add("refused", "connections", "10.0.0.1:4000", "too many", Duration::from_secs(s));
    /// assert_eq!(add(1).as_deref(), Some("refused 10.0.0.1:4000: too many"));
    /// assert_eq!(add(2), None);
    /// assert_eq!(add(6).as_deref(), Some("refused 2 connections, at last 10.0.0.1:4000: too many"));
    /// ```
    pub fn add(
        &mut self,
        what: &str,
        whom: &str,
        last: impl Display,
        reason: impl Display,
        now: Duration,
    ) -> Option<String> {
        self.count += 1;
        if self.told.is_some_and(|told| now < told + QUIET) {
            return None;
        }
        self.told = Some(now);
        Some(match std::mem::take(&mut self.count) {
            1 => format!("{what} {last}: {reason}"),
            count => format!("{what} {count} {whom}, at last {last}: {reason}"),
        })
    }
}
