//! `livetime verify`: whether a replay gives the same frames and files at every run, whatever its threads do, and whether a live run gave what the
//! replay of its recording gives.
//!
//! The pipeline runs again and again, the first time undisturbed, then with threads that are held up by chance. Each frame that goes down an
//! edge is noted as a number made from all that it holds (`digest.rs`); the lists of two runs must be the same, and so must the files that sinks
//! write, each run into the same empty folder (`files.rs`). The edges of a replay lose nothing here; what a live run lost is in its ledger, and
//! is no difference (`live.rs`).

mod bounds;
mod digest;
mod files;
mod live;
mod player;
mod report;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use livetime_engine::{
    Graph, NodeKind, NodeType, Note, Rehearsal, Report, Run, RunOptions, Trail, Value, WhenFull,
};
use livetime_frame::Frame;

use crate::args::PipelineArgs;
use crate::interrupts::Interrupt;
use crate::output::{Exit, Failure, Output};
use files::{Scratch, SinkFile};
use report::{Difference, Verdict};

pub(crate) const VERIFY_HELP: &str = "\
Examples:
  livetime verify records.yaml
  livetime verify records.yaml --runs 50 --seed 7
  livetime verify beamline.yaml --frames 1000
  livetime verify beamline.yaml --frames 1000 --live
  livetime verify --python reduce.yaml
  livetime verify records.yaml --json

The command runs a replay several times, with threads held up by chance, and compares every frame on every edge, and every file that sinks
write. All edges wait (`when_full: block`, no limit of the rate). Each run writes into an empty folder of its own, removed at the end; sinks
that write no files, or whose template names another folder, write nothing. A source without an end needs --frames.
With --live the first run is live: its edges lose frames as their policies say. Its recording, by a recorder directly behind each live source
(xtc_recorder, hdf5_files, wib_dump), then takes the place of the source in the other runs. The contents of frames are compared on every edge,
but not their numbers, times and attributes, nor files: recording adds to these. Raw frames of the wire readout are played in other batches:
there each raw frame and each row of a table is compared, in the order of time, and ledgers of links, which tell how frames came, are not.
Frames that the live run counted as lost are named, and are no difference; the output of a node that keeps state is not compared behind such a
loss, and named too.
Exit code 0: all runs were the same; 1: one differs, and the first node and frame, or file, are named; 3: the same as far as the losses of
the live run allow a comparison.";

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) pipeline: PipelineArgs,
    /// The number of runs.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=100_000))]
    runs: u64,
    /// Another seed holds threads up in another way.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seed: u64,
    /// End each source after this many frames.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    frames: Option<u64>,
    /// Run live first, and then the recording of this run in the place of its live sources.
    #[arg(long)]
    live: bool,
    /// The folder in which the files of a run lie until they are compared; by default the system's for temporary files.
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
}

/// The outcome of one run.
struct Rehearsed {
    trails: Vec<Trail>,
    files: Vec<SinkFile>,
    report: Report,
}

/// How a run is compared.
struct Manner {
    /// 0: undisturbed.
    seed: u64,
    digest: fn(&Frame, &mut Vec<Note>),
    /// Whether all sources count as stored.
    repeatable: bool,
    /// After how many frames each source ends.
    frames: Option<u64>,
}

pub(crate) fn verify(args: &VerifyArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let pipeline = super::load(&args.pipeline, nodes, output)?;
    if args.frames.is_none() {
        refuse_endless(&pipeline.graph)?;
    }
    let scratch = Scratch::make(args.scratch.as_deref())?;
    let verdict = match args.live {
        true => live::verdict(&pipeline.graph, args, nodes, &scratch)?,
        false => of_replays(&pipeline.graph, args, nodes, &scratch)?,
    };
    match args.pipeline.json {
        true => output.json(&verdict.json())?,
        false => output.data(&verdict.text())?,
    }
    Ok(verdict.exit())
}

fn of_replays(
    graph: &Graph,
    args: &VerifyArgs,
    nodes: &[NodeType],
    scratch: &Scratch,
) -> Result<Verdict, Failure> {
    let mut graph = waiting(graph);
    scratch.lead_here(&mut graph, nodes)?;
    let digest = if are_stored(&graph) { digest::of_stored } else { digest::of_live };
    let run = |number| {
        let seed = args.seed_of(number);
        rehearse(&graph, scratch, &Manner { seed, digest, repeatable: true, frames: args.frames })
    };
    let first = run(0)?;
    let mut verdict = Verdict::new(&graph, &first);
    for number in 1..args.runs {
        let next = run(number)?;
        verdict.runs = number + 1;
        verdict.difference = Difference::first(&graph, &first, &next);
        if verdict.difference.is_some() {
            break;
        }
    }
    Ok(verdict)
}

impl VerifyArgs {
    /// The first run is undisturbed.
    fn seed_of(&self, number: u64) -> u64 {
        if number == 0 { 0 } else { self.seed.wrapping_mul(1 << 20).wrapping_add(number) }
    }
}

/// A live source has no end, and no two runs of it need be the same.
fn refuse_endless(graph: &Graph) -> Result<(), Failure> {
    let is_endless = |node: &&livetime_engine::NodeDecl| {
        let loops = node.value("loops") == Some(Value::Int(0));
        node.node_type.spec.kind == NodeKind::Source && (!node.is_stored() || loops)
    };
    let Some(source) = graph.nodes().iter().find(is_endless) else { return Ok(()) };
    let (name, kind) = (&source.name, source.node_type.spec.name);
    Err(Failure::new(
        Exit::Usage,
        format!("wanted sources that end, found `{name}` ({kind}), which may not: give --frames N"),
    ))
}

/// Whether no source is live.
fn are_stored(graph: &Graph) -> bool {
    let mut sources = graph.nodes().iter().filter(|node| node.node_type.spec.kind == NodeKind::Source);
    sources.all(|source| source.node_type.is_stored)
}

/// The graph as a replay that loses nothing.
fn waiting(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    for edge in 0..graph.edges().len() {
        if let Some(options) = graph.edge_options_mut(edge) {
            (options.when_full, options.max_rate_hz, options.max_bytes_per_s) = (WhenFull::Block, None, None);
        }
    }
    for node in 0..graph.nodes().len() {
        let kind = graph.nodes()[node].node_type.spec.kind;
        if let (NodeKind::Source, Some(options)) = (kind, graph.options_mut(node)) {
            options.wait_for_memory = true;
        }
    }
    graph
}

fn rehearse(graph: &Graph, scratch: &Scratch, manner: &Manner) -> Result<Rehearsed, Failure> {
    let failed = |what: String| Failure::new(Exit::Failed, what);
    let Manner { seed, digest, repeatable, frames } = *manner;
    let options = RunOptions {
        statistics: false,
        max_frames: frames,
        repeatable,
        rehearsal: Some(Rehearsal { seed, digest }),
        ..RunOptions::default()
    };
    scratch.clear(graph)?;
    let interrupt = Interrupt::watch();
    let run = Run::start(graph, options).map_err(|errors| {
        failed(errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; "))
    })?;
    while !run.wait(Duration::from_millis(100)) {
        if interrupt.is_wanted() {
            run.abort();
            return Err(failed("interrupted: nothing was compared to its end".into()));
        }
    }
    let trails = run.trails();
    let report = run.finish(Duration::from_secs(10));
    match &report.failure {
        Some(failure) => Err(failed(failure.clone())),
        None => Ok(Rehearsed { trails, files: scratch.files(graph)?, report }),
    }
}
