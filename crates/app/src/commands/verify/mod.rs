//! `livetime verify`: whether a replay gives the same frames at every run, whatever its threads do.
//!
//! The pipeline runs again and again, the first time undisturbed, then with threads that are held up by chance. Each frame that goes down an
//! edge is noted as a number made from all that it holds (`digest.rs`); the lists of two runs must be the same. Edges lose nothing here, and
//! sinks write nothing.

mod digest;
mod report;
#[cfg(test)]
mod tests;

use std::time::Duration;

use clap::Args;
use livetime_engine::{
    Graph, NodeKind, NodeType, Rehearsal, Report, Run, RunOptions, Trail, Value, WhenFull,
};

use crate::cli::PipelineArgs;
use crate::output::{Exit, Failure, Output};
use report::{Difference, Verdict};

pub(crate) const VERIFY_HELP: &str = "\
Examples:
  livetime verify records.yaml
  livetime verify records.yaml --runs 50 --seed 7
  livetime verify beamline.yaml --frames 1000
  livetime verify records.yaml --json

The command runs a replay several times, with threads held up by chance, and compares every frame on every edge. All edges wait (`when_full: block`, no limit of
the rate), and sinks write nothing. A source without an end needs --frames. Exit code 0: all runs were the same; 1: one differs, and the first node
and frame are named.";

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
}

/// The outcome of one run.
struct Rehearsed {
    trails: Vec<Trail>,
    report: Report,
}

pub(crate) fn verify(args: &VerifyArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let pipeline = super::load(&args.pipeline, nodes, output)?;
    if args.frames.is_none() {
        refuse_endless(&pipeline.graph)?;
    }
    let graph = rehearsed(&pipeline.graph, nodes);
    let first = rehearse(&graph, args, 0)?;
    let mut verdict = Verdict::new(&graph, &first.trails, first.report.unintended_losses());
    for number in 1..args.runs {
        let next = rehearse(&graph, args, args.seed.wrapping_mul(1 << 20).wrapping_add(number))?;
        verdict.runs = number + 1;
        verdict.difference = Difference::first(&graph, &first.trails, &next.trails);
        if verdict.difference.is_some() {
            break;
        }
    }
    match args.pipeline.json {
        true => output.json(&verdict.json())?,
        false => output.data(&verdict.text())?,
    }
    Ok(if verdict.difference.is_none() { Exit::Ok } else { Exit::Failed })
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

/// The graph as a replay that loses nothing and leaves nothing behind.
fn rehearsed(graph: &Graph, nodes: &[NodeType]) -> Graph {
    let mut graph = graph.clone();
    for edge in 0..graph.edges().len() {
        if let Some(options) = graph.edge_options_mut(edge) {
            (options.when_full, options.max_rate_hz, options.max_bytes_per_s) = (WhenFull::Block, None, None);
        }
    }
    let null = nodes.iter().find(|node| node.spec.name == "null");
    for node in 0..graph.nodes().len() {
        let kind = graph.nodes()[node].node_type.spec.kind;
        if let (NodeKind::Sink, Some(null)) = (kind, null) {
            graph.replace(node, null.clone());
        }
        if let (NodeKind::Source, Some(options)) = (kind, graph.options_mut(node)) {
            options.wait_for_memory = true;
        }
    }
    graph
}

fn rehearse(graph: &Graph, args: &VerifyArgs, seed: u64) -> Result<Rehearsed, Failure> {
    let are_stored =
        graph.nodes().iter().all(|node| node.node_type.spec.kind != NodeKind::Source || node.is_stored());
    let digest = if are_stored { digest::of_stored } else { digest::of_live };
    let options = RunOptions {
        statistics: false,
        max_frames: args.frames,
        repeatable: true,
        rehearsal: Some(Rehearsal { seed, digest }),
        ..RunOptions::default()
    };
    let failed = |what: String| Failure::new(Exit::Failed, what);
    let run = Run::start(graph, options).map_err(|errors| {
        failed(errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; "))
    })?;
    while !run.wait(Duration::from_secs(1)) {}
    let trails = run.trails();
    let report = run.finish(Duration::from_secs(10));
    match &report.failure {
        Some(failure) => Err(failed(failure.clone())),
        None => Ok(Rehearsed { trails, report }),
    }
}
