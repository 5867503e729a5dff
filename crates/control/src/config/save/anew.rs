//! The nodes of a pipeline file written anew, for a run whose file cannot be edited or that has none.

use std::fmt::Write;

use livetime_engine::{Graph, NodeDecl, NodeOptions, Placement};

use super::super::file::{NodeEntry, ON_FAILURE, WAIT};
use super::super::yaml::{Data, Item};
use super::edit::offset;
use super::standing::NodeNow;
use super::text::{edges_text, quoted, value_text};

/// The file: what stood in `text` beside the nodes, and the nodes.
pub(super) fn written(
    graph: &Graph,
    text: &str,
    root: Option<&Item>,
    entries: &[NodeEntry],
    wanted: &[NodeNow],
) -> String {
    let mut nodes = String::from("nodes:\n");
    for (decl, wanted) in graph.nodes().iter().zip(wanted) {
        let entry = entries.iter().find(|entry| entry.name.text == decl.name);
        node(decl, entry, wanted, &mut nodes);
    }
    match root.and_then(|root| around(text, root)) {
        Some((before, after)) => format!("{before}{nodes}{after}"),
        None => format!("memory: {}\n\n{nodes}", graph.memory_bytes),
    }
}

/// The blocks of the file that [`written`] leaves out: beside nodes and memory, all of a file whose text cannot be cut.
pub(super) fn left_out<'a>(text: &str, root: &'a Item) -> Vec<&'a str> {
    match &root.data {
        Data::Map(entries) if around(text, root).is_none() => {
            let names = entries.iter().map(|(key, _)| &*key.text);
            names.filter(|name| !["nodes", "memory"].contains(name)).collect()
        }
        _ => Vec::new(),
    }
}

/// The text before the nodes and behind them.
fn around<'a>(text: &'a str, root: &Item) -> Option<(&'a str, &'a str)> {
    let Data::Map(entries) = &root.data else { return None };
    // The text of a flow mapping cannot be cut between its keys.
    if text[offset(text, root.at)?..].starts_with('{') {
        return None;
    }
    let place = entries.iter().position(|(key, _)| key.text == "nodes")?;
    let start = offset(text, entries[place].0.at)?;
    let end = entries.get(place + 1).map_or(Some(text.len()), |(key, _)| offset(text, key.at))?;
    Some((&text[..start], &text[end..]))
}

fn node(decl: &NodeDecl, entry: Option<&NodeEntry>, wanted: &NodeNow, out: &mut String) {
    let name = &wanted.name;
    // A key that begins with a digit would be read as a number.
    let key = if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name.clone() } else { quoted(name) };
    let mut lines = vec![format!("type: {}", quoted(wanted.type_name))];
    if !wanted.edges.is_empty() {
        lines.push(format!("from: {}", edges_text(&wanted.edges, false)));
    }
    lines.extend(options(&wanted.options));
    lines.extend(entry.and_then(|entry| entry.pv.as_ref()).map(|pv| format!("pv: {}", quoted(&pv.text))));
    let usual = decl.node_type.params();
    // Values as usual are left out, so that the file says only what differs.
    let is_usual = |name: &str, value| {
        livetime_engine::find(usual.specs(), name).is_ok_and(|i| usual.get(i).as_ref() == Some(value))
    };
    let params: Vec<String> = wanted
        .values
        .iter()
        .filter(|(name, value)| !is_usual(name, value))
        .map(|(name, value)| format!("  {name}: {}", value_text(value)))
        .collect();
    if !params.is_empty() {
        lines.push("params:".into());
        lines.extend(params);
    }
    // Writing to a text does not fail.
    let _ = writeln!(out, "  {key}:");
    lines.into_iter().for_each(|text| _ = writeln!(out, "    {text}"));
}

/// What is not as usual of how a node is run.
fn options(options: &NodeOptions) -> Vec<String> {
    let usual = NodeOptions::default();
    let mut lines = Vec::new();
    match &options.placement {
        Placement::Own => {}
        Placement::Inline => lines.push("placement: inline".into()),
        Placement::Group(name) => lines.push(format!("placement: {{group: {}}}", quoted(name))),
        Placement::Pool(threads) => lines.push(format!("placement: {{pool: {threads}}}")),
    }
    let named = |key: &str, found: Option<&str>| format!("{key}: {}", found.unwrap_or_default());
    let failure = |wanted| ON_FAILURE.iter().find(|(known, _)| *known == wanted).map(|(_, name)| *name);
    if options.on_error != usual.on_error {
        lines.push(named("on_error", failure(options.on_error)));
    }
    if options.on_panic != usual.on_panic {
        lines.push(named("on_panic", failure(options.on_panic)));
    }
    if options.wait_for_memory {
        lines.push("when_exhausted: wait".into());
    }
    if !options.cpus.is_empty() {
        lines.push(format!("cpus: {:?}", options.cpus));
    }
    if options.wait != usual.wait {
        lines.push(named(
            "wait",
            WAIT.iter().find(|(known, _)| *known == options.wait).map(|(_, name)| *name),
        ));
    }
    lines
}
