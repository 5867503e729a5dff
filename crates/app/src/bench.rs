//! `livetime bench`: measurements of Livetime itself, and of the user's own graph.

use std::sync::LazyLock;

use clap::builder::PossibleValue;
use livetime_bench::{Benchmark, Chain, CountAllocations, Finished, Origin, Session, Settings};
use livetime_engine::NodeType;

use crate::called::Called;
use crate::cli::{PipelineArgs, duration};
use crate::commands::load;
use crate::output::{Exit, Failure, Output};

/// Which benchmark, and how.
#[derive(clap::Args, Debug, Clone)]
#[command(after_help = HELP, subcommand_negates_reqs = true, args_conflicts_with_subcommands = true)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) own: Option<Own>,
    /// The benchmark of Livetime itself.
    #[arg(value_enum, required = true)]
    pub(crate) what: Option<What>,
    /// Print one JSON document on stdout.
    #[arg(long)]
    pub(crate) json: bool,
    /// Few and short measurements, to test the benchmark and not the speed.
    #[arg(long)]
    pub(crate) quick: bool,
    /// `actors`, `analyze`, `codecs`, `engine`, `hits`, `ingest`, `nodes`, `record`, `served` and `web`: only the rows whose name contains this text.
    #[arg(long, default_value = "")]
    pub(crate) filter: String,
    /// A peer that runs in turn with this program. `actors`: another engine's program with the same patterns;
    /// `codecs`: a Python with the original libraries, as `bash tools/peers.sh codecs` prints it;
    /// `record`: a Python with h5py, as `bash tools/peers.sh hdf5` prints it, or with Bluesky, too, for the row `bp.count, an
    /// event`: `bash tools/peers.sh bluesky`.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) peer: Option<std::path::PathBuf>,
    /// `apa`: number of links, or a range such as 1..10.
    #[arg(long, value_name = "N|A..B", value_parser = links)]
    pub(crate) links: Option<std::ops::RangeInclusive<usize>>,
    /// `apa`, `plugins-2013`, `record` at 4 kHz, `served` and `web`: how long each run is, for example 3s.
    #[arg(long, alias = "seconds", value_name = "TIME", default_value = "3s", value_parser = run_time)]
    pub(crate) duration: f64,
    /// `record`: how long the row at 4 kHz runs, for example 10min, instead of --duration.
    #[arg(long, alias = "minutes", value_name = "TIME", value_parser = minutes)]
    pub(crate) long_duration: Option<f64>,
    /// `plugins-2013`: the study's second table, 2048 x 2048 pixels without exposure.
    #[arg(long)]
    pub(crate) large: bool,
    /// `pva-get`: numbers of channels, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(crate) channels: Vec<usize>,
    /// `pva-get` and `pva-stages`: doubles in each channel, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(crate) elements: Vec<usize>,
    /// `pva-monitor`: size of an image of bytes.
    #[arg(long, alias = "size", default_value = "1024x1024", value_name = "WxH")]
    pub(crate) image: ImageSize,
    /// `pva-monitor`: numbers of subscribers, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(crate) subscribers: Vec<usize>,
    /// pvAccess: both sides poll for answers without sleeping.
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
    #[command(after_help = GRAPH_HELP)]
    Graph(GraphArgs),
    /// The throughput of a node or a chain of nodes, fed with frames from the pipeline's own sources.
    #[command(after_help = NODE_HELP)]
    Node(NodeArgs),
    /// The Python package beside numpy, h5py and others, by the interpreter that `run --python` takes.
    Python(PythonArgs),
}

/// Arguments of `bench python`.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct PythonArgs {
    /// Print one JSON document on stdout.
    #[arg(long)]
    pub(crate) json: bool,
    /// Each once, on little data: shows that it works, not how fast it is.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only the rows whose name contains this text.
    #[arg(long, default_value = "")]
    pub(crate) filter: String,
}

/// Arguments of `bench graph`.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    pub(crate) pipeline: PipelineArgs,
    /// How long each run is, for example 3s.
    #[arg(long, alias = "seconds", value_name = "TIME", default_value = "3s", value_parser = run_time)]
    pub(crate) duration: f64,
    /// Short runs and no repeats: shows that it works, not how fast it is.
    #[arg(long)]
    pub(crate) quick: bool,
}

const GRAPH_HELP: &str = "\
Examples:
  livetime bench graph beamline.yaml
  livetime bench graph beamline.yaml --duration 10s --json > record.json
  livetime bench graph beamline.yaml --set detector.max_size_x=2048

The whole graph runs, with the sinks that write files. Progress goes to stderr.
Exit codes: 0 ok, 1 failed, 2 wrong usage or a file that is refused, 3 frames are lost at every rate.";

/// Seconds of a run.
fn run_time(text: &str) -> Result<f64, String> {
    let seconds = duration(text)?.as_secs_f64();
    let is_useful = (0.01..=3600.0).contains(&seconds);
    is_useful.then_some(seconds).ok_or_else(|| format!("wanted a time from 10ms to 60min, found `{text}`"))
}

/// Minutes of a long run; a number alone is one of minutes.
fn minutes(text: &str) -> Result<f64, String> {
    let minutes = match text.parse() {
        Ok(minutes) => minutes,
        Err(_) => duration(text)?.as_secs_f64() / 60.0,
    };
    let is_useful = (0.01..=1440.0).contains(&minutes);
    is_useful.then_some(minutes).ok_or_else(|| format!("wanted a time from 1s to 24h, found `{text}`"))
}

/// Arguments of `bench node`.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct NodeArgs {
    /// Pipeline file.
    pub(crate) file: std::path::PathBuf,
    /// The node, or the first and the last node of a chain: `roi..stats`.
    pub(crate) node: String,
    /// Frames to measure.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    pub(crate) frames: u64,
    /// Run the command inside Python, so that the file may name nodes of Python as `module:name`.
    #[arg(long)]
    pub(crate) python: bool,
    /// Set a parameter before the start, for example roi.size_x=256; may be repeated.
    #[arg(long = "set", value_name = "NODE.PARAM=VALUE")]
    pub(crate) settings: Vec<crate::config::Setting>,
    /// Print one JSON document on stdout.
    #[arg(long)]
    pub(crate) json: bool,
    /// No repeats: shows that it works, not how fast it is.
    #[arg(long)]
    pub(crate) quick: bool,
}

const NODE_HELP: &str = "\
Examples:
  livetime bench node beamline.yaml STATS1
  livetime bench node beamline.yaml ROI1..STATS1 --frames 5000 --json > record.json
  livetime bench node beamline.yaml PROC1 --set PROC1.num_filter=10

The frames come from the sources of the file, through the nodes before NODE. The file gives the placements, but every
edge waits and none leaves frames out. Progress goes to stderr.
Exit codes: 0 ok, 1 failed, 2 wrong usage or a file that is refused, 3 frames were lost in the nodes.";

const HELP: &str = "\
Examples:
  livetime bench graph beamline.yaml
  livetime bench node beamline.yaml STATS1 --frames 1000
  livetime bench plugins-2013 --json > record.json
  livetime bench plugins-2013 --large
  livetime bench nodes --filter statistics
  livetime bench python --json
  livetime bench engine --quick
  livetime bench actors --peer ~/.cache/livetime/peers/sobjectizer/actors_peer
  livetime bench codecs --filter blockpack
  livetime bench codecs --peer $(bash tools/peers.sh codecs)
  livetime bench hits --filter seed
  livetime bench ingest --filter datagrams
  livetime bench apa --links 1..10
  livetime bench analyze --filter hist
  livetime bench pva-get --channels 1,1000,10000 --elements 1,1000
  livetime bench pva-monitor --image 1024x1024 --subscribers 1,4
  livetime bench record --filter '4 kHz' --long-duration 10min
  livetime bench record --filter bp.count --peer $(bash tools/peers.sh bluesky)
  livetime bench web --filter pictures

Progress goes to stderr. Compare two versions in one session, one after the other: machines differ.";

/// A benchmark, or its other process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Benchmark(Benchmark),
    /// The server process of the pvAccess benchmarks.
    PvaPeer,
}

impl clap::ValueEnum for What {
    fn value_variants<'a>() -> &'a [What] {
        static ALL: LazyLock<Vec<What>> = LazyLock::new(|| {
            let all = Benchmark::ALL.into_iter().map(What::Benchmark);
            all.chain([What::PvaPeer]).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            What::Benchmark(benchmark) => PossibleValue::new(benchmark.name()).help(benchmark.about()),
            What::PvaPeer => PossibleValue::new("pva-peer").hide(true),
        })
    }
}

impl BenchArgs {
    /// The pipeline file that is measured, and whether the command is to run inside Python.
    pub(crate) fn pipeline(&mut self) -> Option<(Option<&std::path::Path>, &mut bool)> {
        match self.own.as_mut()? {
            Own::Graph(GraphArgs { pipeline, .. }) => Some((pipeline.file.as_deref(), &mut pipeline.python)),
            Own::Node(args) => Some((Some(&args.file), &mut args.python)),
            Own::Python(_) => None,
        }
    }
}

/// Runs a benchmark and prints its record: as JSON, or as a table.
pub(crate) fn bench(
    args: &BenchArgs,
    called: &Called,
    nodes: &[NodeType],
    count: CountAllocations,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match (&args.own, args.what) {
        (Some(Own::Graph(args)), _) => graph(args, nodes, output),
        (Some(Own::Node(args)), _) => node(args, nodes, output),
        (Some(Own::Python(args)), _) => Err(crate::commands::python::bench(args, called)),
        (None, Some(What::PvaPeer)) => {
            let served = livetime_bench::serve(&settings(args, called), output.out);
            served.map(|()| Exit::Ok).map_err(|e| Failure::new(Exit::Failed, e))
        }
        (None, Some(What::Benchmark(benchmark))) => {
            let (session, settings) = (Session::begin(), settings(args, called));
            let found = benchmark.run(&settings, count, &mut log(output));
            let found = found.map_err(|e| failed(benchmark.name(), e))?;
            tell(session.finish(benchmark.name(), args.quick, COMMIT, found), args.json, output)?;
            Ok(Exit::Ok)
        }
        (None, None) => Err(Failure::new(Exit::Usage, "wanted what to measure")),
    }
}

const COMMIT: &str = env!("LIVETIME_COMMIT");

fn settings(args: &BenchArgs, called: &Called) -> Settings {
    Settings {
        quick: args.quick,
        filter: args.filter.clone(),
        peer: args.peer.clone(),
        links: args.links.clone().unwrap_or(1..=10),
        seconds: args.duration,
        minutes: args.long_duration,
        large: args.large,
        channels: args.channels.clone(),
        elements: args.elements.clone(),
        image_bytes: args.image.0,
        subscribers: args.subscribers.clone(),
        spin: args.spin,
        program: called.program.clone(),
    }
}

/// Progress goes to the log.
fn log(output: &mut Output) -> impl FnMut(&str) {
    move |line: &str| output.log(line)
}

fn failed(name: &str, why: String) -> Failure {
    Failure::new(Exit::Failed, format!("bench {name}: {why}"))
}

/// Prints what was found.
fn tell(found: Finished, json: bool, output: &mut Output) -> Result<(), Failure> {
    if let Some(warning) = found.warning {
        output.log(warning);
    }
    if json { output.json(&found.json) } else { output.data(&format!("{}\n", found.table)) }
}

fn origin(pipeline: &PipelineArgs) -> Origin {
    Origin {
        file: pipeline.file.as_ref().map(|path| path.display().to_string()),
        settings: pipeline.settings.iter().map(ToString::to_string).collect(),
    }
}

fn graph(args: &GraphArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let session = Session::begin();
    let graph = load(&args.pipeline, nodes, output)?.graph;
    let seconds = if args.quick { 0.2 } else { args.duration };
    let found = livetime_bench::graph(&graph, &origin(&args.pipeline), seconds, args.quick, &mut log(output));
    let found = found.map_err(|e| failed("graph", e))?;
    tell(session.finish("graph", args.quick, COMMIT, found.record), args.pipeline.json, output)?;
    Ok(if found.has_losses { Exit::Loss } else { Exit::Ok })
}

fn node(args: &NodeArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let session = Session::begin();
    let pipeline = PipelineArgs {
        file: Some(args.file.clone()),
        settings: args.settings.clone(),
        json: args.json,
        python: false,
    };
    let graph = load(&pipeline, nodes, output)?.graph;
    let chain = Chain::find(&graph, &args.node).map_err(|e| Failure::new(Exit::Usage, e))?;
    let found = chain.measure(&graph, &origin(&pipeline), args.frames, args.quick, &mut log(output));
    let found = found.map_err(|e| failed("node", e))?;
    tell(session.finish("node", args.quick, COMMIT, found.record), args.json, output)?;
    Ok(if found.has_losses { Exit::Loss } else { Exit::Ok })
}
