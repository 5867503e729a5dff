//! The PVs of a type of node, as data. PVs are made from this table, and described by it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use livetime_engine::{NodeKind, NodeType, ParamKind, ParamSpec, PvForm};
use livetime_pva::data;

use super::base::{self, BASE, Item};
use super::fixed;
use super::names::{camel, plugin_type};
use super::picture_pvs::{self, ARRAY_SOURCE};
use super::point::{About, Shape, choices_of};
use super::records;
use super::served_pv::{ServedPv, Shows};

/// Every PV of a node of this type: parameters in the order of their declaration, then the PVs that every node has,
/// then pictures.
pub(super) fn served_by(node: &NodeType) -> Vec<ServedPv> {
    let specs = node.param_specs();
    let pictures = picture_pvs::served(node.spec.name).iter().map(|picture| ServedPv {
        name: picture.name.into(),
        about: About::plain(picture.shape.clone(), picture.doc),
        is_writable: node.spec.name == ARRAY_SOURCE,
        shows: Shows::Picture,
    });
    let bases = bases_served(specs, node.spec.kind == NodeKind::Source);
    let own = params_served(specs).into_iter().chain(links_served(specs));
    let mut served: Vec<ServedPv> = own.chain(bases).chain(pictures).chain(fixed::served(node)).collect();
    let records = records::served(node, &served);
    // Records come last: they stand beside PVs that must be known.
    served.extend(records);
    served
}

/// The parameters under all their names.
fn params_served(specs: &[ParamSpec]) -> Vec<ServedPv> {
    let kept = |suffix: &str| BASE.iter().any(|b| b.suffix == suffix && b.item.keeps());
    let suffixes: Vec<Cow<'static, str>> = specs.iter().map(suffix_of).collect();
    let mut served = Vec::new();
    for (index, (spec, suffix)) in specs.iter().zip(&suffixes).enumerate() {
        let mut add = |name, is_writable| {
            let about = about_param(spec, is_writable);
            served.push(ServedPv { name, about, is_writable, shows: Shows::Param(index) });
        };
        let is_read = || specs.iter().zip(&suffixes).any(|(other, name)| other.readback && name == suffix);
        match spec.readback {
            // The PV of the node's state takes this name.
            _ if kept(suffix) => {}
            true if spec.style.form == PvForm::Fixed => {
                add(suffix.to_string(), false);
                add(format!("{suffix}_RBV"), false);
            }
            true if spec.style.form == PvForm::Plain => add(suffix.to_string(), false),
            true if spec.style.form == PvForm::Result => {
                add(spec.style.setpoint.map_or_else(|| suffix.to_string(), str::to_owned), true);
                add(format!("{suffix}_RBV"), false);
            }
            true => add(format!("{suffix}_RBV"), false),
            false => {
                add(suffix.to_string(), true);
                // A readback of the same suffix has the name with `_RBV`.
                if spec.style.form != PvForm::Setpoint && !is_read() {
                    add(format!("{suffix}_RBV"), false);
                }
            }
        }
    }
    served
}

/// The links of parameters that may follow a PV: upstream a record that writes to the parameter's, and a field of it.
fn links_served(specs: &[ParamSpec]) -> impl Iterator<Item = ServedPv> {
    let linked = specs.iter().enumerate().filter(|(_, spec)| spec.style.link && !spec.readback);
    linked.flat_map(|(index, spec)| {
        let name = format!("{}Link", suffix_of(spec));
        let followed = About::plain(Shape::Text, "Name of a PV that the parameter follows; empty for none.");
        let pv = |name, about, shows| ServedPv { name, about, is_writable: true, shows };
        let field = pv(format!("{name}.DOL"), followed, Shows::Link(index));
        [pv(name, about_param(spec, true), Shows::Param(index)), field]
    })
}

/// The suffix of a parameter: areaDetector's, or one made from its name.
pub(super) fn suffix_of(spec: &ParamSpec) -> Cow<'static, str> {
    // A name made for the pipeline file becomes a PV in areaDetector's spelling.
    spec.pv.map_or_else(|| Cow::Owned(camel(spec.name)), Cow::Borrowed)
}

/// A suffix without the numbers or names of sub-devices in front: `MinX` of `2:MinX`.
pub(super) fn leaf(suffix: &str) -> &str {
    suffix.rsplit_once(':').map_or(suffix, |(_, leaf)| leaf)
}

/// The PVs of a node with these parameters beside them.
pub(super) fn bases_served(specs: &[ParamSpec], is_source: bool) -> Vec<ServedPv> {
    let suffixes: Vec<Cow<'static, str>> = specs.iter().map(suffix_of).collect();
    let of_param = |b: &base::Base| !b.item.keeps() && suffixes.iter().any(|suffix| *suffix == b.suffix);
    // A parameter with the same suffix says the same more exactly, so it takes the place.
    let bases = BASE.iter().filter(|b| b.is_of(is_source, suffixes.iter()) && !of_param(b));
    let names = |base: &'static base::Base| {
        base.names().into_iter().map(move |(name, is_writable)| ServedPv {
            name,
            about: about_base(base, is_writable),
            is_writable,
            shows: Shows::Item(base.item),
        })
    };
    bases.flat_map(names).collect()
}

fn about_base(base: &base::Base, is_writable: bool) -> About {
    let shape = match base.item {
        // areaDetector's readback has words of its own.
        Item::Acquire if !is_writable => Shape::choices(base::DONE_ACQUIRING),
        _ => base.shape.clone(),
    };
    About { units: base.units, ..About::plain(shape, base.doc) }
}

fn about_param(spec: &ParamSpec, is_writable: bool) -> About {
    // A readback cannot be driven, so it has no limits.
    let limits = spec.min.zip(spec.max).filter(|_| is_writable);
    let units = spec.unit.unwrap_or("");
    About { shape: shape_of(spec, is_writable), description: spec.doc, units, limits }
}

fn shape_of(spec: &ParamSpec, is_writable: bool) -> Shape {
    match spec.kind {
        ParamKind::Bool => Shape::choices(spec.style.words(is_writable)),
        // A type whose choices cannot be listed reads as text.
        ParamKind::Enum(_) => choices_of(spec).map_or(Shape::Text, |c| Shape::Enum(c.into())),
        // As longout and longin are; a parameter that areaDetector does not know may be longer.
        ParamKind::Int if spec.pv.is_some() => Shape::I32,
        ParamKind::Int => Shape::I64,
        ParamKind::Float => Shape::F64,
        ParamKind::Text => Shape::Text,
        ParamKind::List => Shape::F64s,
    }
}

/// The PVs of all nodes of one type: each with its first value. All nodes share the lists of texts.
pub(super) struct Table {
    /// areaDetector's name for the type.
    pub(super) plugin: &'static str,
    pub(super) specs: &'static [ParamSpec],
    pub(super) rows: Vec<(ServedPv, data::Value)>,
}

/// The tables of a graph's types.
#[derive(Default)]
pub(super) struct Tables {
    known: HashMap<(&'static str, *const ParamSpec), Arc<Table>>,
}

impl Tables {
    /// The table of a type, made once.
    pub(super) fn of(&mut self, node: &NodeType) -> livetime_pva::Result<Arc<Table>> {
        let specs = node.param_specs();
        // Types of a program that makes some itself may have equal names.
        let key = (node.spec.name, specs.as_ptr());
        if let Some(table) = self.known.get(&key) {
            return Ok(table.clone());
        }
        let shown = served_by(node).into_iter().filter(|served| served.shows != Shows::Picture);
        let mut rows = Vec::new();
        for served in shown {
            let value = served.about.value()?;
            rows.push((served, value));
        }
        let table = Arc::new(Table { plugin: plugin_type(node), specs, rows });
        self.known.insert(key, table.clone());
        Ok(table)
    }
}
