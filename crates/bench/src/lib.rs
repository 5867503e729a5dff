//! The measurements that every claim about speed rests on; `livetime bench` is their face.
//!
//! [`Benchmark`] is one of Livetime itself; [`graph()`] and [`Chain`] measure a graph of the user. Each gives a [`Record`]: a table for people, and
//! JSON, to which [`Session::finish`] adds machine, commit and settings. Numbers are the median and the spread of at least five repeats
//! (`quick` makes fewer, to see that a benchmark works).
//!
//! ```
//! use livetime_bench::{Allocations, Benchmark, Session, Settings};
//!
//! let session = Session::begin();
//! let settings = Settings { quick: true, filter: "roi crop".into(), ..Settings::default() };
//! let found = Benchmark::Nodes.run(&settings, Allocations::default, &mut |line| assert!(line.starts_with("roi crop")))?;
//! let found = session.finish("nodes", settings.quick, "unknown", found);
//! assert!(found.json["rows"].as_array().is_some_and(|rows| !rows.is_empty()) && found.table.contains("roi crop"));
//! # Ok::<(), String>(())
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod actors;
mod analyze;
mod apa;
mod codecs;
mod cpu;
mod engine;
mod flood;
mod graph;
mod hits;
mod ingest;
mod machine;
mod neighbours;
mod node;
mod nodes;
mod pace;
mod plugins_2013;
mod pva;
mod record;
mod replay;
mod resize;
mod search;
mod served;
#[cfg(test)]
mod test_nodes;
mod usage;
mod web;

use std::ops::RangeInclusive;
use std::path::PathBuf;

use livetime_engine::GraphError;
use serde_json::{Value, json};

pub use graph::graph;
use neighbours::Neighbours;
pub use node::Chain;
pub use pva::serve;
pub use usage::{Meter, Usage};

/// A benchmark of Livetime itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Benchmark {
    /// areaDetector's study of 2013: detector and eleven plugins, rate against dropped frames.
    Plugins2013,
    /// Service time of every node, per dtype and instruction-set level.
    Nodes,
    /// Ratio and speed of every codec, on simulated and real frames.
    Codecs,
    /// Wire readout: unpacking and finding hits, per algorithm and instruction-set level.
    Hits,
    /// Wire readout: what a source spends on a raw frame.
    Ingest,
    /// Wire readout from raw frames to triggers, at the detector's rate: how many links lose nothing.
    Apa,
    /// Mean and deviation of recorded runs, per codec and number of workers.
    Analyze,
    /// What a frame costs on its way from node to node.
    Engine,
    /// What messages between agents cost.
    Actors,
    /// pvAccess: gets per second on 1 to 10000 channels, beside plain TCP.
    PvaGet,
    /// pvAccess: the stages of one get.
    PvaStages,
    /// pvAccess: images and numbers to subscribers.
    PvaMonitor,
    /// What it costs a run that it is served over pvAccess: at 10 kHz, and with up to a hundred thousand PVs.
    Served,
    /// What `hdf5_files` writes, beside threads that only write and beside h5py.
    Record,
    /// What it costs a run that pages show it: pictures, moments, changes, and its highest rate.
    Web,
}

impl Benchmark {
    /// All of them, in the order of the help.
    pub const ALL: [Benchmark; 15] = [
        Benchmark::Plugins2013,
        Benchmark::Nodes,
        Benchmark::Codecs,
        Benchmark::Hits,
        Benchmark::Ingest,
        Benchmark::Apa,
        Benchmark::Analyze,
        Benchmark::Engine,
        Benchmark::Actors,
        Benchmark::PvaGet,
        Benchmark::PvaStages,
        Benchmark::PvaMonitor,
        Benchmark::Served,
        Benchmark::Record,
        Benchmark::Web,
    ];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Benchmark::Plugins2013 => "plugins-2013",
            Benchmark::Nodes => "nodes",
            Benchmark::Codecs => "codecs",
            Benchmark::Hits => "hits",
            Benchmark::Ingest => "ingest",
            Benchmark::Apa => "apa",
            Benchmark::Analyze => "analyze",
            Benchmark::Engine => "engine",
            Benchmark::Actors => "actors",
            Benchmark::PvaGet => "pva-get",
            Benchmark::PvaStages => "pva-stages",
            Benchmark::PvaMonitor => "pva-monitor",
            Benchmark::Served => "served",
            Benchmark::Record => "record",
            Benchmark::Web => "web",
        }
    }

    /// What is measured, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Benchmark::Plugins2013 => {
                "areaDetector's study of 2013: detector and eleven plugins, rate against dropped frames"
            }
            Benchmark::Nodes => "Service time of every node, per dtype and instruction-set level",
            Benchmark::Codecs => "Ratio and speed of every codec, on simulated and real frames",
            Benchmark::Hits => {
                "Wire readout: unpacking and finding hits, per algorithm and instruction-set level"
            }
            Benchmark::Ingest => "Wire readout: what a source spends on a raw frame",
            Benchmark::Apa => {
                "Wire readout from raw frames to triggers, at the detector's rate: how many links lose nothing"
            }
            Benchmark::Analyze => "Mean and deviation of recorded runs, per codec and number of workers",
            Benchmark::Engine => "What a frame costs on its way from node to node",
            Benchmark::Actors => "What messages between agents cost",
            Benchmark::PvaGet => "pvAccess: gets per second on 1 to 10000 channels, beside plain TCP",
            Benchmark::PvaStages => "pvAccess: the stages of one get",
            Benchmark::PvaMonitor => "pvAccess: images and numbers to subscribers",
            Benchmark::Served => "What it costs a run that it is served over pvAccess: at 10 kHz, and per PV",
            Benchmark::Record => "What hdf5_files writes into memory, beside what the system can do",
            Benchmark::Web => "What it costs a run that pages show it: pictures, moments, changes",
        }
    }

    /// Measures. Progress is told line by line.
    ///
    /// # Errors
    /// Text, when something that is measured fails, or cannot be had.
    pub fn run(
        self,
        settings: &Settings,
        count: CountAllocations,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Record, String> {
        let progress = &mut Progress(progress);
        match self {
            Benchmark::Plugins2013 => plugins_2013::run(settings, progress),
            Benchmark::Nodes => nodes::run(settings, progress),
            Benchmark::Codecs => codecs::run(settings, progress),
            Benchmark::Hits => hits::run(settings, progress),
            Benchmark::Ingest => ingest::run(settings, progress),
            Benchmark::Apa => apa::run(settings, progress),
            Benchmark::Analyze => analyze::run(settings, progress),
            Benchmark::Engine => engine::run(settings, count, progress),
            Benchmark::Actors => actors::run(settings, count, progress),
            Benchmark::PvaGet => pva::get(settings, progress),
            Benchmark::PvaStages => pva::stages(settings, progress),
            Benchmark::PvaMonitor => pva::monitor(settings, progress),
            Benchmark::Served => served::run(settings, count, progress),
            Benchmark::Record => record::run(settings, progress),
            Benchmark::Web => web::run(settings, count, progress),
        }
    }
}

/// How a benchmark is run; each uses what is for it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Short and few measurements: shows that it works, not how fast it is.
    pub quick: bool,
    /// Only the rows whose name contains this text.
    pub filter: String,
    /// Another program that is run in turn with ours.
    pub peer: Option<PathBuf>,
    /// Numbers of links of wire readout.
    pub links: RangeInclusive<usize>,
    /// Seconds of each run of a graph.
    pub seconds: f64,
    /// Minutes at 4 kHz in `record`; without, `seconds`.
    pub minutes: Option<f64>,
    /// The study's second table: pictures of 2048 x 2048 pixels without exposure.
    pub large: bool,
    /// Numbers of channels; empty means the standard rows.
    pub channels: Vec<usize>,
    /// Doubles in each channel; empty means the standard rows.
    pub elements: Vec<usize>,
    /// Bytes of an image that is sent to clients.
    pub image_bytes: usize,
    /// Numbers of subscribers; empty means the standard rows.
    pub subscribers: Vec<usize>,
    /// Clients and servers look for answers without sleeping.
    pub spin: bool,
    /// The program `livetime`, which is started as server (`bench pva-peer`, see [`serve`]) or client (`pv monitor`) of another process.
    pub program: PathBuf,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            quick: false,
            filter: String::new(),
            peer: None,
            links: 1..=10,
            seconds: 3.0,
            minutes: None,
            large: false,
            channels: Vec::new(),
            elements: Vec::new(),
            image_bytes: 1 << 20,
            subscribers: Vec::new(),
            spin: false,
            program: PathBuf::from("livetime"),
        }
    }
}

impl Settings {
    fn repeats(&self) -> usize {
        repeats(self.quick)
    }
}

/// Repeats of a measurement that is not quick.
const REPEATS: usize = 5;

/// How often a measurement is repeated.
fn repeats(quick: bool) -> usize {
    if quick { 1 } else { REPEATS }
}

/// Where lines go that say what is being measured.
struct Progress<'a>(&'a mut dyn FnMut(&str));

impl Progress<'_> {
    fn log(&mut self, line: impl ToString) {
        (self.0)(&line.to_string());
    }
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

/// Where a user's graph is from, for its record.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The pipeline file; `None` for the built-in one.
    pub file: Option<String>,
    /// Parameters that were set beside it, as `NODE.PARAM=VALUE`.
    pub settings: Vec<String>,
}

/// What a benchmark found: for machines, and for people.
#[derive(Clone, Debug)]
pub struct Record {
    /// Rows and settings.
    pub json: Value,
    /// The same as text.
    pub table: String,
}

/// What was found of a user's graph.
pub struct Measured {
    /// The numbers.
    pub record: Record,
    /// Frames were lost: at every rate that was tried, or in the nodes that were measured.
    pub has_losses: bool,
}

/// The time from the begin of a measurement to its record.
pub struct Session(Neighbours);

/// A record with what it was measured on.
pub struct Finished {
    /// Set when other programs kept the machine busy meanwhile.
    pub warning: Option<String>,
    /// The whole record.
    pub json: Value,
    /// For people.
    pub table: String,
}

impl Session {
    /// To be called before anything is measured.
    pub fn begin() -> Session {
        Session(Neighbours::begin())
    }

    /// Adds the machine, how busy others kept it, and the `commit` that was measured.
    pub fn finish(&self, name: &str, quick: bool, commit: &str, found: Record) -> Finished {
        let others = self.0.share();
        let mut json = json!({
            "bench": name,
            "machine": machine::machine(),
            "commit": commit,
            "quick": quick,
            "others_cpu_percent": others.map(|share| tenths(100.0 * share)),
            "repeats": repeats(quick),
        });
        merge(&mut json, found.json);
        Finished { warning: neighbours::warning(others), json, table: found.table }
    }
}

/// Adds the keys of one object to another.
pub fn merge(into: &mut Value, more: Value) {
    if let (Value::Object(into), Value::Object(more)) = (into, more) {
        into.extend(more);
    }
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Median, smallest and largest of some repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The one in the middle.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Of these values; not a number if there are none.
    pub fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        let at = |i: usize| values.get(i).copied().unwrap_or(f64::NAN);
        Spread { median: at(values.len() / 2), min: at(0), max: at(values.len().saturating_sub(1)) }
    }
}

impl Spread {
    /// As an object for a record, with one decimal.
    pub fn json(self) -> Value {
        json!({ "median": tenths(self.median), "min": tenths(self.min), "max": tenths(self.max) })
    }
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
