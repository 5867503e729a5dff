//! The findings about a file, and the lines and values that reports of several formats share.

use std::path::Path;

use livetime_formats::file::End;
use livetime_formats::{Error, clock};
use livetime_recording::Findings;
use serde_json::{Value, json};

use crate::output::{Exit, Failure};
use crate::report::numbers::{bytes, utc};

/// The findings about one file.
pub(super) struct Report {
    pub(super) text: String,
    pub(super) json: Value,
    pub(super) exit: Exit,
}

/// How the inspection of a file ends: as every reader of the file does.
pub(super) fn exit_of(usable: u64, is_whole: bool) -> Exit {
    Findings::of_file(usable, is_whole).judgement().into()
}

/// The worse of two results: an unreadable file is worse than one with losses.
pub(super) fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit: &Exit| [Exit::Ok, Exit::Loss, Exit::Usage, Exit::Failed].iter().position(|e| e == exit);
    if rank(&one) >= rank(&other) { one } else { other }
}

/// The reason why the work on a file stops: an error of the file, or of the output.
pub(super) enum FileFailure {
    File(Error),
    Output(Failure),
}

impl From<Error> for FileFailure {
    fn from(error: Error) -> FileFailure {
        FileFailure::File(error)
    }
}

impl From<Failure> for FileFailure {
    fn from(failure: Failure) -> FileFailure {
        FileFailure::Output(failure)
    }
}

/// The first line about a file: its kind, its size, its complete part.
pub(super) fn heading(
    path: &Path,
    what: &str,
    size: u64,
    datagrams: u64,
    end: End,
    broken: Option<&Error>,
) -> String {
    let state = match (broken, end) {
        (Some(error), _) => format!("broken at byte {}: {}", end.offset(), error.reason()),
        (None, End::Whole { .. }) => "complete".into(),
        (None, End::Partial { offset, has, .. }) => {
            format!("ends inside a datagram: {has} bytes from byte {offset} on")
        }
    };
    format!("{}: {what}, {}, {datagrams} datagrams, {state}\n", path.display(), bytes(size))
}

pub(super) fn events_line(events: u64, times_ns: Option<(u64, u64)>, rate_hz: Option<f64>) -> String {
    let rate = rate_hz.map_or_else(String::new, |hz| format!(", {hz:.4} Hz"));
    let times =
        times_ns.map_or_else(String::new, |(first, last)| format!(", {} to {}", utc(first), utc(last)));
    let unset = match times_ns {
        Some((first, _)) if !clock::is_set(first) => ", by a clock that was not set",
        _ => "",
    };
    format!("events: {events}{times}{unset}{rate}\n")
}

/// How a file ends, for JSON.
pub(super) fn state_json(end: End, broken: Option<&Error>, is_whole: bool) -> Value {
    json!({
        "whole": is_whole,
        "complete_bytes": end.offset(),
        "partial_bytes": end.partial_bytes(),
        "broken": broken.map(Error::to_string),
    })
}
