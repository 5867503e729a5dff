//! The command line of `livetime-bench`.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use livetime_bench::hits_score::HitsScoreArgs;
use livetime_bench::{Benchmark, Settings};
use livetime_control::config::positive_quantity;
use livetime_measure::VERSION;

/// Measures Livetime itself, for the claims of its documents. `livetime bench graph` and `livetime bench node` measure a graph of yours.
#[derive(clap::Parser, Debug)]
#[command(name = "livetime-bench", version = VERSION, after_help = HELP)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) score: Option<Judgement>,
    /// The benchmark.
    #[arg(value_enum, required = true)]
    pub(crate) what: Option<What>,
    /// Print one JSON document on stdout.
    #[arg(long)]
    pub(crate) json: bool,
    /// Few and short measurements, to test the benchmark and not the speed.
    #[arg(long)]
    pub(crate) quick: bool,
    /// `actors`, `analyze`, `ca`, `codecs`, `engine`, `hits`, `ingest`, `nodes`, `record`, `scale`, `served` and `web`: only the rows whose name contains
    /// this text.
    #[arg(long, default_value = "")]
    filter: String,
    /// A peer that runs in turn with this program. `actors`: another engine's program with the same patterns;
    /// `codecs`: a Python with the original libraries, as `bash tools/peers.sh codecs` prints it;
    /// `ca`: a Python with epicscorelibs, as `bash tools/peers.sh ioc` prints it;
    /// `scale`: a Python with livetime, numpy and distributed, for the row over Dask;
    /// `record`: a Python with h5py, as `bash tools/peers.sh hdf5` prints it, or with Bluesky, too, for the row `bp.count, an
    /// event`: `bash tools/peers.sh bluesky`.
    #[arg(long, value_name = "PROGRAM")]
    peer: Option<PathBuf>,
    /// `scale`: a Kafka broker, as `bash tools/kafka.sh start FOLDER` prints it, for the row over Kafka.
    #[arg(long, value_name = "HOST:PORT")]
    kafka: Option<String>,
    /// `ca`, `served`: the program `livetime`, which is the server, or whose `pv monitor` is the client; without, the program beside this one.
    #[arg(long, value_name = "PROGRAM")]
    livetime: Option<PathBuf>,
    /// `apa`: number of links, or a range such as 1..10.
    #[arg(long, value_name = "N|A..B", value_parser = links, default_value = "1..10")]
    links: RangeInclusive<usize>,
    /// `apa`, `plugins-2013`, `ca`, `record` at 4 kHz, `served` and `web`: how long each run is, for example 3s.
    #[arg(long, alias = "seconds", value_name = "TIME", default_value = "3s", value_parser = run_time)]
    duration: f64,
    /// `record`: how long the row at 4 kHz runs, for example 10min, instead of --duration.
    #[arg(long, alias = "minutes", value_name = "TIME", value_parser = minutes)]
    long_duration: Option<f64>,
    /// `plugins-2013`: the study's second table, 2048 x 2048 pixels without exposure.
    #[arg(long)]
    large: bool,
    /// `pva-get`: numbers of channels, separated by commas.
    #[arg(long, value_delimiter = ',')]
    channels: Vec<usize>,
    /// `pva-get` and `pva-stages`: doubles in each channel, separated by commas.
    #[arg(long, value_delimiter = ',')]
    elements: Vec<usize>,
    /// `pva-monitor`: size of an image of bytes.
    #[arg(long, alias = "size", default_value = "1024x1024", value_name = "WxH", value_parser = image_bytes)]
    image: usize,
    /// `pva-monitor`: numbers of subscribers, separated by commas.
    #[arg(long, value_delimiter = ',')]
    subscribers: Vec<usize>,
    /// pvAccess: both sides poll for answers without sleeping.
    #[arg(long)]
    spin: bool,

    /// `ca`: clients have the last core for themselves and servers the others (by `taskset`), wherever the system would place them
    #[arg(long)]
    apart: bool,
}

const HELP: &str = "\
Examples:
  livetime-bench plugins-2013 --json > record.json
  livetime-bench plugins-2013 --large
  livetime-bench nodes --filter statistics
  livetime-bench engine --quick
  livetime-bench actors --peer ~/.cache/livetime/peers/sobjectizer/actors_peer
  livetime-bench codecs --filter blockpack
  livetime-bench codecs --peer $(bash tools/peers.sh codecs)
  livetime-bench hits --filter seed
  livetime-bench hits-score -o score
  livetime-bench ingest --filter datagrams
  livetime-bench apa --links 1..10
  livetime-bench analyze --filter hist
  livetime-bench pva-get --channels 1,1000,10000 --elements 1,1000
  livetime-bench pva-monitor --image 1024x1024 --subscribers 1,4
  livetime-bench ca --peer $(bash tools/peers.sh ioc)
  livetime-bench record --filter '4 kHz' --long-duration 10min
  livetime-bench record --filter bp.count --peer $(bash tools/peers.sh bluesky)
  livetime-bench web --filter pictures
  livetime-bench scale --json
  livetime-bench scale --filter Kafka --kafka $(bash tools/kafka.sh start /tmp/broker)

Progress goes to stderr. Compare two versions in one session, one after the other: machines differ.
Exit codes: 0 ok, 1 failed, 2 wrong usage.";

impl Cli {
    /// The settings of the benchmark.
    pub(crate) fn settings(&self) -> Settings {
        let program = std::env::current_exe().unwrap_or_default();
        Settings {
            quick: self.quick,
            filter: self.filter.clone(),
            peer: self.peer.clone(),
            kafka: self.kafka.clone(),
            links: self.links.clone(),
            seconds: self.duration,
            minutes: self.long_duration,
            large: self.large,
            channels: self.channels.clone(),
            elements: self.elements.clone(),
            image_bytes: self.image,
            subscribers: self.subscribers.clone(),
            spin: self.spin,
            apart: self.apart,
            livetime: self.livetime.clone().unwrap_or_else(|| program.with_file_name("livetime")),
            program,
        }
    }
}

/// A measurement of what is right, not of what is fast: it has arguments of its own.
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Judgement {
    /// Measure how well hits are found in simulated wire readout.
    HitsScore(HitsScoreArgs),
}

/// A benchmark, or its other process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Benchmark(Benchmark),
    /// The server process of the pvAccess benchmarks.
    PvaPeer,
    /// The server process of a picture of the Channel Access benchmark.
    CaPeer,
    /// The process that merges parts in `scale`.
    MergePeer,
    /// The process that sends over links in `scale`.
    LinkPeer,
}

impl clap::ValueEnum for What {
    fn value_variants<'a>() -> &'a [What] {
        static ALL: LazyLock<Vec<What>> = LazyLock::new(|| {
            let all = Benchmark::ALL.into_iter().map(What::Benchmark);
            all.chain([What::PvaPeer, What::CaPeer, What::MergePeer, What::LinkPeer]).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            What::Benchmark(benchmark) => PossibleValue::new(benchmark.name()).help(benchmark.about()),
            What::PvaPeer => PossibleValue::new("pva-peer").hide(true),
            What::CaPeer => PossibleValue::new("ca-peer").hide(true),
            What::MergePeer => PossibleValue::new("merge-peer").hide(true),
            What::LinkPeer => PossibleValue::new("link-peer").hide(true),
        })
    }
}

fn links(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    match (from.parse(), to.parse()) {
        (Ok(from), Ok(to)) if 0 < from && from <= to && to <= 10 => Ok(from..=to),
        _ => Err(format!("wanted a number of links from 1 to 10, or two as 1..10, found `{text}`")),
    }
}

/// Bytes of an image, from `WxH` or a number of bytes. An image travels in one message, whose length is a u32.
fn image_bytes(text: &str) -> Result<usize, String> {
    let bytes = text.split('x').try_fold(1usize, |product, size| product.checked_mul(size.parse().ok()?));
    let fits = bytes.filter(|bytes| *bytes <= 1 << 30);
    fits.ok_or_else(|| format!("wanted WxH such as 1024x1024, at most 1 GiB, found `{text}`"))
}

/// Seconds of a run.
fn run_time(text: &str) -> Result<f64, String> {
    let seconds = positive_quantity(text, "s").filter(|seconds| (0.01..=3600.0).contains(seconds));
    seconds.ok_or_else(|| format!("wanted a time from 10ms to 60min, found `{text}`"))
}

/// Minutes of a long run; a number alone is one of minutes.
fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse().ok().or_else(|| Some(positive_quantity(text, "s")? / 60.0));
    let is_useful = minutes.filter(|minutes| (0.01..=1440.0).contains(minutes));
    is_useful.ok_or_else(|| format!("wanted a time from 1s to 24h, found `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_and_times_have_limits() {
        assert_eq!((image_bytes("64x48"), image_bytes("0")), (Ok(3072), Ok(0)));
        assert_eq!((run_time("200ms"), minutes("10"), minutes("30s")), (Ok(0.2), Ok(10.0), Ok(0.5)));
        assert_eq!((links("3"), links("1..10")), (Ok(3..=3), Ok(1..=10)));
        assert!(image_bytes("99999x99999").is_err() && image_bytes("axb").is_err());
        for wrong in ["", "0", "-1s", "soon", "nan", "61min"] {
            assert!(run_time(wrong).is_err(), "{wrong}");
        }
        assert!(minutes("25h").is_err() && links("0").is_err() && links("2..11").is_err());
    }
}
