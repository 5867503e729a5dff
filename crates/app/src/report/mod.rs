//! What a run tells: to people while it runs and at its end, and to machines.

pub(crate) mod json;
pub(crate) mod live;
pub(crate) mod losses;
pub(crate) mod numbers;
pub(crate) mod rates;
pub(crate) mod summary;
pub(crate) mod table;

use livetime_engine::Report;

use crate::output::Exit;

/// What made a run end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EndedBy {
    /// All sources came to their end.
    Sources,
    /// The time given with `--duration` is over.
    Duration,
    /// Ctrl-C, or a signal to terminate.
    Interrupt,
    /// A second Ctrl-C.
    Abort,
    /// What was under way did not come to its end in time.
    DrainLimit,
    /// A failure that stops the run.
    Failure,
}

impl EndedBy {
    /// Name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            EndedBy::Sources => "sources_ended",
            EndedBy::Duration => "duration",
            EndedBy::Interrupt => "interrupted",
            EndedBy::Abort => "aborted",
            EndedBy::DrainLimit => "drain_limit",
            EndedBy::Failure => "failure",
        }
    }

    /// In words.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            EndedBy::Sources => "all sources have ended",
            EndedBy::Duration => "its time is over",
            EndedBy::Interrupt => "interrupted, and drained",
            EndedBy::Abort => "aborted by a second interrupt; what was queued is lost",
            EndedBy::DrainLimit => "aborted: did not drain in time; what was queued is lost",
            EndedBy::Failure => "stopped by a failure",
        }
    }
}

/// A run that is over.
pub(crate) struct Ending<'a> {
    /// Name of the pipeline file.
    pub(crate) pipeline: &'a str,
    pub(crate) report: &'a Report,
    pub(crate) ended_by: EndedBy,
    /// What does not balance.
    pub(crate) imbalances: Vec<String>,
}

impl<'a> Ending<'a> {
    pub(crate) fn new(pipeline: &'a str, report: &'a Report, ended_by: EndedBy) -> Ending<'a> {
        let ended_by = if report.failure.is_some() { EndedBy::Failure } else { ended_by };
        Ending { pipeline, report, ended_by, imbalances: report.imbalances() }
    }

    /// Exit code, and its reason for machines.
    pub(crate) fn exit(&self) -> (Exit, &'static str) {
        if self.report.failure.is_some() {
            (Exit::Failed, "failed")
        } else if !self.imbalances.is_empty() {
            (Exit::Failed, "ledger_open")
        } else if self.report.unintended_losses() > 0 {
            (Exit::Loss, "unintended_losses")
        } else {
            (Exit::Ok, "ok")
        }
    }
}

#[cfg(test)]
pub(crate) mod fixture;
