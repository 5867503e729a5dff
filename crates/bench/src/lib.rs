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
mod calls;
mod codecs;
mod cpu;
mod engine;
mod flood;
mod graph;
mod hits;
mod ingest;
mod machine;
mod measured;
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

use serde_json::{Value, json};

pub use graph::graph;
pub use measured::{Allocations, CountAllocations, Record, Settings, Spread, merge};
pub(crate) use measured::{Progress, in_one_line, repeats, tenths};
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

/// Where a user's graph is from, for its record.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The pipeline file; `None` for the built-in one.
    pub file: Option<String>,
    /// Parameters that were set beside it, as `NODE.PARAM=VALUE`.
    pub settings: Vec<String>,
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
