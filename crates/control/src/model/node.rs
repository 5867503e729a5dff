//! One node as the looker knows it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use livetime_engine::{
    ByNode, Event, Graph, LastFrame, NodeDecl, NodeKind, NodeReport, ParamSpec, Report, Role, Run, Snapshot,
    Value,
};

use super::alarms::Alarms;
use super::capture::{Capture, lost_on_the_way, whole};
use super::counter::Counter;
use super::limits::Quantity;
use super::moment::{Input, NodeMoment, NodeState, Offsets, number_of};
use super::origin::Origin;
use super::rates::Pace;
use super::recent::RecentTimes;
use super::refused::Refused;

/// How long a node may take to say what has become of it before the answer goes without it.
pub(super) const READBACK: Duration = Duration::from_secs(1);

/// A question that a node was asked.
struct Question {
    /// The actions on the node that came before it.
    actions: u64,
    answer: Receiver<Snapshot>,
    /// It was waited for once. A node that hangs is not waited for at every look.
    is_old: bool,
}

/// One node as the looker knows it. A thread that acts on the node holds its lock meanwhile.
pub(super) struct Node {
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) state: NodeState,
    specs: &'static [ParamSpec],
    values: Arc<Vec<Value>>,
    last: Option<LastFrame>,
    pace: Pace,
    times: RecentTimes,
    /// The parameter that starts and stops the node, if it has one.
    pub(super) acquire_param: Option<usize>,
    /// The one in which the node counts frames itself, if it does, and what it said.
    counter: Option<usize>,
    own_count: Option<u64>,
    /// The capture that it is in, if it is.
    pub(super) capture: Capture,
    pub(super) alarms: Alarms,
    /// All parameters by number, to be asked for.
    wanted: Arc<[usize]>,
    /// Counts actions: a question asked before the last one is out of date.
    pub(super) actions: u64,
    asked: Option<Question>,
    /// Its first input was taken away for another one, and neither could be connected.
    pub(super) is_cut_off: bool,
}

impl Node {
    /// All nodes of a graph.
    pub(super) fn all(graph: &Graph) -> Vec<Node> {
        let count = graph.nodes().len();
        let edges = ByNode::new(count, graph.edges().iter().map(|edge| Some(edge.to.0)));
        (0..count).map(|number| Node::new(graph, number, edges.of(number))).collect()
    }

    /// `edges` lead to it.
    fn new(graph: &Graph, number: usize, edges: impl Iterator<Item = usize>) -> Node {
        let decl = &graph.nodes()[number];
        let specs = decl.node_type.param_specs();
        Node {
            number,
            name: decl.name.clone(),
            state: state(graph, number, edges),
            specs,
            values: Arc::default(),
            last: None,
            pace: Pace::default(),
            times: RecentTimes::default(),
            acquire_param: number_of(specs, Role::Acquire),
            counter: number_of(specs, Role::Frames),
            own_count: None,
            capture: Capture::default(),
            alarms: Alarms::default(),
            wanted: (0..specs.len()).collect(),
            actions: 0,
            asked: None,
            is_cut_off: false,
        }
    }

    pub(super) fn spec(&self, index: usize) -> &'static ParamSpec {
        &self.specs[index]
    }

    /// The value of the parameter that has this role.
    pub(super) fn value_of(&self, role: Role) -> Option<&Value> {
        self.values.get(number_of(self.specs, role)?)
    }

    /// The number of the parameter that has this role.
    pub(super) fn number_of(&self, role: Role) -> Option<usize> {
        number_of(self.specs, role)
    }

    /// The number of the parameter `name`.
    pub(super) fn index_of(&self, name: &str) -> Option<usize> {
        self.specs.iter().position(|spec| spec.name == name && !spec.readback)
    }

    /// Whether the node said that parameter `index` is true.
    pub(super) fn is_true(&self, index: usize) -> bool {
        self.values.get(index) == Some(&Value::Bool(true))
    }

    /// Shows the values as they were when the work of parameter `index` began: it is true, and if it is a capture no
    /// frame is captured yet. Returns the values as the node said them, for [`Node::end_pretending`].
    pub(super) fn pretend_begun(&mut self, index: usize) -> Arc<Vec<Value>> {
        let mut values = (*self.values).clone();
        let is_capture = self.spec(index).role == Some(Role::Capture);
        let captured = self.number_of(Role::Captured).filter(|_| is_capture);
        if let Some(count) = captured.and_then(|index| values.get_mut(index)) {
            *count = Value::Int(0);
        }
        if let Some(value) = values.get_mut(index) {
            *value = Value::Bool(true);
        }
        std::mem::replace(&mut self.values, Arc::new(values))
    }

    /// Goes back to the values that the node said.
    pub(super) fn end_pretending(&mut self, values: Arc<Vec<Value>>) {
        self.values = values;
    }

    /// Asks the node for its parameters, unless it has not answered yet.
    pub(super) fn ask(&mut self, run: &Run) {
        // An answer since the last look makes room for a new question.
        self.take_answer(Instant::now());
        if self.asked.is_none() {
            let (answer, actions) = (run.look(self.number, self.wanted.clone()), self.actions);
            self.asked = answer.ok().map(|answer| Question { actions, answer, is_old: false });
        }
    }

    /// Forgets the last question: a client has acted since.
    pub(super) fn ask_anew(&mut self, run: &Run) {
        self.actions += 1;
        self.forget_question();
        self.ask(run);
    }

    /// Does not wait for an answer any more: it may be older than a client relies on.
    pub(super) fn forget_question(&mut self) {
        self.asked = None;
    }

    /// Takes what the node answers until `deadline`; one that was waited for in vain already is not waited for again.
    pub(super) fn take_answer(&mut self, deadline: Instant) {
        let Some(asked) = &mut self.asked else { return };
        let limit = deadline.saturating_duration_since(Instant::now());
        let limit = if std::mem::replace(&mut asked.is_old, true) { Duration::ZERO } else { limit };
        let actions = asked.actions;
        match asked.answer.recv_timeout(limit) {
            Err(RecvTimeoutError::Timeout) => return,
            Ok(snapshot) if actions == self.actions => self.take(snapshot),
            // The answer is older than the last action on the node.
            Ok(_) | Err(RecvTimeoutError::Disconnected) => {}
        }
        self.asked = None;
    }

    fn take(&mut self, snapshot: Snapshot) {
        // A node without a new frame keeps its last one.
        self.last = snapshot.last.or(self.last);
        self.state.free_buffers = snapshot.free_buffers;
        if let Some(index) = self.acquire_param {
            self.state.is_acquiring = snapshot.values.get(index) == Some(&Value::Bool(true));
        }
        if let Some(Value::Int(count)) = self.counter.and_then(|i| snapshot.values.get(i)) {
            self.own_count = Some(*count as u64);
        }
        self.values = Arc::new(snapshot.values);
    }

    /// Frames so far.
    pub(super) fn frames(&self, node: &NodeReport) -> u64 {
        let by_engine = if self.state.is_source { node.emitted } else { node.completed };
        self.own_count.unwrap_or(by_engine)
    }

    /// Takes over what `report` says of the node.
    pub(super) fn count(&mut self, report: &Report) {
        if let Some(node) = report.nodes.get(self.number) {
            self.state.frames = self.frames(node);
            self.pace.update(report, node, self.state.frames);
            self.times.update(report, node);
        }
        // A source without such a parameter acquires while it is enabled.
        if self.state.is_source && self.acquire_param.is_none() {
            self.state.is_acquiring = self.state.is_enabled && !report.finished;
        }
    }

    /// Judges the values that have limits. Returns the lines for the log.
    pub(super) fn judge(&mut self, report: &Report) -> Vec<Event> {
        let Some(counts) = report.nodes.get(self.number) else { return Vec::new() };
        // Taken out, because the values are read from the node meanwhile.
        let mut alarms = std::mem::take(&mut self.alarms);
        let told = alarms.judge(&self.name, report.elapsed_ns, |quantity| self.number(quantity, counts));
        self.alarms = alarms;
        self.show_limits();
        told
    }

    /// The value of a quantity, as faces show it; `None` before the node has told it, and for a value that is no number.
    fn number(&self, quantity: Quantity, counts: &NodeReport) -> Option<f64> {
        let offsets = self.state.offsets;
        // A count that began anew may be below its offset: the difference is then negative.
        let count = |count: u64, offset: u64| Some(count.wrapping_sub(offset) as i64 as f64);
        match quantity {
            Quantity::Param(name) => {
                let index = self.specs.iter().position(|spec| spec.name == name)?;
                match self.values.get(index)? {
                    Value::Int(value) => Some(*value as f64),
                    Value::Float(value) => Some(*value),
                    _ => None,
                }
            }
            Quantity::Count(Counter::Frames) => count(self.state.frames, offsets.frames),
            Quantity::Count(Counter::LostBefore) => count(counts.lost_before, offsets.lost_before),
            Quantity::Count(Counter::LostInside) => count(counts.lost_inside(), offsets.lost_inside),
            Quantity::Rate => Some(self.pace.rates().hz),
            Quantity::Queued => Some(counts.queued as f64),
        }
    }

    /// Takes note of a capture that begins or ends; `ahead` are the nodes whose frames reach this one.
    pub(super) fn follow_capture(&mut self, report: &Report, ahead: impl FnOnce() -> Vec<usize>) {
        if self.number_of(Role::Capture).is_none() {
            return;
        }
        let is_on = self.value_of(Role::Capture) == Some(&Value::Bool(true));
        let captured = self.value_of(Role::Captured).and_then(whole).filter(|_| is_on);
        let number = self.number;
        self.capture.follow(captured, || lost_on_the_way(report, &ahead(), number));
    }

    /// Whether frames are offered to it from now on; of a source whether it produces any.
    pub(super) fn enable(&mut self, run: &Run, enabled: bool) -> Result<(), Refused> {
        run.set_enabled(&self.name, enabled)?;
        self.state.is_enabled = enabled;
        Ok(())
    }

    /// Shows changed limits at once, before their values are judged: settings read them from there.
    pub(super) fn show_limits(&mut self) {
        self.state.limited = self.alarms.shown(&self.state.limited);
    }

    /// Notes where the value called `key` comes from; `None`: it is as at the start.
    pub(super) fn note_origin(&mut self, key: &str, origin: Option<Origin>) {
        self.note_written(key);
        let origins = Arc::make_mut(&mut self.state.origins);
        match origin {
            Some(origin) => _ = origins.insert(key.to_owned(), origin),
            None => _ = origins.remove(key),
        }
    }

    /// Notes that the parameter was written: it may differ from the pipeline file.
    pub(super) fn note_written(&mut self, param: &str) {
        // A result is written over by the next frame: no setting differs.
        let is_param = self.index_of(param).is_some();
        if is_param && !self.state.written.iter().any(|known| known == param) {
            self.state.written = self.state.written.iter().cloned().chain([param.to_owned()]).collect();
        }
    }

    /// All that is known of it now.
    pub(super) fn moment(&self) -> Arc<NodeMoment> {
        let (rates, times) = (self.pace.rates(), self.times.shown());
        let (values, state) = (self.values.clone(), self.state.clone());
        Arc::new(NodeMoment { specs: self.specs, values, last: self.last, state, rates, times })
    }
}

fn state(graph: &Graph, number: usize, edges: impl Iterator<Item = usize>) -> NodeState {
    let mut state = NodeState {
        is_source: graph.nodes()[number].node_type.spec.kind == NodeKind::Source,
        is_enabled: true,
        sends: true,
        attributes: "".into(),
        macros: "".into(),
        attributes_problem: None,
        is_acquiring: false,
        is_busy: false,
        waits_for_nodes: false,
        awaited: None,
        is_delivering: false,
        acquisitions: 0,
        written: Arc::default(),
        origins: Arc::default(),
        input: None,
        joined: Arc::default(),
        further: Arc::default(),
        queued_behind: 0,
        free_buffers: 0,
        frames: 0,
        offsets: Offsets::default(),
        limited: Arc::default(),
    };
    let mut inputs: Vec<(usize, Arc<Input>)> = edges.filter_map(|edge| input_of(graph, edge)).collect();
    // The sort is stable: edges to one input stay in the order of the file.
    inputs.sort_by_key(|(input, _)| *input);
    state.set_edges(inputs);
    state
}

/// An edge, with the number of the input that it leads to.
fn input_of(graph: &Graph, edge: usize) -> Option<(usize, Arc<Input>)> {
    let edge = graph.edges().get(edge)?;
    let (sender, receiver) = (graph.nodes().get(edge.from.0)?, graph.nodes().get(edge.to.0)?);
    let input = Input {
        node: sender.name.clone(),
        output: edge.from.1,
        from: output_name(sender, edge.from.1)?,
        to: format!("{}.{}", receiver.name, receiver.node_type.spec.inputs.get(edge.to.1)?.name),
        options: edge.options,
    };
    Some((edge.to.1, Arc::new(input)))
}

/// `node.port`, if the node has an output of this number.
pub(super) fn output_name(node: &NodeDecl, output: usize) -> Option<String> {
    Some(format!("{}.{}", node.name, node.node_type.spec.outputs.get(output)?.name))
}
