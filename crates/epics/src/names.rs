//! Instance names by areaDetector's convention: `cam1`, `Stats5`, `ROI1`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use livetime_engine::{Graph, NodeKind, NodeType};

/// The instance name of every node, in the order of their declaration.
///
/// The name follows from the node's type, its number from the end of the node's name (`STATS5` is `Stats5`), or is the
/// lowest free number. A time series of another node's numbers has the name of that node: `Stats5:TS`. `chosen` holds
/// names that the pipeline file chooses, by name of the node.
pub fn instances(graph: &Graph, chosen: &BTreeMap<String, String>) -> Vec<String> {
    let mut names: Vec<Option<String>> = graph.nodes().iter().map(|n| chosen.get(&n.name).cloned()).collect();
    let mut taken: BTreeSet<String> = names.iter().flatten().cloned().collect();
    let parents: Vec<Option<usize>> = (0..names.len()).map(|number| measured_by(graph, number)).collect();
    let own = |names: &[Option<String>]| -> Vec<usize> {
        (0..names.len()).filter(|i| names[*i].is_none() && parents[*i].is_none()).collect()
    };
    for number in own(&names) {
        let node = &graph.nodes()[number];
        let numbered = number_of(&node.name).map(|number| format!("{}{number}", stem(&node.node_type)));
        names[number] = numbered.filter(|numbered| taken.insert(numbered.clone()));
    }
    // Names are never given back, so the lowest number that was free is where to look for the next one.
    let mut lowest: BTreeMap<Cow<'static, str>, usize> = BTreeMap::new();
    for index in own(&names) {
        let stem = stem(&graph.nodes()[index].node_type);
        let number = lowest.entry(stem.clone()).or_insert(1);
        let mut free = format!("{stem}{number}");
        while !taken.insert(free.clone()) {
            *number += 1;
            free = format!("{stem}{number}");
        }
        names[index] = Some(free);
    }
    for (index, parent) in parents.iter().enumerate() {
        let Some(parent) = parent.and_then(|parent| names[parent].clone()) else { continue };
        let mut free = (1..).map(|n| if n == 1 { format!("{parent}:TS") } else { format!("{parent}:TS{n}") });
        if names[index].is_none() {
            names[index] = free.find(|free| taken.insert(free.clone()));
        }
    }
    names.into_iter().flatten().collect()
}

/// The node whose numbers are kept by the time series `number`, if it keeps numbers of a node.
pub(super) fn measured_by(graph: &Graph, number: usize) -> Option<usize> {
    if !keeps_series(&graph.nodes()[number].node_type) {
        return None;
    }
    let has_numbers = |(node, output): (usize, usize)| {
        let counterpart = graph.nodes()[node].node_type.counterpart;
        output == 1 && counterpart.is_some_and(|counterpart| !counterpart.series.is_empty())
    };
    let mut before = graph.edges().iter().filter(|edge| edge.to.0 == number).map(|edge| edge.from);
    before.find(|from| has_numbers(*from)).map(|(node, _)| node)
}

/// The PV of the first series of a node that keeps series, and the end of the others.
const FIRST_SERIES: &str = "1:TimeSeries";

fn keeps_series(node_type: &NodeType) -> bool {
    node_type.param_specs().iter().any(|spec| spec.pv == Some(FIRST_SERIES))
}

/// The name of a time series' PV `name` at the node whose numbers it keeps, of type `parent`: `TSTotal` for
/// `9:TimeSeries` behind statistics.
pub(super) fn name_at_parent(parent: &NodeType, name: &str) -> Option<&'static str> {
    let number: usize = name.strip_suffix(&FIRST_SERIES[1..])?.parse().ok()?;
    parent.counterpart?.series.get(number.checked_sub(1)?).copied()
}

/// The number at the end of a node's name.
fn number_of(name: &str) -> Option<u32> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    name[name.len() - digits..].parse().ok()
}

/// The part before the number: areaDetector's name of such nodes, else a name made from the type.
pub(super) fn stem(node_type: &NodeType) -> Cow<'static, str> {
    match node_type.counterpart {
        _ if node_type.spec.kind == NodeKind::Source => "cam".into(),
        Some(counterpart) => counterpart.stem.into(),
        // Of a node in Python, `package.module:name`, the name alone.
        None => camel(node_type.spec.name.rsplit(':').next().unwrap_or_default()).into(),
    }
}

/// `rate_monitor` becomes `RateMonitor`.
pub(super) fn camel(name: &str) -> String {
    name.split('_')
        .map(|word| word[..1.min(word.len())].to_uppercase() + word.get(1..).unwrap_or(""))
        .collect()
}

/// areaDetector's name for a type of node, by which clients choose their classes.
pub(super) fn plugin_type(node_type: &NodeType) -> &'static str {
    node_type.counterpart.map_or(node_type.spec.name, |counterpart| counterpart.plugin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, chosen: &[(&str, &str)]) -> Vec<String> {
        let graph = livetime_control::config::parse(
            "f",
            text,
            &[livetime_nodes::ALL, livetime_sim::ALL].concat(),
            &[],
        )
        .unwrap()
        .graph;
        instances(&graph, &chosen.iter().map(|(n, c)| ((*n).into(), (*c).into())).collect())
    }

    #[test]
    fn the_example_has_the_standard_names() {
        let names = names(livetime_control::config::DEFAULT.1, &[]);
        let wanted = "cam1 image1 Proc1 Stats5 ROI1 ROI2 ROI3 ROI4 Stats1 Stats2 Stats3 Stats4 Pva1";
        assert_eq!(names.join(" "), wanted);
    }

    #[test]
    fn a_time_series_belongs_to_the_node_that_it_keeps_the_numbers_of() {
        let text = "nodes:\n  a: {type: sim_detector}\n  t: {type: time_series, from: s.values}\n  \
                    s: {type: statistics, from: a}\n  u: {type: time_series, from: s.values}\n  \
                    v: {type: time_series, from: a}\n  w: {type: attributes, from: a}\n  \
                    x: {type: time_series, from: w.values}\n";
        assert_eq!(names(text, &[]).join(" "), "cam1 Stats1:TS Stats1 Stats1:TS2 TS1 Attr1 Attr1:TS");
        let at = |parent: &str, name: &str| {
            name_at_parent(
                &livetime_control::config::find_type(
                    &[livetime_nodes::ALL, livetime_sim::ALL].concat(),
                    parent,
                )
                .unwrap(),
                name,
            )
        };
        assert_eq!(at("statistics", "9:TimeSeries"), Some("TSTotal"));
        assert_eq!(at("attributes", "8:TimeSeries"), Some("8:TSArrayValue"));
        assert!(
            ["0:TimeSeries", "24:TimeSeries", "9:Name"].iter().all(|name| at("statistics", name).is_none())
        );
        assert_eq!(at("null", "1:TimeSeries"), None);
    }

    #[test]
    fn numbers_come_from_names_or_are_free() {
        let text = "nodes:\n  a: {type: sim_detector}\n  b2: {type: statistics, from: a}\n  \
                    c: {type: statistics, from: a}\n  d2: {type: statistics, from: a}\n  \
                    e: {type: rate_monitor, from: a}\n";
        assert_eq!(names(text, &[]), ["cam1", "Stats2", "Stats1", "Stats3", "RateMonitor1"]);
        assert_eq!(names(text, &[("c", "Stats2")])[1..3], ["Stats1", "Stats2"]);
    }
}
