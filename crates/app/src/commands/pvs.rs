//! `livetime pvs`: the PVs that a run of a pipeline would serve, and records that link to them.

use livetime_engine::NodeType;
use serde_json::{Value, json};

use crate::cli::PvsArgs;
use crate::config::Pipeline;
use crate::output::{Exit, Failure, Output};
use crate::pvs::{describe_node, describe_run, document, instances, record_file};
use crate::report::table::{Style, Table};

pub(crate) fn pvs(args: &PvsArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    if args.markdown {
        output.data(&document(nodes))?;
        return Ok(Exit::Ok);
    }
    let pipeline = super::load(&args.pipeline, nodes, output)?;
    let prefix = args.prefix.as_ref().unwrap_or(&pipeline.pvaccess.prefix);
    if args.db {
        let records = args.records.as_ref().unwrap_or(prefix);
        output.data(&record_file(&pipeline.graph, &pipeline.pvaccess.names, prefix, records))?;
        return Ok(Exit::Ok);
    }
    let all = list(&pipeline, prefix);
    if args.pipeline.json {
        output.json(&json!(all))?;
    } else {
        output.data(&as_text(&all))?;
    }
    Ok(Exit::Ok)
}

/// All PVs as `livetime nodes TYPE --pvs --json` describes them, with their whole names.
fn list(pipeline: &Pipeline, prefix: &str) -> Vec<Value> {
    let graph = &pipeline.graph;
    let instances = instances(graph, &pipeline.pvaccess.names);
    let of_nodes = graph.nodes().iter().zip(&instances).flat_map(|(node, instance)| {
        let mut described = describe_node(&node.node_type);
        named(described["pvs"].take(), &format!("{prefix}{instance}:"))
    });
    of_nodes.chain(named(describe_run(), prefix)).collect()
}

fn named(pvs: Value, before: &str) -> Vec<Value> {
    let Value::Array(mut pvs) = pvs else { return Vec::new() };
    for pv in &mut pvs {
        let name = pv["name"].as_str().unwrap_or_default();
        pv["name"] = format!("{before}{name}").into();
    }
    pvs
}

fn as_text(pvs: &[Value]) -> String {
    let mut table = Table::new(&["PV", "type", "", "what it is"]);
    for pv in pvs {
        let text = |key: &str| pv[key].as_str().unwrap_or_default().to_owned();
        let access = if pv["writable"] == true { "read and write" } else { "read" };
        table.row([text("name"), text("type"), access.to_owned(), text("doc")]);
    }
    table.render(Style::default())
}
