//! Second stage: builds the graph of a pipeline file from the available nodes.

use std::collections::BTreeSet;
use std::sync::Arc;

use livetime_engine::{
    Graph, GraphError, NodeType, ParamKind, ParamSpec, Place, Plan, Refusal, RefusalKind, Value,
};

use super::error::{At, Expected, Part, Problem, ProblemKind};
use super::file::{self, EdgeEntry, NodeEntry};
use super::host::HostEntry;
use super::hosts::HostPage;
use super::setting::Setting;
use super::types::find_type;
use super::yaml::{Data, Item, Scalar};
use crate::pvaccess::Options;

/// A graph that was checked.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Nodes and edges.
    pub graph: Graph,
    /// What will flow where.
    pub plan: Plan,
    /// How the run is to be served.
    pub pvaccess: Options,
    /// How its page is to be served.
    pub web: crate::web::Options,
    /// Names of all hosts, if the file names some; of workers as `workers.1 to workers.4`. The graph has the nodes of all of
    /// them, or of [`Graph::host`].
    pub hosts: Vec<String>,
    /// The nodes of all hosts, where the graph has those of one: names that must differ over all hosts are made from it.
    pub whole: Option<Arc<Graph>>,
    /// The number of the worker, where the graph has the nodes of one of several equal workers.
    pub worker: Option<usize>,
    /// Where the pages of all hosts are, where the graph has the nodes of one.
    pub pages: Vec<HostPage>,
}

/// Makes the graph, applies the settings of the command line and checks the whole.
pub(crate) fn build(
    pipeline: &file::Pipeline,
    node_types: &[NodeType],
    settings: &[Setting],
    problems: &mut Vec<Problem>,
) -> Option<Pipeline> {
    let mut builder = Builder {
        node_types,
        settings,
        graph: Graph::default(),
        places: Places {
            nodes: Vec::new(),
            params: Vec::new(),
            edges: Vec::new(),
            whole: pipeline.at,
            memory: None,
        },
        broken: BTreeSet::new(),
        problems,
    };
    builder.memory(pipeline);
    pipeline.nodes.iter().for_each(|node| builder.node(node));
    // After all nodes: an edge may name a node further down.
    pipeline.nodes.iter().for_each(|node| node.edges.iter().for_each(|edge| builder.edge(node, edge)));
    settings.iter().for_each(|setting| builder.setting(setting));
    let pvaccess = builder.pvaccess(pipeline);
    let web = pipeline.web.clone().unwrap_or_default();
    let hosts = pipeline.hosts.iter().flatten().map(HostEntry::part_names).collect();
    builder.finish().map(|(graph, plan)| Pipeline {
        graph,
        plan,
        pvaccess,
        web,
        hosts,
        whole: None,
        worker: None,
        pages: Vec::new(),
    })
}

/// Where the parts of the graph stand in the file.
struct Places {
    nodes: Vec<At>,
    /// Of each node, where the values of parameters stand.
    params: Vec<Vec<(String, At)>>,
    edges: Vec<At>,
    whole: At,
    memory: Option<At>,
}

impl Places {
    fn of(&self, place: &Place) -> At {
        match place {
            Place::Node(node) => self.nodes.get(*node).copied(),
            Place::Param(node, name) => {
                let written =
                    self.params.get(*node).and_then(|all| all.iter().find(|(known, _)| known == name));
                // A value of the command line has no place in the file: the place of its node is shown.
                written.map(|(_, at)| *at).or_else(|| self.nodes.get(*node).copied())
            }
            Place::Edge(edge) => self.edges.get(*edge).copied(),
            Place::Memory => self.memory,
            Place::Graph => None,
        }
        .unwrap_or(self.whole)
    }
}

struct Builder<'a> {
    node_types: &'a [NodeType],
    settings: &'a [Setting],
    graph: Graph,
    places: Places,
    /// Nodes that the graph lacks because of an error that was reported already.
    broken: BTreeSet<&'a str>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Builder<'a> {
    fn memory(&mut self, pipeline: &file::Pipeline) {
        if let Some((bytes, at)) = pipeline.memory {
            self.places.memory = Some(at);
            self.graph.memory_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
    }

    /// Chosen instance names are unique: else a node would hide another one's PVs.
    fn pvaccess(&mut self, pipeline: &file::Pipeline) -> Options {
        let mut options = pipeline.pvaccess.clone().unwrap_or_default();
        for node in &pipeline.nodes {
            let Some(name) = &node.pv else { continue };
            if options.names.values().any(|taken| *taken == name.text) {
                let twice = Expected::new("a name of its own", format!("`{}` twice", name.text));
                let problem = Problem::new(name.at, ProblemKind::PvTwice(twice));
                self.problems.push(problem.of(Part::Key("pv".into())));
            }
            options.names.insert(node.name.text.clone(), name.text.clone());
        }
        options
    }

    fn node(&mut self, entry: &'a NodeEntry) {
        if let Err(problem) = self.add(entry) {
            self.broken.insert(&entry.name.text);
            self.problems.extend(problem);
        }
    }

    /// An error without a problem was reported before.
    fn add(&mut self, entry: &NodeEntry) -> Result<(), Option<Problem>> {
        let type_name = entry.type_name.as_ref().ok_or(None)?;
        let node_type = find_type(self.node_types, &type_name.text)
            .map_err(|error| Some(Problem::new(type_name.at, ProblemKind::UnknownType(error))))?;
        let node_type = node_type.for_node(&|name| self.given(entry, &node_type, name));
        let added = self.graph.add(&entry.name.text, node_type.clone());
        let node = added.map_err(|error| Some(Problem::new(entry.name.at, ProblemKind::Graph(error))))?;
        self.places.nodes.push(entry.name.at);
        let values = entry.params.iter().map(|(name, item)| (name.text.clone(), item.at));
        self.places.params.push(values.collect());
        if let Some(options) = self.graph.options_mut(node) {
            *options = entry.options.clone();
        }
        if let Some(stream) = entry.expected {
            self.graph.expect_stream(node, stream);
        }
        for (name, item) in &entry.params {
            match written_value(node_type.param_specs(), &name.text, item) {
                // The name is wrong or the value is, and each has its place.
                Ok(value) => {
                    self.param(node, &name.text, &value, |known| if known { item.at } else { name.at })
                }
                Err(refusal) => self.problems.push(Problem::new(item.at, ProblemKind::Parameter(refusal))),
            }
        }
        Ok(())
    }

    /// What the command line, else the file gives for a parameter.
    fn given(&self, entry: &NodeEntry, node_type: &NodeType, name: &str) -> Option<Value> {
        let specs = node_type.param_specs();
        let is_this = |set: &&Setting| set.node == entry.name.text && set.param == name;
        // The last setting of a parameter counts.
        if let Some(setting) = self.settings.iter().rfind(is_this) {
            // The command line has no quotes that would make a number a text.
            let scalar = Scalar { text: setting.value.clone(), plain: true };
            return Some(scalar_value(spec_of(specs, name), &scalar));
        }
        let (_, item) = entry.params.iter().find(|(given, _)| given.text == name)?;
        // A wrong value is reported where it is set.
        written_value(specs, name, item).ok()
    }

    fn param(&mut self, node: usize, name: &str, value: &Value, at: impl Fn(bool) -> At) {
        if let Err(error) = self.graph.set(node, name, value) {
            let is_known = !is_of_name(&error);
            self.problems.push(Problem::new(at(is_known), ProblemKind::Graph(error)));
        }
    }

    fn edge(&mut self, entry: &NodeEntry, edge: &EdgeEntry) {
        let from = &edge.from;
        // An edge of a broken node would only repeat the node's problem.
        if self.broken.contains(edge.sender()) || self.broken.contains(&*entry.name.text) {
            return;
        }
        let (to, to_at) = match &edge.to {
            Some(port) => (format!("{}.{}", entry.name.text, port.text), port.at),
            None => (entry.name.text.clone(), from.at),
        };
        match self.graph.connect(&from.text, &to, edge.options) {
            Ok(_) => self.places.edges.push(from.at),
            Err(e) => {
                // The message names the wrong end; the place has to follow it.
                let at = if edge.to.is_some() && self.has_output(&from.text) { to_at } else { from.at };
                self.problems.push(Problem::new(at, ProblemKind::Graph(e)));
            }
        }
    }

    fn has_output(&self, text: &str) -> bool {
        let (node, port) = text.split_once('.').map_or((text, None), |(node, port)| (node, Some(port)));
        let found = self.graph.nodes().iter().find(|n| n.name == node);
        found.is_some_and(|n| {
            let outputs = n.node_type.spec.outputs;
            port.map_or(!outputs.is_empty(), |port| outputs.iter().any(|o| o.name == port))
        })
    }

    fn setting(&mut self, setting: &Setting) {
        if self.broken.contains(&*setting.node) {
            return;
        }
        if let Err(kind) = apply(&mut self.graph, setting) {
            self.problems.push(Problem::elsewhere(kind).of(Part::Setting(setting.clone())));
        }
    }

    /// The engine's checks make sense only for a graph that is whole.
    fn finish(self) -> Option<(Graph, Plan)> {
        if !self.problems.is_empty() {
            return None;
        }
        match self.graph.check() {
            Ok(plan) => Some((self.graph, plan)),
            Err(errors) => {
                let problem = |e: GraphError| Problem::new(self.places.of(&e.place), ProblemKind::Graph(e));
                self.problems.extend(errors.into_iter().map(problem));
                None
            }
        }
    }
}

/// Whether the name of a parameter is wrong, not its value.
fn is_of_name(error: &GraphError) -> bool {
    let refusal = error.fault().refusal();
    refusal.is_some_and(|refusal| matches!(refusal.kind(), RefusalKind::UnknownParameter { .. }))
}

fn apply(graph: &mut Graph, setting: &Setting) -> Result<(), ProblemKind> {
    let node = graph.node(&setting.node).map_err(ProblemKind::UnknownName)?;
    let scalar = Scalar { text: setting.value.clone(), plain: true };
    let value = scalar_value(spec_of(graph.nodes()[node].node_type.param_specs(), &setting.param), &scalar);
    graph.set(node, &setting.param, &value).map_err(ProblemKind::Graph)
}

fn spec_of(specs: &'static [ParamSpec], name: &str) -> Option<&'static ParamSpec> {
    specs.iter().find(|s| s.name == name)
}

fn written_value(specs: &'static [ParamSpec], name: &str, item: &Item) -> Result<Value, Refusal> {
    let refused = |wanted, found| Refusal::value(wanted, found).of(name.to_owned());
    match &item.data {
        Data::Scalar(scalar) if scalar.is_null() => Err(refused("a value", "nothing")),
        Data::Scalar(scalar) => Ok(scalar_value(spec_of(specs, name), scalar)),
        Data::List(items) => {
            let numbers: Option<Vec<f64>> = items.iter().map(number).collect();
            let list = numbers.map(Value::List);
            list.ok_or_else(|| refused("a list of numbers", "something else in it"))
        }
        Data::Map(_) => Err(refused("a value", "a mapping")),
    }
}

fn number(item: &Item) -> Option<f64> {
    match &item.data {
        Data::Scalar(scalar) => scalar.text.parse().ok(),
        _ => None,
    }
}

/// The value of a scalar. Texts stay as they are written: a file called `007` is not called `7`.
fn scalar_value(spec: Option<&ParamSpec>, scalar: &Scalar) -> Value {
    let text = &scalar.text;
    match spec.map(|s| s.kind) {
        Some(ParamKind::Text) => Value::Text(text.clone()),
        // The parameter itself refuses a text that is no list.
        Some(ParamKind::List) => listed(text).unwrap_or_else(|| Value::Text(text.clone())),
        _ if !scalar.plain => Value::Text(text.clone()),
        _ => plain_value(text),
    }
}

fn plain_value(text: &str) -> Value {
    // From the narrowest type on: every whole number is a float, too.
    if let Ok(value) = text.parse() {
        Value::Bool(value)
    } else if let Ok(value) = text.parse() {
        Value::Int(value)
    } else if let Some(value) = hexadecimal(text) {
        Value::Int(value)
    } else if let Ok(value) = text.parse::<f64>() {
        Value::Float(value)
    } else {
        Value::Text(text.into())
    }
}

fn hexadecimal(text: &str) -> Option<i64> {
    i64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// `[1, 2]` or `1,2`, as a list is written on the command line.
fn listed(text: &str) -> Option<Value> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text).trim();
    // `split` of an empty text gives one part.
    let parts = inner.split(',').filter(|_| !inner.is_empty());
    parts.map(|part| part.trim().parse().ok()).collect::<Option<Vec<f64>>>().map(Value::List)
}
