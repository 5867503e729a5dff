//! The start of a run without settings, and the values that differ from it.

use livetime_engine::{Graph, Value};

use super::account::Row;
use super::keys::{of_state, value};
use crate::model::locks::lock;
use crate::model::moment::{Moment, NodeState};
use crate::model::origin::Origin;
use crate::model::shared::Shared;
use crate::settings::{Kept, Key, SettingsFile, same};

/// The start of a run without settings: the graph, and how the run handled the nodes.
pub(super) struct Start {
    pub(super) pipeline: String,
    base: Graph,
    states: Vec<NodeState>,
    /// The graph of the run: a node that has not answered yet has its values.
    run: Graph,
}

/// A value that a node is to have.
pub(super) struct Wanted {
    pub(super) node: usize,
    pub(super) key: Key,
    pub(super) value: Value,
    /// Its origin, once the node has it; `None` for the value of the pipeline file.
    pub(super) origin: Option<Origin>,
}

impl Wanted {
    /// The node has the value.
    pub(super) fn note(&self, model: &Shared) {
        note(model, self.node, self.key.name(), self.origin.clone());
    }
}

/// The node says from now on that its value comes from there.
pub(super) fn note(model: &Shared, node: usize, key: &str, origin: Option<Origin>) {
    if let Some(node) = model.nodes.get(node) {
        lock(node).note_origin(key, origin);
    }
}

/// The origin of a value of a settings file.
pub(super) fn origin(kept: &Kept) -> Origin {
    Origin::Settings { by: kept.by.clone(), at_ns: kept.at_ns }
}

impl Start {
    pub(super) fn new(model: &Shared, pipeline: String, base: Graph) -> Start {
        let states = model.nodes.iter().map(|node| lock(node).state.clone()).collect();
        Start { pipeline, base, states, run: model.run.graph().clone() }
    }

    /// The value that is called `key` in a settings file.
    pub(super) fn key(&self, node: &str, key: &str) -> Option<(usize, Key)> {
        let node = self.base.node(node).ok()?;
        Some((node, Key::find(&self.base.nodes()[node].node_type, key).ok()?))
    }

    /// The value at the start.
    pub(super) fn value(&self, node: usize, key: Key) -> Option<Value> {
        match key {
            Key::Param(spec) => self.base.nodes().get(node)?.value(spec.name),
            Key::Run(key) => of_state(key, self.states.get(node)?),
        }
    }

    /// The name of the node of a wanted value.
    pub(super) fn name(&self, wanted: &Wanted) -> &str {
        self.base.nodes().get(wanted.node).map_or("", |node| &node.name)
    }

    /// An empty settings file for this pipeline.
    pub(super) fn file(&self) -> SettingsFile {
        SettingsFile { pipeline: self.pipeline.clone(), ..SettingsFile::default() }
    }

    /// Puts a value into a settings file, unless it is the one of the start.
    pub(super) fn put(&self, file: &mut SettingsFile, (node, key): (usize, Key), kept: Kept) {
        let start = self.value(node, key);
        if start.as_ref().is_some_and(|start| same(start, &kept.value)) {
            return;
        }
        if let Some(decl) = self.base.nodes().get(node) {
            file.put(&decl.name, decl.node_type.spec.name, key.name(), Kept { file: start, ..kept });
        }
    }

    /// Values with an origin that settings keep, also values that are as at the start.
    pub(super) fn rows(&self, moment: &Moment) -> Vec<(usize, Key, Row)> {
        let mut rows = Vec::new();
        for (number, (decl, node)) in self.run.nodes().iter().zip(&moment.nodes).enumerate() {
            for (name, origin) in &*node.state.origins {
                let Ok(key) = Key::find(&decl.node_type, name) else { continue };
                let Some(value) = value(key, node).or_else(|| decl.value(name)) else { continue };
                let file = self.value(number, key);
                let (node, key_name, origin) = (decl.name.clone(), name.clone(), origin.clone());
                rows.push((number, key, Row { node, key: key_name, value, file, origin }));
            }
        }
        rows
    }
}
