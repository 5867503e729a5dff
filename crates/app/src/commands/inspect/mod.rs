//! `livetime inspect`: shows what recorded files contain.

mod hdf5;
mod hits;
mod pictures;
mod records;
mod tree;
mod wire;
mod xtc1;
mod xtc2;

use std::fs::File;
use std::path::Path;

use livetime_formats::file::End;
use livetime_formats::{Error, clock, xtc1 as lcls1, xtc2 as lcls2};
use livetime_recording::{Findings, RunFormat};
use serde_json::{Value, json};

use crate::cli::InspectArgs;
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::report::numbers::{bytes, utc};

/// The findings about one file.
struct Report {
    text: String,
    json: Value,
    exit: Exit,
}

/// How the inspection of a file ends: as every reader of the file does.
fn exit_of(usable: u64, is_whole: bool) -> Exit {
    Findings::of_file(usable, is_whole).judgement().into()
}

/// The worse of two results: an unreadable file is worse than one with losses.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit: &Exit| [Exit::Ok, Exit::Loss, Exit::Usage, Exit::Failed].iter().position(|e| e == exit);
    if rank(&one) >= rank(&other) { one } else { other }
}

pub(crate) fn inspect(args: &InspectArgs, output: &mut Output) -> Result<Exit, Failure> {
    let (mut reports, mut exit) = (Vec::new(), Exit::Ok);
    for (position, path) in args.files.iter().enumerate() {
        if position > 0 && !args.json {
            output.data("\n")?;
        }
        match inspect_file(path, args, output) {
            Ok(report) => {
                exit = worse(exit, report.exit);
                if !args.json {
                    output.data(&report.text)?;
                }
                reports.push(report.json);
            }
            Err(FileFailure::File(error)) => {
                exit = worse(exit, Exit::Failed);
                let error = error.in_file(path);
                output.log(format_args!("livetime: {error}"));
                reports.push(json!({ "file": path.display().to_string(), "error": error.to_string() }));
            }
            Err(FileFailure::Output(failure)) => return Err(failure),
        }
    }
    if args.json {
        output.json(&Value::from(reports))?;
    }
    Ok(exit)
}

/// The reason why the work on a file stops: an error of the file, or of the output.
enum FileFailure {
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

fn inspect_file(path: &Path, args: &InspectArgs, output: &mut Output) -> Result<Report, FileFailure> {
    let file = File::open(path).map_err(|e| Error::io("to open the file", e))?;
    let size = file.metadata().map_err(|e| Error::io("the size of the file", e))?.len();
    if size == 0 {
        return Ok(empty(path));
    }
    if hdf5::is_hdf5(&file)? {
        let report = hdf5::report(path, &file)?;
        return Ok(if args.pictures { pictures::judged(report, path)? } else { report });
    }
    if hits::is_parquet(path, &file)? {
        return Ok(hits::report(path, size, &file)?);
    }
    if records::is_records(path, &file)? {
        let report = records::report(path, size, &file, args.tree, args.first)?;
        return Ok(if args.pictures { pictures::judged(report, path)? } else { report });
    }
    if !args.tree
        && let Some(content) = wire::recognise(path)?
    {
        let report = wire::report(path, size, content)?;
        // Frames in FELIX blocks are no events yet.
        let is_run = content == wire::Content::Dump;
        return Ok(if args.pictures && is_run { pictures::judged(report, path)? } else { report });
    }
    let format = RunFormat::of(path).map_err(|e| if e.io_error().is_some() { e } else { unknown() })?;
    if args.tree {
        let is_whole = match format {
            RunFormat::Xtc1 => tree::lcls1(path, &file, args.first, output)?,
            RunFormat::Xtc2 => tree::lcls2(path, &file, args.first, output)?,
            _ => return Err(unknown().into()),
        };
        return Ok(Report { text: String::new(), json: Value::Null, exit: exit_of(1, is_whole) });
    }
    let mut progress = Progress::new(size, output);
    let tell = |done| {
        progress.tell(done);
        true
    };
    let report = match format {
        RunFormat::Xtc1 => xtc1::report(path, size, &lcls1::summary::Summary::scan(&file, tell)?),
        RunFormat::Xtc2 => xtc2::report(path, size, &lcls2::summary::Summary::scan(&file, tell)?),
        _ => return Err(unknown().into()),
    };
    progress.clear();
    Ok(if args.pictures { pictures::judged(report, path)? } else { report })
}

/// The content of a file that needs no recovery, because its readers take every complete piece of it; `None` if unknown.
pub(super) fn what_is_read_as_it_is(path: &Path) -> Option<&'static str> {
    let file = File::open(path).ok()?;
    let mut begin = [0; 6];
    let read = livetime_formats::file::read_exact_at(&file, &mut begin, 0);
    if read.is_ok() && begin == *b"\x93NUMPY" {
        return Some("arrays of NumPy");
    }
    if records::is_records(path, &file).ok()? {
        return Some("trigger records");
    }
    match wire::recognise(path).ok()? {
        Some(_) => Some("raw frames of wires"),
        None => matches!(RunFormat::of(path), Ok(RunFormat::Xtc2)).then_some("datagrams of LCLS-II"),
    }
}

/// The file is empty: its recorder died at its start, or a copy failed.
fn empty(path: &Path) -> Report {
    let file = path.display().to_string();
    let state =
        json!({ "whole": false, "complete_bytes": 0, "partial_bytes": 0, "broken": "the file is empty" });
    Report {
        text: format!("{file}: empty: nothing was recorded, or it was lost\n"),
        json: json!({ "file": file, "format": null, "bytes": 0, "state": state }),
        exit: Exit::Failed,
    }
}

fn unknown() -> Error {
    let wanted = "an XTC file of LCLS-I or LCLS-II, trigger records, raw frames of wires (WIB1, WIB2, WIBEth, bare or \
                  in FELIX blocks, also packed with zstd), hits (Parquet), or HDF5";
    Error::new(wanted, "something else")
}

/// The first line about a file: what it is, how large, how much of it is complete.
fn heading(path: &Path, what: &str, size: u64, datagrams: u64, end: End, broken: Option<&Error>) -> String {
    let state = match (broken, end) {
        (Some(error), _) => format!("broken at byte {}: {}", end.offset(), error.reason()),
        (None, End::Whole { .. }) => "complete".into(),
        (None, End::Partial { offset, has, .. }) => {
            format!("ends inside a datagram: {has} bytes from byte {offset} on")
        }
    };
    format!("{}: {what}, {}, {datagrams} datagrams, {state}\n", path.display(), bytes(size))
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
fn state_json(end: End, broken: Option<&Error>, is_whole: bool) -> Value {
    json!({
        "whole": is_whole,
        "complete_bytes": end.offset(),
        "partial_bytes": end.partial_bytes(),
        "broken": broken.map(Error::to_string),
    })
}
