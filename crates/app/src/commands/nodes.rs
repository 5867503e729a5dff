//! `livetime nodes`: the types of nodes, from their declarations. `livetime schema`: pipeline files of them.

use livetime_control::describe::describe_json;
use livetime_control::schema::schema_of;
use livetime_engine::{NodeType, ParamSpec, PortSpec};
use livetime_epics::{describe_node, describe_run};
use serde_json::Value;

use crate::config::find_type;
use crate::output::{Exit, Failure, Output};
use crate::report::table::{Style, Table};
use clap::Args;

pub(crate) const NODES_HELP: &str = "\
Examples:
  livetime nodes
  livetime nodes statistics
  livetime nodes --json
  livetime nodes statistics --pvs";

pub(crate) const SCHEMA_HELP: &str = "\
Example:
  livetime schema > pipeline.schema.json
and as first line of a pipeline file:
  # yaml-language-server: $schema=pipeline.schema.json";

/// Arguments of `nodes`.
#[derive(Args, Debug)]
pub(crate) struct NodesArgs {
    /// Describe this type of node.
    pub(crate) name: Option<String>,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// List the PVs that a node of this type serves; without a type, the PVs that belong to a run as a whole.
    #[arg(long)]
    pub(crate) pvs: bool,
}

pub(crate) fn nodes(args: &NodesArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let node = args.name.as_ref().map(|name| find_type(nodes, name));
    let node = node.transpose().map_err(|message| Failure::new(Exit::Usage, message))?;
    if args.pvs {
        let pvs = node.as_ref().map_or_else(describe_run, |node| describe_node(node)["pvs"].take());
        if args.json {
            output.json(&pvs)?
        } else {
            output.data(&pvs_table(&pvs))?
        }
        return Ok(Exit::Ok);
    }
    match (node, args.json) {
        (None, false) => output.data(&list(nodes))?,
        (None, true) => output.json(&nodes.iter().map(all_of).collect())?,
        (Some(node), true) => output.json(&all_of(&node))?,
        (Some(node), false) => output.data(&describe(&node))?,
    }
    Ok(Exit::Ok)
}

/// A type with its ports, parameters and PVs.
fn all_of(node: &NodeType) -> Value {
    let mut described = describe_json(node);
    if let (Value::Object(all), Value::Object(pvs)) = (&mut described, describe_node(node)) {
        all.extend(pvs);
    }
    described
}

fn pvs_table(pvs: &Value) -> String {
    let mut table = Table::new(&["PV", "type", "", "unit", "meaning"]);
    for pv in pvs.as_array().into_iter().flatten() {
        let text = |key: &str| pv[key].as_str().unwrap_or_default().to_owned();
        let choices = pv["choices"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let choices = choices.collect::<Vec<_>>().join(" · ");
        let shape = if choices.is_empty() { text("type") } else { format!("{}: {choices}", text("type")) };
        let access = if pv["writable"] == true { "read and write" } else { "read" };
        table.row([text("name"), shape, access.to_owned(), text("unit"), text("doc")]);
    }
    table.render(Style::default())
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
    let members = node.param_specs().iter().filter_map(|spec| Some(spec.member()?.0)).max();
    // A single member has no other number to choose.
    if let Some(last) = members.filter(|last| *last > 1) {
        text += &format!("\nWhat has a 1 in its name exists {last} times: write 1 to {last}.\n");
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
    // A readback has no default, and a user cannot set it.
    if readback {
        table = Table::new(&[title, "type", "PV", "meaning"]);
    }
    // Of numbered parameters the first is shown; a sentence tells how many there are.
    let is_shown = |s: &ParamSpec| s.readback == readback && s.member().is_none_or(|(number, _)| number == 1);
    for (i, spec) in node.param_specs().iter().enumerate().filter(|(_, s)| is_shown(s)) {
        let default = defaults.get(i).map(|v| v.to_string()).unwrap_or_default();
        let (pv, doc) = (spec.pv.unwrap_or_default().to_owned(), spec.doc.to_owned());
        match readback {
            false => table.row([spec.name.to_owned(), spec.describe(), default, pv, doc]),
            true => table.row([spec.name.to_owned(), spec.describe(), pv, doc]),
        }
    }
    table
}
