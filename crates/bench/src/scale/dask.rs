//! An analysis in parts over Dask, beside what a user of Dask and numpy writes.

use std::path::Path;
use std::process::Command;

use livetime_formats::file::Heads;
use livetime_formats::xtc1::DatagramHeader;
use livetime_formats::xtc1::compressed::Engine;
use serde_json::{Value, json};

use super::row::{Row, spread};
use crate::analyze::SimulatedRun;
use crate::{Failed, Settings};

const SCRIPT: &str = include_str!("dask.py");

pub(super) const CASE: &str = "mean of a CSPad over Dask, 2 processes";
/// 1.8 GB, and what shows that the row can be measured.
const EVENTS: u64 = 400;
const QUICK_EVENTS: u64 = 20;
/// Headers of a datagram, of the container of a node and of the leaf: the pixels of the first quadrant lie behind them.
const BEFORE_PIXELS: u64 = 40 + 20 + 20;

/// Measures with a Python that has livetime, numpy and distributed.
pub(super) fn measure(settings: &Settings, python: &Path, row: &mut Row) -> Result<(), Failed> {
    let run = SimulatedRun::write(Engine::NONE, if settings.quick { QUICK_EVENTS } else { EVENTS })?;
    let mut heads = Heads::<DatagramHeader, _>::new(std::fs::File::open(run.path())?);
    let mut all = std::iter::from_fn(|| heads.next().transpose()).take(3).collect::<Result<Vec<_>, _>>()?;
    let (Some((next, _)), Some((first, _))) = (all.pop(), all.pop()) else {
        return Err("wanted a run of two events, found fewer".into());
    };
    // A script with a `__main__` of its own, because the processes of Dask read it again.
    let script = tempfile::Builder::new().suffix(".py").tempfile()?;
    std::fs::write(script.path(), SCRIPT)?;
    let numbers = [first, next - first, BEFORE_PIXELS, settings.repeats() as u64].map(|n| n.to_string());
    let ran = Command::new(python).arg(script.path()).arg(run.path()).args(numbers).output()?;
    let found: Value = serde_json::from_slice(&ran.stdout).unwrap_or_default();
    if !ran.status.success() || found["same"] != true {
        let why = String::from_utf8_lossy(&ran.stderr);
        return Err(format!(
            "wanted equal means by a Python with livetime and distributed, found {found}: {why}"
        )
        .into());
    }
    let times = |name: &str| -> Vec<f64> {
        found[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let ratios =
        |name: &str| times(name).iter().zip(times("ours")).map(|(other, ours)| other / ours).collect();
    row.values = ratios("array");
    row.reference = vec![1.0];
    row.more = json!({
        "events": found["events"],
        "livetime_s": spread(times("ours")),
        "livetime_executor_s": spread(times("executor")),
        "dask_array_s": spread(times("array")),
        "numpy_loop_s": spread(times("loop")),
        "times_numpy_loop": spread(ratios("loop")),
    });
    Ok(())
}
