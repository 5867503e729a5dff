//! The command line.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use livetime_measure::VERSION;

use crate::bench::BenchArgs;
use crate::called::Called;
use crate::commands::analyze::{self, AnalyzeArgs};
use crate::commands::convert::{CONVERT_HELP, ConvertArgs};
use crate::commands::examples::{EXAMPLES_HELP, ExamplesArgs};
use crate::commands::hits_score::{HITS_SCORE_HELP, HitsScoreArgs};
use crate::commands::pv::PvArgs;
use crate::commands::python::PyanaArgs;
use crate::commands::recover::{RECOVER_HELP, RecoverArgs};
use crate::commands::shell::{COMPLETIONS_HELP, CompletionsArgs, MAN_HELP, ManArgs};
use crate::commands::sim::SimArgs;
use crate::commands::verify::{VERIFY_HELP, VerifyArgs};
use crate::config::{Setting, checked_prefix, positive_quantity};
use crate::log::Level;

/// Software for live detector data: runs a graph of nodes and accounts for every frame.
#[derive(Parser, Debug)]
#[command(name = "livetime", version = VERSION, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// The least severe level that is logged on stderr; each line has a time and a level.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "LEVEL")]
    pub(crate) log: Level,
    #[command(subcommand)]
    pub(crate) command: Command,
    #[arg(skip)]
    pub(crate) called: Called,
}

const EXIT_CODES: &str = "\
Exit codes: 0 ok, 1 failed, 2 wrong usage or a pipeline file that is refused, 3 finished with unintended loss.
Data go to stdout, everything else to stderr. Messages of a run have the time of day (UTC) and a level.";

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Run a pipeline until it ends, for a given time, or until Ctrl-C.
    #[command(after_help = RUN_HELP)]
    Run(RunArgs),
    /// Check a pipeline file: print what will flow, or all its mistakes.
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// List the pipeline files that the program brings, or print one.
    #[command(after_help = EXAMPLES_HELP)]
    Examples(ExamplesArgs),
    /// Run a replay again and again while its threads are disturbed, or a live run and then its recording, and name the first frame or
    /// file that differs.
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// List the types of nodes, or describe one with its ports and parameters.
    #[command(after_help = NODES_HELP)]
    Nodes(NodesArgs),
    /// Show what recorded files contain: datagrams, detectors, counts, damage, rates, compression; raw frames
    /// of links.
    #[command(after_help = INSPECT_HELP)]
    Inspect(InspectArgs),
    /// Compress, decompress, cut, split and merge recorded files, and prove that nothing is lost.
    #[command(after_help = CONVERT_HELP)]
    Convert(ConvertArgs),
    /// Save every complete event of a broken file, and report exactly what is lost.
    #[command(after_help = RECOVER_HELP)]
    Recover(RecoverArgs),
    /// Write simulated files, for measurements and trials.
    Sim(SimArgs),
    /// Statistics of the pictures in a recorded run, on all cores.
    #[command(after_help = analyze::HELP)]
    Analyze(Box<AnalyzeArgs>),
    /// Run user modules of pyana over a recorded run, by the interpreter that `run --python` takes. `livetime pyana --help`
    /// shows pyana's options.
    #[command(disable_help_flag = true)]
    Pyana(PyanaArgs),
    /// Measure: what nodes and the engine cost, and the rates a pipeline reaches.
    Bench(BenchArgs),
    /// Measure how well hits are found in simulated wire readout.
    #[command(after_help = HITS_SCORE_HELP)]
    HitsScore(HitsScoreArgs),
    /// Read, write and follow process variables of EPICS servers.
    Pv(PvArgs),
    /// List the PVs that a run of a pipeline would serve, or write records of an IOC that link to them.
    #[command(after_help = PVS_HELP)]
    Pvs(PvsArgs),
    /// Show the live table of a run on this or another machine, by its link.
    #[command(after_help = TOP_HELP)]
    Top(TopArgs),
    /// Print the JSON schema of pipeline files, for editors.
    #[command(after_help = SCHEMA_HELP)]
    Schema,
    /// Print the completion script of a shell.
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
    /// Print the manual page of the program, or write the manual pages of all subcommands.
    #[command(after_help = MAN_HELP)]
    Man(ManArgs),
}

impl Command {
    /// Whether a failure is printed as JSON, too. The other commands have no `--json`, or print the failure themselves.
    pub(crate) fn tells_failures_as_json(&self) -> bool {
        match self {
            Command::Analyze(args) => args.json,
            Command::Convert(args) => args.json,
            Command::Recover(args) => args.json,
            Command::Sim(args) => args.is_json(),
            Command::HitsScore(args) => args.json,
            _ => false,
        }
    }
}

pub(crate) const RUN_HELP: &str = "\
Examples:
  livetime run
  livetime run beamline.yaml --duration 10s --set detector.acquire_period=2ms
  livetime run beamline.yaml --frames 1000 --json > report.json
  livetime run beamline.yaml --pva --prefix BL7:
  livetime run beamline.yaml --web 0.0.0.0:8090
  livetime run beamline.yaml --metrics 9090
  livetime run --python beamline.yaml
  livetime run beamline.yaml --trace run.json --trace-every 50

The link that is printed opens the page of the run and allows changes: everybody who has the link can steer the run.
Metrics are for Prometheus at http://127.0.0.1:9090/metrics. A trace is opened by https://ui.perfetto.dev.
The first Ctrl-C ends the sources and handles the frames that are under way; the second one aborts.";

const CHECK_HELP: &str = "\
Examples:
  livetime check beamline.yaml
  livetime check beamline.yaml --json";

const TOP_HELP: &str = "\
Examples:
  livetime top http://127.0.0.1:8090
  livetime top 'http://daq7:8090/#t=0c84a3698fdcb2f04b1897c2c2a19da7'
  livetime top http://127.0.0.1:8090 --once

The run printed the link. On another machine the link needs its token.";

const NODES_HELP: &str = "\
Examples:
  livetime nodes
  livetime nodes statistics
  livetime nodes --json
  livetime nodes statistics --pvs";

const PVS_HELP: &str = "\
Examples:
  livetime pvs beamline.yaml
  livetime pvs --markdown > all-pvs.md
  livetime pvs beamline.yaml --db > beamline.db
  livetime pvs beamline.yaml --db --prefix BL7: --records BL7CA: > beamline.db

The records are for a stock IOC with pvAccess links (softIocPVX of PVXS, or QSRV), so that clients of Channel Access read and write
the values of a run. Pictures are left out. Nothing is started.";

const INSPECT_HELP: &str = "\
Examples:
  livetime inspect e236-r0003-s04-c00.xtc
  livetime inspect *.xtc --json > inspect.json
  livetime inspect run.xtc2 --tree --first 20
  livetime inspect felix-2018-11-05-102030.0.1.2.bin link.bin.zst

Reads XTC of LCLS-I (.xtc) and LCLS-II (.xtc2) and trigger records (.records), also while they are written; the data
themselves are skipped.
Raw frames of the wire readout (WIB1, WIB2, WIBEth) and FELIX blocks are known by their content and are read whole. The
report accounts for the time of each link, and shows its faults, and pedestal and noise of its planes.
The command ends with 1 if a file cannot be read or is not whole, and shows the complete part all the same; with 3
if raw frames are missing or have faults.";

const SCHEMA_HELP: &str = "\
Example:
  livetime schema > pipeline.schema.json
and as first line of a pipeline file:
  # yaml-language-server: $schema=pipeline.schema.json";

/// The pipeline and its parameters.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct PipelineArgs {
    /// Pipeline file; without one, a simulated camera with eleven plugins.
    pub(crate) file: Option<PathBuf>,
    /// Set a parameter before the start, for example detector.acquire_period=2ms; may be repeated.
    #[arg(long = "set", value_name = "NODE.PARAM=VALUE")]
    pub(crate) settings: Vec<Setting>,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Run the command inside Python, so that the file may name nodes of Python as `module:name`. The variable LIVETIME_PYTHON
    /// names the interpreter, which must have the package livetime. Without the variable the interpreter is the one whose
    /// package brought this program, else python3.
    #[arg(long, requires = "file")]
    pub(crate) python: bool,
}

impl Command {
    /// The pipeline file that it is about, and whether Python is to do it; `None` if it is about none.
    pub(crate) fn pipeline(&mut self) -> Option<(Option<&Path>, &mut bool)> {
        match self {
            Command::Run(RunArgs { pipeline, .. })
            | Command::Check(CheckArgs { pipeline, .. })
            | Command::Pvs(PvsArgs { pipeline, .. })
            | Command::Verify(VerifyArgs { pipeline, .. }) => {
                Some((pipeline.file.as_deref(), &mut pipeline.python))
            }
            Command::Analyze(args) => Some((Some(args.pipeline.as_deref()?), &mut args.python)),
            Command::Bench(args) => args.pipeline(),
            _ => None,
        }
    }
}

fn listen(text: &str) -> Result<String, String> {
    crate::pvs::listen_at([text]).map(|_| text.to_owned())
}

fn writer(text: &str) -> Result<String, String> {
    crate::pvs::access_of([text]).map(|_| text.to_owned())
}

/// Arguments of `run`.
#[derive(Args, Debug, Default)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) pipeline: PipelineArgs,
    /// End the sources after this time, for example 10s, 5min, 200ms.
    #[arg(long, value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// End each source after this many frames.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) frames: Option<u64>,
    /// Serve the run over pvAccess, also if the file has no block `pvaccess`.
    #[arg(long, overrides_with = "no_pva")]
    pub(crate) pva: bool,
    /// Do not serve the run, even if the file has a block `pvaccess`.
    #[arg(long, overrides_with = "pva")]
    pub(crate) no_pva: bool,
    /// The names of all PVs begin with this text, for example 13SIM1:
    #[arg(long, value_name = "TEXT", value_parser = checked_prefix)]
    pub(crate) prefix: Option<String>,
    /// Serve the run over pvAccess at these addresses; `any` means all. By default only this machine can
    /// connect.
    #[arg(long, value_name = "ADDR", value_delimiter = ',', value_parser = listen)]
    pub(crate) listen: Vec<String>,
    /// Clients that may write over pvAccess: local (this machine, the default), any, an address, a network,
    /// or USER@ one of these.
    #[arg(long, value_name = "WHO", value_delimiter = ',', value_parser = writer)]
    pub(crate) writers: Vec<String>,
    /// Serve the page of the run at this address or, if it is taken, at the next free port; a port alone is for this
    /// machine only. By default 8090.
    #[arg(long, value_name = "ADDR", value_parser = crate::metrics::address, conflicts_with = "no_web")]
    pub(crate) web: Option<SocketAddr>,
    /// Do not serve the page of the run.
    #[arg(long)]
    pub(crate) no_web: bool,
    /// Also answer requests for the page whose `Host` is NAME; `*` means any name.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) web_host: Vec<String>,
    /// Let the page browse the recorded runs in this folder too. The page always browses the folders that the run writes to.
    #[arg(long, value_name = "DIR", value_delimiter = ',')]
    pub(crate) web_files: Vec<PathBuf>,
    /// The token of the page is in FILE, which only its owner may be able to read. A FILE that does not exist is made.
    #[arg(long, value_name = "FILE", conflicts_with = "no_web")]
    pub(crate) web_token_file: Option<PathBuf>,
    /// Also answer requests for metrics whose `Host` is NAME; `*` means any name.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) metrics_host: Vec<String>,
    /// Serve metrics for Prometheus at this address; a port alone is for this machine only.
    #[arg(long, value_name = "ADDR", value_parser = crate::metrics::address)]
    pub(crate) metrics: Option<SocketAddr>,
    /// Trace some frames through all nodes, and write the trace to this file at the end.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Trace frames whose number is a multiple of this.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "trace",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) trace_every: u64,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) pipeline: PipelineArgs,
}

/// Arguments of `nodes`.
#[derive(Args, Debug)]
pub(crate) struct NodesArgs {
    /// Describe this type of node.
    pub(crate) name: Option<String>,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// List the PVs that a node of this type serves; without a type, the PVs that belong to a run as a whole.
    #[arg(long)]
    pub(crate) pvs: bool,
}

/// Arguments of `pvs`.
#[derive(Args, Debug)]
pub(crate) struct PvsArgs {
    #[command(flatten)]
    pub(crate) pipeline: PipelineArgs,
    /// The names of all PVs begin with this text; by default with the prefix in the pipeline file, else with 13SIM1:
    #[arg(long, value_name = "TEXT", value_parser = checked_prefix)]
    pub(crate) prefix: Option<String>,
    /// Print every PV of every type of node, and each PV of areaDetector with its fate here, as tables in Markdown. No pipeline file is read.
    #[arg(long, conflicts_with_all = ["json", "db", "file", "prefix"])]
    pub(crate) markdown: bool,
    /// Write a record file with a link to each PV.
    #[arg(long, conflicts_with = "json")]
    pub(crate) db: bool,
    /// The names of all records begin with this text; by default with the prefix of the PVs.
    #[arg(long, value_name = "TEXT", value_parser = checked_prefix, requires = "db")]
    pub(crate) records: Option<String>,
}

/// Arguments of `top`.
#[derive(Args, Debug)]
pub(crate) struct TopArgs {
    /// Where the run is served.
    pub(crate) link: String,
    /// Show one moment and end.
    #[arg(long)]
    pub(crate) once: bool,
}

/// Arguments of `inspect`.
#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// Files to inspect.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Print every datagram (record) with its content instead of counts.
    #[arg(long, conflicts_with = "json")]
    pub(crate) tree: bool,
    /// With --tree: stop after this many datagrams (records) of each file.
    #[arg(long, value_name = "DATAGRAMS", requires = "tree")]
    pub(crate) first: Option<u64>,
    /// Read every picture of the runs of these files, and count whole, damaged, missing and unreadable ones,
    /// by the rules of sources and `analyze`.
    #[arg(long, conflicts_with = "tree")]
    pub(crate) pictures: bool,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A time with its unit.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    // A hundred years. Much longer times would overflow the arithmetic.
    let seconds = positive_quantity(text, "s").filter(|s| *s < 3.2e9);
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("wanted a time above 0 with its unit, as 10s, 200ms or 10m, found `{text}`"))
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
    fn durations_have_units() {
        assert_eq!(duration("200ms"), Ok(Duration::from_millis(200)));
        assert_eq!(duration("5 min"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        for wrong in ["", "0", "-1s", "soon", "inf", "nan", "1e300"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
