//! `livetime analyze`: the pictures of a recorded run, on all cores.

mod args;
mod correct;
mod error;
mod files;
mod graph;
mod parts;
mod picture;
mod report;
mod sweep;
pub mod tables;
#[cfg(test)]
mod tests;
mod through;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_engine::NodeType;
use livetime_recording::Findings;
use livetime_recording::select::Selected;
use serde_json::Value as Json;

use crate::analyze::{
    self, Account, Corrected, Detector, Found, GoOn, Histogram, Hits, NoiseMask, Options, PixelStatistics,
    Recording, Reducers, analyze, first_picture,
};
use crate::config::{self, Problems};
use crate::interrupts::Interrupt;
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::usage::{Meter, Usage};

use files::{Files, Written};
use report::{RunFiles, Times};
use through::{Through, Wanted};

use args::What;
pub(crate) use args::{AnalyzeArgs, HELP};

/// An analysis by some number of workers.
struct Measured {
    workers: usize,
    found: Found,
    usage: Usage,
}

pub(crate) fn run(args: &AnalyzeArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let is_there = args.tables.iter().try_for_each(|format| format.check());
    is_there.map_err(|why| Failure::new(Exit::Usage, why))?;
    match (&args.pipeline, &args.plan) {
        (_, Some(plan)) => parts::run(args, plan, nodes, output),
        (Some(file), None) if !args.is_reduced() => graph::run(args, file, nodes, output),
        _ => reduce(args, nodes, output),
    }
}

/// Gives the run to reducers, through a pipeline if there is one.
fn reduce(args: &AnalyzeArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let failed = |error: livetime_formats::Error| Failure::of(&error);
    let begin = Instant::now();
    reducers(args)?;
    let recording = args.open().map_err(failed)?;
    check_events(args, &recording)?;
    let detector = detector(&recording, args)?;
    let wanted = Wanted::of(args, (&recording, &detector), nodes, output)?;
    let select = correct::select(args, &recording)?;
    let assembly = args.correct.assembly()?;
    let (mut all, mut read) = (Vec::new(), recording);
    for workers in args.workers.all() {
        let options = options(args, workers, select.clone());
        let measured = measure(args, &detector, &wanted, &options, output);
        let (mut measured, recording) = measured.map_err(|error| Failure::new(Exit::Failed, error))?;
        read = recording;
        let found = correct::assembled(measured.found, assembly.as_ref());
        measured.found = found.map_err(|error| Failure::new(Exit::Usage, error))?;
        all.push(measured);
    }
    let Some(last) = all.last() else { return Err(Failure::new(Exit::Usage, "wanted a number of workers")) };
    let is_same = sweep::are_same(&all);
    let new = New::make(args, last, &all)?;
    // With the results of the analysis in them.
    let run = &RunFiles::of(&read);
    let report = report::Report {
        args,
        run,
        detector: &detector,
        all: &all,
        last,
        written: &new.written,
        times: new.times(begin),
        is_same,
        parts: None,
        through: wanted.through.as_ref(),
    };
    let (json, text) = (report.json(), report.text());
    new.finish(args, &json)?;
    match args.json {
        true => output.json(&json)?,
        false => output.data(&text)?,
    }
    if !is_same {
        // JSON has been written, and says it in `same_for_all_workers`.
        output.log("livetime: the results depend on the number of workers");
        return Ok(Exit::Failed);
    }
    Ok(exit_of(&last.found.account, wanted.through.as_ref(), run))
}

/// The work that `make` makes of the name and the text of a pipeline file. A run without pictures has failed, whatever is in the file.
fn of_pipeline<T>(
    args: &AnalyzeArgs,
    file: &Path,
    (recording, detector): (&Recording, &Detector),
    output: &mut Output,
    make: impl FnOnce((&str, &str)) -> Result<T, Problems>,
) -> Result<T, Failure> {
    first_picture(recording, detector, &args.events).map_err(|why| Failure::new(Exit::Failed, why))?;
    let name = file.display().to_string();
    let text = config::read_text(file).map_err(|problem| Problems::new(&name, vec![problem]));
    let made = text.and_then(|text| make((&name, &text)));
    made.map_err(|problems| crate::commands::refuse(&problems, args.json, output))
}

/// Of the pictures that a pipeline was given: how many are not whole.
fn damaged_text(count: u64) -> String {
    match count {
        0 => String::new(),
        count => format!("with damage, or without some panel: {count} of the pictures\n"),
    }
}

/// How an analysis ends: as every reader of the run does.
fn exit_of(account: &Account, through: Option<&Through>, run: &RunFiles) -> Exit {
    let failures = account.lost() + through.map_or(0, Through::lost);
    Findings { usable: account.used, failures, problems: run.problems() }.judgement().into()
}

/// Whether the run has any of the events that are wanted.
fn check_events(args: &AnalyzeArgs, recording: &Recording) -> Result<(), Failure> {
    let checked = recording.check_range(&args.events);
    checked.map_err(|why| Failure::new(Exit::Failed, format!("--events: {why}")))
}

/// The new files of an analysis, until they get their names.
#[derive(Default)]
struct New {
    files: Files,
    written: Vec<Written>,
    /// The time that making them took.
    making: Duration,
}

impl New {
    fn make(args: &AnalyzeArgs, last: &Measured, all: &[Measured]) -> Result<New, Failure> {
        let Some(folder) = &args.output else { return Ok(New::default()) };
        let begin = Instant::now();
        let made = Files::make(folder, last, all, &args.tables);
        let (files, written) = made.map_err(|e| Failure::new(Exit::Failed, e))?;
        Ok(New { files, written, making: begin.elapsed() })
    }

    /// The time that making the files took, and the time since `begin`.
    fn times(&self, begin: Instant) -> Times {
        let is_wanted = !self.written.is_empty();
        Times { writing: is_wanted.then_some(self.making), total: begin.elapsed() }
    }

    fn finish(self, args: &AnalyzeArgs, report: &Json) -> Result<(), Failure> {
        let Some(folder) = &args.output else { return Ok(()) };
        self.files.finish(folder, report).map_err(|e| Failure::new(Exit::Failed, e))
    }
}

/// The detector that is wanted. Not to find one is a wrong use of the command only if the files are whole and hold others: a file that was cut
/// before its first picture has failed, whatever was asked for.
fn detector(recording: &Recording, args: &AnalyzeArgs) -> Result<Detector, Failure> {
    analyze::detector(recording, args.detector.as_deref()).map_err(|error| {
        let has_others = analyze::detectors(recording).is_ok_and(|all| !all.is_empty());
        if has_others && recording.problems().is_empty() {
            return Failure::new(Exit::Usage, error);
        }
        let problems = RunFiles::of(recording).problems_text();
        let events = recording.events();
        Failure::new(Exit::Failed, format!("{error} ({events} events)\n{problems}").trim_end())
    })
}

/// Opens the run and analyses it; returns the run too, which knows its broken places.
fn measure(
    args: &AnalyzeArgs,
    detector: &Detector,
    wanted: &Wanted,
    options: &Options,
    output: &mut Output,
) -> analyze::Result<(Measured, Recording)> {
    let meter = Meter::start();
    let recording = args.open()?;
    let mut progress: Option<Progress> = None;
    let mut target = Some(output);
    let interrupt = Interrupt::watch();
    let found = analyze(&recording, detector, options, &wanted.reducers, &mut |now| {
        // The number of bytes is known from the first events.
        let size = now.raw_bytes / now.done.max(1) as u64 * now.events as u64;
        if let Some(output) = target.take() {
            progress = Some(Progress::new(size, output));
        }
        if let Some(progress) = &mut progress {
            progress.tell(now.raw_bytes);
        }
        if interrupt.is_wanted() { GoOn::Abort } else { GoOn::Yes }
    });
    if let Some(progress) = progress {
        progress.clear();
    }
    let found = wanted.shown(found?);
    let usage = meter.stop(found.account.file_bytes, found.account.raw_bytes);
    Ok((Measured { workers: options.workers, found, usage }, recording))
}

fn options(args: &AnalyzeArgs, workers: usize, select: Option<Arc<Selected>>) -> Options {
    Options { workers, events: args.events.clone(), every: args.every, select, ..Options::default() }
}

/// The requested results.
///
/// # Errors
/// If one is of no use without another: the user would take the results for something that they are not.
fn reducers(args: &AnalyzeArgs) -> Result<Reducers, Failure> {
    let with = args.what();
    let has = |what: What| with.contains(&what);
    let useless = [
        (args.threshold.is_some() && !has(What::Hits), "--threshold", "hits"),
        (args.peaks.is_some() && !has(What::Peaks), "--peaks", "peaks"),
        (args.noise.is_some() && !has(What::Mask), "--noise", "mask"),
        (args.bins.is_some() && !has(What::Histogram), "--bins", "histogram"),
        (args.range.is_some() && !has(What::Histogram), "--range", "histogram"),
    ];
    if let Some((_, option, what)) = useless.iter().find(|(is_useless, ..)| *is_useless) {
        let why = format!("`{option}` is for `--with {what}`, which is not among what is wanted");
        return Err(Failure::new(Exit::Usage, why));
    }
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
    if has(What::Mask) {
        let wanted = "`--with mask` wants `--noise`, the deviations of good pixels as 0.5..20";
        let (least, most) = args.noise.ok_or_else(|| Failure::new(Exit::Usage, wanted))?;
        reducers = reducers.with(NoiseMask { least, most });
    }
    if has(What::Peaks) {
        let wanted = "`--with peaks` wants `--peaks`, what makes a peak, as high=50";
        reducers = reducers.with(args.peaks.ok_or_else(|| Failure::new(Exit::Usage, wanted))?);
    }
    let corrections = args.correct.corrections()?;
    if corrections.is_empty() {
        return Ok(reducers);
    }
    Ok(Reducers::default().with(Corrected::new(corrections, reducers)))
}
