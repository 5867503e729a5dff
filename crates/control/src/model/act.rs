//! The one way to act on a run.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_engine::{EdgeOptions, NodeReport, Run, Value, WhenFull};

use crate::attributes::stamp_of;

use super::caller::{Caller, LINK};
use super::locks::lock;
use super::looker::Shared;
use super::moment::{Input, Moment, Offsets};
use super::node::{Node, output_name};
use super::refused::{EdgeRefusal, Refused};
use super::{acquire, joins};

/// How long a node may take to say what has become of it before the answer goes without it.
pub(super) const READBACK: Duration = Duration::from_secs(1);

/// What somebody wants to be done.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Changes the node of this number. Changes of one node are made in the order in which they were asked for, whoever asked.
    Change(usize, Change),
    /// Ends the sources; what is under way is handled to its end.
    Stop,
    /// Ends everything now; what is queued is lost, with an entry in the ledger.
    Abort,
    /// Takes note of so many unintended losses: faces tell what was lost then from what is lost later.
    Acknowledge(u64),
}

/// What somebody wants to be changed in a node.
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
    /// What is put in the place of `$(NAME)` in the text of [`Change::Attributes`], as `NAME=value,OTHER=value`. Attributes
    /// that it has are made anew.
    Macros(String),
    /// Handles the last frame once more; see [`Run::process_again`].
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
    /// Lets a counter continue from another number in what faces show; the ledger stays.
    Recount(Counter, u64),
}

/// How an edge to a node is to change; what is `None` stays.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rewire {
    /// Which one.
    pub edge: Which,
    /// Name of the sending node; an empty one takes the edge away, unless it is the only one to the first input.
    pub node: Option<String>,
    /// Number of its output.
    pub output: Option<usize>,
    /// What happens to a frame that is offered when the queue is full.
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
        Which::Number(0)
    }
}

/// A count that can be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// Frames sent or handled.
    Frames,
    /// Frames lost in front of the node.
    LostBefore,
    /// Frames lost inside it.
    LostInside,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Change(_, change) => change.fmt(f),
            Action::Stop => f.write_str("stop"),
            Action::Abort => f.write_str("abort"),
            Action::Acknowledge(unintended) => write!(f, "acknowledge {unintended} losses"),
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

/// What has become of an action.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Why it was not done.
    pub result: Result<(), Refused>,
    /// The run as it is afterwards: a face that has shown this moment, or a newer one, has shown what the action did.
    pub moment: Arc<Moment>,
}

/// Takes an answer. Called once, on a thread of the model; it may wait for nothing. Dropped uncalled when the run ends before.
pub(super) type Reply = Box<dyn FnOnce(Answer) + Send>;

/// An action with those who wait for it.
pub(super) struct Asked {
    pub(super) caller: Caller,
    pub(super) node: usize,
    pub(super) change: Change,
    pub(super) reply: Reply,
}

/// Carries out what is asked of a node, on a thread that may wait.
pub(super) fn carry_out(shared: &Arc<Shared>, asked: Asked) {
    let (number, change) = (asked.node, asked.change.clone());
    if let Change::Acquire { start, wait } = change {
        return acquire::carry_out(shared, asked, start, wait);
    }
    if let Change::LetWork(param) = change {
        return acquire::let_work(shared, asked, &param);
    }
    let mut node = lock(&shared.nodes[number]);
    let result = write(shared, &mut node, &change);
    // Also of a refusal something may be left to read.
    let moment = look_now(shared, &mut node);
    drop(node);
    shared.hurry(number);
    shared.answer(asked, result, moment);
}

fn write(shared: &Shared, node: &mut Node, change: &Change) -> Result<(), Refused> {
    let run = &shared.run;
    match change {
        Change::Set(param, value) => {
            run.set(&node.name, param, value)?;
            note_written(node, [param]);
        }
        Change::SetAll(values) => {
            let values: Vec<(&str, Value)> = values.iter().map(|(p, value)| (&**p, value.clone())).collect();
            run.set_all(&node.name, &values)?;
            note_written(node, values.iter().map(|(param, _)| *param));
        }
        Change::Enable(enabled) => enable(shared, node, *enabled)?,
        Change::Attributes(text) => add_attributes(run, node, text)?,
        Change::Macros(text) => {
            node.state.macros = text.as_str().into();
            let attributes = node.state.attributes.clone();
            add_attributes(run, node, &attributes)?;
        }
        Change::Again => run.process_again(&node.name)?,
        Change::Preallocate(count) => run.preallocate(&node.name, *count)?,
        Change::ReleaseMemory => {
            run.release_free_memory();
        }
        Change::Send(sends) => {
            run.set_sending(&node.name, *sends)?;
            node.state.sends = *sends;
        }
        Change::Rewire(rewire) => joins::rewire(shared, node, rewire)?,
        Change::WaitForNodes(wait) => node.state.waits_for_nodes = *wait,
        Change::Recount(counter, number) => {
            let report = run.report();
            let counts = report.nodes.get(node.number).ok_or(Refused::NodeEnded)?;
            node.state.offsets = recounted(node, counts, *counter, *number);
        }
        // These wait for what comes of them.
        Change::Acquire { .. } | Change::LetWork(_) => {}
    }
    Ok(())
}

fn note_written<T: AsRef<str>>(node: &mut Node, params: impl IntoIterator<Item = T>) {
    for param in params {
        let param = param.as_ref();
        if !node.state.written.iter().any(|known| known == param) {
            node.state.written = node.state.written.iter().cloned().chain([param.to_owned()]).collect();
        }
    }
}

/// Publishes the node as it is after an action, so that whoever has acted reads what has become of it.
pub(super) fn look_now(shared: &Shared, node: &mut Node) -> Arc<Moment> {
    node.ask_anew(&shared.run);
    node.take_answer(Instant::now() + READBACK);
    shared.publish_one(node, |node, report| {
        node.count(report);
        shared.follow_capture(node, report);
    })
}

pub(super) fn enable(shared: &Shared, node: &mut Node, enabled: bool) -> Result<(), Refused> {
    shared.run.set_enabled(&node.name, enabled)?;
    node.state.is_enabled = enabled;
    Ok(())
}

fn add_attributes(run: &Run, node: &mut Node, text: &str) -> Result<(), Refused> {
    let node_type = &run.graph().nodes()[node.number].node_type;
    let stamp = stamp_of(text, &node.state.macros, node_type, &run.service())
        .inspect_err(|error| node.state.attributes_problem = Some(error.problem()))?;
    run.set_stamp(&node.name, stamp)?;
    (node.state.attributes, node.state.attributes_problem) = (text.into(), None);
    Ok(())
}

fn recounted(node: &Node, counts: &NodeReport, counter: Counter, number: u64) -> Offsets {
    let offsets = node.state.offsets;
    match counter {
        Counter::Frames => Offsets { frames: node.frames(counts).wrapping_sub(number), ..offsets },
        Counter::LostBefore => Offsets { lost_before: counts.lost_before.wrapping_sub(number), ..offsets },
        Counter::LostInside => Offsets { lost_inside: counts.lost_inside().wrapping_sub(number), ..offsets },
    }
}

/// The input as it is to be.
pub(super) fn changed(shared: &Shared, input: &Input, rewire: &Rewire) -> Result<Input, Refused> {
    let mut wanted = input.clone();
    if rewire.node.is_some() || rewire.output.is_some() {
        let name = rewire.node.as_ref().unwrap_or(&input.node);
        let output = rewire.output.unwrap_or(input.output);
        let graph = shared.run.graph();
        let sender = &graph.nodes()[graph.node(name)?];
        let missing = || EdgeRefusal::NoOutput(name.clone(), output);
        wanted.from = output_name(sender, output).ok_or_else(missing)?;
        (wanted.node, wanted.output) = (name.clone(), output);
    }
    let max_rate_hz = limit(rewire.max_rate_hz, input.options.max_rate_hz)?;
    let max_bytes_per_s = limit(rewire.max_bytes_per_s, input.options.max_bytes_per_s)?;
    let queue = rewire.queue.unwrap_or(input.options.queue);
    let every = rewire.every.unwrap_or(input.options.every);
    let when_full = rewire.when_full.unwrap_or(input.options.when_full);
    wanted.options = EdgeOptions { queue, every, when_full, max_rate_hz, max_bytes_per_s };
    Ok(wanted)
}

/// A limit as it is to be: 0 is none.
fn limit(wanted: Option<f64>, now: Option<f64>) -> Result<Option<f64>, EdgeRefusal> {
    match wanted {
        None => Ok(now),
        Some(0.0) => Ok(None),
        Some(rate) if rate > 0.0 => Ok(Some(rate)),
        Some(other) => Err(EdgeRefusal::Limit(other)),
    }
}

/// Connects the first edge to the first input anew. What cannot be connected stays as it was.
pub(super) fn connect(shared: &Shared, node: &mut Node, old: &Input, new: Input) -> Result<(), Refused> {
    if *old == new && !node.is_cut_off {
        return Ok(());
    }
    let run = &shared.run;
    if !node.is_cut_off {
        run.disconnect(&old.from, &old.to)?;
    }
    node.is_cut_off = true;
    let connected = run.connect(&new.from, &new.to, new.options);
    if connected.is_err() {
        run.connect(&old.from, &old.to, old.options)?;
    }
    node.is_cut_off = false;
    keep_switched(shared, node, &new.node)?;
    connected?;
    let graph = run.graph();
    if let (Ok(from), Ok(to)) = (graph.node(&old.node), graph.node(&new.node)) {
        lock(&shared.wires).rewired(node.number, from, to);
    }
    node.state.input = Some(Arc::new(new));
    Ok(())
}

/// A new edge knows nothing of a receiver that is turned off, or of a sender that does not send.
pub(super) fn keep_switched(shared: &Shared, node: &mut Node, sender: &str) -> Result<(), Refused> {
    if !node.state.is_enabled {
        enable(shared, node, false)?;
    }
    let run = &shared.run;
    let sends = run.graph().node(sender).ok().and_then(|from| shared.newest().nodes.get(from).cloned());
    match sends.is_some_and(|sender| !sender.state.sends) {
        true => Ok(run.set_sending(sender, false)?),
        false => Ok(()),
    }
}

impl Shared {
    /// Notes what has become of an action, and tells whoever asked for it.
    pub(super) fn answer(&self, asked: Asked, result: Result<(), Refused>, moment: Arc<Moment>) {
        let Asked { caller, node, change, reply } = asked;
        let node = self.run.graph().nodes().get(node).map(|n| n.name.clone()).unwrap_or_default();
        let problem = result.as_ref().err().map(ToString::to_string);
        // What follows a PV would fill the log.
        if caller.face != LINK || problem.is_some() {
            self.log().action(caller, node, &change.to_string(), problem);
        }
        reply(Answer { result, moment });
    }
}
