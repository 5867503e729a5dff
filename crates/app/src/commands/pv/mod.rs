//! `livetime pv`: process variables of EPICS servers.

mod get;
mod info;
mod json;
mod list;
mod monitor;
mod put;
mod text;

use std::time::Duration;

use clap::{Args, Subcommand};
use livetime_pva::client::{Client, Error};
use livetime_pva::data::Value;

use self::text::Clock;
use crate::cli::duration;
use crate::output::{Exit, Failure, Output};

/// Arguments of `pv`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct PvArgs {
    #[command(subcommand)]
    command: Command,
}

const HELP: &str = "\
The variables EPICS_PVA_ADDR_LIST, EPICS_PVA_AUTO_ADDR_LIST, EPICS_PVA_NAME_SERVERS and others of EPICS say where servers are
looked for. Addresses are host[:port][,TTL][@interface], as 10.1.2.255, [::1]:5076 or ff02::42:1@eth0.";

#[derive(Subcommand, Debug)]
enum Command {
    /// Print values.
    #[command(after_help = GET_HELP)]
    Get(GetArgs),
    /// Write a value.
    #[command(after_help = PUT_HELP)]
    Put(PutArgs),
    /// Print values as they change, until Ctrl-C.
    #[command(after_help = MONITOR_HELP)]
    Monitor(MonitorArgs),
    /// Print the types of process variables and the servers that have them.
    #[command(after_help = INFO_HELP)]
    Info(InfoArgs),
    /// List servers, or the process variables of one.
    #[command(after_help = LIST_HELP)]
    List(ListArgs),
}

const GET_HELP: &str = "\
Examples:
  livetime pv get 13SIM1:cam1:AcquireTime
  livetime pv get 13SIM1:Stats1:MeanValue_RBV 13SIM1:image1:ArrayCounter_RBV --json
  livetime pv get 13SIM1:Pva1:Image -r \"field(uniqueId,dimension)\"

A line has the name, the local time of the value, the value, and the alarm if there is one.";

const PUT_HELP: &str = "\
Examples:
  livetime pv put 13SIM1:cam1:AcquireTime 0.01
  livetime pv put 13SIM1:cam1:ImageMode Continuous
  livetime pv put 13SIM1:cam1:Acquire 1 -r \"record[block=true]\" -w 60s
  livetime pv put lut:curve -1 0.5 1
  livetime pv put motor value=3 -r \"record[process=true,block=true]\" -w 60s";

const MONITOR_HELP: &str = "\
Examples:
  livetime pv monitor 13SIM1:Stats1:MeanValue_RBV
  livetime pv monitor 13SIM1:Pva1:Image -n 100 -r \"record[pipeline=true,queueSize=8]\"";

const INFO_HELP: &str = "\
Example:
  livetime pv info 13SIM1:Pva1:Image";

const LIST_HELP: &str = "\
Examples:
  livetime pv list
  livetime pv list 10.0.0.5:5075
  livetime pv list 10.0.0.5 --info";

#[derive(Args, Debug)]
struct Common {
    /// The time to wait for each answer, for example 5s, 200ms.
    #[arg(short = 'w', long = "timeout", value_parser = duration, default_value = "5s")]
    timeout: Duration,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct Asked {
    #[command(flatten)]
    common: Common,
    /// Fields and options of the request, for example field(value,alarm)record[process=true].
    #[arg(short = 'r', long = "request", default_value = "")]
    request: String,
    /// Print times in UTC instead of local time; JSON has them in UTC always.
    #[arg(long)]
    utc: bool,
}

impl Asked {
    fn clock(&self) -> Clock {
        if self.utc { Clock::Utc } else { Clock::Local }
    }
}

#[derive(Args, Debug)]
struct GetArgs {
    #[command(flatten)]
    asked: Asked,
    /// Names of process variables.
    #[arg(required = true)]
    names: Vec<String>,
}

#[derive(Args, Debug)]
struct PutArgs {
    #[command(flatten)]
    asked: Asked,
    /// Name of the process variable.
    name: String,
    /// The value: a number, a text or a choice; several values for an array; or FIELD=VALUE. Put `--` before
    /// a text that begins with a dash.
    #[arg(required = true, allow_negative_numbers = true)]
    values: Vec<String>,
}

#[derive(Args, Debug)]
struct MonitorArgs {
    #[command(flatten)]
    asked: Asked,
    /// Names of process variables.
    #[arg(required = true)]
    names: Vec<String>,
    /// End after this many updates in all.
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
}

#[derive(Args, Debug)]
struct InfoArgs {
    #[command(flatten)]
    common: Common,
    /// Names of process variables.
    #[arg(required = true)]
    names: Vec<String>,
}

#[derive(Args, Debug)]
struct ListArgs {
    #[command(flatten)]
    common: Common,
    /// A server, as host or host:port.
    server: Option<String>,
    /// Information about the server, instead of its process variables.
    #[arg(short = 'i', long, requires = "server")]
    info: bool,
}

/// Carries out the command in `args`.
pub(crate) fn pv(args: &PvArgs, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        Command::Get(args) => get::get(args, output),
        Command::Put(args) => put::put(args, output),
        Command::Monitor(args) => monitor::monitor(args, output),
        Command::Info(args) => info::info(args, output),
        Command::List(args) => list::list(args, output),
    }
}

fn client() -> Result<Client, Failure> {
    Client::from_env().map_err(failure)
}

// What makes no sense is the user's mistake; the rest went wrong.
fn failure(error: Error) -> Failure {
    let exit = if matches!(error, Error::Invalid(_)) { Exit::Usage } else { Exit::Failed };
    Failure::new(exit, error)
}

/// Refuses a request that cannot be read before anything is sent.
fn check_request(text: &str) -> Result<(), Failure> {
    let parsed = livetime_pva::request::parse(text);
    parsed.map(drop).map_err(|error| Failure::new(Exit::Usage, format!("the request `{text}`: {error}")))
}

/// One value as people or programs read it.
fn shown(name: &str, value: &Value, asked: &Asked) -> String {
    if asked.common.json {
        json::named(name, value).to_string()
    } else {
        text::line(name, value, asked.clock())
    }
}
