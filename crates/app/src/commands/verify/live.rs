//! A live run against the replay of its recording.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use livetime_engine::{EdgeDecl, Graph, LossReason, NodeKind, NodeType, Report, Trail, Value};
use livetime_recording::Recording;

use super::files::{Scratch, files_in, writes_into_a_folder};
use super::report::{Difference, LiveVerdict, Verdict, depths};
use super::{Manner, VerifyArgs, digest, rehearse, waiting};
use crate::output::{Exit, Failure};

/// The source that plays recordings.
const PLAYER: &str = "recording";

/// A live source, and the sinks directly behind it that may record it.
struct Live {
    source: usize,
    sinks: Vec<usize>,
}

pub(super) fn verdict(
    graph: &Graph,
    args: &VerifyArgs,
    nodes: &[NodeType],
    scratch: &Scratch,
) -> Result<Verdict, Failure> {
    let sources = live_sources(graph)?;
    let mut live = graph.clone();
    scratch.lead_here(&mut live, nodes)?;
    let manner = |seed, repeatable| Manner { seed, digest: digest::of_recorded, repeatable };
    let first = rehearse(&live, args, scratch, &manner(0, false))?;
    let recorded = scratch.put_aside()?;
    let mut replay = waiting(graph);
    let mut recorders = BTreeMap::new();
    for source in &sources {
        recorders.insert(source.source, source.play(&mut replay, nodes, &recorded)?);
    }
    mute(&mut replay, nodes);
    let bounds = Bounds::new(graph, &first.report, &recorders);
    let mut verdict = Verdict::new(graph, &first);
    verdict.live =
        Some(LiveVerdict { losses: losses(&first.report), not_compared: bounds.not_compared(graph) });
    for number in 1..args.runs {
        let next = rehearse(&replay, args, scratch, &manner(args.seed_of(number - 1), true))?;
        verdict.runs = number + 1;
        verdict.difference = bounds.difference(graph, &first.trails, &next.trails);
        if verdict.difference.is_some() {
            break;
        }
    }
    Ok(verdict)
}

/// The live sources with what may record them.
///
/// # Errors
/// If there is none, or one of them has no recorder.
fn live_sources(graph: &Graph) -> Result<Vec<Live>, Failure> {
    let usage = |why: String| Err(Failure::new(Exit::Usage, why));
    let mut found = Vec::new();
    for (source, decl) in graph.nodes().iter().enumerate() {
        if decl.node_type.spec.kind != NodeKind::Source || decl.node_type.is_stored {
            continue;
        }
        let from = |edge: &&EdgeDecl| edge.from.0 == source;
        if graph.edges().iter().filter(from).any(|edge| edge.from.1 > 0) {
            let name = &decl.name;
            return usage(format!(
                "--live: wanted live sources of which only the first output is used, found `{name}`"
            ));
        }
        let is_alone =
            |sink: &usize| graph.edges().iter().filter(|e| e.to.0 == *sink).all(|e| e.from.0 == source);
        let behind = graph.edges().iter().filter(from).map(|edge| edge.to.0);
        let sinks: Vec<usize> =
            behind.filter(|node| writes_into_a_folder(&graph.nodes()[*node])).filter(is_alone).collect();
        if sinks.is_empty() {
            let name = &decl.name;
            return usage(format!(
                "--live: wanted a recorder directly behind `{name}`, such as xtc_recorder, found none"
            ));
        }
        found.push(Live { source, sinks });
    }
    match found.is_empty() {
        true => usage(
            "--live: wanted a live source, found recordings alone: they are compared without --live".into(),
        ),
        false => Ok(found),
    }
}

impl Live {
    /// Puts what one of the sinks has recorded in the place of the source; returns which one it was.
    fn play(&self, graph: &mut Graph, nodes: &[NodeType], recorded: &Path) -> Result<usize, Failure> {
        let failed = |why: String| Failure::new(Exit::Failed, why);
        let name = graph.nodes()[self.source].name.clone();
        for sink in &self.sinks {
            let folder = recorded.join(&graph.nodes()[*sink].name);
            let files =
                files_in(&folder).map_err(|e| failed(format!("cannot read {}: {e}", folder.display())))?;
            if !is_run(&files) {
                continue;
            }
            let Some(player) = nodes.iter().find(|node| node.spec.name == PLAYER) else { break };
            graph.replace(self.source, player.clone());
            let lines: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
            let set = graph.set(self.source, "file", &Value::from(&*lines.join("\n")));
            return set.map(|()| *sink).map_err(|error| failed(error.message));
        }
        Err(failed(format!(
            "wanted a recording of `{name}` that can be played, found none: is its recorder on (`capture`)?"
        )))
    }
}

/// Whether the files are a whole run whose pictures are as they were recorded.
fn is_run(files: &[PathBuf]) -> bool {
    let is_recorded = |run: &Recording| run.format().keeps_frames();
    !files.is_empty()
        && Recording::open_only(files).is_ok_and(|run| is_recorded(&run) && run.problems().is_empty())
}

/// Sinks of a replay have nothing to write: their files are not compared.
fn mute(graph: &mut Graph, nodes: &[NodeType]) {
    let Some(null) = nodes.iter().find(|node| node.spec.name == "null") else { return };
    for node in 0..graph.nodes().len() {
        if graph.nodes()[node].node_type.spec.kind == NodeKind::Sink {
            graph.replace(node, null.clone());
        }
    }
}

/// What of a live run can be compared.
struct Bounds {
    /// By edge; `None` if nothing on it can be compared.
    allowed: Vec<Option<Lacking>>,
}

/// How many frames of a stream may be missing.
#[derive(Clone, Copy, Default)]
struct Lacking {
    /// In the live run, which lost them.
    live: u64,
    /// In the replay, because the recorder did not get them.
    replay: u64,
}

impl Lacking {
    fn and(self, other: Lacking) -> Lacking {
        Lacking { live: self.live + other.live, replay: self.replay + other.replay }
    }

    fn and_live(self, lost: u64) -> Lacking {
        Lacking { live: self.live + lost, ..self }
    }

    fn is_nothing(self) -> bool {
        self.live + self.replay == 0
    }
}

impl Bounds {
    /// `recorders`: by the number of the live source.
    fn new(graph: &Graph, report: &Report, recorders: &BTreeMap<usize, usize>) -> Bounds {
        let depths = depths(graph);
        let mut order: Vec<usize> = (0..graph.nodes().len()).collect();
        order.sort_by_key(|node| depths[*node]);
        // What is lacking in that which a node sends; `None` if it cannot be compared.
        let mut sent: Vec<Option<Lacking>> = vec![None; order.len()];
        for node in order {
            sent[node] = match graph.nodes()[node].node_type.spec.kind {
                NodeKind::Source => Some(recorders.get(&node).map_or(Lacking::default(), |sink| Lacking {
                    replay: on_edge(report, (node, *sink)) + report.nodes[*sink].lost_inside(),
                    live: 0,
                })),
                _ => sent_by(graph, report, node, &sent),
            };
        }
        let limited = |edge: &EdgeDecl| by_rate(report, (edge.from.0, edge.to.0));
        let allowed = graph.edges().iter().map(|edge| Some(sent[edge.from.0]?.and_live(limited(edge))));
        Bounds { allowed: allowed.collect() }
    }

    fn difference(&self, graph: &Graph, live: &[Trail], replay: &[Trail]) -> Option<Difference> {
        let depths = depths(graph);
        let mut edges: Vec<usize> = (0..graph.edges().len()).collect();
        edges.sort_by_key(|edge| (depths[graph.edges()[*edge].from.0], graph.edges()[*edge].from));
        edges.into_iter().find_map(|number| {
            let (edge, allowed) = (&graph.edges()[number], self.allowed[number]?);
            let of = |trails: &[Trail]| {
                let trail = trails.iter().find(|trail| (trail.from, trail.to.0) == (edge.from, edge.to.0));
                trail.map_or_else(Vec::new, |trail| trail.frames.clone())
            };
            let (live, replay) = (of(live), of(replay));
            let at = first_beyond(&live, &replay, allowed)?;
            Some(Difference::of_live(graph, edge, at, &live, &replay))
        })
    }

    fn not_compared(&self, graph: &Graph) -> Vec<String> {
        let edges = graph.edges().iter().zip(&self.allowed).filter(|(_, allowed)| allowed.is_none());
        let name = |node: usize| &graph.nodes()[node].name;
        edges.map(|(edge, _)| format!("{} to {}", name(edge.from.0), name(edge.to.0))).collect()
    }
}

/// What is lacking in that which a node sends, if all before it is known: what was lost before and in it, unless it keeps state, which is then
/// another one.
fn sent_by(graph: &Graph, report: &Report, node: usize, sent: &[Option<Lacking>]) -> Option<Lacking> {
    let mut came = Lacking::default();
    for edge in graph.edges().iter().filter(|edge| edge.to.0 == node) {
        came = came.and(sent[edge.from.0]?.and_live(on_edge(report, (edge.from.0, node))));
    }
    let is_known = came.is_nothing() || graph.nodes()[node].node_type.spec.parallel;
    is_known.then(|| came.and_live(report.nodes[node].lost_inside()))
}

/// Frames lost on the edges from one node to another for reasons that a replay does not know.
fn on_edge(report: &Report, (from, to): (usize, usize)) -> u64 {
    let edges = report.edges.iter().filter(|edge| edge.nodes == (from, Some(to)));
    let lost = edges.flat_map(|edge| &edge.lost).filter(|(reason, _)| **reason != LossReason::Decimated);
    lost.map(|(_, count)| count).sum()
}

/// Frames of these that a limit of the rate kept from going down the edge at all.
fn by_rate(report: &Report, (from, to): (usize, usize)) -> u64 {
    let edges = report.edges.iter().filter(|edge| edge.nodes == (from, Some(to)));
    edges.filter_map(|edge| edge.lost.get(&LossReason::RateLimited)).sum()
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

/// The first frame of the live run that differs from the replay's, or behind which more frames are lacking than may be. Frames that both have
/// must come in one order.
fn first_beyond(live: &[(u64, u64)], replay: &[(u64, u64)], mut allowed: Lacking) -> Option<usize> {
    let (mut live_left, mut replay_left) = (Left::of(live), Left::of(replay));
    let (mut at, mut other) = (0, 0);
    loop {
        let (one, same) = (live.get(at), replay.get(other));
        let is_one = one.is_some() && one.map(|one| one.1) == same.map(|same| same.1);
        let is_live_lacking = same.is_some_and(|(_, digest)| !live_left.has(*digest));
        let is_replay_lacking = one.is_some_and(|(_, digest)| !replay_left.has(*digest));
        let (steps, steps_other) = match (one, same) {
            (None, None) => return None,
            _ if is_one => (1, 1),
            _ if is_live_lacking && allowed.live > 0 => (0, 1),
            _ if is_replay_lacking && allowed.replay > 0 => (1, 0),
            _ => return Some(at),
        };
        allowed.live -= u64::from(steps == 0);
        allowed.replay -= u64::from(steps_other == 0);
        live[at..at + steps].iter().for_each(|(_, digest)| live_left.take(*digest));
        replay[other..other + steps_other].iter().for_each(|(_, digest)| replay_left.take(*digest));
        (at, other) = (at + steps, other + steps_other);
    }
}

/// How often each frame is still to come.
struct Left(HashMap<u64, usize>);

impl Left {
    fn of(frames: &[(u64, u64)]) -> Left {
        let mut left = HashMap::new();
        frames.iter().for_each(|(_, digest)| *left.entry(*digest).or_default() += 1);
        Left(left)
    }

    fn has(&self, digest: u64) -> bool {
        self.0.get(&digest).is_some_and(|count| *count > 0)
    }

    fn take(&mut self, digest: u64) {
        if let Some(count) = self.0.get_mut(&digest) {
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(digests: &[u64]) -> Vec<(u64, u64)> {
        digests.iter().enumerate().map(|(number, digest)| (number as u64, *digest)).collect()
    }

    #[test]
    fn lost_frames_are_no_difference_and_all_others_are() {
        let all = frames(&[5, 6, 7, 7, 8]);
        let beyond =
            |digests: &[u64], live, replay| first_beyond(&frames(digests), &all, Lacking { live, replay });
        assert_eq!(beyond(&[5, 6, 7, 7, 8], 0, 0), None);
        assert_eq!(beyond(&[5, 7, 8], 2, 0), None);
        // Fewer were counted as lost; another frame, however many were lost; another order; a frame that the recorder did not get.
        assert_eq!(beyond(&[5, 7, 8], 1, 0), Some(2));
        assert_eq!(beyond(&[5, 6, 9, 7, 8], 4, 0), Some(2));
        assert_eq!(beyond(&[6, 5, 7, 7, 8], 4, 4), Some(0));
        assert_eq!(beyond(&[5, 6, 9, 7, 7, 8], 0, 1), None);
        assert_eq!(beyond(&[5, 6], 0, 0), Some(2));
    }
}
