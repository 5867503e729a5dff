//! A process that merges parts, and tells the memory that it took.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use livetime_analysis::Plan;
use serde_json::{Value, json};

use crate::Failed;

/// One merge: the parts, their files or folders, and the folder of the result. Without a folder the results of the analysis are made.
pub(super) struct Merge {
    pub(super) numbers: Range<usize>,
    pub(super) from: Vec<PathBuf>,
    pub(super) into: Option<PathBuf>,
}

/// What a process told at its end.
pub(super) struct Told {
    /// Peak of the memory above the process that has read the plan, in bytes.
    pub(super) peak: f64,
    /// The peak of all, with the plan.
    pub(super) whole: f64,
    pub(super) seconds: f64,
}

/// Carries out merges, one after the other, in a process of their own.
pub(super) fn merge_apart(program: &Path, plan: &Path, merges: &[Merge]) -> Result<Told, Failed> {
    let mut command = Command::new(program);
    // Lists of a partial result then never lie in memory that the plan was read into, where they would not be counted.
    command.env("MALLOC_MMAP_THRESHOLD_", "65536");
    let child = command.arg("merge-peer").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|e| format!("cannot start the process that merges: {e}"))?;
    let mut orders = child.stdin.take().ok_or("wanted a pipe to the process that merges, found none")?;
    let mut text = format!("{}\n", json!(plan));
    for Merge { numbers, from, into } in merges {
        text += &format!("{}\n", json!([numbers.start, numbers.end, from, into]));
    }
    orders.write_all(text.as_bytes())?;
    drop(orders);
    let mut answer = String::new();
    child.stdout.take().map_or(Ok(0), |mut out| out.read_to_string(&mut answer))?;
    let status = child.wait()?;
    let told: Value = serde_json::from_str(&answer).unwrap_or_default();
    let number = |key: &str| told[key].as_f64();
    match (status.success(), number("peak"), number("whole"), number("seconds")) {
        (true, Some(peak), Some(whole), Some(seconds)) => Ok(Told { peak, whole, seconds }),
        _ => Err(format!("wanted the memory of the process that merges, found `{answer}` ({status})").into()),
    }
}

/// The work of that process: a line with the plan and a line for each merge on stdin, the answer on `out`.
///
/// # Errors
/// If a line has another form, or a merge fails.
pub fn merge_parts(out: &mut dyn Write) -> Result<(), Failed> {
    let mut lines = BufReader::new(std::io::stdin().lock()).lines();
    let line = lines.next().ok_or("wanted the path of a plan, found nothing")??;
    let plan = Plan::read(&serde_json::from_str::<PathBuf>(&line)?)?;
    let reducers = plan.reducers()?;
    let work = plan.work(&reducers)?;
    // The text of the plan was there twice while it was read; from here on the peak is the peak of the merges.
    fs::write("/proc/self/clear_refs", "5")?;
    let (base, begin) = (status_kib("VmRSS")?, Instant::now());
    for line in lines {
        let (start, end, from, into): (usize, usize, Vec<PathBuf>, Option<PathBuf>) =
            serde_json::from_str(&line?)?;
        match into {
            Some(into) => drop(plan.merge_some(&work, start..end, &from)?.write(&into)?),
            None => drop(plan.merge(&work, &from)?),
        }
    }
    let (whole, seconds) = (status_kib("VmHWM")?, begin.elapsed().as_secs_f64());
    writeln!(
        out,
        "{}",
        json!({ "peak": (whole - base) * 1024.0, "whole": whole * 1024.0, "seconds": seconds })
    )?;
    Ok(())
}

/// A number of the system about this process.
fn status_kib(key: &str) -> Result<f64, Failed> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    Ok(number.ok_or_else(|| format!("wanted {key} of the process, found none"))?)
}
