//! A run with `hdf5_files` in this process, which clients of pvAccess steer.

use crate::Failed;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use livetime_control::config::{self, Setting};
use livetime_engine::{Report, Run, RunOptions};
use livetime_epics::{Bell, Options, Served};
use livetime_pva::client::{Client, ClientConfig, Pending};
use livetime_pva::server::ServerConfig;

use livetime_measure::MeasureError;

/// Nothing takes so long unless something is broken.
const LONG: Duration = Duration::from_secs(60);
const PREFIX: &str = "13SIM1:";

pub(super) struct Steered {
    run: Arc<Run>,
    served: Served,
    client: Client,
}

impl Steered {
    /// Starts the graph `text` with some parameters changed.
    pub(super) fn start(text: &str, settings: &[Setting]) -> Result<Steered, Failed> {
        let pipeline =
            config::parse("record", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), settings)?;
        let options = RunOptions { remember_frames: true, ..RunOptions::default() };
        let run = Run::start(&pipeline.graph, options).map_err(MeasureError::from)?;
        let run = Arc::new(run);
        let server = ServerConfig::loopback();
        let options = Options { enabled: true, server, prefix: PREFIX.into(), ..Options::default() };
        let served = Served::start(&run, &pipeline.plan, &options, &Bell::default())?;
        let address = served.address().ok_or("wanted a server, found none")?;
        let client = Client::new(ClientConfig::name_servers(&[address]))?;
        Ok(Steered { run, served, client })
    }

    /// The address of the server, for clients.
    pub(super) fn address(&self) -> String {
        self.served.address().map(|address| address.to_string()).unwrap_or_default()
    }

    /// Begins to write a number to a PV, which ends when the put has had its effect.
    pub(super) fn begin_put(&self, name: &str, value: f64) -> Pending<()> {
        self.client.channel(&format!("{PREFIX}{name}")).put(("value", value))
    }

    pub(super) fn put(&self, name: &str, value: f64) -> Result<(), Failed> {
        self.begin_put(name, value).wait(LONG).map_err(|e| format!("{name}: {e}").into())
    }

    pub(super) fn put_text(&self, name: &str, value: &str) -> Result<(), Failed> {
        let channel = self.client.channel(&format!("{PREFIX}{name}"));
        channel.put(("value", value)).wait(LONG).map_err(|e| format!("{name}: {e}").into())
    }

    /// Ends the run.
    pub(super) fn finish(self) -> Result<Report, Failed> {
        // The server holds the run.
        drop((self.client, self.served));
        self.run.stop();
        let run = Arc::into_inner(self.run).ok_or("somebody still holds the run")?;
        let report = run.finish(LONG);
        let imbalances = report.imbalances();
        if !imbalances.is_empty() {
            return Err(format!("the ledger does not close: {}", imbalances.join("; ")).into());
        }
        Ok(report)
    }
}

/// A parameter of a node.
pub(super) fn setting(node: &str, param: &str, value: &Path) -> Setting {
    Setting { node: node.into(), param: param.into(), value: value.display().to_string() }
}
