//! Records of areaDetector's that are no parameters here, as nodes declare them ([`Record`]).

use livetime_engine::{Acts, NodeType, ParamSpec, Record};

use super::base::{Item, JOINS};
use super::point::{About, Shape};
use super::served_pv::{ServedPv, Shows};

/// Stands for the number of each member of a group.
const MEMBER: &str = "#:";

/// The PVs of the records of a type of node; `others` are its other PVs, which records may show under another name.
pub(super) fn served(node: &NodeType, others: &[ServedPv]) -> Vec<ServedPv> {
    let records = node.counterpart.map_or(&[][..], |counterpart| counterpart.records);
    let members = node.param_specs().iter().filter_map(ParamSpec::member).map(|(number, _)| number).max();
    records.iter().flat_map(|record| of(record, members.unwrap_or(0), others)).collect()
}

fn of(record: &Record, members: usize, others: &[ServedPv]) -> Vec<ServedPv> {
    let names = match record.pv.strip_prefix(MEMBER) {
        Some(leaf) => (1..=members).map(|number| format!("{number}:{leaf}")).collect(),
        None => vec![record.pv.to_owned()],
    };
    names.into_iter().flat_map(|name| named(name, record, others)).collect()
}

fn named(name: String, record: &Record, others: &[ServedPv]) -> Vec<ServedPv> {
    let pv = |name, shape, doc, is_writable, item| {
        let about = About::plain(shape, doc);
        ServedPv { name, about, is_writable, shows: Shows::Item(item) }
    };
    match record.acts {
        Acts::As(suffix) => {
            let same = others.iter().filter(|other| other.name == suffix);
            same.map(|same| ServedPv { name: name.clone(), ..same.clone() }).collect()
        }
        Acts::Sets(suffix, choice) => vec![pv(name, Shape::I32, SETS, true, Item::Sets(suffix, choice))],
        Acts::Joins => vec![pv(name, Shape::I32, JOINS, false, Item::Constant(0))],
        Acts::KeepsText(doc) => vec![pv(name, Shape::Text, doc, true, Item::Kept(record.pv, 0))],
        Acts::Keeps(choices, first, doc) => {
            let shape = if choices.is_empty() { Shape::I32 } else { Shape::choices(choices) };
            let readback = format!("{name}_RBV");
            let kept = |name, is_writable| {
                pv(name, shape.clone(), doc, is_writable, Item::Kept(record.pv, 1000 * first))
            };
            vec![kept(name, true), kept(readback, false)]
        }
    }
}

const SETS: &str = "Writing anything chooses what the name says.";
