//! `livetime recover`: saves every complete datagram of a broken XTC file, or the rows of a Parquet file whose writer was killed, and names
//! the losses; makes an HDF5 file of a killed writer readable.

use std::fs::File;
use std::path::{Path, PathBuf};

use clap::Args;
use livetime_formats::Error;
use livetime_formats::file::{GrowingFile, Head};
use livetime_formats::hdf5::Recovered;
use livetime_formats::xtc1::recover::{LostRegion, Neighbour, Saved, save};
use livetime_recording::Findings;
use serde_json::{Value, json};

use super::inspect::what_is_read_as_it_is;
use crate::interrupts::Interrupt;
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::report::numbers::{bytes, utc};

pub(crate) const RECOVER_HELP: &str = "\
Examples:
  livetime recover e1-r0001-s00-c00.xtc.inprogress -o e1-r0001-s00-c00.xtc
  livetime recover broken.xtc -o saved.xtc --json
  livetime recover hits_0001.parquet.inprogress -o hits_0001.parquet
  livetime recover run_001.h5

Of a Parquet file of hits_parquet the command saves all undamaged row groups up to the last index. An HDF5 file is whole up to the
last flush: the command only takes away the mark of a file that is being written, so no program may still write the file.
The command ends with 0 if the file was whole, with 3 if data were lost, or if the saved part has damage, and with 1 if nothing could be
saved: then no file is
written. Nothing is overwritten.";

/// Arguments of `recover`.
#[derive(Args, Debug)]
pub(crate) struct RecoverArgs {
    /// A broken XTC file of LCLS-I, or a Parquet file of hits or HDF5 file that was not finished.
    file: PathBuf,
    /// File to write; an HDF5 file is made readable where it is.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn recover(args: &RecoverArgs, output: &mut Output) -> Result<Exit, Failure> {
    // An HDF5 file is mended where it is, so it needs no output.
    if begins_with(&args.file, b"\x89HDF") {
        return hdf5(args, output);
    }
    // An empty file has no first bytes that could tell its format.
    if std::fs::metadata(&args.file).is_ok_and(|found| found.len() == 0) {
        return nothing_in(args, output);
    }
    let Some(to) = &args.output else {
        return Err(Failure::new(Exit::Usage, "wanted -o with the file to write, found none"));
    };
    let args = &Task { file: args.file.clone(), output: to.clone(), json: args.json };
    #[cfg(feature = "parquet")]
    if begins_with(&args.file, b"PAR1") {
        return parquet(args, output);
    }
    let size = std::fs::metadata(&args.file).map_or(0, |m| m.len());
    let mut progress = Progress::new(size, output);
    let interrupt = Interrupt::watch();
    let saved = save(&args.file, &args.output, |done| {
        progress.tell(done);
        !interrupt.is_wanted()
    });
    progress.clear();
    let saved = saved.map_err(|e| Failure::of(&e))?;
    match args.json {
        true => output.json(&as_json(args, &saved))?,
        false => output.data(&text(args, &saved))?,
    }
    let found =
        Findings { usable: saved.datagrams, failures: 0, problems: saved.lost_regions + saved.unsound };
    // A file without a datagram was not written.
    Ok(if saved.datagrams == 0 { Exit::Failed } else { found.judgement().into() })
}

/// The outcome for an empty file, of any format.
fn nothing_in(args: &RecoverArgs, output: &mut Output) -> Result<Exit, Failure> {
    let file = args.file.display();
    match args.json {
        true => output.json(&json!({
            "file": file.to_string(), "output": null, "complete": false, "input_bytes": 0, "bytes": 0,
        }))?,
        false => output.data(&format!("nothing could be saved of {file}: it is empty\n"))?,
    }
    Ok(Exit::Failed)
}

/// The file to be recovered, and the file to be written.
struct Task {
    file: PathBuf,
    output: PathBuf,
    json: bool,
}

/// Whether the file begins with `magic`; its name does not count.
fn begins_with(file: &Path, magic: &[u8; 4]) -> bool {
    let mut begin = [0; 4];
    let read = File::open(file).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut begin));
    read.is_ok() && begin == *magic
}

/// Where it is: only its mark is changed.
fn hdf5(args: &RecoverArgs, output: &mut Output) -> Result<Exit, Failure> {
    let file = args.output.as_ref().unwrap_or(&args.file);
    let found = match file == &args.file {
        true => livetime_formats::hdf5::recover(file),
        false => recover_copy(&args.file, file),
    };
    let found = found.map_err(|e| Failure::of(&e))?;
    let survey = &found.survey;
    let frames = survey.frames();
    if args.json {
        let unreadable = &survey.unreadable;
        output.json(&json!({
            "file": file.display().to_string(), "was_open": found.was_open, "frames": frames,
            "data_sets": survey.data_sets.len(), "unreadable": unreadable,
        }))?;
    } else {
        let what = frames.map_or_else(
            || format!("{} data sets", survey.data_sets.len()),
            |frames| format!("{frames} frames are complete"),
        );
        let state = match found.was_open {
            true => "its writer had not finished; it opens in every reader now",
            false => "it was finished, and is as it was",
        };
        let mut text = format!("{}: {what}; {state}\n", file.display());
        survey.unreadable.iter().for_each(|why| text += &format!("cannot be read: {why}\n"));
        output.data(&text)?;
    }
    let found = Findings {
        usable: survey.data_sets.len() as u64,
        failures: 0,
        problems: survey.unreadable.len() as u64,
    };
    Ok(found.judgement().into())
}

/// Recovers a copy, which gets its name when it is whole.
fn recover_copy(from: &Path, to: &Path) -> livetime_formats::Result<Recovered> {
    let failed = |e| Error::io("to copy the file", e).in_file(from);
    let new = GrowingFile::make(to)?;
    std::io::copy(&mut File::open(from).map_err(failed)?, &mut new.file()?).map_err(failed)?;
    let found = livetime_formats::hdf5::recover(new.written_path())?;
    // The name is given last, so that a failed recovery leaves no file that looks whole.
    new.finish_on_disk().map(|()| found)
}

#[cfg(feature = "parquet")]
fn parquet(args: &Task, output: &mut Output) -> Result<Exit, Failure> {
    let saved = livetime_wire::sinks::hits_parquet::recover(&args.file, &args.output);
    let saved = saved.map_err(|e| Failure::new(Exit::Failed, e))?;
    let input = args.file.display();
    let (text, exit) = match &saved {
        None => (format!("nothing could be saved of {input}: it has no index that is whole\n"), Exit::Failed),
        Some(saved) => {
            // A file with no rows is whole, too, so it counts as one that is usable.
            let found = Findings::of_file(saved.rows.max(1), saved.is_complete());
            (parquet_text(args, saved), found.judgement().into())
        }
    };
    let json = json!({
        "file": input.to_string(),
        "output": saved.map(|_| args.output.display().to_string()),
        "complete": exit == Exit::Ok,
        "checked": saved.map(|s| s.is_proved),
        "input_bytes": saved.map(|s| s.input_bytes),
        "bytes": saved.map(|s| s.bytes),
        "rows": saved.map(|s| s.rows),
        "row_groups": saved.map(|s| s.row_groups),
        "lost_bytes": saved.map(|s| s.behind),
        "damaged_rows": saved.map(|s| s.damaged_rows),
        "damaged_row_groups": saved.map(|s| s.damaged_row_groups),
    });
    match args.json {
        true => output.json(&json)?,
        false => output.data(&text)?,
    }
    Ok(exit)
}

#[cfg(feature = "parquet")]
fn parquet_text(args: &Task, saved: &livetime_wire::sinks::hits_parquet::Saved) -> String {
    let mut text = format!(
        "{}: {} rows in {} row groups, {} of {}\n",
        args.output.display(),
        saved.rows,
        saved.row_groups,
        bytes(saved.bytes),
        bytes(saved.input_bytes)
    );
    if saved.behind > 0 {
        text += &format!("LOST: {} bytes behind the last index that can be read\n", saved.behind);
    }
    if saved.damaged_row_groups > 0 {
        let (rows, groups) = (saved.damaged_rows, saved.damaged_row_groups);
        text += &format!(
            "LOST: {rows} rows in {groups} row groups, whose bytes are not those that were written\n"
        );
    }
    text + match (saved.is_proved, saved.is_complete()) {
        (true, true) => "nothing was lost: every page has its checksum\n",
        (true, false) => "",
        (false, _) => {
            "not checked: pages or index have no checksums, so that changed bytes may have passed\n"
        }
    }
}

fn text(args: &Task, saved: &Saved) -> String {
    let mut text = match saved.datagrams {
        0 => nothing_saved(args),
        datagrams => format!(
            "{}: {datagrams} datagrams, {} events, {} of {}\n",
            args.output.display(),
            saved.events,
            bytes(saved.bytes),
            bytes(saved.input_bytes),
        ),
    };
    if let Some((offset, error)) = &saved.first_unsound {
        text += &format!(
            "broken inside, saved as they are: {} datagrams, the first at byte {offset}: {error}\n",
            saved.unsound
        );
    }
    if saved.is_complete() {
        let more = if saved.unsound > 0 { "nothing else was lost\n" } else { "nothing was lost\n" };
        return text + more;
    }
    // A file of another kind has lost nothing here.
    if saved.datagrams == 0 && what_is_read_as_it_is(&args.file).is_some() {
        return text;
    }
    text += &format!("LOST: {} bytes in {} regions\n", saved.lost_bytes, saved.lost_regions);
    saved.regions.iter().for_each(|region| text += &region_text(region));
    match saved.lost_regions - saved.regions.len() as u64 {
        0 => text,
        more => text + &format!("  and {more} more\n"),
    }
}

/// The message of a file of another kind says how to read it.
fn nothing_saved(args: &Task) -> String {
    let file = args.file.display();
    match what_is_read_as_it_is(&args.file) {
        None => format!("nothing could be saved of {file}\n"),
        Some(what) => format!(
            "nothing to save of {file}: it holds {what}, which are read as they are, up to where the file breaks off\n"
        ),
    }
}

fn region_text(region: &LostRegion) -> String {
    let place = |neighbour: &Option<Neighbour>, edge: &str| {
        neighbour.map_or_else(
            || edge.to_owned(),
            |n| format!("{} of {}", n.header.transition(), utc(n.header.time_ns())),
        )
    };
    let (from, to) = (region.lost.offset, region.lost.offset + region.lost.length);
    format!(
        "  bytes {from} to {to}: {}\n    after {} events, between {} and {}\n",
        region.lost.reason,
        region.events_before,
        place(&region.before, "the begin of the file"),
        place(&region.behind, "the end of the file"),
    )
}

fn as_json(args: &Task, saved: &Saved) -> Value {
    let region = |region: &LostRegion| {
        json!({
            "offset": region.lost.offset,
            "bytes": region.lost.length,
            "reason": region.lost.reason,
            "events_before": region.events_before,
            "before": region.before.map(neighbour),
            "behind": region.behind.map(neighbour),
        })
    };
    json!({
        "file": args.file.display().to_string(),
        "output": (saved.datagrams > 0).then(|| args.output.display().to_string()),
        "complete": saved.is_complete(),
        "input_bytes": saved.input_bytes,
        "bytes": saved.bytes,
        "datagrams": saved.datagrams,
        "events": saved.events,
        "broken_inside": saved.unsound,
        "first_broken_inside": saved.first_unsound.as_ref().map(|(offset, error)| format!("{error} (datagram at byte {offset})")),
        "lost_bytes": saved.lost_bytes,
        "lost_regions": saved.lost_regions,
        "lost": saved.regions.iter().map(region).collect::<Vec<_>>(),
    })
}

fn neighbour(neighbour: Neighbour) -> Value {
    json!({
        "offset": neighbour.offset,
        "transition": neighbour.header.transition().name(),
        "time_ns": neighbour.header.time_ns(),
        "fiducial": neighbour.header.stamp.fiducial(),
    })
}
