//! `livetime analyze`: the pictures of a recorded run, on all cores.

mod args;
mod files;
mod graph;
mod picture;
mod report;
mod sweep;

use livetime_engine::NodeType;

use crate::analyze::{
    Detector, Found, Histogram, Hits, Options, PixelStatistics, Recording, Reducers, analyze,
};
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::usage::{Meter, Usage};

use args::What;
pub(crate) use args::{AnalyzeArgs, HELP};

/// An analysis by some number of workers.
struct Measured {
    workers: usize,
    found: Found,
    usage: Usage,
}

pub(crate) fn run(args: &AnalyzeArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    match &args.pipeline {
        Some(file) => graph::run(args, file, nodes, output),
        None => reduce(args, output),
    }
}

/// Gives the run to reducers.
fn reduce(args: &AnalyzeArgs, output: &mut Output) -> Result<Exit, Failure> {
    let failed = |error: livetime_formats::Error| Failure::new(Exit::Failed, error);
    let reducers = reducers(args)?;
    let recording = Recording::open(&args.files).map_err(failed)?;
    let wanted = args.detector.as_deref();
    let detector = recording.detector(wanted).map_err(|e| Failure::new(Exit::Usage, e))?;
    let mut all = Vec::new();
    for workers in args.workers.all() {
        all.push(measure(args, &detector, &reducers, workers, output).map_err(failed)?);
    }
    let Some(last) = all.last() else { return Err(Failure::new(Exit::Usage, "wanted a number of workers")) };
    let is_same = sweep::are_same(&all);
    let written = match &args.output {
        Some(folder) => files::write(folder, last, &all).map_err(|e| Failure::new(Exit::Failed, e))?,
        None => Vec::new(),
    };
    let report = report::Report {
        args,
        recording: &recording,
        detector: &detector,
        all: &all,
        last,
        written,
        is_same,
    };
    let json = report.json();
    if let Some(folder) = &args.output {
        files::write_json(folder, &json).map_err(|e| Failure::new(Exit::Failed, e))?;
    }
    if args.json {
        output.json(&json)?
    } else {
        output.data(&report.text())?
    }
    if !is_same {
        return Err(Failure::new(Exit::Failed, "the results depend on the number of workers"));
    }
    let is_whole = last.found.account.lost() == 0 && recording.problems().is_empty();
    Ok(if is_whole { Exit::Ok } else { Exit::Loss })
}

/// Opens the run and analyses it.
fn measure(
    args: &AnalyzeArgs,
    detector: &Detector,
    reducers: &Reducers,
    workers: usize,
    output: &mut Output,
) -> livetime_formats::Result<Measured> {
    let meter = Meter::start();
    let recording = Recording::open(&args.files)?;
    let options = Options { workers, events: args.events.clone(), every: args.every };
    let mut progress: Option<Progress> = None;
    let mut target = Some(output);
    let found = analyze(&recording, detector, &options, reducers, &mut |now| {
        // Bytes in all are known from those of the first events.
        let size = now.raw_bytes / now.done.max(1) as u64 * now.events as u64;
        if let Some(output) = target.take() {
            progress = Some(Progress::new(size, output));
        }
        if let Some(progress) = &mut progress {
            progress.tell(now.raw_bytes);
        }
    });
    if let Some(progress) = progress {
        progress.clear();
    }
    let found = found?;
    let usage = meter.stop(found.account.file_bytes, found.account.raw_bytes);
    Ok(Measured { workers, found, usage })
}

/// What the options ask for.
fn reducers(args: &AnalyzeArgs) -> Result<Reducers, Failure> {
    let has = |what: What| args.with.contains(&what);
    let pixels = PixelStatistics {
        mean: has(What::Mean),
        std: has(What::Std),
        min: has(What::Min),
        max: has(What::Max),
        sum: has(What::Sum),
        projection: has(What::Projection),
    };
    let mut reducers = Reducers::default();
    if pixels.is_any() {
        reducers = reducers.with(pixels);
    }
    if has(What::Histogram) {
        reducers = reducers.with(Histogram { bins: args.bins, range: args.range });
    }
    if has(What::Hits) {
        let Some(threshold) = args.threshold else {
            return Err(Failure::new(
                Exit::Usage,
                "`--with hits` wants `--threshold`, the least value of a hit",
            ));
        };
        reducers = reducers.with(Hits { threshold });
    }
    Ok(reducers)
}
