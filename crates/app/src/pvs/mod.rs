//! The running graph served over pvAccess, under areaDetector's names.
//!
//! Every parameter of every node, its statistics and its losses are PVs: `13SIM1:cam1:AcquireTime`,
//! `13SIM1:Stats1:MeanValue_RBV`, `13SIM1:ROI1:DroppedArrays_RBV`. `docs/pvs.md` lists them all.
//!
//! One thread brings the PVs up to date, ten times a second unless the pipeline file says otherwise, and at once
//! when something went wrong. It asks each node once, between two of its frames, and sends only what changed.
//! What clients write is carried out on a thread for each node; these may wait, the server's own threads never do.

mod acquire;
mod base;
mod core;
#[cfg(test)]
mod document;
mod names;
mod node;
mod options;
mod pace;
mod picture;
mod point;
mod put;
mod run_pvs;
#[cfg(test)]
mod upstream;

use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use livetime_engine::{Plan, Run};
use livetime_pva::server::{PvMap, Server};

pub use names::instances;
pub use options::{Options, access_of};

use self::core::{Alarm, Core};
use node::NodePvs;
use picture::Pictures;
use put::Commands;
use run_pvs::RunPvs;

/// A run that is served. Ends when it is dropped, or with [`Served::end`].
pub struct Served {
    server: Option<Server>,
    alarm: Arc<Alarm>,
    commands: Commands,
    threads: Vec<JoinHandle<()>>,
}

/// Rings when PVs should be brought up to date at once; made before the run, whose events ring it.
#[derive(Clone, Default)]
pub struct Bell(Arc<Alarm>);

impl Bell {
    /// Something happened that clients should see now.
    pub fn ring(&self) {
        self.0.ring();
    }
}

impl Served {
    /// Serves `run`, which should remember its frames
    /// ([`RunOptions::remember_frames`](livetime_engine::RunOptions::remember_frames)).
    ///
    /// # Errors
    /// A text when no socket can be opened, or no thread started. The run goes on all the same.
    pub fn start(run: &Arc<Run>, plan: &Plan, options: &Options, bell: &Bell) -> Result<Served, String> {
        let map = PvMap::new();
        let (commands, received) = Commands::new(run.graph().nodes().len());
        let core = core(run, plan, options, bell, &map, &commands).map_err(|e| e.to_string())?;
        let core = Arc::new(core);
        let server = Server::start(options.server.clone(), map).map_err(|e| e.to_string())?;
        let alarm = bell.0.clone();
        let mut served = Served { server: Some(server), alarm, commands, threads: Vec::new() };
        for (node, received) in received.into_iter().enumerate() {
            let core = core.clone();
            served.spawn("pv puts", move || put::work(&core, node, &received))?;
        }
        served.spawn("pv updates", move || core.update())?;
        Ok(served)
    }

    fn spawn(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), String> {
        let thread = Builder::new().name(name.into()).spawn(work);
        self.threads.push(thread.map_err(|e| format!("cannot start a thread: {e}"))?);
        Ok(())
    }

    /// Where clients connect to.
    pub fn address(&self) -> Option<std::net::SocketAddr> {
        self.server.as_ref().map(Server::tcp_address)
    }

    /// Shows the last values and ends.
    pub fn end(self) {}
}

impl Drop for Served {
    fn drop(&mut self) {
        self.alarm.end();
        self.commands.end();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so, and the run ends as it would.
            let _ = thread.join();
        }
        self.server = None;
    }
}

fn core(
    run: &Arc<Run>,
    plan: &Plan,
    options: &Options,
    bell: &Bell,
    map: &PvMap,
    commands: &Commands,
) -> livetime_pva::Result<Core> {
    let graph = run.graph();
    let instances = instances(graph, &options.names);
    let prefix = &options.prefix;
    let mut nodes = Vec::new();
    for (number, instance) in instances.iter().enumerate() {
        let prefix = format!("{prefix}{instance}:");
        nodes.push(Mutex::new(NodePvs::new(graph, number, &prefix, map, commands)?));
    }
    Ok(Core {
        run: run.clone(),
        nodes,
        whole: Mutex::new(RunPvs::new(graph, &instances, prefix, map)?),
        pictures: Mutex::new(Pictures::new(graph, plan, &instances, prefix, map)?),
        wires: Mutex::new(graph.edges().iter().map(|e| (e.from.0, e.to.0)).collect()),
        wiring: Mutex::default(),
        waiting: Mutex::default(),
        alarm: bell.0.clone(),
        period: Duration::from_secs_f64(1.0 / options.update_rate_hz.clamp(0.1, 100.0)),
    })
}
