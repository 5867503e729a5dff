//! Pictures of one detector into HDF5, or out of it.

use std::path::Path;

use livetime_recording::convert::{FramesReport, convert_frames};
use livetime_recording::{MemoryLimit, Recording, RunFormat, Stores};
use serde_json::{Value, json};

use super::ConvertArgs;
use crate::interrupts::Interrupt;
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::report::numbers::bytes;
use crate::usage::{Meter, Usage};

/// Whether the pictures of a run are converted one by one into any format, and not with their datagrams.
pub(super) fn has_pictures_alone(stores: &Stores, path: &Path) -> bool {
    RunFormat::of_from(stores, path).is_ok_and(RunFormat::becomes_xtc)
}

pub(super) fn convert(
    args: &ConvertArgs,
    stores: &Stores,
    to_hdf5: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let options = args.frames_options(to_hdf5)?;
    let failed = |e| Failure::of(&e);
    let recording = Recording::open_from(stores, &args.files).map_err(failed)?;
    let recording = match args.memory {
        Some(bytes) => recording.with_memory(MemoryLimit::of(bytes)),
        None => recording,
    };
    let mut progress = Progress::new(recording.events() as u64, output);
    let (meter, interrupt) = (Meter::start(), Interrupt::watch());
    let report = convert_frames(&recording, &args.output, &options, |event| {
        progress.tell(event as u64);
        !interrupt.is_wanted()
    });
    progress.clear();
    let report = report.map_err(failed)?;
    let usage = meter.stop(report.input_bytes, report.raw_bytes);
    for why in &report.faults {
        output.log(format_args!("livetime: {why}"));
    }
    match args.json {
        true => output.json(&as_json(&report, &usage))?,
        false => output.data(&text(&report, &usage))?,
    }
    Ok(report.findings().judgement().into())
}

fn text(report: &FramesReport, usage: &Usage) -> String {
    let account = &report.account;
    let ratio = report.output_bytes as f64 / report.raw_bytes.max(1) as f64;
    let mut text = format!(
        "{}: {} pictures of {} ({}), {} raw, {} of file, ratio {ratio:.3}\n",
        report.output.display(),
        account.frames,
        report.detector,
        report.layout,
        bytes(report.raw_bytes),
        bytes(report.output_bytes)
    );
    if account.not_whole() > 0 {
        text += &format!("damaged, and marked as such: {} pictures\n", account.not_whole());
    }
    if account.missing > 0 {
        text += &format!("events without the detector, which are not in the output: {}\n", account.missing);
    }
    let failures = account.failures() + account.no_memory;
    if failures > 0 {
        text += &format!("LOST: {failures} events whose pictures cannot be read\n");
    }
    if report.problems > 0 {
        text += &format!("LOST: {} places of the input cannot be read\n", report.problems);
    }
    for (what, count) in &report.left_out {
        text += &format!("not in the output: {what}: {count} values\n");
    }
    text += "every picture was read again from the output, with its type, shape, time and damage, and is what was written\n";
    text + &usage.text()
}

fn as_json(report: &FramesReport, usage: &Usage) -> Value {
    let account = &report.account;
    json!({
        "files": [{ "file": report.output.display().to_string(), "bytes": report.output_bytes }],
        "complete": report.is_complete(),
        "detector": report.detector,
        "layout": report.layout,
        "pictures": account.frames,
        "damaged": account.not_whole(),
        "missing": account.missing,
        "lost": account.failures() + account.no_memory,
        "problems": report.problems,
        "input_bytes": report.input_bytes,
        "output_bytes": report.output_bytes,
        "raw_bytes": report.raw_bytes,
        "left_out": report.left_out,
        "usage": usage.json(),
    })
}
