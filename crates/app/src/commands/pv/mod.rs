//! `livetime pv`: process variables of EPICS servers.

mod args;
mod ca;
mod client;
mod get;
mod info;
mod json;
mod list;
mod monitor;
mod put;
mod text;

use clap::{Args, Subcommand};

use crate::output::{Exit, Failure, Output};
use args::{GetArgs, InfoArgs, ListArgs, MonitorArgs, PutArgs};

/// Arguments of `pv`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct PvArgs {
    #[command(subcommand)]
    command: Command,
}

impl PvArgs {
    /// Whether stdout has JSON.
    pub(crate) fn is_json(&self) -> bool {
        match &self.command {
            Command::Get(args) => args.asked.common.json,
            Command::Put(args) => args.asked.common.json,
            Command::Monitor(args) => args.asked.common.json,
            Command::Info(args) => args.common.json,
            Command::List(args) => args.common.json,
        }
    }
}

const HELP: &str = "\
The variables EPICS_PVA_ADDR_LIST, EPICS_PVA_AUTO_ADDR_LIST, EPICS_PVA_NAME_SERVERS and others of EPICS say where servers are
looked for. Addresses are host[:port][,TTL][@interface], as 10.1.2.255, [::1]:5076 or ff02::42:1@eth0.

With --ca the commands speak Channel Access, and EPICS_CA_ADDR_LIST, EPICS_CA_AUTO_ADDR_LIST, EPICS_CA_NAME_SERVERS, EPICS_CA_SERVER_PORT
and EPICS_CA_CONN_TMO count; addresses are host[:port]. This machine is among the automatic addresses.";

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
  livetime pv get --ca 13SIM1:cam1:AcquireTime 13SIM1:TIFF1:FullFileName_RBV.VAL$

A line has the name, the local time of the value, the value, and the alarm if there is one.";

const PUT_HELP: &str = "\
Examples:
  livetime pv put 13SIM1:cam1:AcquireTime 0.01
  livetime pv put 13SIM1:cam1:ImageMode Continuous
  livetime pv put 13SIM1:cam1:Acquire 1 -r \"record[block=true]\" -w 60s
  livetime pv put lut:curve -1 0.5 1
  livetime pv put motor value=3 -r \"record[process=true,block=true]\" -w 60s
  livetime pv put --ca 13SIM1:cam1:Acquire 1 -w 60s

With --ca a put ends when all has ended that it began, as the one of `caput -c`.";

const MONITOR_HELP: &str = "\
Examples:
  livetime pv monitor 13SIM1:Stats1:MeanValue_RBV
  livetime pv monitor 13SIM1:Pva1:Image -n 100 -r \"record[pipeline=true,queueSize=8]\"
  livetime pv monitor --ca 13SIM1:cam1:DetectorState_RBV -m va";

const INFO_HELP: &str = "\
Examples:
  livetime pv info 13SIM1:Pva1:Image
  livetime pv info --ca 13SIM1:cam1:AcquireTime";

const LIST_HELP: &str = "\
Examples:
  livetime pv list
  livetime pv list 10.0.0.5:5075
  livetime pv list 10.0.0.5 --info
  livetime pv list --ca -w 20s

Servers of Channel Access have no list of their names. They are seen by their beacons, one in 15 s, which the repeater of this
machine (`caRepeater`) hands on.";

/// Carries out the command in `args`.
pub(crate) fn pv(args: &PvArgs, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        Command::Get(args) if args.asked.common.ca => ca::get(args, output),
        Command::Put(args) if args.asked.common.ca => ca::put(args, output),
        Command::Monitor(args) if args.asked.common.ca => ca::monitor(args, output),
        Command::Info(args) if args.common.ca => ca::info(args, output),
        Command::List(args) if args.common.ca => ca::list(args, output),
        Command::Get(args) => get::get(args, output),
        Command::Put(args) => put::put(args, output),
        Command::Monitor(args) => monitor::monitor(args, output),
        Command::Info(args) => info::info(args, output),
        Command::List(args) => list::list(args, output),
    }
}
