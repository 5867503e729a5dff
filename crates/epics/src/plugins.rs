//! The nodes of a run as a table, so that a client can find the plugins that the run has (ADCore #607).

use livetime_control::model::NodeState;
use livetime_engine::Graph;
use serde_json::{Map, Value};

use super::names::plugin_type;

/// The columns of the table. A node has one row.
pub(super) const COLUMNS: &[&str] = &["port", "plugin", "type", "prefix", "source"];
const SOURCE: usize = 4;
/// Between the senders of a node that has several.
const AND: &str = ", ";

/// The table, column by column.
#[derive(Default)]
pub(super) struct Plugins {
    columns: [Vec<String>; COLUMNS.len()],
}

impl Plugins {
    /// The nodes of a graph, which have no senders yet. `instances` are the names of their PVs behind `prefix`.
    pub(super) fn of(graph: &Graph, instances: &[String], prefix: &str) -> Plugins {
        let mut plugins = Plugins::default();
        for (node, instance) in graph.nodes().iter().zip(instances) {
            let kind = node.node_type.spec.name;
            let prefix = format!("{prefix}{instance}:");
            let row =
                [node.name.clone(), plugin_type(&node.node_type).into(), kind.into(), prefix, String::new()];
            plugins.columns.iter_mut().zip(row).for_each(|(column, text)| column.push(text));
        }
        plugins
    }

    /// Takes the senders of the nodes, which clients may change while the run goes on. Called for each moment: nothing
    /// is allocated unless one has changed.
    pub(super) fn follow<'a>(&mut self, states: impl Iterator<Item = &'a NodeState>) {
        for (source, state) in self.columns[SOURCE].iter_mut().zip(states) {
            let senders = || state.edges().map(|edge| edge.node.as_str());
            let known = source.split(AND).filter(|name| !name.is_empty());
            if !senders().eq(known) {
                *source = senders().collect::<Vec<_>>().join(AND);
            }
        }
    }

    pub(super) fn columns(&self) -> Vec<Vec<String>> {
        self.columns.to_vec()
    }

    /// The rows as a list of objects, for Channel Access, which has no tables.
    pub(super) fn json(&self) -> String {
        let row = |row: usize| -> Value {
            let cells = COLUMNS.iter().zip(&self.columns);
            let cells = cells.map(|(name, column)| ((*name).to_owned(), column[row].clone().into()));
            cells.collect::<Map<_, _>>().into()
        };
        (0..self.columns[0].len()).map(row).collect::<Value>().to_string()
    }
}
