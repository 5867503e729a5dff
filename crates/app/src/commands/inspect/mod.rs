//! `livetime inspect`: shows the content of recorded files.

mod hdf5;
mod hits;
mod pictures;
mod records;
mod report;
mod tree;
mod wire;
mod xtc1;
mod xtc2;

use std::path::{Path, PathBuf};

use livetime_formats::file::{Format, ReadAt};
use livetime_formats::{Error, file, xtc1 as lcls1, xtc2 as lcls2};
use livetime_recording::{RunFormat, Stores, files_given};
use serde_json::{Value, json};

use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::stores::of_environment;
use clap::Args;
use report::{FileFailure, Report, exit_of, worse};

pub(crate) const INSPECT_HELP: &str = "\
Examples:
  livetime inspect e236-r0003-s04-c00.xtc
  livetime inspect *.xtc --json > inspect.json
  livetime inspect run.xtc2 --tree --first 20
  livetime inspect felix-2018-11-05-102030.0.1.2.bin link.bin.zst
  livetime inspect s3://bucket/e236-r0003-s04-c00.xtc https://host/run.h5

Reads XTC of LCLS-I (.xtc) and LCLS-II (.xtc2) and trigger records (.records), also while they are written; the data
themselves are skipped.
Raw frames of the wire readout (WIB1, WIB2, WIBEth) and FELIX blocks are known by their content and are read whole. The
report accounts for the time of each link, and shows its faults, and pedestal and noise of its planes.
The command ends with 1 if a file cannot be read or is not whole, and shows the complete part all the same; with 3
if raw frames are missing or have faults.";

/// Arguments of `inspect`.
#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// Files to inspect.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Print every datagram (record) with its content instead of counts.
    #[arg(long, conflicts_with = "json")]
    pub(crate) tree: bool,
    /// With --tree: stop after this many datagrams (records) of each file.
    #[arg(long, value_name = "DATAGRAMS", requires = "tree")]
    pub(crate) first: Option<u64>,
    /// Read every picture of the runs of these files, and count whole, damaged, missing and unreadable ones,
    /// by the rules of sources and `analyze`.
    #[arg(long, conflicts_with = "tree")]
    pub(crate) pictures: bool,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn inspect(args: &InspectArgs, output: &mut Output) -> Result<Exit, Failure> {
    let stores = of_environment(None);
    let expanded = files_given(&stores, &args.files).map_err(|e| Failure::new(Exit::Failed, e))?;
    let (mut reports, mut exit) = (Vec::new(), Exit::Ok);
    for (position, path) in expanded.iter().enumerate() {
        // A blank line parts the reports; the JSON is one document at the end.
        if position > 0 && !args.json {
            output.data("\n")?;
        }
        match inspect_file(&stores, path, args, output) {
            Ok(report) => {
                exit = worse(exit, report.exit);
                if !args.json {
                    output.data(&report.text)?;
                }
                reports.push(report.json);
            }
            // The other files are still inspected.
            Err(FileFailure::File(error)) => {
                exit = worse(exit, Exit::Failed);
                let error = error.in_file(path);
                output.log(format_args!("livetime: {error}"));
                reports.push(json!({ "file": path.display().to_string(), "error": error.to_string() }));
            }
            // Without stdout no further report reaches its reader.
            Err(FileFailure::Output(failure)) => return Err(failure),
        }
    }
    if args.json {
        output.json(&Value::from(reports))?;
    }
    Ok(exit)
}

fn inspect_file(
    stores: &Stores,
    path: &Path,
    args: &InspectArgs,
    output: &mut Output,
) -> Result<Report, FileFailure> {
    let file = stores.open(path)?;
    let size = file.size().map_err(|e| Error::io("the size of the file", e))?;
    // An empty file has no content from which its format could be known.
    if size == 0 {
        return Ok(empty(path));
    }
    // Formats with a signature come first, so that raw frames are not found in them by chance.
    if hdf5::is_hdf5(&file)? {
        let report = hdf5::report(stores, path, &file)?;
        return Ok(if args.pictures { pictures::judged(report, stores, path)? } else { report });
    }
    if hits::is_parquet(path, &file)? {
        return Ok(hits::report(path, size, &file)?);
    }
    if records::is_records(path, &file)? {
        let report = records::report(path, size, &file, args.tree, args.first)?;
        return Ok(if args.pictures { pictures::judged(report, stores, path)? } else { report });
    }
    // Raw frames have no tree of datagrams.
    if !args.tree
        && let Some(content) = wire::recognise(path, file.clone())?
    {
        let report = wire::report(path, file, size, content)?;
        // Frames in FELIX blocks are no events yet.
        let is_run = content == wire::Content::Dump;
        return Ok(if args.pictures && is_run { pictures::judged(report, stores, path)? } else { report });
    }
    // An error of the system is shown as it is; any other fault means only that the format is unknown.
    let format =
        RunFormat::of_from(stores, path).map_err(|e| if e.io_error().is_some() { e } else { unknown() })?;
    if args.tree {
        let is_whole = match format.datagrams() {
            Some(Format::Xtc1) => tree::lcls1(path, &file, args.first, output)?,
            Some(Format::Xtc2) => tree::lcls2(path, &file, args.first, output)?,
            _ => return Err(unknown().into()),
        };
        // The tree is printed already, datagram by datagram.
        return Ok(Report { text: String::new(), json: Value::Null, exit: exit_of(1, is_whole) });
    }
    let mut progress = Progress::new(size, output);
    let tell = |done| {
        // A scan changes nothing, so Ctrl-C may simply end the program.
        progress.tell(done);
        true
    };
    let report = match format.datagrams() {
        Some(Format::Xtc1) => xtc1::report(path, size, &lcls1::summary::Summary::scan(&file, tell)?),
        Some(Format::Xtc2) => xtc2::report(path, size, &lcls2::summary::Summary::scan(&file, tell)?),
        _ => return Err(unknown().into()),
    };
    progress.clear();
    Ok(if args.pictures { pictures::judged(report, stores, path)? } else { report })
}

/// The content of a file that needs no recovery, because its readers take every complete piece of it; `None` if unknown.
pub(super) fn what_is_read_as_it_is(path: &Path) -> Option<&'static str> {
    let file = Stores::default().open(path).ok()?;
    let mut begin = [0; 6];
    let read = file::read_exact_at(&file, &mut begin, 0);
    // The first 6 bytes of each .npy file are these.
    if read.is_ok() && begin == *b"\x93NUMPY" {
        return Some("arrays of NumPy");
    }
    if records::is_records(path, &file).ok()? {
        return Some("trigger records");
    }
    match wire::recognise(path, file).ok()? {
        Some(_) => Some("raw frames of wires"),
        None => {
            let datagrams = RunFormat::of(path).ok()?.datagrams();
            (datagrams == Some(Format::Xtc2)).then_some("datagrams of LCLS-II")
        }
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
