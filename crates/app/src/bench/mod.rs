//! `livetime bench`: the measurements that every claim about speed rests on.
//!
//! Each record names machine, commit and settings, and gives the median and the spread of at least five
//! repeats (`--quick` makes fewer, to see that a benchmark works).

mod engine;
mod flood;
mod hits;
mod machine;
mod nodes;
mod plugins_2013;
mod pva;
mod served;

use livetime_engine::GraphError;
use serde_json::{Value, json};

use crate::output::{Exit, Failure, Output};

/// Which benchmark, and how.
#[derive(clap::Args, Debug, Clone)]
#[command(after_help = HELP)]
pub(crate) struct BenchArgs {
    /// What to measure.
    #[arg(value_enum)]
    pub(crate) what: What,
    /// Print one JSON document on stdout.
    #[arg(long)]
    pub(crate) json: bool,
    /// Short and few measurements: shows that it works, not how fast it is.
    #[arg(long)]
    pub(crate) quick: bool,
    /// `nodes`, `engine` and `hits`: only the rows whose name contains this text.
    #[arg(long, default_value = "")]
    pub(crate) filter: String,
    /// `plugins-2013` and `served`: seconds for each run.
    #[arg(long, default_value_t = 3.0)]
    pub(crate) seconds: f64,
    /// `pva-get`: numbers of channels, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(crate) channels: Vec<usize>,
    /// `pva-get` and `pva-stages`: doubles in each channel, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(crate) elements: Vec<usize>,
    /// `pva-monitor`: size of an image of bytes.
    #[arg(long, default_value = "1024x1024", value_name = "WxH")]
    pub(crate) size: ImageSize,
    /// `pva-monitor`: numbers of subscribers, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(crate) subscribers: Vec<usize>,
    /// pvAccess: both sides look for answers without sleeping.
    #[arg(long)]
    pub(crate) spin: bool,
}

/// Bytes of an image, from `WxH` or a number of bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImageSize(usize);

impl std::str::FromStr for ImageSize {
    type Err = String;

    fn from_str(text: &str) -> Result<ImageSize, String> {
        let bytes = text.split('x').try_fold(1usize, |product, size| product.checked_mul(size.parse().ok()?));
        // An image travels in one message, whose length is a u32.
        let fits = bytes.filter(|bytes| *bytes <= 1 << 30);
        fits.map(ImageSize)
            .ok_or_else(|| format!("wanted WxH such as 1024x1024, at most 1 GiB, found `{text}`"))
    }
}

const HELP: &str = "\
Examples:
  livetime bench plugins-2013 --json > record.json
  livetime bench nodes --filter statistics
  livetime bench engine --quick
  livetime bench hits --filter seed
  livetime bench pva-get --channels 1,1000,10000 --elements 1,1000
  livetime bench pva-monitor --size 1024x1024 --subscribers 1,4

Progress goes to stderr. Compare two versions in one session, one after the other: machines differ.";

/// A benchmark.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// areaDetector's study of 2013: detector and eleven plugins, rate against dropped frames.
    #[value(name = "plugins-2013")]
    Plugins2013,
    /// Service time of every node, per dtype and instruction-set level.
    Nodes,
    /// Wire readout: unpacking and finding hits, per algorithm and instruction-set level.
    Hits,
    /// What a frame costs on its way from node to node.
    Engine,
    /// pvAccess: gets per second on 1 to 10000 channels, beside plain TCP.
    #[value(name = "pva-get")]
    PvaGet,
    /// pvAccess: the stages of one get.
    #[value(name = "pva-stages")]
    PvaStages,
    /// pvAccess: images and numbers to subscribers.
    #[value(name = "pva-monitor")]
    PvaMonitor,
    /// What it costs a run at 10 kHz that it is served over pvAccess.
    Served,
    /// The server process of the pvAccess benchmarks.
    #[value(name = "pva-peer", hide = true)]
    PvaPeer,
}

/// Tells how many allocations the program has made; the program's `main` knows its allocator.
pub type CountAllocations = fn() -> usize;

/// Runs a benchmark and prints its record: as JSON, or as a table.
pub(crate) fn bench(args: &BenchArgs, count: CountAllocations, output: &mut Output) -> Result<Exit, Failure> {
    if args.what == What::PvaPeer {
        let of = |list: &[usize]| list.first().copied().unwrap_or(0);
        let served = pva::serve(of(&args.channels), of(&args.elements), args.size.0, args.spin);
        return served.map(|()| Exit::Ok).map_err(|e| Failure::new(Exit::Failed, e));
    }
    let (name, found) = match args.what {
        What::Plugins2013 => ("plugins-2013", plugins_2013::run(args, output)),
        What::Nodes => ("nodes", nodes::run(args, output)),
        What::Hits => ("hits", hits::run(args, output)),
        What::Engine => ("engine", engine::run(args, count, output)),
        What::PvaGet => ("pva-get", pva::get(args, output)),
        What::PvaStages => ("pva-stages", pva::stages(args, output)),
        What::PvaMonitor => ("pva-monitor", pva::monitor(args, output)),
        What::Served => ("served", served::run(args, output)),
        What::PvaPeer => return Ok(Exit::Ok),
    };
    let found = found.map_err(|e| Failure::new(Exit::Failed, format!("bench {name}: {e}")))?;
    if !args.json {
        output.data(&format!("{}\n", found.table))?;
        return Ok(Exit::Ok);
    }
    let mut record = json!({
        "bench": name,
        "machine": machine::machine(),
        "commit": env!("LIVETIME_COMMIT"),
        "quick": args.quick,
        "repeats": repeats(args),
    });
    if let (Value::Object(record), Value::Object(body)) = (&mut record, found.json) {
        record.extend(body);
    }
    output.json(&record)?;
    Ok(Exit::Ok)
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

/// All problems of a graph in one line.
fn in_one_line(errors: &[GraphError]) -> String {
    errors.iter().map(GraphError::to_string).collect::<Vec<_>>().join("; ")
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
