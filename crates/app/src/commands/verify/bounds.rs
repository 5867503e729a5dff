//! The comparable part of a live run, and whether the replay of its recording is the same.

use std::collections::{BTreeMap, HashMap};

use livetime_engine::{EdgeDecl, Graph, LossReason, NodeKind, Note, Report, Trail};

use super::digest::OF_LEDGER;
use super::report::{Difference, depths};

/// The comparable part of a live run.
pub(super) struct Bounds {
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

    /// The same for parts: a frame has at most this many.
    fn times(self, parts: u64) -> Lacking {
        Lacking { live: self.live.saturating_mul(parts), replay: self.replay.saturating_mul(parts) }
    }
}

/// The notes of an edge in the live run and in the replay.
struct Pair {
    live: Vec<Note>,
    replay: Vec<Note>,
}

impl Bounds {
    /// `recorders`: by the number of the live source.
    pub(super) fn new(graph: &Graph, report: &Report, recorders: &BTreeMap<usize, usize>) -> Bounds {
        let depths = depths(graph);
        let mut order: Vec<usize> = (0..graph.nodes().len()).collect();
        // Senders first: the frames that a node lacks depend on its inputs.
        order.sort_by_key(|node| depths[*node]);
        // The frames that an output of a node lacks; `None` if it cannot be compared.
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

    pub(super) fn difference(&self, graph: &Graph, live: &[Trail], replay: &[Trail]) -> Option<Difference> {
        let depths = depths(graph);
        let mut edges: Vec<usize> = (0..graph.edges().len()).collect();
        edges.sort_by_key(|edge| (depths[graph.edges()[*edge].from.0], graph.edges()[*edge].from));
        edges.into_iter().find_map(|number| {
            let (edge, allowed) = (&graph.edges()[number], self.allowed[number]?);
            Pair::of(edge, live, replay).difference(graph, edge, allowed)
        })
    }

    pub(super) fn not_compared(&self, graph: &Graph) -> Vec<String> {
        let edges = graph.edges().iter().zip(&self.allowed).filter(|(_, allowed)| allowed.is_none());
        edges.map(|(edge, _)| name_of(graph, edge)).collect()
    }

    /// The edges on which parts were compared instead of frames, and those with ledgers of links, which were not.
    pub(super) fn in_parts(&self, graph: &Graph, live: &[Trail]) -> (Vec<String>, Vec<String>) {
        let compared = graph.edges().iter().zip(&self.allowed).filter(|(_, allowed)| allowed.is_some());
        let with = |is: fn(&Note) -> bool| {
            let edges = compared.clone().filter(|(edge, _)| notes_of(edge, live).any(is));
            edges.map(|(edge, _)| name_of(graph, edge)).collect()
        };
        (with(|note| note.part.is_some() && !is_of_ledger(note)), with(is_of_ledger))
    }
}

impl Pair {
    fn of(edge: &EdgeDecl, live: &[Trail], replay: &[Trail]) -> Pair {
        let of = |trails| notes_of(edge, trails).filter(|note| !is_of_ledger(note)).copied().collect();
        Pair { live: of(live), replay: of(replay) }
    }

    fn difference(&self, graph: &Graph, edge: &EdgeDecl, allowed: Lacking) -> Option<Difference> {
        let mut allowed = allowed.times(most_parts(&self.live).max(most_parts(&self.replay)));
        let (mut live, mut replay) = (by_stream(&self.live), by_stream(&self.replay));
        // A stream that only the replay has is compared, too.
        for stream in replay.keys() {
            live.entry(*stream).or_default();
        }
        live.into_iter().find_map(|(stream, live)| {
            let replay = replay.remove(&stream).unwrap_or_default();
            let at = first_beyond(&live, &replay, &mut allowed)?;
            Some(Difference::of_live(graph, edge, at, &live, &replay))
        })
    }
}

fn name_of(graph: &Graph, edge: &EdgeDecl) -> String {
    let name = |node: usize| &graph.nodes()[node].name;
    format!("{} to {}", name(edge.from.0), name(edge.to.0))
}

fn notes_of<'a>(edge: &EdgeDecl, trails: &'a [Trail]) -> impl Iterator<Item = &'a Note> + use<'a> {
    let (from, to) = (edge.from, edge.to.0);
    let trail = trails.iter().find(move |trail| (trail.from, trail.to.0) == (from, to));
    trail.into_iter().flat_map(|trail| &trail.notes)
}

/// A ledger of links tells how frames came and when it was told, which a recording does not keep.
fn is_of_ledger(note: &Note) -> bool {
    note.part.is_some_and(|part| part.kind == OF_LEDGER)
}

/// The most parts that a frame has.
fn most_parts(notes: &[Note]) -> u64 {
    let parts = notes.chunk_by(|a, b| a.part.is_some() && b.part.is_some() && a.frame == b.frame);
    parts.map(<[Note]>::len).max().unwrap_or(1) as u64
}

/// The notes of each stream, whose parts come in the order of time: batches of several streams alternate as they were cut, and so do the parts inside of them.
fn by_stream(notes: &[Note]) -> BTreeMap<Option<u16>, Vec<Note>> {
    let mut streams: BTreeMap<Option<u16>, Vec<Note>> = BTreeMap::new();
    for note in notes {
        streams.entry(note.part.and_then(|part| part.stream)).or_default().push(*note);
    }
    for (_, notes) in streams.iter_mut().filter(|(stream, _)| stream.is_some()) {
        notes.sort_by_key(|note| (note.part, note.digest));
    }
    streams
}

/// The frames that a node's output lacks, if all inputs are known: frames lost before the node and in it. A node with state that saw a loss has
/// another state, and cannot be compared.
fn sent_by(graph: &Graph, report: &Report, node: usize, sent: &[Option<Lacking>]) -> Option<Lacking> {
    let mut came = Lacking::default();
    for edge in graph.edges().iter().filter(|edge| edge.to.0 == node) {
        came = came.and(sent[edge.from.0]?.and_live(on_edge(report, (edge.from.0, node))));
    }
    // A node with state makes other frames where one is missing before.
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

/// The first frame of the live run that differs from the replay's, or behind which more frames are lacking than may be. Frames that both have
/// must come in one order.
fn first_beyond(live: &[Note], replay: &[Note], allowed: &mut Lacking) -> Option<usize> {
    let (mut live_left, mut replay_left) = (Left::of(live), Left::of(replay));
    let (mut at, mut other) = (0, 0);
    loop {
        let (one, same) = (live.get(at), replay.get(other));
        let is_one = one.is_some() && one.map(|one| one.digest) == same.map(|same| same.digest);
        // A frame that comes later is not missing: the order must be the same.
        let is_live_lacking = same.is_some_and(|same| !live_left.has(same.digest));
        let is_replay_lacking = one.is_some_and(|one| !replay_left.has(one.digest));
        let (steps, steps_other) = match (one, same) {
            (None, None) => return None,
            _ if is_one => (1, 1),
            _ if is_live_lacking && allowed.live > 0 => (0, 1),
            _ if is_replay_lacking && allowed.replay > 0 => (1, 0),
            _ => return Some(at),
        };
        allowed.live -= u64::from(steps == 0);
        allowed.replay -= u64::from(steps_other == 0);
        live[at..at + steps].iter().for_each(|note| live_left.take(note.digest));
        replay[other..other + steps_other].iter().for_each(|note| replay_left.take(note.digest));
        (at, other) = (at + steps, other + steps_other);
    }
}

/// How often each frame is still to come.
struct Left(HashMap<u64, usize>);

impl Left {
    fn of(notes: &[Note]) -> Left {
        let mut left = HashMap::new();
        notes.iter().for_each(|note| *left.entry(note.digest).or_default() += 1);
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
    use livetime_engine::{EdgeOptions, Part};

    use super::*;

    fn frames(digests: &[u64]) -> Vec<Note> {
        let note = |(frame, digest): (usize, &u64)| Note { frame: frame as u64, digest: *digest, part: None };
        digests.iter().enumerate().map(note).collect()
    }

    #[test]
    fn lost_frames_are_no_difference_and_all_others_are() {
        let all = frames(&[5, 6, 7, 7, 8]);
        let beyond = |digests: &[u64], live, replay| {
            first_beyond(&frames(digests), &all, &mut Lacking { live, replay })
        };
        assert_eq!(beyond(&[5, 6, 7, 7, 8], 0, 0), None);
        assert_eq!(beyond(&[5, 7, 8], 2, 0), None);
        // Fewer were counted as lost; another frame, however many were lost; another order; a frame that the recorder did not get.
        assert_eq!(beyond(&[5, 7, 8], 1, 0), Some(2));
        assert_eq!(beyond(&[5, 6, 9, 7, 8], 4, 0), Some(2));
        assert_eq!(beyond(&[6, 5, 7, 7, 8], 4, 4), Some(0));
        assert_eq!(beyond(&[5, 6, 9, 7, 7, 8], 0, 1), None);
        assert_eq!(beyond(&[5, 6], 0, 0), Some(2));
    }

    /// Notes of batches: number of the frame, stream, time of the first part, digests of its parts.
    fn batches(batches: &[(u64, Option<u16>, u64, &[u64])]) -> Vec<Note> {
        let parts = |(frame, stream, first, digests): &(u64, Option<u16>, u64, &[u64])| {
            let (frame, stream, first) = (*frame, *stream, *first);
            let note = move |(time, digest): (u64, &u64)| Note {
                frame,
                digest: *digest,
                part: Some(Part { kind: "row", stream, time }),
            };
            (first..).zip(*digests).map(note).collect::<Vec<_>>()
        };
        batches.iter().flat_map(parts).collect()
    }

    fn graph() -> Graph {
        let find = |name| crate::standard_nodes().into_iter().find(|node| node.spec.name == name).unwrap();
        let mut graph = Graph::default();
        graph.add("src", find("wib_simulator")).unwrap();
        graph.add("dump", find("wib_dump")).unwrap();
        graph.connect("src", "dump", EdgeOptions::default()).unwrap();
        graph
    }

    #[test]
    fn other_batches_of_the_same_parts_are_no_difference() {
        let (one, two) = (Some(1), Some(2));
        let live = batches(&[(0, one, 10, &[5, 6]), (1, two, 10, &[7, 8]), (2, one, 12, &[9])]);
        let graph = graph();
        let said = |replay: &[(u64, Option<u16>, u64, &[u64])], lacking| {
            let pair = Pair { live: live.clone(), replay: batches(replay) };
            pair.difference(&graph, &graph.edges()[0], lacking).map(|d| d.text(2, true))
        };
        let none = Lacking::default();
        assert_eq!(said(&[(0, one, 10, &[5, 6, 9]), (1, two, 10, &[7]), (2, two, 11, &[8])], none), None);
        let wanted =
            "not the same: run 2 against the live run: src.raw to dump: row 1 of link 2 (number 1) differs\n";
        assert_eq!(said(&[(0, one, 10, &[5, 6, 9]), (1, two, 10, &[7, 4])], none).as_deref(), Some(wanted));
        let short = said(&[(0, one, 10, &[5, 6, 9])], none).unwrap();
        assert!(short.ends_with("src.raw to dump: 0 rows of link 2 came, not 2\n"), "{short}");
        // The recorder did not get one batch, of at most three parts.
        let lost = Lacking { live: 0, replay: 1 };
        assert_eq!(said(&[(0, one, 10, &[5, 6, 9])], lost), None);
        assert!(said(&[], lost).is_some());
        // Merged streams come in one order.
        let (live, other) =
            (batches(&[(0, None, 10, &[5, 6])]), batches(&[(0, None, 10, &[6]), (1, None, 11, &[5])]));
        assert!(Pair { live, replay: other }.difference(&graph, &graph.edges()[0], none).is_some());
    }
}
