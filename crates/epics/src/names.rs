//! Instance names by areaDetector's convention: `cam1`, `Stats5`, `ROI1`.

use std::collections::{BTreeMap, BTreeSet};

use livetime_engine::{Graph, NodeKind, NodeSpec};

/// The instance name of every node, in the order of their declaration.
///
/// The name follows from the node's type, its number from the end of the node's name (`STATS5` is `Stats5`), or is
/// the lowest that is free. `chosen` holds what the pipeline file says instead, by name of the node.
pub fn instances(graph: &Graph, chosen: &BTreeMap<String, String>) -> Vec<String> {
    let mut names: Vec<Option<String>> = graph.nodes().iter().map(|n| chosen.get(&n.name).cloned()).collect();
    let mut taken: BTreeSet<String> = names.iter().flatten().cloned().collect();
    for (node, name) in graph.nodes().iter().zip(&mut names).filter(|(_, name)| name.is_none()) {
        let numbered = number_of(&node.name).map(|number| format!("{}{number}", stem(&node.node_type.spec)));
        *name = numbered.filter(|numbered| taken.insert(numbered.clone()));
    }
    // Names are never given back, so the lowest number that was free is where to look for the next one.
    let mut lowest: BTreeMap<String, usize> = BTreeMap::new();
    for (node, name) in graph.nodes().iter().zip(&mut names).filter(|(_, name)| name.is_none()) {
        let stem = stem(&node.node_type.spec);
        let number = lowest.entry(stem.clone()).or_insert(1);
        let mut free = format!("{stem}{number}");
        while !taken.insert(free.clone()) {
            *number += 1;
            free = format!("{stem}{number}");
        }
        *name = Some(free);
    }
    names.into_iter().flatten().collect()
}

/// The number at the end of a node's name.
fn number_of(name: &str) -> Option<u32> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    name[name.len() - digits..].parse().ok()
}

/// What comes before the number.
pub(super) fn stem(spec: &NodeSpec) -> String {
    match spec.name {
        _ if spec.kind == NodeKind::Source => "cam".into(),
        "image" => "image".into(),
        "compress" | "decompress" => "Codec".into(),
        "process" => "Proc".into(),
        "statistics" => "Stats".into(),
        "roi" => "ROI".into(),
        "transform" => "Trans".into(),
        "tiff_files" => "TIFF".into(),
        "pva_image" => "Pva".into(),
        other => camel(other),
    }
}

/// `rate_monitor` becomes `RateMonitor`.
pub(super) fn camel(name: &str) -> String {
    name.split('_')
        .map(|word| word[..1.min(word.len())].to_uppercase() + word.get(1..).unwrap_or(""))
        .collect()
}

/// areaDetector's name for a type of node: clients choose their classes by it.
pub(super) fn plugin_type(type_name: &str) -> String {
    match type_name {
        "image" => "NDPluginStdArrays",
        "compress" | "decompress" => "NDPluginCodec",
        "process" => "NDPluginProcess",
        "statistics" => "NDPluginStats",
        "roi" => "NDPluginROI",
        "transform" => "NDPluginTransform",
        "tiff_files" => "NDFileTIFF",
        "pva_image" => "NDPluginPva",
        other => other,
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, chosen: &[(&str, &str)]) -> Vec<String> {
        let graph = livetime_control::config::parse("f", text, livetime_nodes::ALL, &[]).unwrap().graph;
        instances(&graph, &chosen.iter().map(|(n, c)| ((*n).into(), (*c).into())).collect())
    }

    #[test]
    fn the_example_has_the_standard_names() {
        let names = names(livetime_control::config::DEFAULT.1, &[]);
        let wanted = "cam1 image1 Proc1 Stats5 ROI1 ROI2 ROI3 ROI4 Stats1 Stats2 Stats3 Stats4 Pva1";
        assert_eq!(names.join(" "), wanted);
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
