//! Why an action was not done.

use std::{fmt, io};

use livetime_engine::{GraphError, Refusal, UnknownName};

use super::caller::Caller;
use crate::attributes::AttributesError;
use crate::settings::SettingsError;

/// Why an action was not done. The text is a sentence for people; programs ask for the code, the parameter, and the
/// values that were wanted and found.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Refused {
    /// The run or a node refuses.
    Run(Refusal),
    /// The caller may not act.
    MayNotAct(Box<Caller>),
    /// So many changes wait for the node already.
    Busy(usize),
    /// The run has ended.
    RunEnded,
    /// The node has ended.
    NodeEnded,
    /// An edge cannot be as it should.
    Edge(EdgeRefusal),
    /// The attributes of frames are refused.
    Attributes(Box<AttributesError>),
    /// The capture ended without all its frames.
    Short(ShortCapture),
    /// Settings were not saved or restored.
    Settings(SettingsError),
}

/// Why an edge cannot be as it should.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum EdgeRefusal {
    /// The engine does not connect or disconnect it.
    Graph(Box<GraphError>),
    /// The node has no input.
    NoInput,
    /// The node has inputs with these names, and not the other one.
    OtherInput(Vec<String>, String),
    /// There is no edge between this output and this input.
    NoEdge(String, String),
    /// The node with this name has no output of this number.
    NoOutput(String, usize),
    /// A new edge needs an output.
    NoSender,
    /// Edges are numbered without a gap; the edge with this number is missing.
    Gap(usize),
    /// The first edge to the first input stays.
    FirstStays,
    /// A limit below 0.
    Limit(f64),
}

/// A capture that ended without all its frames.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShortCapture {
    /// Frames that were wanted.
    pub wanted: i64,
    /// Frames that came.
    pub found: i64,
    /// Places on the way, and the frames that were lost there.
    pub lost: Vec<(String, u64)>,
}

impl Refused {
    /// A name for programs, which stays the same when sentences change.
    pub fn code(&self) -> &'static str {
        match self {
            Refused::Run(refusal) => refusal.kind().code(),
            Refused::MayNotAct(_) => "may_not_act",
            Refused::Busy(_) => "busy",
            Refused::RunEnded => "run_ended",
            Refused::NodeEnded => "ended",
            Refused::Edge(_) => "edge",
            Refused::Attributes(_) => "attributes",
            Refused::Short(_) => "short_capture",
            Refused::Settings(_) => "settings",
        }
    }

    /// The refusal of the run or a node, which knows the parameter.
    pub fn refusal(&self) -> Option<&Refusal> {
        if let Refused::Run(refusal) = self { Some(refusal) } else { None }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Run(refusal) => refusal.fmt(f),
            Refused::MayNotAct(caller) => write!(f, "{caller} is not among those who may act"),
            Refused::Busy(waiting) => write!(f, "{waiting} changes wait for this node already"),
            Refused::RunEnded => f.write_str("the run has ended"),
            Refused::NodeEnded => f.write_str("the node has ended"),
            Refused::Edge(error) => error.fmt(f),
            Refused::Attributes(error) => error.fmt(f),
            Refused::Short(capture) => capture.fmt(f),
            Refused::Settings(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for EdgeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EdgeRefusal::Graph(error) => error.fmt(f),
            EdgeRefusal::NoInput => f.write_str("the node has no input"),
            EdgeRefusal::OtherInput(known, found) => {
                write!(f, "wanted an input of the node, as {}, found `{found}`", known.join(", "))
            }
            EdgeRefusal::NoEdge(from, to) => write!(f, "there is no edge from `{from}` to `{to}`"),
            EdgeRefusal::NoOutput(node, output) => write!(f, "node `{node}` has no output number {output}"),
            EdgeRefusal::NoSender => f.write_str("wanted an output for a new edge, found none"),
            EdgeRefusal::Gap(missing) => {
                write!(f, "wanted edges without a gap, found no number {missing} before")
            }
            EdgeRefusal::FirstStays => {
                f.write_str("wanted another output: the first edge to the first input stays")
            }
            EdgeRefusal::Limit(found) => write!(f, "wanted at least 0, found {found}"),
        }
    }
}

impl fmt::Display for ShortCapture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lost: Vec<String> =
            self.lost.iter().map(|(place, count)| format!("{count} lost at {place}")).collect();
        write!(f, "wanted {} frames, found {}: {}", self.wanted, self.found, lost.join(", "))
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Refused::Run(refusal) => refusal.source(),
            Refused::Attributes(error) => Some(&**error),
            _ => None,
        }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        Refused::Run(refusal)
    }
}

impl From<UnknownName> for Refused {
    fn from(error: UnknownName) -> Refused {
        Refused::Run(error.into())
    }
}

impl From<EdgeRefusal> for Refused {
    fn from(error: EdgeRefusal) -> Refused {
        Refused::Edge(error)
    }
}

impl From<GraphError> for Refused {
    fn from(error: GraphError) -> Refused {
        Refused::Edge(EdgeRefusal::Graph(Box::new(error)))
    }
}

impl From<SettingsError> for Refused {
    fn from(error: SettingsError) -> Refused {
        Refused::Settings(error)
    }
}

impl From<AttributesError> for Refused {
    fn from(error: AttributesError) -> Refused {
        Refused::Attributes(Box::new(error))
    }
}

/// Why there is no model of a run.
#[derive(Debug)]
pub enum StartError {
    /// The graph cannot run.
    Graph(Vec<GraphError>),
    /// The system gives no thread.
    Thread(io::Error),
}

/// A line for each error.
impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Graph(errors) => {
                let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            StartError::Thread(error) => write!(f, "cannot start a thread: {error}"),
        }
    }
}

impl std::error::Error for StartError {}
