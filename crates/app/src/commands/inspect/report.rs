//! The findings about a file, and the lines and values that reports of several formats share.

use std::path::Path;

use livetime_formats::file::End;
use livetime_formats::{Datagrams, Error, clock};
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

/// The first lines about a file of datagrams. `words` says what a damage is.
pub(super) fn datagrams_text(
    path: &Path,
    what: &str,
    size: u64,
    run: Option<u32>,
    found: &Datagrams,
    words: impl Fn(u32) -> String,
) -> String {
    let mut text = heading(path, what, size, found.count(), found.end, found.broken.as_ref());
    if let Some(run) = run {
        text += &format!("run: {run}\n");
    }
    text += &events_line(found.events, found.event_times_ns, found.event_rate_hz());
    let transitions: Vec<String> = found.transitions.iter().map(|(name, n)| format!("{name} {n}")).collect();
    text += &format!("datagrams: {}\n", transitions.join(", "));
    for (damage, count) in &found.damage {
        text += &format!("damage: {count} datagrams: {}\n", words(*damage));
    }
    text
}

/// The line about datagrams whose inside is broken; empty if there are none.
pub(super) fn unsound_line(found: &Datagrams) -> String {
    found.first_unsound.as_ref().map_or_else(String::new, |error| {
        format!("broken inside datagrams: {}, the first: {error}\n", found.unsound)
    })
}

/// The values about a file of datagrams, for JSON.
pub(super) fn datagrams_json(
    path: &Path,
    format: &str,
    size: u64,
    found: &Datagrams,
    words: impl Fn(u32) -> String,
) -> Value {
    let damage = |(damage, count): (&u32, &u64)| json!({ "damage": words(*damage), "datagrams": count });
    json!({
        "file": path.display().to_string(),
        "format": format,
        "bytes": size,
        "state": state_json(found.end, found.broken.as_ref(), found.is_whole()),
        "datagrams": found.count(),
        "transitions": found.transitions,
        "events": found.events,
        "first_event_ns": found.event_times_ns.map(|t| t.0),
        "last_event_ns": found.event_times_ns.map(|t| t.1),
        "event_rate_hz": found.event_rate_hz(),
        "damage": found.damage.iter().map(damage).collect::<Vec<_>>(),
        "broken_inside": found.unsound,
        "first_broken_inside": found.first_unsound.as_ref().map(|e| e.to_string()),
    })
}

fn events_line(events: u64, times_ns: Option<(u64, u64)>, rate_hz: Option<f64>) -> String {
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
