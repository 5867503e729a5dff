//! One file for each subcommand.

pub(crate) mod analyze;
pub(crate) mod bench;
pub(crate) mod black_box;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod examples;
pub(crate) mod hosts;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod inspect;
pub(crate) mod join;
pub(crate) mod kept;
#[cfg(feature = "zmq")]
pub(crate) mod keys;
pub(crate) mod ledger;
pub(crate) mod nodes;
pub(crate) mod pages;
pub(crate) mod pv;
pub(crate) mod pvs;
pub(crate) mod python;
pub(crate) mod recover;
pub(crate) mod run;
pub(crate) mod run_args;
mod same_names;
pub(crate) mod settings;
pub(crate) mod shell;
pub(crate) mod sim;
pub(crate) mod top;
pub(crate) mod verify;
pub mod web;

use livetime_engine::NodeType;
use serde_json::{Value, json};

use crate::args::PipelineArgs;
use crate::config::{self, Pipeline, Problems};
use crate::output::{Exit, Failure, Output};

/// The checked pipeline that the arguments name; its mistakes are printed in the form that they ask for.
pub(crate) fn load(
    args: &PipelineArgs,
    nodes: &[NodeType],
    output: &mut Output,
) -> Result<Pipeline, Failure> {
    let file = args.file.as_deref();
    let loaded = match args.host_part() {
        Some(host) => config::load_host(file, nodes, &args.settings, host),
        None => config::load(file, nodes, &args.settings),
    };
    let mut pipeline = loaded.map_err(|problems| refuse(&problems, args.json, output))?;
    name_over_hosts(&mut pipeline);
    Ok(pipeline)
}

/// Nodes of a host have the names of PVs that they have among the nodes of all hosts, so that no two hosts have one name.
fn name_over_hosts(pipeline: &mut Pipeline) {
    let Some(whole) = &pipeline.whole else { return };
    let chosen = pipeline.pvaccess.names.clone();
    let names = crate::pvs::instances(whole, &chosen);
    for (node, name) in whole.nodes().iter().zip(names) {
        pipeline.pvaccess.names.entry(node.name.clone()).or_insert(name);
    }
    if let Some(worker) = pipeline.worker {
        pipeline.pvaccess.names.values_mut().for_each(|name| *name = format!("{name}:{worker}"));
    }
}

/// Prints the mistakes of a pipeline.
fn refuse(problems: &Problems, as_json: bool, output: &mut Output) -> Failure {
    if as_json {
        return match output.json(&refusal(problems)) {
            Ok(()) => Failure::new(Exit::Usage, ""),
            Err(failure) => failure,
        };
    }
    output.log(problems);
    Failure::new(Exit::Usage, count(problems.list.len(), "error") + "; nothing was started")
}

fn refusal(problems: &Problems) -> Value {
    json!({
        "ok": false,
        "exit_code": Exit::Usage as u8,
        "exit_reason": "refused",
        "errors": problems.json(),
    })
}

/// `1 node`, `2 nodes`.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
