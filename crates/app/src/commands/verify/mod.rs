//! `livetime verify`: whether a replay gives the same frames and files at every run, whatever its threads do, and whether a live run gave what the
//! replay of its recording gives.
//!
//! The pipeline runs again and again, the first time undisturbed, then with threads that are held up by chance. Each frame that goes down an
//! edge is noted as a number made from all that it holds (`digest.rs`); the lists of two runs must be the same, and so must the files that sinks
//! write, each run into the same empty folder (`files.rs`). The edges of a replay lose nothing here; what a live run lost is in its ledger, and
//! is no difference (`live.rs`).

mod args;
mod bounds;
mod digest;
mod files;
mod live;
mod player;
mod rehearse;
mod report;
#[cfg(test)]
mod tests;

use livetime_engine::{Graph, NodeKind, NodeType, Value};

use crate::output::{Exit, Failure, Output};
pub(crate) use args::{VERIFY_HELP, VerifyArgs};
use files::Scratch;
use rehearse::{Manner, rehearse, waiting};
use report::{Difference, Verdict};

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
