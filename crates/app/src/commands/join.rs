//! `livetime join`: the HDF5 files of several hosts as one.

use std::path::PathBuf;

use clap::Args;
use livetime_recording::join::{FileAccount, Joined, Missing, Shape, join as join_files};
use serde_json::{Value, json};

use super::count;
use crate::output::{Exit, Failure, Output};
use crate::report::numbers::bytes;

/// Ranges of missing numbers that are listed as text.
const MOST_RANGES: usize = 20;

pub(crate) const JOIN_HELP: &str = "\
Examples:
  livetime join host1/run_001.h5 host2/run_001.h5 -o run_001_master.h5
  livetime join module0.h5 module1.h5 module2.h5 -o run.h5 --side-by-side
  livetime join morning.h5 evening.h5 -o day.h5 --json

The new file shows the frames of all FILES in the order of their numbers (NDArrayUniqueId) and copies no picture: its paths are
relative, so that files and master can be moved together. With --side-by-side each FILE has one module of each frame, and pictures get
an axis for the modules behind the first one, in the order of the FILES. A frame that two files have is taken once if its bytes are
equal, else refused. The group `join` of the new file has the account of all FILES and the missing numbers.
The command ends with 0 if no number is missing between the first and the last, with 3 if some are, and with 1 if nothing was written.
Nothing is overwritten.";

/// Arguments of `join`.
#[derive(Args, Debug)]
pub(crate) struct JoinArgs {
    /// Finished files of one run, or masters of such files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// File to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Each file has one module of each frame.
    #[arg(long)]
    side_by_side: bool,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn join(args: &JoinArgs, output: &mut Output) -> Result<Exit, Failure> {
    let shape = if args.side_by_side { Shape::SideBySide } else { Shape::Shared };
    let joined = join_files(&args.files, &args.output, shape).map_err(|e| Failure::of(&e))?;
    let exit = if joined.is_whole() { Exit::Ok } else { Exit::Loss };
    match args.json {
        true => output.json(&as_json(args, &joined, exit))?,
        false => output.data(&as_text(args, &joined))?,
    }
    joined.left_out.iter().for_each(|what| output.log(format_args!("livetime: left out {what}")));
    Ok(exit)
}

fn as_json(args: &JoinArgs, joined: &Joined, exit: Exit) -> Value {
    let path = |file: &FileAccount| file.path.display().to_string();
    let missing = |missing: &Missing| {
        let file = missing.file.and_then(|file| joined.files.get(file)).map(path);
        json!({ "first": missing.first, "last": missing.last, "file": file })
    };
    let file = |file: &FileAccount| {
        json!({
            "file": path(file), "frames": file.frames, "again": file.again, "missing": file.missing,
            "partial": file.partial,
            "first": file.numbers.map(|(first, _)| first), "last": file.numbers.map(|(_, last)| last),
        })
    };
    let mapped = |(path, mappings): &(String, usize)| json!({ "path": path, "mappings": mappings });
    json!({
        "ok": exit == Exit::Ok,
        "output": args.output.display().to_string(),
        "side_by_side": args.side_by_side,
        "bytes": joined.bytes,
        "frames": joined.frames,
        "first": joined.numbers.map(|(first, _)| first),
        "last": joined.numbers.map(|(_, last)| last),
        "missing_frames": joined.missing_frames(),
        "missing": joined.missing.iter().map(missing).collect::<Vec<_>>(),
        "files": joined.files.iter().map(file).collect::<Vec<_>>(),
        "data_sets": joined.mapped.iter().map(mapped).collect::<Vec<_>>(),
        "left_out": joined.left_out,
        "exit_code": exit as u8,
        "exit_reason": if exit == Exit::Ok { "ok" } else { "missing_frames" },
    })
}

fn as_text(args: &JoinArgs, joined: &Joined) -> String {
    let range = |numbers: Option<(i64, i64)>| {
        numbers.map_or_else(String::new, |(a, b)| format!(", numbers {a} to {b}"))
    };
    let mut text = format!(
        "{}: {} of {}{}, {}\n",
        args.output.display(),
        frames(joined.frames),
        count(joined.files.len(), "file"),
        range(joined.numbers),
        bytes(joined.bytes)
    );
    for file in &joined.files {
        text += &format!("  {}: {}{}", file.path.display(), frames(file.frames), range(file.numbers));
        if file.missing > 0 {
            text += &format!(", {} missing", file.missing);
        }
        if file.partial > 0 {
            text += &format!(", {} without all of their modules", file.partial);
        }
        if file.again > 0 {
            text += &format!(", {} left out because another file or row has them", file.again);
        }
        text += "\n";
    }
    if joined.missing.is_empty() {
        return text + "no number is missing\n";
    }
    text += &format!("MISSING: {}\n", frames(joined.missing_frames()));
    text.extend(joined.missing.iter().take(MOST_RANGES).map(|missing| range_text(missing, &joined.files)));
    match joined.missing.len().saturating_sub(MOST_RANGES) {
        0 => text,
        more => text + &format!("  and {more} more ranges, which --json lists\n"),
    }
}

fn range_text(missing: &Missing, files: &[FileAccount]) -> String {
    let file = missing.file.and_then(|file| files.get(file));
    let place = file.map_or_else(|| "every file".to_owned(), |file| file.path.display().to_string());
    match missing.first == missing.last {
        true => format!("  {} in {place}\n", missing.first),
        false => format!("  {} to {} in {place}\n", missing.first, missing.last),
    }
}

fn frames(number: u64) -> String {
    format!("{number} frame{}", if number == 1 { "" } else { "s" })
}
