//! `livetime convert`: compresses, decompresses, cuts, splits and merges recorded files.

mod args;
mod frames;
mod text;

use std::path::{Path, PathBuf};

use livetime_formats::file::ReadAt;
use livetime_recording::convert::{Options, Report, convert as convert_files};
use livetime_recording::select::{Selected, Verdict};
use livetime_recording::{Findings, Recording, Stores, address, files_given};
use serde_json::{Value, json};

use crate::interrupts::Interrupt;
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::stores::of_environment;
use crate::usage::{Meter, Usage};
use livetime_plot::save;

pub(crate) use args::{CONVERT_HELP, ConvertArgs, codec, size};

pub(crate) fn convert(args: &ConvertArgs, output: &mut Output) -> Result<Exit, Failure> {
    let to_hdf5 = args.is_to_hdf5()?;
    let stores = of_environment(args.memory);
    let files = files_given(&stores, &args.files).map_err(|e| Failure::of(&e))?;
    let args = &args.clone().with_files(files);
    // Files of pictures alone have no datagrams, which the other conversion copies.
    if to_hdf5 || args.files.first().is_some_and(|path| frames::has_pictures_alone(&stores, path)) {
        return frames::convert(args, &stores, to_hdf5, output);
    }
    match args.workers.clone() {
        Some(workers) if workers.start() < workers.end() => sweep(args, &stores, output),
        workers => {
            let mut options = args.options(workers.map_or_else(all_cores, |w| *w.start()))?;
            options.stores = stores;
            let selected = select(args, &mut options)?;
            let (report, usage) = convert_once(args, &args.output, &options, output)?;
            if args.json {
                let mut json = text::as_json(&report, &usage, options.workers);
                if let Some(selected) = &selected {
                    let counts =
                        Verdict::ALL.map(|v| (v.name().replace(' ', "_"), Value::from(selected.count(v))));
                    json["select"] = json!({
                        "expression": selected.expression(),
                        "events": Value::Object(counts.into_iter().collect()),
                    });
                }
                output.json(&json)?;
            } else {
                output.data(
                    &(selected.as_ref().map_or_else(String::new, selection) + &text::text(&report, &usage)),
                )?;
            }
            // An event that could not be judged may be one that was wanted.
            let unreadable = selected.map_or(0, |selected| selected.count(Verdict::Unreadable));
            Ok(report
                .findings()
                .and(Findings { failures: unreadable, ..Findings::default() })
                .judgement()
                .into())
        }
    }
}

/// Judges the events and puts the selected ones into the options.
///
/// # Errors
/// If the run cannot be opened, or the expression names a value that it does not have.
fn select(args: &ConvertArgs, options: &mut Options) -> Result<Option<Selected>, Failure> {
    let Some(expression) = &args.select else { return Ok(None) };
    let recording = Recording::open_from(&options.stores, &args.files).map_err(|e| Failure::of(&e))?;
    let selected = recording.select(expression, 0..usize::MAX, options.workers);
    let selected = selected.map_err(|why| Failure::new(Exit::Usage, why))?;
    let selected = selected.with_some().map_err(|why| Failure::new(Exit::Failed, why))?;
    options.selection = std::mem::take(&mut options.selection).among(&recording, &selected);
    Ok(Some(selected))
}

fn selection(selected: &Selected) -> String {
    let counts = Verdict::ALL.map(|verdict| format!("{} {}", selected.count(verdict), verdict.name()));
    format!("{}: {}\n", selected.expression(), counts.join(", "))
}

/// All cores, unless a number is given.
pub(crate) fn workers_or_all(workers: Option<u16>) -> usize {
    workers.map_or_else(all_cores, usize::from)
}

fn all_cores() -> usize {
    Options::default().workers
}

/// Measures with each number of threads; the files are removed again.
fn sweep(args: &ConvertArgs, stores: &Stores, output: &mut Output) -> Result<Exit, Failure> {
    // The rates would be those of the network, and the plot of them lies beside the output.
    if address(&args.output).is_some() {
        let found = args.output.display();
        return Err(Failure::new(
            Exit::Usage,
            format!("-o: wanted a file on a disk with --workers A..B, found {found}"),
        ));
    }
    let (mut rows, mut usages) = (Vec::new(), Vec::new());
    for workers in args.workers.clone().into_iter().flatten() {
        let path = scratch(&args.output, workers);
        let mut options = args.options(workers)?;
        options.stores = stores.clone();
        // The events are judged anew each time; only the conversion is timed.
        select(args, &mut options)?;
        let (report, usage) = convert_once(args, &path, &options, output)?;
        // Only the rates are wanted, and the files would fill the disk.
        for (file, _) in &report.files {
            let removed = std::fs::remove_file(file);
            removed
                .map_err(|e| Failure::new(Exit::Failed, format!("cannot remove {}: {e}", file.display())))?;
        }
        if !args.json {
            output.data(&format!("{workers} workers: {}", usage.text()))?;
        }
        rows.push(row(workers, &report, &usage));
        usages.push((workers, usage));
    }
    let plot = args.output.with_extension("workers.png");
    save(&crate::usage::plot(&usages), &plot).map_err(|e| Failure::new(Exit::Failed, e))?;
    match args.json {
        true => output.json(&json!({ "rows": rows, "plot": plot.display().to_string() }))?,
        false => output.data(&format!("rates by number of workers: {}\n", plot.display()))?,
    }
    Ok(Exit::Ok)
}

fn row(workers: usize, report: &Report, usage: &Usage) -> Value {
    let mut row = usage.json();
    row["workers"] = workers.into();
    // A file without pictures has no raw bytes.
    row["ratio"] = (report.output_bytes as f64 / report.raw_bytes.max(1) as f64).into();
    row
}

fn scratch(output: &Path, workers: usize) -> PathBuf {
    let name = output.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    output.with_file_name(format!("{name}.workers-{workers}.xtc"))
}

fn convert_once(
    args: &ConvertArgs,
    path: &Path,
    options: &Options,
    output: &mut Output,
) -> Result<(Report, Usage), Failure> {
    // A missing file is reported by the conversion itself.
    let sizes = args
        .files
        .iter()
        .map(|file| options.stores.open(file).ok().and_then(|file| file.size().ok()).unwrap_or(0));
    let mut progress = Progress::new(sizes.sum(), output);
    let (meter, interrupt) = (Meter::start(), Interrupt::watch());
    let report = convert_files(&args.files, path, options, |done| {
        progress.tell(done);
        !interrupt.is_wanted()
    });
    progress.clear();
    let report = report.map_err(|e| Failure::of(&e))?;
    let usage = meter.stop(report.input_bytes, report.raw_bytes);
    Ok((report, usage))
}
