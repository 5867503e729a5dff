//! The comparison of several runs of a graph.

use livetime_engine::{EdgeDecl, Graph, Note, Part, Trail};
use serde_json::{Value, json};

use super::super::count;
use super::files::SinkFile;
use super::rehearse::Rehearsed;
use crate::output::Exit;

/// The first difference between two runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// The first frame of the first node that was sent differently.
    Frame {
        node: String,
        output: String,
        to: String,
        /// The position of the frame on this edge, from 0; or of the part in its stream.
        frame: usize,
        /// Where parts are compared.
        part: Option<Part>,
        /// Its number in the first run and in the other; `None` where no frame came.
        numbers: (Option<u64>, Option<u64>),
        frames: (usize, usize),
    },
    /// The first file of the first sink; its size in the first run and in the other, `None` where there is none.
    File { node: String, file: String, bytes: (Option<u64>, Option<u64>) },
}

/// The sentences about a live run beside the differences.
#[derive(Debug, Default)]
pub(super) struct LiveVerdict {
    /// Its losses, by edge and node.
    pub(super) losses: Vec<String>,
    /// Edges behind such a loss and a node that keeps state.
    pub(super) not_compared: Vec<String>,
    /// Edges on which rows and raw frames are compared instead of batches.
    pub(super) in_parts: Vec<String>,
    /// Edges with ledgers of links, which are not compared.
    pub(super) ledgers: Vec<String>,
}

pub(super) struct Verdict {
    pub(super) runs: u64,
    pub(super) difference: Option<Difference>,
    pub(super) live: Option<LiveVerdict>,
    frames: usize,
    files: usize,
    edges: usize,
    losses: u64,
}

impl Difference {
    /// Nodes are compared in the order in which frames flow, then files.
    pub(super) fn first(graph: &Graph, first: &Rehearsed, other: &Rehearsed) -> Option<Difference> {
        Difference::in_frames(graph, &first.trails, &other.trails)
            .or_else(|| Difference::in_files(&first.files, &other.files))
    }

    /// Of the frames `at` which a live run and a replay differ on an edge.
    pub(super) fn of_live(
        graph: &Graph,
        edge: &EdgeDecl,
        at: usize,
        live: &[Note],
        replay: &[Note],
    ) -> Difference {
        // Numbers are given anew in a replay.
        let number = live.get(at).map(|note| note.frame);
        // A frame behind the end of the replay has no number there.
        let numbers = (number, number.filter(|_| at < replay.len()));
        let part = live.get(at).or(replay.get(at)).and_then(|note| note.part);
        Difference::at(graph, (edge.from, edge.to.0), (at, part), numbers, (live.len(), replay.len()))
    }

    pub(super) fn in_frames(graph: &Graph, first: &[Trail], other: &[Trail]) -> Option<Difference> {
        let depths = depths(graph);
        let mut pairs: Vec<(&Trail, &Trail)> = first.iter().zip(other).collect();
        // Frames of the first node that differs are reported, because all later ones differ for that reason.
        pairs.sort_by_key(|(trail, _)| (depths.get(trail.from.0).copied(), trail.from, trail.to));
        pairs.into_iter().find_map(|(first, other)| Difference::of(graph, first, other))
    }

    fn of(graph: &Graph, first: &Trail, other: &Trail) -> Option<Difference> {
        if first.notes == other.notes {
            return None;
        }
        let same = first.notes.iter().zip(&other.notes).take_while(|(a, b)| a == b).count();
        let number = |trail: &Trail| trail.notes.get(same).map(|note| note.frame);
        let frames = (first.notes.len(), other.notes.len());
        let numbers = (number(first), number(other));
        Some(Difference::at(graph, (first.from, first.to.0), (same, None), numbers, frames))
    }

    fn at(
        graph: &Graph,
        (from, to): ((usize, usize), usize),
        (frame, part): (usize, Option<Part>),
        numbers: (Option<u64>, Option<u64>),
        frames: (usize, usize),
    ) -> Difference {
        let name = |node: usize| graph.nodes().get(node).map_or_else(String::new, |node| node.name.clone());
        let ports = graph.nodes().get(from.0).map_or(&[][..], |node| node.node_type.spec.outputs);
        let output = ports.get(from.1).map_or("", |port| port.name).to_owned();
        Difference::Frame { node: name(from.0), output, to: name(to), frame, part, numbers, frames }
    }

    pub(super) fn in_files(first: &[SinkFile], other: &[SinkFile]) -> Option<Difference> {
        // Without a difference in the common part, the longer list has the first difference.
        let place = first.iter().zip(other).position(|(a, b)| a != b).unwrap_or(first.len().min(other.len()));
        let (first, other) = (first.get(place..)?, other.get(place..)?);
        // A missing file shifts all later ones, so the first file that only one side has is reported.
        let is_same = |file: &&SinkFile| first.contains(file) && other.contains(file);
        let SinkFile { node, name, .. } = first.iter().chain(other).find(|file| !is_same(file))?;
        let bytes = |files: &[SinkFile]| {
            let file = files.iter().find(|file| (&file.node, &file.name) == (node, name));
            file.map(|file| file.bytes)
        };
        Some(Difference::File { node: node.clone(), file: name.clone(), bytes: (bytes(first), bytes(other)) })
    }

    pub(super) fn text(&self, runs: u64, is_live: bool) -> String {
        let first = if is_live { "the live run" } else { "run 1" };
        let what = match self {
            Difference::Frame { node, output, to, frame, part, numbers, frames } => {
                let of =
                    part.and_then(|part| part.stream).map_or_else(String::new, |n| format!(" of link {n}"));
                let kind = part.map_or("frame", |part| part.kind);
                let what = match numbers {
                    (Some(one), Some(other)) if one == other => {
                        format!("{kind} {frame}{of} (number {one}) differs")
                    }
                    (Some(one), Some(other)) => {
                        format!("{kind} {frame}{of} has the number {other}, not {one}")
                    }
                    _ => format!("{} {kind}s{of} came, not {}", frames.1, frames.0),
                };
                format!("{node}.{output} to {to}: {what}")
            }
            Difference::File { node, file, bytes } => {
                let what = match bytes {
                    (Some(one), Some(other)) if one == other => format!("another content of {one} bytes"),
                    (Some(one), Some(other)) => format!("{other} bytes, not {one}"),
                    (None, _) => "a file that was not there".into(),
                    (_, None) => "is not there".into(),
                };
                format!("file of {node}: {file}: {what}")
            }
        };
        format!("not the same: run {runs} against {first}: {what}\n")
    }

    pub(super) fn json(&self) -> Value {
        match self {
            Difference::Frame { node, output, to, frame, part, numbers, frames } => json!({
                "node": node,
                "output": output,
                "to": to,
                "frame": frame,
                "part": part.map(|part| part.kind),
                "link": part.and_then(|part| part.stream),
                "number": numbers.0,
                "number_now": numbers.1,
                "frames": frames.0,
                "frames_now": frames.1,
            }),
            Difference::File { node, file, bytes } => {
                json!({ "node": node, "file": file, "bytes": bytes.0, "bytes_now": bytes.1 })
            }
        }
    }
}

/// How many edges lead to each node, on the longest way.
pub(super) fn depths(graph: &Graph) -> Vec<usize> {
    let mut depths = vec![0; graph.nodes().len()];
    // No way is longer than the number of nodes.
    for _ in 0..depths.len() {
        for edge in graph.edges() {
            depths[edge.to.0] = depths[edge.to.0].max(depths[edge.from.0] + 1);
        }
    }
    depths
}

/// The frames with a note.
fn frames(trail: &Trail) -> usize {
    // Rows of one raw frame are several notes with one number.
    let parts = trail.notes.chunk_by(|a, b| a.part.is_some() && b.part.is_some() && a.frame == b.frame);
    parts.count()
}

impl LiveVerdict {
    fn json(&self) -> Value {
        json!({
            "losses": self.losses,
            "not_compared": self.not_compared,
            "compared_by_rows": self.in_parts,
            "ledgers_not_compared": self.ledgers,
        })
    }

    fn text(&self) -> String {
        let line = |what: &str, all: &[String]| match all {
            [] => String::new(),
            all => format!("{what}: {}\n", all.join("; ")),
        };
        line("lost in the live run, and no difference", &self.losses)
            + &line(
                "compared by raw frames and rows, which the recording plays in other batches",
                &self.in_parts,
            )
            + &line("not compared, because ledgers of links tell how frames came", &self.ledgers)
            + &line("not compared, behind such a loss and a node that keeps state", &self.not_compared)
    }
}

impl Verdict {
    pub(super) fn new(graph: &Graph, first: &Rehearsed) -> Verdict {
        Verdict {
            runs: 1,
            difference: None,
            live: None,
            frames: first.trails.iter().map(frames).sum(),
            files: first.files.len(),
            edges: graph.edges().len(),
            losses: first.report.unintended_losses(),
        }
    }

    /// Losses of a live run keep a part of it from being compared.
    pub(super) fn exit(&self) -> Exit {
        match (&self.difference, &self.live) {
            (Some(_), _) => Exit::Failed,
            (None, Some(live)) if self.losses > 0 || !live.not_compared.is_empty() => Exit::Loss,
            (None, _) => Exit::Ok,
        }
    }

    pub(super) fn text(&self) -> String {
        let of_live = self.live.as_ref().map_or_else(String::new, LiveVerdict::text);
        if let Some(difference) = &self.difference {
            return difference.text(self.runs, self.live.is_some()) + &of_live;
        }
        let runs = match &self.live {
            Some(_) => format!("a live run and {} of its recording", count(self.runs as usize - 1, "replay")),
            None => count(self.runs as usize, "run"),
        };
        let (frames, edges) = (count(self.frames, "frame"), count(self.edges, "edge"));
        let files = match (self.files, &self.live) {
            (0, _) | (_, Some(_)) => String::new(),
            (files, None) => format!(", {}", count(files, "file")),
        };
        let losses = match (self.losses, &self.live) {
            (0, _) | (_, Some(_)) => String::new(),
            (losses, None) => format!("; {losses} losses in the first run"),
        };
        format!("the same: {runs}, {frames} on {edges}{files}{losses}\n{of_live}")
    }

    pub(super) fn json(&self) -> Value {
        let live = self.live.as_ref();
        let files = if live.is_some() { 0 } else { self.files };
        json!({
            "same": self.difference.is_none(),
            "runs": self.runs,
            "frames": self.frames,
            "files": files,
            "edges": self.edges,
            "unintended_losses": self.losses,
            "difference": self.difference.as_ref().map(Difference::json),
            "live": live.map(LiveVerdict::json),
        })
    }
}
