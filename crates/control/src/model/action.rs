//! Actions on a run, and their answers.

use std::fmt;
use std::sync::Arc;

use livetime_engine::{Value, WhenFull};

use super::caller::Caller;
use super::counter::Counter;
use super::limits::{Limit, Limits, Quantity};
use super::moment::Moment;
use super::refused::Refused;

/// An action that a caller asks for.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Changes the node of this number. Changes of one node are made in the order in which they were asked for, by any
    /// callers.
    Change(usize, Change),
    /// Ends the sources; frames under way are handled to their end.
    Stop,
    /// Ends everything now; queued frames are lost, with an entry in the ledger.
    Abort,
    /// Takes note of so many unintended losses: faces tell what was lost then from what is lost later.
    Acknowledge(u64),
    /// Writes the settings file now, and makes its values the restore point.
    SaveSettings,
    /// Gives all parameters the values of the restore point: of the start, of the last [`Action::SaveSettings`], or of a
    /// settings file that another program has written since.
    RestoreSettings,
}

/// A change of a node that a caller asks for.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// Sets a parameter; it acts from the next frame.
    Set(String, Value),
    /// Sets several parameters, which act from the same frame; if one is refused none acts.
    SetAll(Vec<(String, Value)>),
    /// Sets this parameter to true; the answer waits until the node has set it back, because what it asks for is done.
    LetWork(String),
    /// Whether frames are offered to it; of a source whether it produces any.
    Enable(bool),
    /// Adds these attributes to its frames, and no others that were asked for before; see [`attributes`](crate::attributes).
    Attributes(String),
    /// The texts for `$(NAME)` in the text of [`Change::Attributes`], as `NAME=value,OTHER=value`. Attributes of such a
    /// text are made anew.
    Macros(String),
    /// Handles the last frame once more; see [`Run::process_again`](livetime_engine::Run::process_again).
    Again,
    /// Makes this number of buffers of the size of its last frame.
    Preallocate(usize),
    /// Gives the memory for frames that no node uses back to the operating system.
    ReleaseMemory,
    /// Whether its frames are sent to the nodes behind it.
    Send(bool),
    /// Starts or stops an acquisition.
    Acquire {
        /// Whether to start one.
        start: bool,
        /// Whether the answer waits for its end.
        wait: bool,
    },
    /// Connects an input anew.
    Rewire(Rewire),
    /// Whether acquisitions end only when all nodes behind it have nothing left to do.
    WaitForNodes(bool),
    /// Whether acquisitions of the sources before it end only when it has nothing left to do.
    Await(bool),
    /// Lets a counter continue from another number in what faces show; the ledger stays.
    Recount(Counter, u64),
    /// Changes a limit beyond which a value is an alarm.
    Limit(Quantity, Limit),
    /// Gives these quantities these limits, and takes the limits of all others away.
    Limits(Vec<(Quantity, Limits)>),
}

/// How an edge to a node is to change; a property with `None` stays.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rewire {
    /// Which one.
    pub edge: Which,
    /// Name of the sending node; an empty one takes the edge away, unless it is the only one to the first input.
    pub node: Option<String>,
    /// Number of its output.
    pub output: Option<usize>,
    /// The fate of a frame that is offered when the queue is full.
    pub when_full: Option<WhenFull>,
    /// Most frames that wait.
    pub queue: Option<usize>,
    /// Of this number of frames the first one is offered.
    pub every: Option<u64>,
    /// Most frames per second; 0 for no limit.
    pub max_rate_hz: Option<f64>,
    /// Most bytes per second; 0 for no limit.
    pub max_bytes_per_s: Option<f64>,
}

/// One of the edges that lead to a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Which {
    /// Of those to its first input, in the order in which they were made, the one with this number; the number behind the last one adds
    /// an edge.
    Number(usize),
    /// The one that is there between an output and an input, as `node.output` and `node.input`.
    Between {
        /// The output.
        from: String,
        /// The input.
        to: String,
    },
    /// One more, to this input, as `node.input`.
    New(String),
}

impl Default for Which {
    /// The first one to its first input.
    fn default() -> Which {
        // Nodes with one input and one edge are by far the most, and clients of areaDetector know no other.
        Which::Number(0)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Change(_, change) => change.fmt(f),
            Action::Stop => f.write_str("stop"),
            Action::Abort => f.write_str("abort"),
            Action::Acknowledge(unintended) => write!(f, "acknowledge {unintended} losses"),
            Action::SaveSettings => f.write_str("save settings"),
            Action::RestoreSettings => f.write_str("restore settings"),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Set(param, value) => write!(f, "{param} = {value}"),
            Change::SetAll(values) => {
                let texts: Vec<String> =
                    values.iter().map(|(param, value)| format!("{param} = {value}")).collect();
                f.write_str(&texts.join(", "))
            }
            Change::LetWork(param) => write!(f, "{param} = true"),
            Change::Enable(true) => f.write_str("enable"),
            Change::Enable(false) => f.write_str("disable"),
            Change::Attributes(text) if text.is_empty() => f.write_str("no attributes"),
            Change::Attributes(_) => f.write_str("attributes"),
            Change::Macros(text) => write!(f, "macros of attributes: {text}"),
            Change::Again => f.write_str("handle the last frame again"),
            Change::Preallocate(count) => write!(f, "make {count} buffers"),
            Change::ReleaseMemory => f.write_str("release memory that is not in use"),
            Change::Send(true) => f.write_str("send"),
            Change::Send(false) => f.write_str("do not send"),
            Change::Acquire { start: true, .. } => f.write_str("start acquiring"),
            Change::Acquire { start: false, .. } => f.write_str("stop acquiring"),
            Change::Rewire(rewire) => rewire.fmt(f),
            Change::WaitForNodes(wait) => write!(f, "wait for nodes = {wait}"),
            Change::Await(awaited) => write!(f, "acquisitions wait for it = {awaited}"),
            Change::Limit(quantity, limit) => write!(f, "alarm of {quantity}: {limit}"),
            Change::Limits(limits) => write!(f, "alarm limits of {} values", limits.len()),
            Change::Recount(counter, number) => write!(f, "{counter:?} counts from {number}"),
        }
    }
}

impl fmt::Display for Rewire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edge = match &self.edge {
            Which::Number(0) => None,
            Which::Number(number) => Some(format!("edge {}", number + 1)),
            Which::Between { from, to } => Some(format!("{from} -> {to}")),
            Which::New(to) => Some(format!("one more to {to}")),
        };
        if self.node.as_deref() == Some("") {
            return write!(f, "disconnect {}", edge.unwrap_or_default());
        }
        let texts = [
            edge,
            self.node.as_ref().map(|node| format!("from {node}")),
            self.output.map(|output| format!("from output {output}")),
            self.when_full.map(|policy| format!("when full {}", policy.name())),
            self.queue.map(|queue| format!("queue {queue}")),
            self.every.map(|every| format!("every {every}")),
            self.max_rate_hz.map(|hz| format!("at most {hz} Hz")),
            self.max_bytes_per_s.map(|bytes| format!("at most {bytes} B/s")),
        ];
        write!(f, "connect {}", texts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// The outcome of an action.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Why it was not done.
    pub result: Result<(), Refused>,
    /// The run as it is afterwards: a face that has shown this moment, or a newer one, has shown what the action did.
    pub moment: Arc<Moment>,
}

/// Takes an answer. Called once, on a thread of the model; it may wait for nothing. Dropped uncalled when the run ends before.
pub(super) type Reply = Box<dyn FnOnce(Answer) + Send>;

/// An action with the callers that wait for it.
pub(super) struct Asked {
    pub(super) caller: Caller,
    pub(super) node: usize,
    pub(super) change: Change,
    pub(super) reply: Reply,
}
