//! The PVs of one node.

use std::sync::Arc;

use livetime_control::model::{Moment, NodeMoment};
use livetime_engine::Value;
use livetime_pva::server::{PvMap, SharedPv};

use super::base::{self, Item, View};
use super::point::{Content, Point};
use super::put::{Commands, Target};
use super::table::{Shows, Table};

/// The PVs of one node.
pub(super) struct NodePvs {
    number: usize,
    table: Arc<Table>,
    /// Each with its row in the table and the number of the parameter.
    params: Vec<(u32, u32, Point)>,
    bases: Vec<(Item, Point)>,
    /// Version of the moment that is shown, and what of it.
    version: u64,
    node: Option<Arc<NodeMoment>>,
    values: Option<Arc<Vec<Value>>>,
}

impl NodePvs {
    /// Makes the PVs of a node and adds them to `map`, each name after `prefix`, which ends in a colon.
    pub(super) fn new(
        table: Arc<Table>,
        number: usize,
        prefix: &str,
        map: &PvMap,
        commands: &Commands,
    ) -> livetime_pva::Result<NodePvs> {
        let (mut params, mut bases) = (Vec::new(), Vec::new());
        for (row, (served, value)) in table.rows.iter().enumerate() {
            let target = match served.shows {
                Shows::Param(index) => Target::Param(&table.specs[index]),
                Shows::Item(item) => Target::Item(item),
                Shows::Picture => continue,
            };
            let point = Point::new(&served.about, value, |builder| match served.is_writable {
                true => builder.on_put(commands.handler(number, target)),
                false => builder,
            })?;
            map.add(format!("{prefix}{}", served.name), SharedPv::clone(&point.pv));
            match served.shows {
                Shows::Param(index) => params.push((row as u32, index as u32, point)),
                Shows::Item(item) => bases.push((item, point)),
                Shows::Picture => {}
            }
        }
        params.shrink_to_fit();
        Ok(NodePvs { number, table, params, bases, version: 0, node: None, values: None })
    }

    /// Shows all that a moment knows of the node, unless it shows that or something newer already.
    pub(super) fn show_all(&mut self, moment: &Moment) {
        self.show_params(moment);
        self.show_bases(moment);
        self.show_acquisition(moment);
    }

    /// Shows what the node says.
    pub(super) fn show_params(&mut self, moment: &Moment) {
        let Some(node) = self.news(moment) else { return };
        // Of a node that did not answer they are the same.
        if self.values.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, &node.values)) {
            return;
        }
        for (row, index, point) in &mut self.params {
            let (shape, index) = (&self.table.rows[*row as usize].0.about.shape, *index as usize);
            if let Some(value) = node.values.get(index) {
                point.show(Content::of_param(value, &self.table.specs[index], shape));
            }
        }
        self.values = Some(node.values.clone());
    }

    /// Shows what is counted.
    pub(super) fn show_bases(&mut self, moment: &Moment) {
        if let Some(node) = self.news(moment) {
            self.show_items(moment, &node, |item| !item.is_of_acquisition());
        }
    }

    /// Shows whether the node acquires, which is the last: whoever sees the end of an acquisition may read all that came of it.
    pub(super) fn show_acquisition(&mut self, moment: &Moment) {
        let Some(node) = self.news(moment) else { return };
        self.show_items(moment, &node, Item::is_of_acquisition);
        // What never changes is shown now.
        if self.node.is_none() {
            self.bases.retain(|(item, _)| !item.is_constant());
            self.bases.shrink_to_fit();
        }
        (self.version, self.node) = (moment.version, Some(node));
    }

    /// Shows that an acquisition has begun, also if it will be over before anybody can look.
    pub(super) fn show_begun(&mut self, moment: &Moment) {
        let Some(node) = self.news(moment) else { return };
        self.show_items(moment, &node, |item| matches!(item, Item::Acquire | Item::AcquireBusy));
        self.version = moment.version;
    }

    /// What a moment knows of the node, if that is newer than what is shown.
    fn news(&self, moment: &Moment) -> Option<Arc<NodeMoment>> {
        let node = moment.nodes.get(self.number).filter(|_| moment.version > self.version)?;
        let is_shown = self.node.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, node));
        (!is_shown).then(|| node.clone())
    }

    fn show_items(&mut self, moment: &Moment, node: &NodeMoment, which: impl Fn(Item) -> bool) {
        let Some(counts) = moment.report.nodes.get(self.number) else { return };
        let view = View { moment, number: self.number, counts, node };
        for (item, point) in self.bases.iter_mut().filter(|(item, _)| which(*item)) {
            let (content, severity) = base::read(*item, &view);
            point.show_with(content, severity);
        }
    }
}
