//! `livetime bench`: measurements of the user's own graph. Livetime itself is measured by the program `livetime-bench`.

use std::ffi::OsString;

use livetime_engine::NodeType;
use livetime_measure::{Chain, Finished, MeasureError, Origin, Session};

use super::load;
use super::python::PythonArgs;
use crate::args::{PipelineArgs, duration};
use crate::called::Called;
use crate::output::{Exit, Failure, Output};

/// Arguments of `bench`.
#[derive(clap::Args, Debug, Clone)]
#[command(after_help = HELP)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) what: What,
}

/// A benchmark of the user's own graph.
#[derive(clap::Subcommand, Debug, Clone)]
pub(crate) enum What {
    /// The highest rate at which a pipeline loses nothing, and what limits it.
    #[command(after_help = GRAPH_HELP)]
    Graph(GraphArgs),
    /// The throughput of a node or a chain of nodes, fed with frames from the pipeline's own sources.
    #[command(after_help = NODE_HELP)]
    Node(NodeArgs),
    /// The Python package beside numpy, h5py and others, by the interpreter that `run --python` takes.
    Python(PythonArgs),
    /// The name of another benchmark, with its arguments.
    #[command(external_subcommand)]
    Other(Vec<OsString>),
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
    // A shorter run measures only the start, and a longer one is a mistake of the unit.
    let is_useful = (0.01..=3600.0).contains(&seconds);
    is_useful.then_some(seconds).ok_or_else(|| format!("wanted a time from 10ms to 60min, found `{text}`"))
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
  livetime bench python --json

Progress goes to stderr. Compare two versions in one session, one after the other: machines differ.
Livetime itself is measured by the program livetime-bench, which a checkout builds: cargo run --release -p livetime-bench -- --help";

impl BenchArgs {
    /// The pipeline file that is measured, and whether the command is to run inside Python.
    pub(crate) fn pipeline(&mut self) -> Option<(Option<&std::path::Path>, &mut bool)> {
        match &mut self.what {
            What::Graph(GraphArgs { pipeline, .. }) => Some((pipeline.file.as_deref(), &mut pipeline.python)),
            What::Node(args) => Some((Some(&args.file), &mut args.python)),
            What::Python(_) | What::Other(_) => None,
        }
    }
}

/// Runs a benchmark and prints its record: as JSON, or as a table.
pub(crate) fn bench(
    args: &BenchArgs,
    called: &Called,
    nodes: &[NodeType],
    output: &mut Output,
) -> Result<Exit, Failure> {
    match &args.what {
        What::Graph(args) => graph(args, nodes, output),
        What::Node(args) => node(args, nodes, output),
        What::Python(args) => Err(super::python::bench(args, called)),
        What::Other(words) => Err(of_livetime(words)),
    }
}

/// Benchmarks of Livetime itself are in a program of their own.
fn of_livetime(words: &[OsString]) -> Failure {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let (name, all) = (words.first().map_or("", |name| name), words.join(" "));
    Failure::new(
        Exit::Usage,
        format!(
            "bench: wanted graph, node or python, found `{name}`: benchmarks of Livetime itself are in another program: livetime-bench {all} \
             (a checkout builds it: cargo run --release -p livetime-bench -- {all})"
        ),
    )
}

/// Arguments of a command that another program has now, as they were written.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct MovedArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl MovedArgs {
    /// Whether the command was to print JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.words.iter().any(|word| word == "--json")
    }
}

/// The answer to `livetime hits-score`: it judges the finders of Livetime itself.
pub(crate) fn hits_score(args: &MovedArgs) -> Failure {
    let words = args.words.iter().map(|word| format!(" {}", word.to_string_lossy())).collect::<String>();
    Failure::new(
        Exit::Usage,
        format!(
            "hits-score is now `livetime-bench hits-score` (a checkout builds it: cargo run --release -p livetime-bench -- hits-score{words})"
        ),
    )
}

/// Progress goes to the log.
fn log(output: &mut Output) -> impl FnMut(&str) {
    move |line: &str| output.log(line)
}

fn failed(name: &str, why: MeasureError) -> Failure {
    Failure::new(Exit::Failed, format!("bench {name}: {why}"))
}

/// Prints the result.
fn tell(found: Finished, json: bool, output: &mut Output) -> Result<(), Failure> {
    // The warning goes to stderr, so that the record stays clean.
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
    // A trial only shows that the run starts and ends.
    let seconds = if args.quick { 0.2 } else { args.duration };
    let found =
        livetime_measure::graph(&graph, &origin(&args.pipeline), seconds, args.quick, &mut log(output));
    let found = found.map_err(|e| failed("graph", e))?;
    tell(session.finish("graph", args.quick, found.record), args.pipeline.json, output)?;
    Ok(if found.has_losses { Exit::Loss } else { Exit::Ok })
}

fn node(args: &NodeArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let session = Session::begin();
    let pipeline = PipelineArgs {
        file: Some(args.file.clone()),
        settings: args.settings.clone(),
        json: args.json,
        // The program is inside Python by now, if that was wanted.
        python: false,
        host: None,
    };
    let graph = load(&pipeline, nodes, output)?.graph;
    let chain = Chain::find(&graph, &args.node).map_err(|e| Failure::new(Exit::Usage, e))?;
    let found = chain.measure(&graph, &origin(&pipeline), args.frames, args.quick, &mut log(output));
    let found = found.map_err(|e| failed("node", e))?;
    tell(session.finish("node", args.quick, found.record), args.json, output)?;
    Ok(if found.has_losses { Exit::Loss } else { Exit::Ok })
}
