//! The table of areaDetector's names in `docs/areadetector.md`, and a test that it is true.

use std::fmt::Write;

use livetime_engine::NodeType;

use super::document::tests::standard_nodes;
use super::table::served_by;
use super::upstream::{TEMPLATES, Template, reason};

/// Between these lines of the document the table stands.
const MARKS: [&str; 2] = ["<!-- names -->\n", "<!-- end of names -->"];

/// Writers beside `tiff_files`, which have the names of NDFile, too.
const WRITERS: [&str; 5] = ["hdf5_files", "jpeg_files", "png_files", "netcdf_files", "null"];

/// The names that nodes of these types serve, with the names of a time series behind them. Names of members of a group
/// are there without their number, too.
fn names_of(nodes: &[NodeType], types: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for node in nodes.iter().filter(|node| types.contains(&node.spec.name)) {
        let series = node.counterpart.map_or(&[][..], |counterpart| counterpart.series);
        names.extend(series.iter().map(|name| (*name).to_owned()));
        names.extend(served_by(node).into_iter().map(|served| served.name));
    }
    let leaves: Vec<String> =
        names.iter().filter_map(|name| name.strip_prefix("1:").map(str::to_owned)).collect();
    names.extend(leaves);
    names
}

/// The records of a template that are not served.
fn missing(template: &Template, nodes: &[NodeType]) -> Vec<String> {
    let here = names_of(nodes, &template.node.map_or(vec!["sim_detector", "null"], |node| vec![node]));
    template.records().into_iter().filter(|name| !here.contains(name)).collect()
}

/// `X(+_RBV)` for both names.
fn joined(names: &[String]) -> String {
    let has = |name: &str| names.iter().any(|known| known == name);
    let shown = names.iter().filter_map(|name| match name.strip_suffix("_RBV") {
        Some(plain) if has(plain) => None,
        _ if has(&format!("{name}_RBV")) => Some(format!("`{name}(+_RBV)`")),
        _ => Some(format!("`{name}`")),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn table(nodes: &[NodeType]) -> String {
    let mut text =
        "| template | node | records | here | missing, and why |\n|---|---|---|---|---|\n".to_owned();
    let (mut all, mut all_here) = (0, 0);
    for template in TEMPLATES {
        let (records, missing) = (template.records().len(), missing(template, nodes));
        let why = missing.first().and_then(|name| reason(name.trim_end_matches("_RBV")));
        let why = why.map_or_else(String::new, |why| format!("{}: {why}", joined(&missing)));
        let node = template.node.map_or_else(|| "every node".to_owned(), |node| format!("`{node}`"));
        let here = records - missing.len();
        let _ = writeln!(text, "| {} | {node} | {records} | {here} | {why} |", template.name);
        (all, all_here) = (all + records, all_here + here);
    }
    let _ = writeln!(text, "| **all** | | {all} | {all_here} | |");
    text
}

#[test]
fn each_missing_name_has_a_reason() {
    let nodes = standard_nodes();
    for template in TEMPLATES {
        let missing = missing(template, &nodes);
        let unknown: Vec<&String> =
            missing.iter().filter(|name| reason(name.trim_end_matches("_RBV")).is_none()).collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", template.title());
    }
}

#[test]
fn the_document_has_the_table_of_names() {
    let path = livetime_testkit::repository().join("docs/areadetector.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(MARKS[0]).unwrap();
    let (found, after) = rest.split_once(MARKS[1]).unwrap();
    let wanted = format!("\n{}\n", table(&standard_nodes()));
    if std::env::var_os("LIVETIME_WRITE_DOCS").is_some() {
        std::fs::write(&path, [before, MARKS[0], &wanted, MARKS[1], after].concat()).unwrap();
        return;
    }
    let say = "LIVETIME_WRITE_DOCS=1 cargo test -p livetime-epics document";
    assert!(found == wanted, "the table of names in docs/areadetector.md and the nodes differ: {say}");
}

#[test]
fn every_writer_has_the_names_of_ndfile() {
    let nodes = standard_nodes();
    let file = TEMPLATES.iter().find(|template| template.name == "NDFile").unwrap();
    let records = file.records();
    assert_eq!(records.len(), 38);
    for writer in WRITERS {
        let here = names_of(&nodes, &[writer]);
        let missing: Vec<&String> = records.iter().filter(|name| !here.contains(name)).collect();
        assert!(missing.is_empty(), "{writer}: {missing:?}");
    }
}
