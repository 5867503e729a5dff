//! PVs as data: the PVs of a type of node, and of a run, from the tables that the PVs themselves are made from.

use livetime_engine::{NodeKind, NodeType, ParamSpec};
use serde_json::{Value, json};

use super::names::{plugin_type, stem};
use super::point::About;
use super::run_pvs::WHOLE;
use super::served_pv::Shows;
use super::table::served_by;

/// The PVs of a node of this type. Keys are stable: new ones may come, none changes its meaning.
///
/// ```
/// use livetime_engine::NodeType;
/// use livetime_nodes::process::statistics::Statistics;
///
/// let described = livetime_epics::describe_node(&NodeType::of::<Statistics>());
/// assert_eq!(described["instance"], "Stats");
/// let is_mean = |pv: &&serde_json::Value| pv["name"] == "MeanValue_RBV";
/// let mean = described["pvs"].as_array().and_then(|pvs| pvs.iter().find(is_mean)).ok_or("no mean")?;
/// assert_eq!((&mean["type"], &mean["writable"]), (&"double".into(), &false.into()));
/// # Ok::<(), &str>(())
/// ```
pub fn describe_node(node: &NodeType) -> Value {
    let specs = node.param_specs();
    let is_source = node.spec.kind == NodeKind::Source;
    let pvs = served_by(node).into_iter().map(|served| {
        let shows = shows(served.shows, specs);
        pv(&served.name, served.is_writable, &served.about, shows)
    });
    json!({
        "instance": stem(node),
        "plugin_type": (!is_source).then(|| plugin_type(node)),
        "pvs": pvs.collect::<Vec<_>>(),
    })
}

/// The PVs of a run as a whole, in the same words.
pub fn describe_run() -> Value {
    WHOLE.iter().map(|whole| pv(whole.name, whole.act.is_some(), &whole.about(), ("run", None))).collect()
}

/// The kind of a PV's value, and the name of its parameter if it has one.
fn shows(shows: Shows, specs: &[ParamSpec]) -> (&'static str, Option<&'static str>) {
    match shows {
        Shows::Param(index) => ("param", specs.get(index).map(|spec| spec.name)),
        Shows::Link(index) => ("link", specs.get(index).map(|spec| spec.name)),
        Shows::Item(_) => ("engine", None),
        Shows::Picture => ("frames", None),
    }
}

fn pv(name: &str, is_writable: bool, about: &About, (shows, param): (&str, Option<&str>)) -> Value {
    json!({
        "name": name,
        "type": about.shape.kind(),
        "choices": about.shape.texts(),
        "unit": if about.units.is_empty() { None } else { Some(about.units) },
        "min": about.limits.map(|limits| limits.0),
        "max": about.limits.map(|limits| limits.1),
        "writable": is_writable,
        "shows": shows,
        "param": param,
        "doc": about.description,
    })
}
