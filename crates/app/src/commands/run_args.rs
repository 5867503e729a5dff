//! Arguments of `livetime run`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use livetime_control::WrongText;

use crate::args::{KeptArgs, PipelineArgs, duration};
use crate::config::checked_prefix;

pub(crate) const RUN_HELP: &str = "\
Examples:
  livetime run
  livetime run beamline.yaml --duration 10s --set detector.acquire_period=2ms
  livetime run beamline.yaml --frames 1000 --json > report.json
  livetime run beamline.yaml --pva --prefix BL7:
  livetime run beamline.yaml --web 0.0.0.0:8090
  livetime run beamline.yaml --metrics 9090
  livetime run --python beamline.yaml
  livetime run beamline.yaml --host detector
  livetime run beamline.yaml --trace run.json --trace-every 50
  livetime run beamline.yaml --settings /var/lib/livetime/beamline.json
  livetime run beamline.yaml --no-settings
  livetime run beamline.yaml --black-box /var/lib/livetime

Parameters that are changed while the run goes on are written to beamline.settings.json beside the file, at most once a second, and
restored at the next start; `livetime settings --help`. The pipeline file is never changed.
The counts of the run are copied to beamline.ID.blackbox beside the file while it goes on; the file is removed at its end. The next run
tells what a killed run had counted; `livetime ledger --help`.
The link that is printed opens the page of the run and allows changes: everybody who has the link can steer the run.
Metrics are for Prometheus at http://127.0.0.1:9090/metrics. A trace is opened by https://ui.perfetto.dev.
The first Ctrl-C ends the sources and handles the frames that are under way; the second one aborts.";

/// Arguments of `run`.
#[derive(Args, Debug, Default)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) pipeline: PipelineArgs,
    #[command(flatten)]
    pub(crate) kept: KeptArgs,
    /// The folder for the black box: a file with the counts of the run that survives the kill of the process. By default the folder
    /// of the pipeline file.
    #[arg(long, value_name = "DIR", conflicts_with = "no_black_box")]
    pub(crate) black_box: Option<PathBuf>,
    /// Keep no black box, and do not read the black boxes of killed runs.
    #[arg(long)]
    pub(crate) no_black_box: bool,
    /// Wait so long for the hosts at the other ends of links, at the start and when one is gone; by default frames wait for 60s, and
    /// a host that receives waits without limit.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) peers_within: Option<Duration>,
    /// At Ctrl-C, leave the other hosts running: frames wait for the next run of this host. Otherwise all hosts end.
    #[arg(long)]
    pub(crate) leave: bool,
    /// End the sources after this time, for example 10s, 5min, 200ms.
    #[arg(long, value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// End each source after this many frames.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) frames: Option<u64>,
    /// Serve the run over pvAccess, also if the file has no block `pvaccess`.
    #[arg(long, overrides_with = "no_pva")]
    pub(crate) pva: bool,
    /// Serve the run over Channel Access, too, at this port; by default at the port in EPICS_CAS_SERVER_PORT, or 5064.
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, conflicts_with = "no_pva")]
    pub(crate) ca: Option<Option<u16>>,
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

fn listen(text: &str) -> Result<String, WrongText> {
    crate::pvs::listen_at([text]).map(|_| text.to_owned())
}

fn writer(text: &str) -> Result<String, WrongText> {
    crate::pvs::access_of([text]).map(|_| text.to_owned())
}
