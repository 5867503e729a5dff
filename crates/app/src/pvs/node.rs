//! The PVs of one node.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use livetime_engine::{
    EdgeOptions, Graph, LastFrame, NodeDecl, NodeKind, NodeReport, ParamKind, ParamSpec, Placement, Report,
    Run, Snapshot, Value,
};
use livetime_pva::server::{PvMap, SharedPv};

use super::base::{self, BASE, DISABLE_ENABLE, Item, NO_YES, View};
use super::names::camel;
use super::pace::Pace;
use super::point::{About, Content, Point, Shape, choices_of};
use super::put::{Commands, Target};

/// Readbacks that areaDetector serves without `_RBV`.
const PLAIN: &[&str] = &["CursorVal", "WriteStatus", "WriteMessage"];
/// Set-points that it serves without a readback.
const WITHOUT_READBACK: &[&str] = &["Type", "FilterType"];

/// Where the frames of a node come from.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Input {
    /// Name of the sending node, and number of its output.
    pub(super) node: String,
    pub(super) output: usize,
    /// The same as the engine wants it, and the receiving input.
    pub(super) from: String,
    pub(super) to: String,
    pub(super) options: EdgeOptions,
}

/// What is known of a node beside its parameters.
pub(super) struct State {
    pub(super) is_source: bool,
    pub(super) is_inline: bool,
    pub(super) is_enabled: bool,
    pub(super) is_acquiring: bool,
    pub(super) is_busy: bool,
    pub(super) waits_for_plugins: bool,
    pub(super) input: Option<Input>,
    pub(super) last: Option<LastFrame>,
    pub(super) queued_behind: u64,
    pub(super) pace: Pace,
    /// What the node itself counts, if it does.
    own_count: Option<u64>,
    /// What the counters stood at when they were set to 0.
    pub(super) counted_before: u64,
    pub(super) dropped_before: u64,
    pub(super) dropped_inside: u64,
}

impl State {
    fn new(graph: &Graph, number: usize) -> State {
        let decl = &graph.nodes()[number];
        State {
            is_source: decl.node_type.spec.kind == NodeKind::Source,
            is_inline: decl.options.placement == Placement::Inline,
            is_enabled: true,
            is_acquiring: false,
            is_busy: false,
            waits_for_plugins: false,
            input: input_of(graph, number),
            last: None,
            queued_behind: 0,
            pace: Pace::default(),
            own_count: None,
            counted_before: 0,
            dropped_before: 0,
            dropped_inside: 0,
        }
    }

    /// Frames so far, whatever was written to the counter.
    pub(super) fn frames(&self, node: &NodeReport) -> u64 {
        let by_engine = if self.is_source { node.emitted } else { node.completed };
        self.own_count.unwrap_or(by_engine)
    }

    /// The counter as it is shown.
    pub(super) fn counted(&self, node: &NodeReport) -> u64 {
        self.frames(node).wrapping_sub(self.counted_before)
    }

    pub(super) fn max_rate_hz(&self) -> Option<f64> {
        self.input.as_ref()?.options.max_rate_hz
    }
}

/// The first edge that leads to the node's first input.
fn input_of(graph: &Graph, number: usize) -> Option<Input> {
    let edge = graph.edges().iter().find(|e| e.to == (number, 0))?;
    let (sender, receiver) = (&graph.nodes()[edge.from.0], &graph.nodes()[number]);
    Some(Input {
        node: sender.name.clone(),
        output: edge.from.1,
        from: output_name(sender, edge.from.1)?,
        to: format!("{}.{}", receiver.name, receiver.node_type.spec.inputs.first()?.name),
        options: edge.options,
    })
}

/// `node.port`, if the node has an output of this number.
pub(super) fn output_name(node: &NodeDecl, output: usize) -> Option<String> {
    Some(format!("{}.{}", node.name, node.node_type.spec.outputs.get(output)?.name))
}

/// The PVs of one node.
pub(super) struct NodePvs {
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) state: State,
    specs: &'static [ParamSpec],
    /// All parameters by number, to be asked for.
    wanted: Arc<[usize]>,
    params: Vec<(usize, Shape, Point)>,
    bases: Vec<(Item, Point)>,
    /// Counts writes: what a node was asked before one is out of date.
    pub(super) writes: u64,
    asked: Option<(u64, Receiver<Snapshot>)>,
}

impl NodePvs {
    /// Makes the PVs of a node and adds them to `map`, each name after `prefix`, which ends in a colon.
    pub(super) fn new(
        graph: &Graph,
        number: usize,
        prefix: &str,
        map: &PvMap,
        commands: &Commands,
    ) -> livetime_pva::Result<NodePvs> {
        let decl = &graph.nodes()[number];
        let specs = decl.node_type.param_specs();
        let state = State::new(graph, number);
        let add = |name: &str, about: &About, target: Option<Target>| {
            let point = Point::new(about, |builder| match target {
                Some(target) => builder.on_put(commands.handler(number, target)),
                None => builder,
            })?;
            map.add(format!("{prefix}{name}"), SharedPv::clone(&point.pv));
            Ok::<_, livetime_pva::Error>(point)
        };
        let (mut params, mut bases) = (Vec::new(), Vec::new());
        for served in params_served(specs) {
            let spec = &specs[served.index];
            let about = about_param(spec, served.is_writable);
            let target = served.is_writable.then_some(Target::Param(served.index));
            params.push((served.index, about.shape.clone(), add(&served.name, &about, target)?));
        }
        for served in bases_served(specs, state.is_source) {
            let target = served.is_writable.then_some(Target::Item(served.base.item));
            let about = about_base(&served);
            bases.push((served.base.item, add(&served.name, &about, target)?));
        }
        let (name, wanted) = (decl.name.clone(), (0..specs.len()).collect());
        Ok(NodePvs { number, name, state, specs, wanted, params, bases, writes: 0, asked: None })
    }

    pub(super) fn spec(&self, index: usize) -> &'static ParamSpec {
        &self.specs[index]
    }

    /// The parameter that starts and stops the node, if it has one.
    pub(super) fn acquire_param(&self) -> Option<usize> {
        self.specs.iter().position(|s| s.pv == Some("Acquire") && !s.readback)
    }

    /// Asks the node for its parameters, unless it has not answered yet.
    pub(super) fn ask(&mut self, run: &Run) {
        if self.asked.is_none() {
            let answer = run.look(self.number, self.wanted.clone());
            self.asked = answer.ok().map(|answer| (self.writes, answer));
        }
    }

    /// Forgets what was asked: something was written since.
    pub(super) fn ask_anew(&mut self, run: &Run) {
        self.writes += 1;
        self.asked = None;
        self.ask(run);
    }

    /// Shows what the node answers until `deadline`.
    pub(super) fn show_answer(&mut self, deadline: Instant) {
        let Some((writes, answer)) = &self.asked else { return };
        let result = answer.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        match result {
            Err(RecvTimeoutError::Timeout) => return,
            Ok(snapshot) if *writes == self.writes => self.show_params(&snapshot),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => {}
        }
        self.asked = None;
    }

    fn show_params(&mut self, snapshot: &Snapshot) {
        for (index, shape, point) in &mut self.params {
            if let Some(value) = snapshot.values.get(*index) {
                point.show(Content::of_param(value, &self.specs[*index], shape));
            }
        }
        self.state.last = snapshot.last.or(self.state.last);
        if let Some(index) = self.acquire_param() {
            self.state.is_acquiring = snapshot.values.get(index) == Some(&Value::Bool(true));
        }
        let counter = self.specs.iter().position(|s| s.pv == Some("ArrayCounter"));
        if let Some(Value::Int(count)) = counter.and_then(|i| snapshot.values.get(i)) {
            self.state.own_count = Some(*count as u64);
        }
    }

    /// Shows what the engine knows of the node.
    pub(super) fn show_report(&mut self, report: &Report) {
        let Some(node) = report.nodes.get(self.number) else { return };
        self.state.pace.update(report.elapsed_ns, self.state.frames(node), node);
        if self.state.is_source && self.acquire_param().is_none() {
            self.state.is_acquiring = self.state.is_enabled && !report.finished;
        }
        self.show_bases(report, node, |_| true);
    }

    /// Shows that an acquisition has begun, also if it will be over before anybody can look.
    pub(super) fn show_acquiring(&mut self, report: &Report) {
        let Some(node) = report.nodes.get(self.number) else { return };
        (self.state.is_acquiring, self.state.is_busy) = (true, true);
        self.show_bases(report, node, |item| matches!(item, Item::Acquire | Item::AcquireBusy));
    }

    fn show_bases(&mut self, report: &Report, node: &NodeReport, which: impl Fn(Item) -> bool) {
        let view = View { report, node, state: &self.state };
        for (item, point) in self.bases.iter_mut().filter(|(item, _)| which(*item)) {
            let (content, severity) = base::read(*item, &view);
            point.show_with(content, severity);
        }
    }
}

/// A parameter under one of its names.
pub(super) struct ParamServed {
    pub(super) name: String,
    pub(super) index: usize,
    pub(super) is_writable: bool,
}

/// A base PV under one of its names.
pub(super) struct BaseServed {
    pub(super) name: String,
    pub(super) base: &'static base::Base,
    pub(super) is_writable: bool,
}

/// The suffix of a parameter: areaDetector's, or one made from its name.
pub(super) fn suffix_of(spec: &ParamSpec) -> Cow<'static, str> {
    spec.pv.map_or_else(|| Cow::Owned(camel(spec.name)), Cow::Borrowed)
}

/// The names under which parameters are served.
pub(super) fn params_served(specs: &[ParamSpec]) -> Vec<ParamServed> {
    let mut served = Vec::new();
    let kept = |suffix: &str| BASE.iter().any(|b| b.suffix == suffix && b.item.keeps());
    for (index, spec) in specs.iter().enumerate() {
        let suffix = suffix_of(spec);
        let mut add = |name, is_writable| served.push(ParamServed { name, index, is_writable });
        let reads = |s: &ParamSpec| s.readback && suffix_of(s) == suffix;
        match spec.readback {
            _ if kept(&suffix) => {}
            true if PLAIN.contains(&&*suffix) => add(suffix.into_owned(), false),
            true => add(format!("{suffix}_RBV"), false),
            false => {
                add(suffix.to_string(), true);
                if !WITHOUT_READBACK.contains(&&*suffix) && !specs.iter().any(reads) {
                    add(format!("{suffix}_RBV"), false);
                }
            }
        }
    }
    served
}

/// The names under which a node with these parameters serves base PVs.
pub(super) fn bases_served(specs: &[ParamSpec], is_source: bool) -> Vec<BaseServed> {
    let of_param = |b: &base::Base| !b.item.keeps() && specs.iter().any(|s| suffix_of(s) == b.suffix);
    let bases = BASE.iter().filter(|b| b.is_of(is_source) && !of_param(b));
    let names = |base: &'static base::Base| {
        base.names().into_iter().map(move |(name, is_writable)| BaseServed { name, base, is_writable })
    };
    bases.flat_map(names).collect()
}

pub(super) fn about_base(served: &BaseServed) -> About {
    let base = served.base;
    let shape = match base.item {
        Item::Acquire if !served.is_writable => Shape::choices(base::DONE_ACQUIRING),
        _ => base.shape.clone(),
    };
    About { shape, description: base.doc.into(), units: base.units, limits: None }
}

pub(super) fn about_param(spec: &ParamSpec, is_writable: bool) -> About {
    let limits = spec.min.zip(spec.max).filter(|_| is_writable);
    let units = spec.unit.unwrap_or("");
    About { shape: shape_of(spec, is_writable), description: spec.doc.into(), units, limits }
}

fn shape_of(spec: &ParamSpec, is_writable: bool) -> Shape {
    match spec.kind {
        ParamKind::Bool => Shape::choices(truth_choices(spec, is_writable)),
        ParamKind::Enum(_) => choices_of(spec).map_or(Shape::Text, |c| Shape::Enum(c.to_vec().into())),
        // As longout and longin are; a parameter that areaDetector does not know may be longer.
        ParamKind::Int if spec.pv.is_some() => Shape::I32,
        ParamKind::Int => Shape::I64,
        ParamKind::Float => Shape::F64,
        ParamKind::Text => Shape::Text,
        ParamKind::List => Shape::F64s,
    }
}

/// What areaDetector calls false and true.
fn truth_choices(spec: &ParamSpec, is_writable: bool) -> &'static [&'static str] {
    match spec.pv.unwrap_or("") {
        "AutoOffsetScale" => &["Done", "Calculating"],
        "Capture" if is_writable => &["Done", "Capture"],
        "Capture" => &["Done", "Capturing"],
        "ValidBackground" | "ValidFlatField" => &["Invalid", "Valid"],
        "CollapseDims" | "ArrayCallbacks" => DISABLE_ENABLE,
        suffix if suffix.starts_with("Enable") => DISABLE_ENABLE,
        _ => NO_YES,
    }
}
