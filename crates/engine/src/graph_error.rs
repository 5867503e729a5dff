//! Why a graph cannot run, or does not change as it should.

use std::fmt;
use std::path::PathBuf;

use livetime_frame::ByteSize;
use livetime_runtime::Cause;

use crate::node::{NodeError, NotAccepted};
use crate::param::Refusal;
use crate::refusal::{BadEdge, BadPlacement, UnknownName};

/// The part of a graph that an error is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The node with this number.
    Node(usize),
    /// The parameter of this name of the node with this number.
    Param(usize, String),
    /// The edge with this number.
    Edge(usize),
    /// The memory bound.
    Memory,
    /// The graph as a whole.
    Graph,
}

/// Why a graph cannot run, or does not change as it should.
///
/// The text is a sentence for people. Programs ask for the place, the fault and its code.
///
/// ```
/// use livetime_engine::{Graph, GraphFault, Place};
///
/// let errors = Graph::default().check().unwrap_err();
/// assert_eq!(errors[0].to_string(), "wanted at least one source, found none");
/// assert_eq!((&errors[0].place, errors[0].fault().code()), (&Place::Graph, "no_source"));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct GraphError {
    /// Where.
    pub place: Place,
    /// In a box, because results are small on their way back.
    fault: Box<GraphFault>,
}

/// The kind of an error of a graph, with its values.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum GraphFault {
    /// A new node's name is empty or taken.
    Name(String),
    /// No node or port has this name.
    UnknownName(UnknownName),
    /// A node refuses a parameter.
    Parameter {
        /// Name of the node.
        node: String,
        /// The refusal, with the parameter.
        refusal: Refusal,
    },
    /// Options that no edge can have.
    EdgeOptions(BadEdge),
    /// There is no source; the wanted value.
    NoSource(&'static str),
    /// A program that stands in place of the source finds another number of sources than one.
    Sources(usize),
    /// No edge leads to the node with this name, which is no source.
    NoInput(String),
    /// A placement that a node cannot have.
    Placement {
        /// Name of the node.
        node: String,
        /// The reason.
        why: BadPlacement,
    },
    /// These nodes form a cycle; the last name is the first.
    Cycle(Vec<String>),
    /// An input does not accept the frames that come.
    Stream {
        /// Name of the node.
        node: String,
        /// The wanted and the found frames.
        why: NotAccepted,
    },
    /// A node refuses to run.
    Node {
        /// Name of the node, unless the error names it.
        node: Option<String>,
        /// The error, with its cause.
        error: NodeError,
    },
    /// Two nodes write to one file.
    SameFile {
        /// Name of the second node.
        node: String,
        /// Name of the first node.
        other: String,
        /// The file.
        path: PathBuf,
    },
    /// Full queues would hold more bytes of frames than the memory bound.
    Memory {
        /// Bytes of frames in full queues and windows of links.
        wanted: u64,
        /// The bound in bytes.
        found: u64,
    },
    /// No edge leads from the first of these ports to the second.
    NoEdge(String, String),
    /// The node with this name runs inline: its edges stay as they are while it runs.
    Inline(String),
    /// A node does not do what it is asked for: it has ended, or does not answer.
    Refused(Refusal),
    /// The system refuses a thread.
    Thread(Cause),
}

impl GraphError {
    pub(crate) fn new(place: Place, fault: GraphFault) -> GraphError {
        GraphError { place, fault: Box::new(fault) }
    }

    /// The error of the node with this number and name.
    pub(crate) fn of_node(number: usize, name: &str, error: NodeError) -> GraphError {
        // The error of a node may name its parameter, which is the nearer place.
        let place = error.param.map_or(Place::Node(number), |param| Place::Param(number, param.into()));
        GraphError::new(place, GraphFault::Node { node: Some(name.to_owned()), error })
    }

    /// The reason.
    pub fn fault(&self) -> &GraphFault {
        &self.fault
    }

    /// The error that a node or the system gave as the cause of this one.
    pub fn cause(&self) -> Option<&Cause> {
        match &*self.fault {
            GraphFault::Node { error, .. } => error.cause.as_ref(),
            GraphFault::Thread(cause) => Some(cause),
            _ => None,
        }
    }
}

impl GraphFault {
    /// A name for programs, which stays the same when sentences change. A refusal has its own: see [`RefusalKind::code`](crate::RefusalKind::code).
    pub fn code(&self) -> &'static str {
        match self {
            GraphFault::Name(_) => "name",
            GraphFault::UnknownName(name) => name.code(),
            GraphFault::Parameter { refusal, .. } | GraphFault::Refused(refusal) => refusal.kind().code(),
            GraphFault::EdgeOptions(_) => "edge",
            GraphFault::NoSource(_) | GraphFault::Sources(_) => "no_source",
            GraphFault::NoInput(_) => "no_input",
            GraphFault::Placement { .. } => "placement",
            GraphFault::Cycle(_) => "cycle",
            GraphFault::Stream { .. } => "stream",
            GraphFault::Node { .. } => "node",
            GraphFault::SameFile { .. } => "same_file",
            GraphFault::Memory { .. } => "memory",
            GraphFault::NoEdge(..) => "unknown_edge",
            GraphFault::Inline(_) => "inline",
            GraphFault::Thread(_) => "thread",
        }
    }

    /// The node, where the fault knows its name.
    pub fn node(&self) -> Option<&str> {
        match self {
            GraphFault::Parameter { node, .. }
            | GraphFault::NoInput(node)
            | GraphFault::Placement { node, .. }
            | GraphFault::Stream { node, .. }
            | GraphFault::SameFile { node, .. }
            | GraphFault::Inline(node) => Some(node),
            GraphFault::Node { node, .. } => node.as_deref(),
            _ => None,
        }
    }

    /// The refusal of a parameter or of a request to a node.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            GraphFault::Parameter { refusal, .. } | GraphFault::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// A text that says what may have been meant, where the fault has it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            GraphFault::UnknownName(name) => name.hint(),
            fault => fault.refusal()?.kind().hint(),
        }
    }

    /// The wanted value, where the fault has it.
    pub fn wanted(&self) -> Option<String> {
        match self {
            GraphFault::NoSource(wanted) => Some((*wanted).to_owned()),
            GraphFault::Stream { why, .. } => Some(why.wanted.to_string()),
            GraphFault::Memory { wanted, .. } => Some(ByteSize(*wanted).to_string()),
            fault => fault.refusal()?.kind().wanted().map(str::to_owned),
        }
    }

    /// The found value, where the fault has it.
    pub fn found(&self) -> Option<String> {
        match self {
            GraphFault::Name(found) => Some(found.clone()),
            GraphFault::Sources(found) => Some(found.to_string()),
            GraphFault::Stream { why, .. } => Some(why.found.to_string()),
            GraphFault::Memory { found, .. } => Some(ByteSize(*found).to_string()),
            fault => fault.refusal()?.kind().found().map(str::to_owned),
        }
    }
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

impl fmt::Display for GraphFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphFault::Name(name) => write!(f, "wanted a new name for the node, found `{name}`"),
            GraphFault::UnknownName(name) => name.fmt(f),
            GraphFault::Parameter { node, refusal } => write!(f, "{node}: {refusal}"),
            GraphFault::EdgeOptions(options) => options.fmt(f),
            GraphFault::NoSource(wanted) => write!(f, "wanted {wanted}, found none"),
            GraphFault::Sources(found) => {
                write!(f, "wanted one source, in whose place the program stands, found {found}")
            }
            GraphFault::NoInput(node) => write!(f, "{node}: wanted an input, found nothing connected"),
            GraphFault::Placement { node, why } => write!(f, "{node}: {why}"),
            GraphFault::Cycle(names) => write!(f, "the nodes form a cycle: {}", names.join(" -> ")),
            GraphFault::Stream { node, why } => write!(f, "{node}: {why}"),
            GraphFault::Node { node: Some(node), error } => write!(f, "{node}: {}", error.in_full()),
            GraphFault::Node { node: None, error } => f.write_str(&error.in_full()),
            GraphFault::SameFile { node, other, path } => {
                let path = path.display();
                write!(f, "{node}: wanted files of its own, found that `{other}` writes to `{path}` too")
            }
            GraphFault::Memory { wanted, found } => write!(
                f,
                "full queues and links would hold {} of frames, found a memory bound of {}; make them shorter or the bound larger",
                ByteSize(*wanted),
                ByteSize(*found)
            ),
            GraphFault::NoEdge(from, to) => write!(f, "there is no edge from `{from}` to `{to}`"),
            GraphFault::Inline(node) => {
                write!(f, "node `{node}` runs inline and cannot be re-wired while running")
            }
            GraphFault::Refused(refusal) => refusal.fmt(f),
            GraphFault::Thread(cause) => write!(f, "cannot start a thread: {}", cause.error()),
        }
    }
}

impl std::error::Error for GraphError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.cause()?.error())
    }
}

/// A fault of the graph as a whole.
impl From<GraphFault> for GraphError {
    fn from(fault: GraphFault) -> GraphError {
        GraphError::new(Place::Graph, fault)
    }
}

/// A node does not start.
impl From<NodeError> for GraphError {
    fn from(error: NodeError) -> GraphError {
        GraphFault::Node { node: None, error }.into()
    }
}

macro_rules! of_graph {
    ($($error:ty => $fault:ident)*) => {$(
        impl From<$error> for GraphFault {
            fn from(error: $error) -> GraphFault {
                GraphFault::$fault(error)
            }
        }

        impl From<$error> for GraphError {
            fn from(error: $error) -> GraphError {
                GraphFault::from(error).into()
            }
        }
    )*};
}

of_graph!(UnknownName => UnknownName BadEdge => EdgeOptions Refusal => Refused);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RefusalKind;

    #[test]
    fn every_fault_has_a_sentence_and_a_code() {
        let cause = || Cause::new(std::sync::Arc::new(std::io::Error::other("no")));
        let node = || "cam".to_owned();
        let stream = crate::Stream::Other(livetime_frame::PayloadKind::Bytes);
        let why = crate::PortSpec::array("in").accepts.check(&stream).unwrap_err();
        for (fault, said, code) in [
            (GraphFault::Name(node()), "wanted a new name for the node, found `cam`", "name"),
            (
                UnknownName::NoPorts { node: node(), what: "input" }.into(),
                "node `cam` has no input",
                "unknown_port",
            ),
            (
                GraphFault::Parameter { node: node(), refusal: Refusal::value("1 to 9", 0).of("gain") },
                "cam: `gain`: wanted 1 to 9, found 0",
                "value",
            ),
            (BadEdge::Every.into(), "wanted `every` of at least 1, found 0", "edge"),
            (
                GraphFault::NoSource("at least one source"),
                "wanted at least one source, found none",
                "no_source",
            ),
            (
                GraphFault::Sources(2),
                "wanted one source, in whose place the program stands, found 2",
                "no_source",
            ),
            (GraphFault::NoInput(node()), "cam: wanted an input, found nothing connected", "no_input"),
            (
                GraphFault::Placement { node: node(), why: BadPlacement::InlineSource },
                "cam: a source cannot run inline",
                "placement",
            ),
            (
                GraphFault::Cycle(vec![node(), "a".into(), node()]),
                "the nodes form a cycle: cam -> a -> cam",
                "cycle",
            ),
            (GraphFault::Stream { node: node(), why }, "cam: wanted array, found bytes", "stream"),
            (
                GraphFault::Node { node: Some(node()), error: NodeError::new("no camera") },
                "cam: no camera",
                "node",
            ),
            (
                GraphFault::SameFile { node: node(), other: "b".into(), path: "/x".into() },
                "cam: wanted files of its own, found that `b` writes to `/x` too",
                "same_file",
            ),
            (
                GraphFault::Memory { wanted: 2048, found: 1024 },
                "full queues and links would hold 2 KiB of frames, found a memory bound of 1 KiB; make them shorter or the bound larger",
                "memory",
            ),
            (GraphFault::NoEdge("a".into(), "b".into()), "there is no edge from `a` to `b`", "unknown_edge"),
            (
                GraphFault::Inline(node()),
                "node `cam` runs inline and cannot be re-wired while running",
                "inline",
            ),
            (
                Refusal::new(RefusalKind::NoAnswer(node())).into(),
                "node `cam` did not answer within 5 s",
                "no_answer",
            ),
            (GraphFault::Thread(cause()), "cannot start a thread: no", "thread"),
        ] {
            assert_eq!((&*fault.to_string(), fault.code()), (said, code));
        }
    }
}
