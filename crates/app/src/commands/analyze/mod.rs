//! `livetime analyze`: the pictures of a recorded run, on all cores.

mod args;
mod correct;
mod error;
mod files;
mod finish;
mod graph;
mod npy;
mod parts;
mod picture;
mod pipeline;
mod recorded;
mod reducers;
mod report;
mod sweep;
pub mod tables;
#[cfg(test)]
mod tests;
mod through;

use std::time::Instant;

use livetime_engine::NodeType;

use crate::analyze::{self, Detector, GoOn, Options, Recording, analyze};
use crate::interrupts::Interrupt;
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::usage::Meter;

pub(crate) use args::{AnalyzeArgs, HELP};
use finish::finish;
use recorded::{RunFiles, check_events, detector, tell_indices};
use reducers::reducers;
use report::{Report, Times};
use sweep::Measured;
use through::Wanted;

pub(crate) fn run(args: &AnalyzeArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let is_there = args.tables.iter().try_for_each(|format| format.check());
    is_there.map_err(|why| Failure::new(Exit::Usage, why))?;
    args.check_output()?;
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
    tell_indices(&recording, output);
    let detector = detector(&recording, args)?;
    let wanted = Wanted::of(args, (&recording, &detector), nodes, output)?;
    let select = recorded::select(args, &recording)?;
    let assembly = args.correct.assembly()?;
    let (mut all, mut read) = (Vec::new(), recording);
    for workers in args.workers.all() {
        let options = args.options(workers, select.clone());
        let measured = measure(args, &detector, &wanted, &options, output);
        let (mut measured, recording) = measured.map_err(|error| Failure::new(Exit::Failed, error))?;
        read = recording;
        let found = correct::assembled(measured.found, assembly.as_ref());
        measured.found = found.map_err(|error| Failure::new(Exit::Usage, error))?;
        all.push(measured);
    }
    let Some(last) = all.last() else { return Err(Failure::new(Exit::Usage, "wanted a number of workers")) };
    let report = Report {
        args,
        run: &RunFiles::of(&read),
        detector: &detector,
        all: &all,
        last,
        is_same: sweep::are_same(&all),
        parts: None,
        through: wanted.through.as_ref(),
        written: &[],
        times: Times::default(),
    };
    finish(report, begin, output)
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
