//! Another engine with the same patterns, as a program that prints them as JSON (see `bench/actors_peer`).

use crate::Failed;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Times in ns by the names of patterns.
pub(super) type Rows = BTreeMap<String, f64>;

/// Runs the peer once. Returns the engine's name and its measurements.
pub(super) fn run(program: &Path, quick: bool) -> Result<(String, Rows), Failed> {
    let at = |what: String| format!("{}: {what}", program.display());
    let mut command = Command::new(program);
    let done = command.args(quick.then_some("--quick")).output().map_err(|e| at(e.to_string()))?;
    if !done.status.success() {
        return Err(at(format!("ended with {}", done.status)).into());
    }
    let found: Value = serde_json::from_slice(&done.stdout).map_err(|e| at(format!("wanted JSON: {e}")))?;
    let row = |row: &Value| Some((row["pattern"].as_str()?.to_owned(), row["ns"].as_f64()?));
    let rows = found["rows"].as_array().map(|rows| rows.iter().filter_map(row).collect());
    let name = found["engine"].as_str().unwrap_or("unknown").to_owned();
    Ok((name, rows.ok_or_else(|| at("wanted `rows`, found none".to_owned()))?))
}
