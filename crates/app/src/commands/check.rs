//! `livetime check`: whether a pipeline can run, and the data that will flow in it.

mod host_keys;
mod over_hosts;
mod shown;

use std::path::PathBuf;

use livetime_engine::{Graph, GraphError, NodeType};
use serde_json::{Value, json};

use crate::args::{KeptArgs, PipelineArgs};
use crate::output::{Exit, Failure, Output};
use crate::report::numbers::bytes;
use clap::Args;

pub(crate) const CHECK_HELP: &str = "\
Examples:
  livetime check beamline.yaml
  livetime check beamline.yaml --json
  livetime check beamline.yaml --hosts
  livetime check beamline.yaml --hosts --keys keys
  livetime check beamline.yaml --host detector";

/// Arguments of `check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) pipeline: PipelineArgs,
    #[command(flatten)]
    pub(crate) kept: KeptArgs,
    /// Check the part of every host, and show the hosts and the cuts between them.
    #[arg(long, conflicts_with = "host", requires = "file")]
    pub(crate) hosts: bool,
    /// Make keys for all links over ZeroMQ between hosts that have `keys` in the file: FOLDER gets a folder for each host or worker,
    /// to be carried to its machine by a safe way. Keys that are there stay.
    #[arg(long, value_name = "FOLDER", requires = "hosts")]
    pub(crate) keys: Option<PathBuf>,
}

pub(crate) fn check(args: &CheckArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    if args.hosts {
        return over_hosts::check(&args.pipeline, args.keys.as_deref(), nodes, output);
    }
    let mut pipeline = super::load(&args.pipeline, nodes, output)?;
    let keeping = super::kept::read(&mut pipeline, &args.pipeline, &args.kept);
    let missing = missing(&pipeline.graph);
    let exit = if missing.is_empty() { Exit::Ok } else { Exit::Failed };
    if args.pipeline.json {
        let mut json = shown::as_json(&pipeline);
        json["settings"] = super::kept::json(&keeping);
        if exit != Exit::Ok {
            livetime_measure::merge(&mut json, not_started(&missing));
        }
        output.json(&json)?;
    } else {
        output.data(&shown::as_text(&pipeline))?;
        super::kept::lines(&keeping).for_each(|line| output.log(line));
        missing
            .iter()
            .for_each(|(_, why)| output.log(format_args!("it would not start here and now: {why}")));
    }
    Ok(exit)
}

/// As a run that does not start tells it.
fn not_started(missing: &[Missing]) -> Value {
    let errors: Vec<Value> =
        missing.iter().map(|(code, message)| json!({ "code": code, "message": message })).collect();
    json!({ "ok": false, "exit_code": Exit::Failed as u8, "exit_reason": "not_started", "errors": errors })
}

/// The code and the sentence of a missing thing.
type Missing = (&'static str, String);

/// Things that a pipeline without mistakes needs and that are missing here and now: files that it reads, memory.
fn missing(graph: &Graph) -> Vec<Missing> {
    let told = |error: GraphError| (error.fault().code(), error.to_string());
    let mut errors: Vec<Missing> = graph.look().into_iter().map(told).collect();
    let wanted = graph.memory_bytes as u64;
    if let Some(there) = memory_of_machine().filter(|there| wanted > *there) {
        let (wanted, there) = (bytes(wanted), bytes(there));
        let message = format!("memory: wanted at most what this machine has, {there}, found {wanted}");
        errors.push(("memory", message));
    }
    errors
}

/// Bytes of memory that the machine has, where the system says it.
fn memory_of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
