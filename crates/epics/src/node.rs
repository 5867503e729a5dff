//! The PVs of one node.

use std::sync::Arc;

use livetime_control::model::{Limited, Moment, NodeMoment, Quantity};
use livetime_engine::{ParamSpec, Value};
use livetime_pva::nt::{Severity, Time};
use livetime_pva::server::{Put, PvMap, SharedPv};

use super::alarm::Alarm;
use super::base::{self, Item, View};
use super::error::PutError;
use super::point::{Content, Point, now};
use super::served_pv::{ServedPv, Shows};
use super::table::Table;

/// The target of a writable PV.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// A parameter.
    Param(&'static ParamSpec),
    /// A base PV.
    Item(Item),
    /// The name of a PV that a parameter follows.
    Link(&'static ParamSpec),
}

/// The PVs of one node.
pub(super) struct NodePvs {
    number: usize,
    table: Arc<Table>,
    /// Each with its row in the table and the number of the parameter.
    params: Vec<(u32, u32, Point)>,
    /// Names of PVs that parameters follow, each with the number of the parameter.
    links: Vec<(u32, Point)>,
    bases: Vec<(Item, Point)>,
    /// Names that only keep written values.
    kept: Vec<(&'static str, Point)>,
    /// Version of the shown moment, and the shown parts of it.
    version: u64,
    node: Option<Arc<NodeMoment>>,
    values: Option<Arc<Vec<Value>>>,
    limited: Arc<[Limited]>,
}

impl NodePvs {
    /// Makes the PVs of a node and adds them to `map`, each name after `prefix`, which ends in a colon. `on_put` gives
    /// the handler of puts to a target, `also` a second whole name for names that have one.
    pub(super) fn new<H>(
        table: Arc<Table>,
        number: usize,
        prefix: &str,
        map: &PvMap,
        on_put: impl Fn(Target) -> H,
        also: impl Fn(&str) -> Option<String>,
    ) -> livetime_pva::Result<NodePvs>
    where
        H: Fn(Put) + Send + Sync + 'static,
    {
        let (mut params, mut links, mut bases, mut kept) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (row, (served, value)) in table.rows.iter().enumerate() {
            let target = match served.shows {
                Shows::Param(index) => Target::Param(&table.specs[index]),
                Shows::Item(item) => Target::Item(item),
                Shows::Link(index) => Target::Link(&table.specs[index]),
                // A picture's PVs follow frames and not moments, so they are made elsewhere.
                Shows::Picture => continue,
            };
            let mut point = Point::new(&served.about, value, |builder| match served.is_writable {
                true => builder.on_put(on_put(target)),
                false => builder,
            })?;
            map.add(format!("{prefix}{}", served.name), SharedPv::clone(&point.pv));
            if let Some(name) = also(&served.name) {
                map.add(name, SharedPv::clone(&point.pv));
            }
            match served.shows {
                Shows::Link(index) => links.push((index as u32, point)),
                Shows::Param(index) => params.push((row as u32, index as u32, point)),
                Shows::Item(item) => {
                    let fixed = item.fixed(&served.about.shape);
                    let is_fixed = fixed.is_some();
                    // Fixed values are shown once, here.
                    fixed.into_iter().for_each(|content| point.show(content, Severity::None, now()));
                    match item {
                        Item::Kept(name, _) => kept.push((name, point)),
                        // A fixed value is never compared again.
                        _ if is_fixed => {}
                        _ => bases.push((item, point)),
                    }
                }
                Shows::Picture => {}
            }
        }
        // The lists live as long as the run.
        params.shrink_to_fit();
        let (values, limited) = Default::default();
        Ok(NodePvs { number, table, params, links, bases, kept, version: 0, node: None, values, limited })
    }

    /// Keeps a written value of a name without any other effect.
    ///
    /// # Errors
    /// If the value does not fit the PV.
    pub(super) fn keep(&mut self, name: &str, value: &Value) -> Result<(), PutError> {
        let is_it =
            |served: &&(ServedPv, _)| matches!(served.0.shows, Shows::Item(Item::Kept(n, _)) if n == name);
        let shape = self.table.rows.iter().find(is_it).map(|(served, _)| &served.about.shape);
        let content = Content::of_written(value, shape.ok_or(PutError::NoName)?)?;
        // Both names of a kept value, with and without `_RBV`, show it.
        let points = self.kept.iter_mut().filter(|(kept, _)| *kept == name);
        let now = now();
        points.for_each(|(_, point)| point.show(content.clone(), Severity::None, now));
        Ok(())
    }

    /// The number that is kept under a name.
    pub(super) fn kept(&self, name: &str) -> f64 {
        // A name that keeps nothing reads as 0.
        let point = self.kept.iter().find(|(kept, _)| *kept == name);
        point.map_or(0.0, |(_, point)| point.number())
    }

    /// Shows which PV a parameter follows.
    pub(super) fn show_link(&mut self, param: &str, text: &str) {
        let is_it = |index: u32| self.table.specs.get(index as usize).is_some_and(|spec| spec.name == param);
        for (_, point) in self.links.iter_mut().filter(|(index, _)| is_it(*index)) {
            point.show(Content::Text(text.into()), Severity::None, now());
        }
    }

    /// Shows all that a moment knows of the node, unless it shows that or something newer already.
    pub(super) fn show_all(&mut self, moment: &Moment) {
        let now = now();
        self.show_params(moment, now);
        self.show_bases(moment, now);
        self.show_acquisition(moment, now);
    }

    /// Shows the node's parameters.
    pub(super) fn show_params(&mut self, moment: &Moment, now: Time) {
        let Some(node) = self.news(moment) else { return };
        let limited = &node.state.limited;
        // The values of a node that did not answer are the same ones, so the pointers are compared first.
        let has_values = self.values.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, &node.values));
        if has_values && Arc::ptr_eq(&self.limited, limited) {
            return;
        }
        self.show_limits(limited);
        for (row, index, point) in &mut self.params {
            let (shape, index) = (&self.table.rows[*row as usize].0.about.shape, *index as usize);
            // A node that was never asked has no values yet.
            if let Some(value) = node.values.get(index) {
                let spec = &self.table.specs[index];
                point.show_param(value, spec, shape, alarm(limited, || Quantity::Param(spec.name)), now);
            }
        }
        self.values = Some(node.values.clone());
    }

    /// Shows limits that are new.
    fn show_limits(&mut self, limited: &Arc<[Limited]>) {
        let before = std::mem::replace(&mut self.limited, limited.clone());
        let has_limits =
            |old: &Limited, new: &Limited| old.quantity == new.quantity && old.limits == new.limits;
        // Limits are compared first: each update costs clients a message.
        for new in limited.iter().filter(|new| !before.iter().any(|old| has_limits(old, new))) {
            let specs = self.table.specs;
            let is_it = |index: u32| Quantity::Param(specs[index as usize].name) == new.quantity;
            let params = self.params.iter().filter(|(_, index, _)| is_it(*index)).map(|(.., point)| point);
            let bases = self.bases.iter().filter(|(item, _)| item.quantity() == Some(new.quantity));
            params.chain(bases.map(|(_, point)| point)).for_each(|point| point.show_limits(&new.limits));
        }
    }

    /// Shows the engine's counts.
    pub(super) fn show_bases(&mut self, moment: &Moment, now: Time) {
        if let Some(node) = self.news(moment) {
            self.show_items(moment, &node, now, |item| !item.is_of_acquisition());
        }
    }

    /// Shows whether the node acquires. This comes last: a client that sees the end of an acquisition may read all its
    /// results.
    pub(super) fn show_acquisition(&mut self, moment: &Moment, now: Time) {
        let Some(node) = self.news(moment) else { return };
        self.show_items(moment, &node, now, Item::is_of_acquisition);
        // Constants have been shown once, and are no longer compared.
        if self.node.is_none() {
            self.bases.retain(|(item, _)| !item.is_constant());
            self.bases.shrink_to_fit();
        }
        (self.version, self.node) = (moment.version, Some(node));
    }

    /// Shows the begin of an acquisition or a capture, even of one that ends before the next moment.
    pub(super) fn show_begun(&mut self, moment: &Moment) {
        let now = now();
        self.show_params(moment, now);
        let Some(node) = self.news(moment) else { return };
        self.show_items(moment, &node, now, |item| matches!(item, Item::Acquire | Item::AcquireBusy));
        // The node's state is not noted as shown, so that the next moment shows the rest.
        self.version = moment.version;
    }

    /// The node's state in a moment, if it is newer than the shown one.
    fn news(&self, moment: &Moment) -> Option<Arc<NodeMoment>> {
        // An older moment may arrive late, because several threads show moments.
        let node = moment.nodes.get(self.number).filter(|_| moment.version > self.version)?;
        let is_shown = self.node.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, node));
        (!is_shown).then(|| node.clone())
    }

    fn show_items(&mut self, moment: &Moment, node: &NodeMoment, now: Time, which: impl Fn(Item) -> bool) {
        let Some(counts) = moment.report.nodes.get(self.number) else { return };
        let view = View { moment, number: self.number, counts, node, plugin: self.table.plugin };
        for (item, point) in self.bases.iter_mut().filter(|(item, _)| which(*item)) {
            let (content, severity) = base::read(*item, &view);
            let of_limits =
                item.quantity().map_or(Alarm::default(), |quantity| alarm(&self.limited, || quantity));
            point.show(content, Alarm::from(severity).or(of_limits), now);
        }
    }
}

/// The alarm of a quantity by its limits. Most nodes have none, so that the quantity is not asked for.
fn alarm(limited: &[Limited], quantity: impl Fn() -> Quantity) -> Alarm {
    limited.iter().find(|limited| limited.quantity == quantity()).map_or_else(Alarm::default, Alarm::from)
}
