//! The measurements that every claim about speed rests on; the program `livetime-bench` is their face.
//!
//! Three types come first. A [`Benchmark`] is one measurement, [`Settings`] choose its rows and its length, and its result is a
//! [`Record`]: a table for people, and JSON, to which [`Session::finish`](livetime_measure::Session::finish) adds
//! machine, commit and settings. Numbers are the median and the spread of at least five repeats (`quick` makes fewer, to show that a
//! benchmark works). The graph of a user is measured by `livetime_measure`.
//!
//! ```
//! use livetime_bench::{Allocations, Benchmark, Settings};
//! use livetime_measure::Session;
//!
//! let session = Session::begin();
//! let settings = Settings { quick: true, filter: "roi crop".into(), ..Settings::default() };
//! let found = Benchmark::Nodes.run(&settings, Allocations::default, &mut |line| assert!(line.starts_with("roi crop")))?;
//! let found = session.finish("nodes", settings.quick, found);
//! assert!(found.json["rows"].as_array().is_some_and(|rows| !rows.is_empty()) && found.table.contains("roi crop"));
//! # Ok::<(), livetime_bench::Failed>(())
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod actors;
mod analyze;
mod apa;
mod ca;
mod calls;
mod codecs;
mod engine;
mod flood;
mod hits;
pub mod hits_score;
mod ingest;
mod nodes;
mod plugins_2013;
mod pva;
mod record;
mod resize;
mod scale;
mod served;
mod settings;
mod web;

use livetime_measure::{Meter, Progress, Record, Spread, Usage, in_one_line, merge, tenths};

pub use ca::serve_picture;
pub use pva::serve;
pub use scale::{merge_parts, send_over_links};
pub use settings::{Allocations, CountAllocations, Failed, Settings};

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
    /// Wire readout: the time that a source spends on a raw frame.
    Ingest,
    /// Wire readout from raw frames to triggers, at the detector's rate: how many links lose nothing.
    Apa,
    /// Mean and deviation of recorded runs, per codec and number of workers.
    Analyze,
    /// The cost of a frame on its way from node to node.
    Engine,
    /// The cost of messages between agents.
    Actors,
    /// pvAccess: gets per second on 1 to 10000 channels, beside plain TCP.
    PvaGet,
    /// pvAccess: the stages of one get.
    PvaStages,
    /// pvAccess: images and numbers to subscribers.
    PvaMonitor,
    /// Channel Access: gets, puts, images and load, beside rsrv of EPICS base.
    Ca,
    /// The cost for a run that is served over pvAccess: at 10 kHz, and with up to a hundred thousand PVs.
    Served,
    /// The rate of `hdf5_files`, beside threads that only write and beside h5py.
    Record,
    /// The cost for a run that pages show: pictures, moments, changes, and its highest rate.
    Web,
    /// Analyses of runs that no single process can plan or merge: memory and time.
    Scale,
}

impl Benchmark {
    /// All of them, in the order of the help.
    pub const ALL: [Benchmark; 17] = [
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
        Benchmark::Ca,
        Benchmark::Served,
        Benchmark::Record,
        Benchmark::Web,
        Benchmark::Scale,
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
            Benchmark::Ca => "ca",
            Benchmark::Served => "served",
            Benchmark::Record => "record",
            Benchmark::Web => "web",
            Benchmark::Scale => "scale",
        }
    }

    /// The measured thing, in one line.
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
            Benchmark::Ca => "Channel Access: gets, puts, images and load, beside rsrv of EPICS base",
            Benchmark::Served => "What it costs a run that it is served over pvAccess: at 10 kHz, and per PV",
            Benchmark::Record => "What hdf5_files writes into memory, beside what the system can do",
            Benchmark::Web => "What it costs a run that pages show it: pictures, moments, changes",
            Benchmark::Scale => "What must not grow with a run of 100 TB: memory of merges, time of plans",
        }
    }

    /// Measures. `progress` gets a line for each step.
    ///
    /// # Errors
    /// The error of the part that failed, or lacks data or programs.
    pub fn run(
        self,
        settings: &Settings,
        count: CountAllocations,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Record, Failed> {
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
            Benchmark::Ca => ca::run(settings, progress),
            Benchmark::Served => served::run(settings, count, progress),
            Benchmark::Record => record::run(settings, progress),
            Benchmark::Web => web::run(settings, count, progress),
            Benchmark::Scale => scale::run(settings, progress),
        }
    }
}
