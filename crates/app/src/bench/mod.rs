//! `livetime bench`: the measurements that every claim about speed rests on.
//!
//! Each record names machine, commit and settings, and gives the median and the spread of at least five
//! repeats (`--quick` makes fewer, to see that a benchmark works).

mod engine;
mod flood;
mod machine;
mod nodes;
mod plugins_2013;

use std::io::Write;

use serde_json::{Value, json};

pub use machine::machine;

/// Which benchmark, and how.
#[derive(clap::Args, Debug, Clone)]
#[command(after_help = "Examples:\n  livetime bench plugins-2013 --json > record.json\n  livetime bench nodes --filter statistics")]
pub struct BenchArgs {
    /// What to measure.
    #[arg(value_enum)]
    pub what: What,
    /// Print one JSON document on stdout.
    #[arg(long)]
    pub json: bool,
    /// Short and few measurements: shows that it works, not how fast it is.
    #[arg(long)]
    pub quick: bool,
    /// `nodes`: only the rows whose name contains this text.
    #[arg(long, default_value = "")]
    pub filter: String,
    /// `plugins-2013`: seconds for each period of the sweep.
    #[arg(long, default_value_t = 3.0)]
    pub seconds: f64,
}

/// A benchmark.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// areaDetector's study of 2013: detector and eleven plugins, rate against dropped frames.
    #[value(name = "plugins-2013")]
    Plugins2013,
    /// Service time of every node, per dtype and instruction-set level.
    Nodes,
    /// What a frame costs on its way from node to node.
    Engine,
}

/// Tells how many allocations the program has made; the program's `main` knows its allocator.
pub type CountAllocations = fn() -> usize;

/// Runs a benchmark and prints its record: as JSON, or as a table.
///
/// # Errors
/// Text saying what could not be run.
pub fn run(
    args: &BenchArgs,
    count: CountAllocations,
    out: &mut dyn Write,
    progress: &mut dyn Write,
) -> Result<(), String> {
    let (name, body) = match args.what {
        What::Plugins2013 => ("plugins-2013", plugins_2013::run(args, progress)?),
        What::Nodes => ("nodes", nodes::run(args, progress)?),
        What::Engine => ("engine", engine::run(args, count, progress)?),
    };
    let mut record = json!({
        "bench": name,
        "machine": machine(),
        "commit": env!("LIVETIME_COMMIT"),
        "quick": args.quick,
    });
    if let (Value::Object(record), Value::Object(body)) = (&mut record, body.json) {
        record.extend(body);
    }
    let printed =
        if args.json { writeln!(out, "{record:#}") } else { writeln!(out, "{}", body.table) };
    printed.map_err(|e| format!("cannot print: {e}"))
}

/// What a benchmark found: for machines, and for people.
struct Record {
    json: Value,
    table: String,
}

/// Median, smallest and largest of some repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    median: f64,
    min: f64,
    max: f64,
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        let at = |i: usize| values.get(i).copied().unwrap_or(f64::NAN);
        Spread { median: at(values.len() / 2), min: at(0), max: at(values.len().saturating_sub(1)) }
    }
}

fn repeats(args: &BenchArgs) -> usize {
    if args.quick { 1 } else { 5 }
}

/// Shows how far a long benchmark has come, unless the output goes to a file or another program.
fn say(progress: &mut dyn Write, text: &str) {
    // Progress that cannot be shown is not worth an error.
    let _ = writeln!(progress, "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_repeats() {
        assert_eq!(Spread::of(vec![3.0, 1.0, 2.0]), Spread { median: 2.0, min: 1.0, max: 3.0 });
        assert!(Spread::of(vec![]).median.is_nan());
    }
}
