//! What a node of some type serves, as data. PVs are made from this table, and described by it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use livetime_engine::{NodeKind, NodeType, ParamKind, ParamSpec};
use livetime_pva::data;

use super::base::{self, BASE, DISABLE_ENABLE, Item, NO_YES};
use super::fixed;
use super::names::{camel, plugin_type};
use super::picture_pvs::{self, ARRAY_SOURCE};
use super::point::{About, Shape, choices_of};
use super::served_pv::{ServedPv, Shows};

/// Readbacks that areaDetector serves without `_RBV`.
const PLAIN: &[&str] = &[
    "CursorVal",
    "WriteStatus",
    "WriteMessage",
    "CodecStatus",
    "CodecError",
    "StatusMessage",
    "TriggerAVal",
    "TriggerBVal",
    "TriggerCalcVal",
    "TSAcquiring",
    "TSCurrentPoint",
    "TSNumAverage",
    "TSElapsedTime",
    "TSTimestamp",
    "TSTimeAxis",
    "TimeSeries",
    "TSMinValue",
    "TSMaxValue",
    "TSMeanValue",
    "TSTotal",
    "TSNet",
    "FFTNumAveraged",
    "FFTTimeAxis",
    "FFTFreqAxis",
    "FFTTimeSeries",
    "FFTReal",
    "FFTImaginary",
    "FFTAbsValue",
    "NPts",
    "Attr",
    "Data",
    "DataLabel",
    "SortFree",
    "RunTime",
    "IOSpeed",
];
/// Readbacks that it serves with a set-point, which cannot be written here.
const FIXED: &[&str] = &["Mode"];
/// Set-points that it serves without a readback.
const WITHOUT_READBACK: &[&str] = &[
    "Type",
    "FilterType",
    "TSAcquire",
    "TSRead",
    "TSNumPoints",
    "TSControl",
    "ResetAll",
    "FFTResetAverage",
    "Delete",
    "NewArray",
    "ArrayComplete",
    "DoCallbacks",
    "FreeCapture",
    "FlushNow",
];

/// Everything that a node of this type serves: parameters in the order of their declaration, then what every node shows, then
/// pictures.
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
    own.chain(bases).chain(pictures).chain(fixed::served(node.spec.name)).collect()
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
            _ if kept(suffix) => {}
            true if FIXED.contains(&&**suffix) => {
                add(suffix.to_string(), false);
                add(format!("{suffix}_RBV"), false);
            }
            true if is_plain(suffix, specs) => add(suffix.to_string(), false),
            true => add(format!("{suffix}_RBV"), false),
            false => {
                add(suffix.to_string(), true);
                if !WITHOUT_READBACK.contains(&leaf(suffix)) && !is_read() {
                    add(format!("{suffix}_RBV"), false);
                }
            }
        }
    }
    served
}

/// The links of parameters that may follow a PV: a field of a record of its own upstream.
fn links_served(specs: &[ParamSpec]) -> impl Iterator<Item = ServedPv> {
    // Of regions and detectors upstream has no such record.
    let has_shapes = specs.iter().any(|spec| spec.pv == Some("1:DrawMode"));
    let is_linked = move |spec: &ParamSpec| {
        let name = spec.pv.filter(|_| !spec.readback).map(leaf);
        name.is_some_and(|name| LINKED.contains(&name) && (has_shapes || name.ends_with("TimePerPoint")))
    };
    specs.iter().enumerate().filter(move |(_, spec)| is_linked(spec)).map(|(index, spec)| ServedPv {
        name: format!("{}Link.DOL", suffix_of(spec)),
        about: About::plain(Shape::Text, "Name of a PV that the parameter follows; empty for none."),
        is_writable: true,
        shows: Shows::Link(index),
    })
}

/// Parameters that follow a PV if somebody writes its name.
const LINKED: &[&str] = &[
    "PositionX",
    "PositionY",
    "CenterX",
    "CenterY",
    "SizeX",
    "SizeY",
    "WidthX",
    "WidthY",
    "TSTimePerPoint",
    "FFTTimePerPoint",
];

/// Whether areaDetector serves a readback without `_RBV`; the number at the end of a suffix may be any. Detectors serve
/// their message with it.
fn is_plain(suffix: &str, specs: &[ParamSpec]) -> bool {
    let name = leaf(suffix);
    if name == "StatusMessage" && specs.iter().any(|spec| spec.pv == Some("DetectorState")) {
        return false;
    }
    PLAIN.contains(&name) || PLAIN.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// The suffix of a parameter: areaDetector's, or one made from its name.
fn suffix_of(spec: &ParamSpec) -> Cow<'static, str> {
    spec.pv.map_or_else(|| Cow::Owned(camel(spec.name)), Cow::Borrowed)
}

/// A suffix without the numbers or names of sub-devices in front: `MinX` of `2:MinX`.
pub(super) fn leaf(suffix: &str) -> &str {
    suffix.rsplit_once(':').map_or(suffix, |(_, leaf)| leaf)
}

/// What a node with these parameters shows beside them.
pub(super) fn bases_served(specs: &[ParamSpec], is_source: bool) -> Vec<ServedPv> {
    let suffixes: Vec<Cow<'static, str>> = specs.iter().map(suffix_of).collect();
    let of_param = |b: &base::Base| !b.item.keeps() && suffixes.iter().any(|suffix| *suffix == b.suffix);
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
        Item::Acquire if !is_writable => Shape::choices(base::DONE_ACQUIRING),
        _ => base.shape.clone(),
    };
    About { units: base.units, ..About::plain(shape, base.doc) }
}

fn about_param(spec: &ParamSpec, is_writable: bool) -> About {
    let limits = spec.min.zip(spec.max).filter(|_| is_writable);
    let units = spec.unit.unwrap_or("");
    About { shape: shape_of(spec, is_writable), description: spec.doc, units, limits }
}

fn shape_of(spec: &ParamSpec, is_writable: bool) -> Shape {
    match spec.kind {
        ParamKind::Bool => Shape::choices(truth_choices(spec, is_writable)),
        ParamKind::Enum(_) => choices_of(spec).map_or(Shape::Text, |c| Shape::Enum(c.into())),
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
    match leaf(spec.pv.unwrap_or("")) {
        "AutoOffsetScale" => &["Done", "Calculating"],
        "Capture" if is_writable => &["Done", "Capture"],
        "Capture" => &["Done", "Capturing"],
        "TSAcquire" => &["Done", "Acquire"],
        "TSAcquiring" => &["Done", "Acquiring"],
        "TSRead" => &["Done", "Read"],
        "FFTResetAverage" => &["Done", "Reset"],
        "FFTSuppressDC" => DISABLE_ENABLE,
        "Trigger" if is_writable => &["Done", "Trigger"],
        "Trigger" => &["Done", "Triggered"],
        "WriteFile" => {
            if is_writable {
                &["Done", "Write"]
            } else {
                &["Done", "Writing"]
            }
        }
        "ReadFile" => {
            if is_writable {
                &["Done", "Read"]
            } else {
                &["Done", "Reading"]
            }
        }
        "FreeCapture" => &["Done", "Free"],
        "FlushNow" => &["Done", "Flush"],
        "Reset" => &["Done Reset", "Reset"],
        "SWMRMode" | "PositionMode" => &["Off", "On"],
        "ValidBackground" | "ValidFlatField" => &["Invalid", "Valid"],
        "Running" => &["Idle", "Running"],
        "NewArray" | "ArrayComplete" | "DoCallbacks" => &["Done", "Set"],
        "CollapseDims" | "ArrayCallbacks" | "AppendMode" => DISABLE_ENABLE,
        suffix if suffix.starts_with("Enable") => DISABLE_ENABLE,
        _ => NO_YES,
    }
}

/// The PVs of all nodes of one type: each with the value that it begins with, whose lists of texts all of them share.
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
