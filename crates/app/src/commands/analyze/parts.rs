//! `livetime analyze --plan`: an analysis in parts, by any number of processes.

use std::path::Path;
use std::time::Instant;

use livetime_engine::NodeType;
use serde_json::json;

use super::args::AnalyzeArgs;
use super::correct::assembled;
use super::finish::finish;
use super::recorded::{RunFiles, check_events, detector, select, tell_indices};
use super::reducers::reducers;
use super::report::{Report, Times, not_used_json};
use super::sweep::Measured;
use super::through::{Through, Wanted};
use crate::analyze::{Error, GoOn, Plan, Work};
use crate::interrupts::Interrupt;
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::report::numbers::bytes;
use crate::usage::Meter;

/// Makes a plan, analyses a part of it, or merges all parts.
pub(super) fn run(
    args: &AnalyzeArgs,
    path: &Path,
    nodes: &[NodeType],
    output: &mut Output,
) -> Result<Exit, Failure> {
    // The order of the options is the order of the work: a part, then some parts, then all.
    match args.part {
        Some(part) => reduce(args, &planned(args, path)?, part, nodes, output),
        None if args.into.is_some() => merge_some(args, &planned(args, path)?, nodes, output),
        None if !args.merge.is_empty() => merge(args, &planned(args, path)?, nodes, output),
        None => plan(args, path, nodes, output),
    }
}

/// The plan that is carried out, as the options say.
fn planned(args: &AnalyzeArgs, path: &Path) -> Result<Plan, Failure> {
    let plan = Plan::read_from(&args.stores(), path).map_err(failed)?;
    // The folder is another one where the run is mounted at another place.
    let plan = args.run.as_ref().map_or(Ok(plan.clone()), |folder| plan.in_folder(folder)).map_err(failed)?;
    Ok(args.memory().map_or(plan.clone(), |memory| plan.with_memory(memory)))
}

fn plan(args: &AnalyzeArgs, path: &Path, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    // The options are checked before the run is opened, which may take long.
    reducers(args)?;
    let recording = args.open().map_err(|e| Failure::new(Exit::Failed, e))?;
    check_events(args, &recording)?;
    tell_indices(&recording, output);
    let detector = detector(&recording, args)?;
    let Wanted { reducers, through } = Wanted::of(args, (&recording, &detector), nodes, output)?;
    let options = args.options(1, select(args, &recording)?);
    let work = Work::new(&recording, &detector, &options, &reducers).map_err(failed)?;
    let plan = Plan::new(&recording, &work, args.parts).map_err(failed)?;
    plan.write(path).map_err(failed)?;
    let (parts, name) = (plan.parts(), path.display());
    if args.json {
        output.json(&json!({
            "plan": name.to_string(), "hash": plan.to_string(), "detector": detector.to_string(),
            "events": work.events(), "blocks": work.blocks(), "leaves": work.leaves(), "parts": parts,
            "pipeline": through.as_ref().map(Through::heading_json), "growing": plan.is_of_growing_run(),
        }))?;
    } else {
        if plan.is_of_growing_run() {
            output.log("livetime: the run is still being written: the plan has the events up to now");
        }
        let (events, leaves) = (work.events(), work.leaves());
        let through = through.map_or_else(String::new, |through| format!("through {}", through.heading()));
        output.data(&format!(
            "{name}: {parts} parts of {events} events of {detector}, in {leaves} leaves\n{through}\
             each part, N from 0 to {}:  livetime analyze --plan {name} --part N -o parts\n\
             then:  livetime analyze --plan {name} --merge parts -o out\n",
            parts - 1,
        ))?;
    }
    Ok(Exit::Ok)
}

/// Analyses one part. Events that cannot be used are in its account; the merge reports them.
fn reduce(
    args: &AnalyzeArgs,
    plan: &Plan,
    part: usize,
    nodes: &[NodeType],
    output: &mut Output,
) -> Result<Exit, Failure> {
    // A part is analysed once, so a range of workers has no meaning.
    let (Some(workers), Some(folder)) = (args.workers.only(), &args.output) else {
        return Err(Failure::new(Exit::Usage, "--part: wanted one number of workers, found a range"));
    };
    let (Some(leaves), Some(events)) = (plan.leaves_of(part), plan.events_of(part)) else {
        let message = format!("--part: wanted a part from 0 to {}, found {part}", plan.parts() - 1);
        return Err(Failure::new(Exit::Usage, message));
    };
    let meter = Meter::start();
    let reducers = Wanted::planned(plan, nodes)?.reducers;
    let work = plan.work(&reducers).map_err(failed)?;
    let mut progress = Progress::new(work.layout().bytes() as u64 * events.len() as u64, output);
    let interrupt = Interrupt::watch();
    let found = plan.reduce(&work, part, workers, &mut |now| {
        progress.tell(now.raw_bytes);
        // A part that is cut off is of no use, so it is not finished.
        if interrupt.is_wanted() { GoOn::Abort } else { GoOn::Yes }
    });
    progress.clear();
    let found = found.map_err(failed)?;
    let written = found.write_in(&args.stores(), folder).map_err(failed)?;
    let account = found.account();
    let usage = meter.stop(account.file_bytes, account.raw_bytes);
    let file = written.path.display();
    if args.json {
        let mut rates = json!({ "workers": workers });
        livetime_measure::merge(&mut rates, usage.json());
        output.json(&json!({
            "part": part, "parts": plan.parts(), "plan": plan.to_string(),
            "leaves": [leaves.start, leaves.end], "events": [events.start, events.end],
            "used": account.used, "not_used": not_used_json(account), "problems": found.breaks(),
            "file": file.to_string(), "repeated": written.is_repeated, "rates": [rates],
        }))?;
    } else {
        let there = if written.is_repeated { ", which was there with the same bits" } else { "" };
        output.data(&format!(
            "part {part} of {}: events {}..{}, {} used, {} not: {} in {file}{there}\n{workers} workers: {}",
            plan.parts(),
            events.start,
            events.end,
            account.used,
            account.events() - account.used,
            bytes(found.bytes().len() as u64),
            usage.text(),
        ))?;
    }
    Ok(Exit::Ok)
}

/// Merges some parts into one file, which is a part for further merges.
fn merge_some(
    args: &AnalyzeArgs,
    plan: &Plan,
    nodes: &[NodeType],
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (Some(wanted), Some(folder)) = (&args.into, &args.output) else {
        return Err(Failure::new(Exit::Usage, "--into: wanted parts and a folder, found none"));
    };
    // `4..` has no end of its own.
    let end = if wanted.end == usize::MAX { plan.parts() } else { wanted.end };
    let reducers = Wanted::planned(plan, nodes)?.reducers;
    let work = plan.work(&reducers).map_err(failed)?;
    let found = match plan.merge_some(&work, wanted.start..end, &args.merge) {
        Ok(found) => found,
        Err(error) => return refused(error, args, plan, output),
    };
    let written = found.write_in(&args.stores(), folder).map_err(failed)?;
    let (numbers, account, file) = (found.numbers(), found.account(), written.path.display());
    if args.json {
        output.json(&json!({
            "merged": [numbers.start, numbers.end], "parts": plan.parts(), "plan": plan.to_string(),
            "used": account.used, "not_used": not_used_json(account), "problems": found.breaks(),
            "file": file.to_string(), "repeated": written.is_repeated,
        }))?;
    } else {
        let there = if written.is_repeated { ", which was there with the same bits" } else { "" };
        let size = bytes(found.bytes().len() as u64);
        let (first, end, all) = (numbers.start, numbers.end, plan.parts());
        output.data(&format!("parts {first}..{end} of {all} merged: {size} in {file}{there}\n"))?;
    }
    Ok(Exit::Ok)
}

/// Reports why a merge failed; with `--json` missing parts are a list.
fn refused(error: Error, args: &AnalyzeArgs, plan: &Plan, output: &mut Output) -> Result<Exit, Failure> {
    // Other errors have nothing that a script could act on.
    let more = match &error {
        Error::MissingParts(missing) if args.json => json!({ "missing": missing, "parts": plan.parts() }),
        _ => return Err(failed(error)),
    };
    let failure = failed(error);
    let mut json = failure.json();
    livetime_measure::merge(&mut json, more);
    output.log(format_args!("livetime: {}", failure.message));
    output.json(&json)?;
    Ok(failure.exit)
}

/// Merges all parts and reports as an analysis by one process does.
fn merge(args: &AnalyzeArgs, plan: &Plan, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let (meter, begin) = (Meter::start(), Instant::now());
    let wanted = Wanted::planned(plan, nodes)?;
    let work = plan.work(&wanted.reducers).map_err(failed)?;
    let merged = match plan.merge(&work, &args.merge) {
        Ok(merged) => merged,
        Err(error) => return refused(error, args, plan, output),
    };
    let usage = meter.stop(merged.found.account.file_bytes, merged.found.account.raw_bytes);
    let (copies, run) = (merged.copies, RunFiles::planned(plan, merged.problems));
    let found = assembled(wanted.shown(merged.found), args.correct.assembly()?.as_ref());
    let found = found.map_err(|error| Failure::new(Exit::Usage, error))?;
    // The merge reads files and runs no workers.
    let last = Measured { workers: 1, found, usage };
    let report = Report {
        args,
        run: &run,
        detector: plan.detector(),
        all: &[],
        last: &last,
        is_same: true,
        parts: Some((plan.parts(), copies)),
        through: wanted.through.as_ref(),
        written: &[],
        times: Times::default(),
    };
    finish(report, begin, output)
}

fn failed(error: Error) -> Failure {
    Failure::new(Exit::Failed, error)
}
