//! Why a graph refuses a name, a placement or the options of an edge.

use std::fmt;

/// The operating system's sets of CPUs hold this many.
pub(crate) const MOST_CPUS: usize = 1024;
/// A pool beyond this is a mistake: no machine has as many cores for one node.
pub(crate) const MOST_POOL: usize = 1024;
/// A queue beyond this holds more frames than any bound of memory allows.
pub(crate) const MOST_QUEUE: usize = 1 << 20;

/// A name that no node or port of a graph has.
///
/// ```
/// use livetime_engine::Graph;
///
/// let error = Graph::default().node("cam").unwrap_err();
/// assert_eq!(error.to_string(), "unknown node `cam`; there is none");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownName {
    /// No node has this name.
    Node {
        /// The name.
        name: String,
        /// The nearest right name: `"; did you mean `cam1`?"`.
        hint: String,
    },
    /// The node has no ports of this kind.
    NoPorts {
        /// Name of the node.
        node: String,
        /// `"input"` or `"output"`.
        what: &'static str,
    },
    /// The node has ports of this kind, and none has this name.
    Port {
        /// Name of the node.
        node: String,
        /// `"input"` or `"output"`.
        what: &'static str,
        /// The name of the port.
        name: String,
        /// The nearest right name.
        hint: String,
    },
}

impl UnknownName {
    /// A name for programs, which stays the same when sentences change: `"unknown_node"` or `"unknown_port"`.
    pub fn code(&self) -> &'static str {
        if let UnknownName::Node { .. } = self { "unknown_node" } else { "unknown_port" }
    }

    /// A text that says what may have been meant, where there are names to choose from.
    pub fn hint(&self) -> Option<&str> {
        match self {
            UnknownName::Node { hint, .. } | UnknownName::Port { hint, .. } => Some(hint),
            UnknownName::NoPorts { .. } => None,
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownName::Node { name, hint } => write!(f, "unknown node `{name}`{hint}"),
            UnknownName::NoPorts { node, what } => write!(f, "node `{node}` has no {what}"),
            UnknownName::Port { node, what, name, hint } => {
                write!(f, "node `{node}` has no {what} `{name}`{hint}")
            }
        }
    }
}

impl std::error::Error for UnknownName {}

/// No type of nodes has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownNodeType {
    /// The name.
    pub name: String,
    /// A name that may have been meant: `"; did you mean `null`?"`.
    pub hint: String,
}

impl fmt::Display for UnknownNodeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown node type `{}`{}", self.name, self.hint)
    }
}

impl std::error::Error for UnknownNodeType {}

/// A placement that a node cannot have.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BadPlacement {
    /// These CPU numbers, of which one is too large.
    Cpus(Vec<usize>),
    /// A source that should run inline.
    InlineSource,
    /// An inline node with another number of edges to it than one.
    InlineEdges(usize),
    /// An inline node behind a pool.
    InlineBehindPool,
    /// A pool without threads.
    EmptyPool,
    /// A pool of this many threads, which are too many.
    LargePool(usize),
    /// A pool of nodes of this type, which keep state from frame to frame.
    NotParallel(&'static str),
    /// A pool with another number of edges to it than one.
    PoolEdges(usize),
    /// The edge to a pool takes back queued frames, which a copy of the pool may already handle.
    PoolBehindTaking,
}

impl fmt::Display for BadPlacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadPlacement::Cpus(cpus) => write!(f, "wanted CPU numbers below {MOST_CPUS}, found {cpus:?}"),
            BadPlacement::InlineSource => f.write_str("a source cannot run inline"),
            BadPlacement::InlineEdges(found) => {
                write!(f, "an inline node has exactly one edge to it, found {found}")
            }
            BadPlacement::InlineBehindPool => f.write_str("an inline node cannot follow a pool"),
            BadPlacement::EmptyPool => f.write_str("wanted a pool of at least 1 thread, found 0"),
            BadPlacement::LargePool(found) => {
                write!(f, "wanted a pool of at most {MOST_POOL} threads, found {found}")
            }
            BadPlacement::NotParallel(name) => {
                write!(f, "`{name}` keeps state from frame to frame and cannot run in a pool")
            }
            BadPlacement::PoolEdges(found) => {
                write!(f, "a pool has exactly one edge to it, found {found}")
            }
            BadPlacement::PoolBehindTaking => {
                f.write_str("the edge to a pool must block, drop_newest or fail")
            }
        }
    }
}

/// Options that no edge can have.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum BadEdge {
    /// A queue of this many frames, which are none or too many.
    Queue(usize),
    /// An edge that takes every 0th frame.
    Every,
    /// A limit that is not above 0, by its name.
    Rate(&'static str, f64),
}

impl fmt::Display for BadEdge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadEdge::Queue(found) => write!(f, "wanted a queue of 1 to {MOST_QUEUE} frames, found {found}"),
            BadEdge::Every => f.write_str("wanted `every` of at least 1, found 0"),
            BadEdge::Rate(name, found) => write!(f, "wanted a `{name}` above 0, found {found}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_what_was_wanted_and_found() {
        let told = [
            BadPlacement::Cpus(vec![1024]).to_string(),
            BadPlacement::LargePool(2000).to_string(),
            BadEdge::Queue(0).to_string(),
            BadEdge::Rate("max_rate", -1.0).to_string(),
            UnknownName::NoPorts { node: "cam".into(), what: "input" }.to_string(),
        ];
        assert_eq!(
            told,
            [
                "wanted CPU numbers below 1024, found [1024]",
                "wanted a pool of at most 1024 threads, found 2000",
                "wanted a queue of 1 to 1048576 frames, found 0",
                "wanted a `max_rate` above 0, found -1",
                "node `cam` has no input",
            ]
        );
    }
}
