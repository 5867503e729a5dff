//! The log of a long-running command: lines with a time and a level; the user chooses the least severe level.

pub(crate) mod queue;

use std::fmt;

use clap::ValueEnum;
use livetime_control::model::{Entry, What};
use livetime_engine::{Event, time_of_day_ns};

use crate::report::numbers::utc;

/// How much a line matters, and up to where lines are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, ValueEnum)]
pub(crate) enum Level {
    /// Data were lost, or the run is in danger.
    Error,
    /// The run differs from the request, and continues.
    Warn,
    /// Messages of nodes, writes to PVs, and the state of the run every 5 s.
    #[default]
    Info,
    /// All that there is, connections of clients too.
    Debug,
}

/// One line of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) level: Level,
    /// Time of day, ns since 1970.
    at_ns: u64,
    text: String,
}

impl Line {
    /// A line of now.
    pub(crate) fn new(level: Level, text: impl fmt::Display) -> Line {
        let at_ns = u64::try_from(time_of_day_ns()).unwrap_or(0);
        Line { level, at_ns, text: text.to_string() }
    }

    /// The newest message of a node of a run.
    pub(crate) fn of(event: &Event) -> Line {
        Line::new(level_of(event), What::Event(event.clone()))
    }

    /// An entry of the log that the model of a run keeps: messages of nodes, and changes to them.
    pub(crate) fn of_entry(entry: &Entry) -> Line {
        let level = match &entry.what {
            What::Event(event) => level_of(event),
            // The server has told it, with the name of the PV.
            What::Action { caller, problem: Some(_), .. }
                if ["pvaccess", "channel access"].contains(&caller.face) =>
            {
                Level::Debug
            }
            What::Action { .. } => Level::Info,
        };
        Line { level, at_ns: u64::try_from(entry.at_ns).unwrap_or(0), text: entry.what.to_string() }
    }
}

fn level_of(event: &Event) -> Level {
    if event.is_error { Level::Error } else { Level::Info }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
        };
        write!(f, "{} {level} {}", utc(self.at_ns), self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_time_of_day_and_a_level() {
        let line = Line { level: Level::Warn, at_ns: 1_795_341_019_123_000_000, text: "full".into() };
        assert_eq!(line.to_string(), "2026-11-22 09:50:19.123Z warn full");
        let event =
            Event { at_ns: 5, node: "disk".into(), is_error: true, message: "full".into(), cause: None };
        let text = Line::of(&event).to_string();
        assert!(text.ends_with("Z error disk: full") && text.starts_with("20"), "{text}");
    }
}
