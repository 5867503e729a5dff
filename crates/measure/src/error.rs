//! Why nothing was measured.

use std::fmt;
use std::time::Duration;

use livetime_engine::{GraphError, Refusal, UnknownName};

use crate::in_one_line;

/// Why a graph or a chain of nodes could not be measured.
#[derive(Debug)]
#[non_exhaustive]
pub enum MeasureError {
    /// The graph cannot be built or started.
    Graph(Vec<GraphError>),
    /// A parameter was refused, or a node did not answer.
    Param(Refusal),
    /// No node has this name.
    NoNode(UnknownName),
    /// A chain began at this source, which has no input.
    NoInput(String),
    /// No edges lead from the first to the last node of this chain, written `FIRST..LAST`.
    NoWay(String),
    /// The run ended with this failure of a node.
    Failed(String),
    /// The sums of the ledger that differ.
    NotClosed(Vec<String>),
    /// The sources ended after this number of frames.
    TooFew(u64),
    /// Fewer than two frames came to this node at the end of the chain.
    NothingAtEnd(usize),
    /// No frame came to the chain within this time.
    NoFrame(Duration),
    /// The chain did not handle its frames within this time.
    TooSlow(Duration),
}

impl fmt::Display for MeasureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use MeasureError::*;
        match self {
            Graph(errors) => f.write_str(&in_one_line(errors)),
            Param(error) => error.fmt(f),
            NoNode(error) => error.fmt(f),
            Failed(text) => f.write_str(text),
            NoInput(source) => {
                write!(f, "wanted a node with an input, found the source `{source}`; try bench graph")
            }
            NoWay(chain) => write!(f, "wanted a way `FIRST..LAST` along edges, found none for `{chain}`"),
            NotClosed(sums) => write!(f, "the ledger does not close: {}", sums.join("; ")),
            TooFew(frames) => write!(f, "the sources end after {frames} frames, too few to measure"),
            NothingAtEnd(node) => write!(f, "fewer than two frames came to the end, node number {node}"),
            NoFrame(time) => write!(f, "no frame came within {time:?}"),
            TooSlow(time) => write!(f, "the frames were not handled within {time:?}"),
        }
    }
}

impl std::error::Error for MeasureError {}

impl From<GraphError> for MeasureError {
    fn from(error: GraphError) -> MeasureError {
        MeasureError::Graph(vec![error])
    }
}

impl From<Vec<GraphError>> for MeasureError {
    fn from(errors: Vec<GraphError>) -> MeasureError {
        MeasureError::Graph(errors)
    }
}

impl From<Refusal> for MeasureError {
    fn from(error: Refusal) -> MeasureError {
        MeasureError::Param(error)
    }
}
