//! What several runs of a graph have shown.

use livetime_engine::{Graph, Trail};
use serde_json::{Value, json};

use super::super::count;

/// The first frame of the first node that two runs have sent differently.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    node: String,
    output: String,
    to: String,
    /// Which frame on this edge, from 0.
    frame: usize,
    /// Its number in the first run and in the other; `None` where no frame came.
    numbers: (Option<u64>, Option<u64>),
    frames: (usize, usize),
}

pub(super) struct Verdict {
    pub(super) runs: u64,
    pub(super) difference: Option<Difference>,
    frames: usize,
    edges: usize,
    losses: u64,
}

impl Difference {
    /// Nodes are compared in the order in which frames flow.
    pub(super) fn first(graph: &Graph, first: &[Trail], other: &[Trail]) -> Option<Difference> {
        let depths = depths(graph);
        let mut pairs: Vec<(&Trail, &Trail)> = first.iter().zip(other).collect();
        pairs.sort_by_key(|(trail, _)| (depths.get(trail.from.0).copied(), trail.from, trail.to));
        pairs.into_iter().find_map(|(first, other)| Difference::of(graph, first, other))
    }

    fn of(graph: &Graph, first: &Trail, other: &Trail) -> Option<Difference> {
        if first.frames == other.frames {
            return None;
        }
        let same = first.frames.iter().zip(&other.frames).take_while(|(a, b)| a == b).count();
        let number = |trail: &Trail| trail.frames.get(same).map(|(number, _)| *number);
        let node = graph.nodes().get(first.from.0)?;
        let output = node.node_type.spec.outputs.get(first.from.1).map_or("", |port| port.name);
        Some(Difference {
            node: node.name.clone(),
            output: output.to_owned(),
            to: graph.nodes().get(first.to.0).map_or_else(String::new, |node| node.name.clone()),
            frame: same,
            numbers: (number(first), number(other)),
            frames: (first.frames.len(), other.frames.len()),
        })
    }

    fn text(&self, runs: u64) -> String {
        let frame = match self.numbers {
            (Some(one), Some(other)) if one == other => {
                format!("frame {} (number {one}) differs", self.frame)
            }
            (Some(one), Some(other)) => format!("frame {} has the number {other}, not {one}", self.frame),
            _ => format!("{} frames came, not {}", self.frames.1, self.frames.0),
        };
        format!(
            "not the same: run {runs} against run 1: {}.{} to {}: {frame}\n",
            self.node, self.output, self.to
        )
    }
}

/// How many edges lead to each node, on the longest way.
fn depths(graph: &Graph) -> Vec<usize> {
    let mut depths = vec![0; graph.nodes().len()];
    for _ in 0..depths.len() {
        for edge in graph.edges() {
            depths[edge.to.0] = depths[edge.to.0].max(depths[edge.from.0] + 1);
        }
    }
    depths
}

impl Verdict {
    pub(super) fn new(graph: &Graph, trails: &[Trail], losses: u64) -> Verdict {
        let frames = trails.iter().map(|trail| trail.frames.len()).sum();
        Verdict { runs: 1, difference: None, frames, edges: graph.edges().len(), losses }
    }

    pub(super) fn text(&self) -> String {
        let losses = match self.losses {
            0 => String::new(),
            losses => format!("; {losses} losses in the first run"),
        };
        match &self.difference {
            Some(difference) => difference.text(self.runs),
            None => format!(
                "the same: {}, {} on {}{losses}\n",
                count(self.runs as usize, "run"),
                count(self.frames, "frame"),
                count(self.edges, "edge")
            ),
        }
    }

    pub(super) fn json(&self) -> Value {
        let difference = self.difference.as_ref().map(|d| {
            json!({
                "node": d.node,
                "output": d.output,
                "to": d.to,
                "frame": d.frame,
                "number": d.numbers.0,
                "number_now": d.numbers.1,
                "frames": d.frames.0,
                "frames_now": d.frames.1,
            })
        });
        json!({
            "same": difference.is_none(),
            "runs": self.runs,
            "frames": self.frames,
            "edges": self.edges,
            "unintended_losses": self.losses,
            "difference": difference,
        })
    }
}
