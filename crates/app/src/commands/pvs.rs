//! `livetime pvs`: the PVs that a run of a pipeline would serve, and records that link to them.

use livetime_engine::NodeType;
use serde_json::{Value, json};

use crate::args::PipelineArgs;
use crate::config::Pipeline;
use crate::config::checked_prefix;
use crate::output::{Exit, Failure, Output};
use crate::pvs::{describe_node, describe_run, document, instances, record_file};
use crate::report::table::{Style, Table};
use clap::Args;

pub(crate) const PVS_HELP: &str = "\
Examples:
  livetime pvs beamline.yaml
  livetime pvs --markdown > all-pvs.md
  livetime pvs beamline.yaml --db > beamline.db
  livetime pvs beamline.yaml --db --prefix BL7: --records BL7CA: > beamline.db

The records are for a stock IOC with pvAccess links (softIocPVX of PVXS, or QSRV), so that clients of Channel Access read and write
the values of a run. Pictures are left out. Nothing is started.";

/// Arguments of `pvs`.
#[derive(Args, Debug)]
pub(crate) struct PvsArgs {
    #[command(flatten)]
    pub(crate) pipeline: PipelineArgs,
    /// The names of all PVs begin with this text; by default with the prefix in the pipeline file, else with 13SIM1:
    #[arg(long, value_name = "TEXT", value_parser = checked_prefix)]
    pub(crate) prefix: Option<String>,
    /// Print every PV of every type of node, and each PV of areaDetector with its fate here, as tables in Markdown. No pipeline file is read.
    #[arg(long, conflicts_with_all = ["json", "db", "file", "prefix"])]
    pub(crate) markdown: bool,
    /// Write a record file with a link to each PV.
    #[arg(long, conflicts_with = "json")]
    pub(crate) db: bool,
    /// The names of all records begin with this text; by default with the prefix of the PVs.
    #[arg(long, value_name = "TEXT", value_parser = checked_prefix, requires = "db")]
    pub(crate) records: Option<String>,
}

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
