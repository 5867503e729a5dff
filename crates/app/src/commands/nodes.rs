//! `livetime nodes`: the types of nodes, from their declarations. `livetime schema`: pipeline files of them.

use livetime_control::describe::describe_json;
use livetime_control::schema::schema_of;
use livetime_engine::{NodeType, PortSpec};

use crate::cli::NodesArgs;
use crate::config::find_type;
use crate::output::{Exit, Failure, Output};
use crate::report::table::{Style, Table};

pub(crate) fn nodes(args: &NodesArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    match (&args.name, args.json) {
        (None, false) => output.data(&list(nodes))?,
        (None, true) => output.json(&nodes.iter().map(describe_json).collect())?,
        (Some(name), as_json) => {
            let node = find_type(nodes, name).map_err(|message| Failure::new(Exit::Usage, message))?;
            if as_json { output.json(&describe_json(&node))? } else { output.data(&describe(&node))? }
        }
    }
    Ok(Exit::Ok)
}

/// Writes the JSON schema of pipeline files.
pub(crate) fn schema(nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    output.json(&schema_of(nodes))?;
    Ok(Exit::Ok)
}

fn list(nodes: &[NodeType]) -> String {
    let mut table = Table::new(&["name", "kind", "summary"]);
    for node in nodes {
        table.row([node.spec.name, node.spec.kind.name(), node.spec.summary].map(String::from));
    }
    table.render(Style::default())
}

fn describe(node: &NodeType) -> String {
    let spec = &node.spec;
    let mut text = format!("{} ({}): {}\n", spec.name, spec.kind.name(), spec.summary);
    let mut ports = Table::new(&["port", "", "frames"]);
    for (direction, port) in directed_ports(node) {
        ports.row([port.name.into(), direction.into(), port.accepts.to_string()]);
    }
    text += &format!("\n{}", ports.render(Style::default()));
    text += match spec.parallel {
        true => "\nMay run in a pool of threads.\n",
        false => "\nKeeps state from frame to frame: runs on one thread.\n",
    };
    for (title, readback) in [("parameter", false), ("readback", true)] {
        let table = params_table(node, title, readback);
        text +=
            &if table.is_empty() { String::new() } else { format!("\n{}", table.render(Style::default())) };
    }
    text
}

fn directed_ports(node: &NodeType) -> impl Iterator<Item = (&'static str, &'static PortSpec)> {
    let inputs = node.spec.inputs.iter().map(|p| ("input", p));
    inputs.chain(node.spec.outputs.iter().map(|p| ("output", p)))
}

fn params_table(node: &NodeType, title: &str, readback: bool) -> Table {
    let defaults = node.params();
    let mut table = Table::new(&[title, "wanted", "default", "PV", "meaning"]);
    if readback {
        table = Table::new(&[title, "type", "PV", "meaning"]);
    }
    for (i, spec) in node.param_specs().iter().enumerate().filter(|(_, s)| s.readback == readback) {
        let default = defaults.get(i).map(|v| v.to_string()).unwrap_or_default();
        let (pv, doc) = (spec.pv.unwrap_or_default().to_owned(), spec.doc.to_owned());
        match readback {
            false => table.row([spec.name.to_owned(), spec.describe(), default, pv, doc]),
            true => table.row([spec.name.to_owned(), spec.describe(), pv, doc]),
        }
    }
    table
}
