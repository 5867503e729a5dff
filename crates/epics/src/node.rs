//! The PVs of one node.

use std::borrow::Cow;
use std::sync::Arc;

use livetime_control::model::{Moment, NodeMoment};
use livetime_engine::{Graph, NodeKind, ParamKind, ParamSpec, Value};
use livetime_pva::server::{PvMap, SharedPv};

use super::base::{self, BASE, DISABLE_ENABLE, Item, NO_YES, View};
use super::names::camel;
use super::point::{About, Content, Point, Shape, choices_of};
use super::put::{Commands, Target};

/// Readbacks that areaDetector serves without `_RBV`.
const PLAIN: &[&str] = &["CursorVal", "WriteStatus", "WriteMessage", "CodecStatus", "CodecError"];
/// Set-points that it serves without a readback.
const WITHOUT_READBACK: &[&str] = &["Type", "FilterType"];

/// The PVs of one node.
pub(super) struct NodePvs {
    number: usize,
    specs: &'static [ParamSpec],
    params: Vec<(usize, Shape, Point)>,
    bases: Vec<(Item, Point)>,
    /// Version of the moment that is shown, and what of it.
    version: u64,
    node: Option<Arc<NodeMoment>>,
    values: Option<Arc<Vec<Value>>>,
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
        let node_type = &graph.nodes()[number].node_type;
        let specs = node_type.param_specs();
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
            let target = served.is_writable.then_some(Target::Param(spec));
            params.push((served.index, about.shape.clone(), add(&served.name, &about, target)?));
        }
        for served in bases_served(specs, node_type.spec.kind == NodeKind::Source) {
            let target = served.is_writable.then_some(Target::Item(served.base.item));
            let about = about_base(&served);
            bases.push((served.base.item, add(&served.name, &about, target)?));
        }
        Ok(NodePvs { number, specs, params, bases, version: 0, node: None, values: None })
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
        for (index, shape, point) in &mut self.params {
            if let Some(value) = node.values.get(*index) {
                point.show(Content::of_param(value, &self.specs[*index], shape));
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
