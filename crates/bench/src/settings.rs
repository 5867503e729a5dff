//! How a benchmark is run, and why nothing was measured.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use livetime_measure::repeats;

/// The settings of a benchmark; each uses the ones that concern it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Short and few measurements: shows that it works, not how fast it is.
    pub quick: bool,
    /// Only the rows whose name contains this text.
    pub filter: String,
    /// Another program that is run in turn with ours.
    pub peer: Option<PathBuf>,
    /// A Kafka broker, `host:port`, for the row of `scale` over one.
    pub kafka: Option<String>,
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
    /// In `ca`, clients have the last core for themselves, and servers the others.
    pub apart: bool,
    /// The program `livetime-bench`, which is started as the server of another process (`pva-peer`, see [`serve`](crate::serve)).
    pub program: PathBuf,
    /// The program `livetime`, which is started as the client of another process (`pv monitor`).
    pub livetime: PathBuf,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            quick: false,
            filter: String::new(),
            peer: None,
            kafka: None,
            links: 1..=10,
            seconds: 3.0,
            minutes: None,
            large: false,
            channels: Vec::new(),
            elements: Vec::new(),
            image_bytes: 1 << 20,
            subscribers: Vec::new(),
            spin: false,
            apart: false,
            program: PathBuf::from("livetime-bench"),
            livetime: PathBuf::from("livetime"),
        }
    }
}

impl Settings {
    /// How often a measurement is repeated.
    pub(crate) fn repeats(&self) -> usize {
        repeats(self.quick)
    }
}

/// Why nothing was measured: the error of the part that failed.
pub type Failed = Box<dyn std::error::Error + Send + Sync>;

/// The allocations of the program so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Allocations {
    /// How often.
    pub count: usize,
    /// Bytes that it has not given back.
    pub bytes: usize,
}

/// Tells the allocations of the program; the program's `main` knows its allocator.
pub type CountAllocations = fn() -> Allocations;
