//! Reports of a run: for people, while it runs and at its end, and for machines.

pub mod json;
pub mod losses;
pub mod numbers;
pub mod pretty;
pub mod rates;
pub mod summary;
pub mod table;
pub mod times;

use std::process::ExitCode;

use livetime_engine::Report;
use livetime_recording::{Findings, Judgement};

/// How a program ends that ran something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// As wanted.
    Ok = 0,
    /// Something failed.
    Failed = 1,
    /// The command line or the pipeline file is wrong; nothing was started.
    Usage = 2,
    /// The run ended, and frames were lost unintentionally.
    Loss = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// The exit code for the losses of recorded data, and for the case that nothing is left.
impl From<Judgement> for Exit {
    fn from(judgement: Judgement) -> Exit {
        match judgement {
            Judgement::Whole => Exit::Ok,
            Judgement::Lossy => Exit::Loss,
            Judgement::Nothing => Exit::Failed,
        }
    }
}

/// The reason of a run's end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndedBy {
    /// All sources came to their end.
    Sources,
    /// The time given with `--duration` is over.
    Duration,
    /// Ctrl-C, or a signal to terminate.
    Interrupt,
    /// A second Ctrl-C.
    Abort,
    /// The run of another host was aborted.
    PeerAbort,
    /// Queued frames were not handled in time.
    DrainLimit,
    /// A failure that stops the run.
    Failure,
}

impl EndedBy {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            EndedBy::Sources => "sources_ended",
            EndedBy::Duration => "duration",
            EndedBy::Interrupt => "interrupted",
            EndedBy::Abort => "aborted",
            EndedBy::PeerAbort => "peer_aborted",
            EndedBy::DrainLimit => "drain_limit",
            EndedBy::Failure => "failure",
        }
    }

    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            EndedBy::Sources => "all sources have ended",
            EndedBy::Duration => "its time is over",
            EndedBy::Interrupt => "interrupted, and drained",
            EndedBy::Abort => "aborted by a second interrupt; what was queued is lost",
            EndedBy::PeerAbort => "aborted with the run of another host; what was queued is lost",
            EndedBy::DrainLimit => "aborted: did not drain in time; what was queued is lost",
            EndedBy::Failure => "stopped by a failure",
        }
    }
}

/// A run that is over.
pub struct Ending<'a> {
    /// Name of the pipeline file.
    pub pipeline: &'a str,
    /// The last report.
    pub report: &'a Report,
    /// The reason of its end.
    pub ended_by: EndedBy,
    /// The accounts that do not balance.
    pub imbalances: Vec<String>,
}

impl<'a> Ending<'a> {
    /// The end of a run of `pipeline`; a failure in the report is the reason of the end, before any other reason.
    pub fn new(pipeline: &'a str, report: &'a Report, ended_by: EndedBy) -> Ending<'a> {
        let ended_by = if report.failure.is_some() { EndedBy::Failure } else { ended_by };
        Ending { pipeline, report, ended_by, imbalances: report.imbalances() }
    }

    /// Exit code, and its reason for machines.
    pub fn exit(&self) -> (Exit, &'static str) {
        // The order is by gravity: a failure explains an open ledger, and an open ledger makes all counts
        // doubtful.
        if self.report.failure.is_some() {
            (Exit::Failed, "failed")
        } else if !self.imbalances.is_empty() {
            (Exit::Failed, "ledger_open")
        } else if !self.report.unfinished.is_empty() {
            (Exit::Failed, "not_finished")
        } else {
            let judgement = self.findings().judgement();
            let reason = match judgement {
                Judgement::Whole => "ok",
                Judgement::Lossy => "unintended_losses",
                Judgement::Nothing => "nothing_sent",
            };
            (judgement.into(), reason)
        }
    }

    /// A run of which nothing came, and something was lost, has failed, as every reader of a recording that cannot be read has.
    fn findings(&self) -> Findings {
        // Nodes that receive nothing are the sources.
        let sources = self.report.nodes.iter().filter(|node| node.received == 0);
        let usable = sources.map(|source| source.emitted).sum();
        Findings { usable, failures: self.report.unintended_losses() + self.report.in_doubt(), problems: 0 }
    }
}

#[cfg(test)]
pub(crate) mod fixture;
