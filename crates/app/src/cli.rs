//! The command line.

use std::path::Path;

use clap::{Parser, Subcommand};
use livetime_measure::VERSION;

use crate::called::Called;
use crate::commands::analyze::{self, AnalyzeArgs};
use crate::commands::bench::{BenchArgs, MovedArgs};
use crate::commands::check::{CHECK_HELP, CheckArgs};
use crate::commands::convert::{CONVERT_HELP, ConvertArgs};
use crate::commands::examples::{EXAMPLES_HELP, ExamplesArgs};
use crate::commands::import::{IMPORT_HELP, ImportArgs};
use crate::commands::index::{INDEX_HELP, IndexArgs};
use crate::commands::inspect::{INSPECT_HELP, InspectArgs};
use crate::commands::join::{JOIN_HELP, JoinArgs};
#[cfg(feature = "zmq")]
use crate::commands::keys::{KEYS_HELP, KeysArgs};
use crate::commands::ledger::{LEDGER_HELP, LedgerArgs};
use crate::commands::nodes::{NODES_HELP, NodesArgs, SCHEMA_HELP};
use crate::commands::pv::PvArgs;
use crate::commands::pvs::{PVS_HELP, PvsArgs};
use crate::commands::python::PyanaArgs;
use crate::commands::recover::{RECOVER_HELP, RecoverArgs};
use crate::commands::run_args::{RUN_HELP, RunArgs};
use crate::commands::settings::{SETTINGS_HELP, SettingsArgs};
use crate::commands::shell::{COMPLETIONS_HELP, CompletionsArgs, MAN_HELP, ManArgs};
use crate::commands::sim::SimArgs;
use crate::commands::top::{TOP_HELP, TopArgs};
use crate::commands::verify::{VERIFY_HELP, VerifyArgs};
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
    /// Make a pipeline file out of the start-up script of an areaDetector IOC (st.cmd).
    #[command(after_help = IMPORT_HELP)]
    Import(ImportArgs),
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
    /// Write an index beside each file of a recorded run, so that plans of many files are made at once.
    #[command(after_help = INDEX_HELP)]
    Index(IndexArgs),
    /// Show the HDF5 files of several hosts as one file, and name missing frames.
    #[command(after_help = JOIN_HELP)]
    Join(JoinArgs),
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
    /// Names the program that has this command now.
    #[command(hide = true, disable_help_flag = true)]
    HitsScore(MovedArgs),
    /// Read, write and follow process variables of EPICS servers.
    Pv(PvArgs),
    /// List the PVs that a run of a pipeline would serve, or write records of an IOC that link to them.
    #[command(after_help = PVS_HELP)]
    Pvs(PvsArgs),
    /// Show the settings file of a pipeline, how a run with it differs from the pipeline file, or import settings of an EPICS IOC.
    #[command(after_help = SETTINGS_HELP)]
    Settings(SettingsArgs),
    /// Join the ledgers of several runs: their reports, and black boxes of runs that live or were killed.
    #[command(after_help = LEDGER_HELP)]
    Ledger(LedgerArgs),
    /// Make keys for the two ends of a link over ZeroMQ.
    #[cfg(feature = "zmq")]
    #[command(after_help = KEYS_HELP)]
    Keys(KeysArgs),
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
            Command::Index(args) => args.json,
            Command::Join(args) => args.json,
            Command::Sim(args) => args.is_json(),
            Command::HitsScore(args) => args.is_json(),
            Command::Import(args) => args.json,
            Command::Pv(args) => args.is_json(),
            Command::Ledger(args) => args.json,
            _ => false,
        }
    }
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
            // Without a pipeline the analysis needs no Python.
            Command::Analyze(args) => Some((Some(args.pipeline.as_deref()?), &mut args.python)),
            Command::Settings(args) => Some(args.pipeline()),
            Command::Bench(args) => args.pipeline(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
