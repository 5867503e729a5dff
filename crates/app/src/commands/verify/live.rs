//! A live run against the replay of its recording.

use std::collections::BTreeMap;

use livetime_engine::{Graph, LossReason, Node, NodeKind, NodeType, Report};
use livetime_nodes::sinks::null::Null;

use super::args::VerifyArgs;
use super::bounds::Bounds;
use super::digest;
use super::files::Scratch;
use super::player::{Live, live_sources};
use super::rehearse::{Manner, rehearse, waiting};
use super::report::{LiveVerdict, Verdict};
use crate::output::{Exit, Failure};

pub(super) fn verdict(
    graph: &Graph,
    args: &VerifyArgs,
    nodes: &[NodeType],
    scratch: &Scratch,
) -> Result<Verdict, Failure> {
    let sources = live_sources(graph, nodes)?;
    let is_raw = sources.iter().any(|source| source.is_raw);
    let of_replay = frames_of_replay(graph, args, &sources)?;
    let mut live = graph.clone();
    scratch.lead_here(&mut live, nodes)?;
    let digest = if is_raw { digest::of_parts } else { digest::of_recorded };
    let manner = |seed, repeatable, frames| Manner { seed, digest, repeatable, frames };
    let first = rehearse(&live, scratch, &manner(0, false, args.frames))?;
    let recorded = scratch.put_aside()?;
    let mut replay = waiting(graph);
    let mut recorders = BTreeMap::new();
    for source in &sources {
        recorders.insert(source.source, source.play(&mut replay, nodes, &recorded)?);
    }
    mute(&mut replay, nodes);
    let bounds = Bounds::new(graph, &first.report, &recorders);
    let mut verdict = Verdict::new(graph, &first);
    let (in_parts, ledgers) = bounds.in_parts(graph, &first.trails);
    let (losses, not_compared) = (losses(&first.report), bounds.not_compared(graph));
    verdict.live = Some(LiveVerdict { losses, not_compared, in_parts, ledgers });
    for number in 1..args.runs {
        let next = rehearse(&replay, scratch, &manner(args.seed_of(number - 1), true, of_replay))?;
        verdict.runs = number + 1;
        verdict.difference = bounds.difference(graph, &first.trails, &next.trails);
        if verdict.difference.is_some() {
            break;
        }
    }
    Ok(verdict)
}

/// After how many frames each source of the replay ends. A recording that is played in other batches is played to its end.
fn frames_of_replay(graph: &Graph, args: &VerifyArgs, sources: &[Live]) -> Result<Option<u64>, Failure> {
    if !sources.iter().any(|source| source.is_raw) {
        return Ok(args.frames);
    }
    let is_source = |number: &usize| graph.nodes()[*number].node_type.spec.kind == NodeKind::Source;
    let is_live = |number: &usize| sources.iter().any(|source| source.source == *number);
    let other = (0..graph.nodes().len()).filter(is_source).find(|number| !is_live(number));
    match (other, args.frames) {
        (Some(other), Some(_)) => {
            let other = &graph.nodes()[other].name;
            Err(Failure::new(
                Exit::Usage,
                format!("--frames: wanted raw frames from live sources alone, found the recording `{other}`"),
            ))
        }
        _ => Ok(None),
    }
}

/// Sinks of a replay have nothing to write: their files are not compared.
fn mute(graph: &mut Graph, nodes: &[NodeType]) {
    let Some(null) = nodes.iter().find(|node| node.spec.name == Null::SPEC.name) else { return };
    for node in 0..graph.nodes().len() {
        if graph.nodes()[node].node_type.spec.kind == NodeKind::Sink {
            graph.replace(node, null.clone());
        }
    }
}

/// The losses of a live run, in words.
fn losses(report: &Report) -> Vec<String> {
    let listed = |lost: &BTreeMap<LossReason, u64>| {
        let of_live = lost.iter().filter(|(reason, count)| **count > 0 && **reason != LossReason::Decimated);
        let texts: Vec<String> = of_live.map(|(reason, count)| format!("{count} {reason}")).collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    };
    let edges =
        report.edges.iter().filter_map(|e| Some(format!("{} to {}: {}", e.from, e.to, listed(&e.lost)?)));
    let nodes = report.nodes.iter().filter_map(|n| Some(format!("{}: {}", n.name, listed(&n.lost)?)));
    edges.chain(nodes).collect()
}
