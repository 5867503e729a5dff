//! `livetime bench`: the measurements that every claim about speed rests on.
//!
//! Each record names machine, commit and settings, and gives the median and the spread of at least five
//! repeats (`--quick` makes fewer, to see that a benchmark works).

mod actors;
mod analyze;
mod apa;
mod codecs;
mod engine;
mod flood;
mod graph;
mod hits;
mod machine;
mod node;
mod nodes;
mod pace;
mod plugins_2013;
mod pva;
mod replay;
mod resize;
mod search;
mod served;

use livetime_engine::{GraphError, NodeType};
use serde_json::{Value, json};

use crate::output::{Exit, Failure, Output};

/// Which benchmark, and how.
#[derive(clap::Args, Debug, Clone)]
#[command(after_help = HELP, subcommand_negates_reqs = true, args_conflicts_with_subcommands = true)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) own: Option<Own>,
    /// What to measure of Livetime itself.
    #[arg(value_enum, required = true)]
    pub(crate) what: Option<What>,
    /// Print one JSON document on stdout.
    #[arg(long)]
    pub(crate) json: bool,
    /// Short and few measurements: shows that it works, not how fast it is.
    #[arg(long)]
    pub(crate) quick: bool,
    /// `actors`, `analyze`, `codecs`, `engine`, `hits` and `nodes`: only the rows whose name contains this text.
    #[arg(long, default_value = "")]
    pub(crate) filter: String,
    /// `actors`: another engine's program with the same patterns, to be run in turn with ours.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) peer: Option<std::path::PathBuf>,
    /// `apa`: number of links, or two as 1..10.
    #[arg(long, value_name = "N|A..B", value_parser = links)]
    pub(crate) links: Option<std::ops::RangeInclusive<usize>>,
    /// `apa`, `plugins-2013` and `served`: seconds for each run.
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

fn links(text: &str) -> Result<std::ops::RangeInclusive<usize>, String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    match (from.parse(), to.parse()) {
        (Ok(from), Ok(to)) if 0 < from && from <= to && to <= 10 => Ok(from..=to),
        _ => Err(format!("wanted a number of links from 1 to 10, or two as 1..10, found `{text}`")),
    }
}

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

/// A benchmark of the user's own graph.
#[derive(clap::Subcommand, Debug, Clone)]
pub(crate) enum Own {
    /// The highest rate at which a pipeline loses nothing, and what limits it.
    #[command(after_help = graph::HELP)]
    Graph(graph::GraphArgs),
    /// The throughput of a node or a chain of nodes, fed with frames from the pipeline's own sources.
    #[command(after_help = node::HELP)]
    Node(node::NodeArgs),
}

const HELP: &str = "\
Examples:
  livetime bench graph beamline.yaml
  livetime bench node beamline.yaml STATS1 --frames 1000
  livetime bench plugins-2013 --json > record.json
  livetime bench nodes --filter statistics
  livetime bench engine --quick
  livetime bench actors --peer ~/.cache/livetime/peers/sobjectizer/actors_peer
  livetime bench codecs --filter blockpack
  livetime bench hits --filter seed
  livetime bench apa --links 1..10
  livetime bench analyze --filter hist
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
    /// Ratio and speed of every codec, on simulated and real frames.
    Codecs,
    /// Wire readout: unpacking and finding hits, per algorithm and instruction-set level.
    Hits,
    /// Wire readout from raw frames to triggers, at the detector's rate: how many links lose nothing.
    Apa,
    /// Mean and deviation of recorded runs, per codec and number of workers.
    Analyze,
    /// What a frame costs on its way from node to node.
    Engine,
    /// What messages between agents cost.
    Actors,
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

/// What a program has taken from its allocator so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Allocations {
    /// How often.
    pub count: usize,
    /// Bytes that it has not given back.
    pub bytes: usize,
}

/// Tells what the program has allocated; the program's `main` knows its allocator.
pub type CountAllocations = fn() -> Allocations;

/// Runs a benchmark and prints its record: as JSON, or as a table.
pub(crate) fn bench(
    args: &BenchArgs,
    nodes: &[NodeType],
    count: CountAllocations,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match &args.own {
        Some(Own::Graph(args)) => return graph::run(args, nodes, output),
        Some(Own::Node(args)) => return node::run(args, nodes, output),
        None => {}
    }
    let Some(what) = args.what else { return Err(Failure::new(Exit::Usage, "wanted what to measure")) };
    if what == What::PvaPeer {
        let of = |list: &[usize]| list.first().copied().unwrap_or(0);
        let served = pva::serve(of(&args.channels), of(&args.elements), args.size.0, args.spin);
        return served.map(|()| Exit::Ok).map_err(|e| Failure::new(Exit::Failed, e));
    }
    let (name, found) = match what {
        What::Plugins2013 => ("plugins-2013", plugins_2013::run(args, output)),
        What::Nodes => ("nodes", nodes::run(args, output)),
        What::Codecs => ("codecs", codecs::run(args, output)),
        What::Hits => ("hits", hits::run(args, output)),
        What::Apa => ("apa", apa::run(args, output)),
        What::Analyze => ("analyze", analyze::run(args, output)),
        What::Engine => ("engine", engine::run(args, count, output)),
        What::Actors => ("actors", actors::run(args, count, output)),
        What::PvaGet => ("pva-get", pva::get(args, output)),
        What::PvaStages => ("pva-stages", pva::stages(args, output)),
        What::PvaMonitor => ("pva-monitor", pva::monitor(args, output)),
        What::Served => ("served", served::run(args, output)),
        What::PvaPeer => return Ok(Exit::Ok),
    };
    let found = found.map_err(|e| Failure::new(Exit::Failed, format!("bench {name}: {e}")))?;
    tell(name, found, args.json, args.quick, output)?;
    Ok(Exit::Ok)
}

/// Prints what was found; as JSON, with what it was measured on.
fn tell(name: &str, found: Record, json: bool, quick: bool, output: &mut Output) -> Result<(), Failure> {
    if !json {
        return output.data(&format!("{}\n", found.table));
    }
    let mut record = json!({
        "bench": name,
        "machine": machine::machine(),
        "commit": env!("LIVETIME_COMMIT"),
        "quick": quick,
        "repeats": if quick { 1 } else { REPEATS },
    });
    merge(&mut record, found.json);
    output.json(&record)
}

/// Adds the keys of one object to another.
pub(crate) fn merge(into: &mut Value, more: Value) {
    if let (Value::Object(into), Value::Object(more)) = (into, more) {
        into.extend(more);
    }
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
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

impl Spread {
    fn json(self) -> Value {
        json!({ "median": tenths(self.median), "min": tenths(self.min), "max": tenths(self.max) })
    }
}

/// Repeats of a measurement that is not quick.
const REPEATS: usize = 5;

fn repeats(args: &BenchArgs) -> usize {
    if args.quick { 1 } else { REPEATS }
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
