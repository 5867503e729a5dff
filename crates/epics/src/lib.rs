//! The running graph served over pvAccess, under areaDetector's names.
//!
//! Every parameter of every node, its statistics and its losses are PVs: `13SIM1:cam1:AcquireTime`,
//! `13SIM1:Stats1:MeanValue_RBV`, `13SIM1:ROI1:DroppedArrays_RBV`. `livetime pvs --markdown` lists them all.
//!
//! Three items come first. [`Served`] serves a run, or the run of a model that other faces show too, until it is
//! dropped. [`Options`] have the names and addresses, and the access rules. [`describe_node`] lists the PVs of a type
//! of node, without a run.
//!
//! PVs are a presentation of the [`Model`] of the run. The model makes a moment ten times a second unless the pipeline
//! file sets another rate, and at once after an error. One thread shows the changes from one moment to the next; a
//! second one shows the images that `pva_image` nodes hand over, so that no node waits for clients. A client's write
//! becomes a change of the model; the put ends when the PVs show its effect. The server's own threads never wait.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use livetime_engine::{Run, RunOptions};
//! use livetime_epics::{Bell, Options, Served};
//! use livetime_pva::client::{Client, ClientConfig};
//! use livetime_pva::server::ServerConfig;
//!
//! let text = "nodes:\n  cam: {type: sim_detector}\n  stats: {type: statistics, from: cam}\n";
//! let pipeline = livetime_control::config::parse("example.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])?;
//! let run = Arc::new(Run::start(&pipeline.graph, RunOptions::default()).map_err(|errors| errors[0].clone())?);
//! let options = Options { server: ServerConfig::loopback(), ..Options::default() };
//! let served = Served::start(&run, &pipeline.plan, &options, &Bell::default())?;
//!
//! let address = served.address().ok_or("not served")?;
//! let client = Client::new(ClientConfig::name_servers(&[address]))?;
//! let width = client.channel("13SIM1:cam1:MaxSizeX_RBV").get().wait(Duration::from_secs(60))?;
//! assert!(width.get("value").is_some());
//! served.end();
//! run.stop();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#[cfg(test)]
mod adcore_table;
mod alarm;
mod array_in;
mod base;
mod ca;
#[cfg(test)]
mod choices;
mod core;
mod describe;
mod document;
mod error;
mod fields;
mod fixed;
mod link;
mod names;
mod node;
mod picture;
mod picture_pvs;
mod plugins;
mod point;
mod prefix;
mod put;
mod quantity;
mod record_file;
mod records;
mod run_pvs;
mod served_pv;
mod setting;
pub mod startup;
mod table;
mod timed;
mod upstream;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use livetime_control::model::{Model, Waker, Watch};
use livetime_engine::{Graph, Plan, Run, lock};
use livetime_pva::server::{PvMap, Server, ServerConfig};

pub use describe::{describe_node, describe_run};
pub use document::document;
pub use error::ServeError;
pub use livetime_control::access::access_of;
pub use livetime_control::model::Bell;
pub use livetime_control::pvaccess::{INTERFACE, Options, listen_at, this_machine};
pub use names::instances;
pub use prefix::free_prefix;
pub use record_file::record_file;
pub use setting::{Meaning, PvNames};

use self::core::Core;
use fields::Records;
use node::NodePvs;
use picture::{Pictures, Screen};
use put::Commands;
use run_pvs::RunPvs;
use table::Tables;

/// How long the last moment may take.
const LAST: Duration = Duration::from_millis(200);

/// A run that is served. Ends when it is dropped, or with [`Served::end`].
pub struct Served {
    server: Option<Server>,
    channels: Option<livetime_ca::server::Server>,
    core: Arc<Core>,
    pvs: PvMap,
    /// Rings when there is a picture to be shown.
    screen_bell: Arc<Waker>,
    threads: Vec<JoinHandle<()>>,
    _watch: Watch,
}

impl Served {
    /// Serves `run`, which should remember its frames
    /// ([`RunOptions::remember_frames`](livetime_engine::RunOptions::remember_frames)), with a model of its own.
    ///
    /// # Errors
    /// [`ServeError`] when no socket can be opened, or no thread started. The run continues all the same.
    pub fn start(run: &Arc<Run>, plan: &Plan, options: &Options, bell: &Bell) -> Result<Served, ServeError> {
        let model = Model::start(run, bell, options.access.clone()).map_err(ServeError::Model)?;
        Served::of(&model, plan, options)
    }

    /// Serves the run of a model, which other faces may show, too.
    ///
    /// # Errors
    /// [`ServeError`] when no socket can be opened, or no thread started. The run goes on all the same.
    pub fn of(model: &Model, plan: &Plan, options: &Options) -> Result<Served, ServeError> {
        let map = PvMap::new();
        let commands = Commands::new(model);
        let screen_bell = Arc::new(Waker::default());
        let (core, screens, records) = core(model, plan, options, &screen_bell, &map, &commands)?;
        let core = Arc::new(core);
        commands.answer_to(&core);
        let showing = Arc::downgrade(&core);
        model.on_begun(Arc::new(move |moment, node| {
            if let Some(core) = showing.upgrade() {
                lock(&core.nodes[node]).show_begun(moment);
            }
        }));
        let mut config = ServerConfig { access: options.access.clone(), ..options.server.clone() };
        let limits = picture::limits(config.limits, model.run().graph());
        config.limits = limits;
        let server = Server::start(config, records.clone()).map_err(ServeError::Socket)?;
        let channels = ca::serve(options, &server, limits, &records).map_err(ServeError::Socket)?;
        let watch = model.watch(core.period);
        let (updating, bell) = (core.clone(), screen_bell.clone());
        let mut served = Served {
            server: Some(server),
            channels,
            core,
            pvs: map,
            screen_bell,
            threads: Vec::new(),
            _watch: watch,
        };
        served.spawn("pv updates", move || updating.update())?;
        if !screens.is_empty() {
            let pvs = served.pvs.clone();
            served.spawn("pv images", move || picture::show_all(screens, &pvs, &bell))?;
        }
        Ok(served)
    }

    fn spawn(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), ServeError> {
        let thread = Builder::new().name(name.into()).spawn(work);
        self.threads.push(thread.map_err(ServeError::Thread)?);
        Ok(())
    }

    /// Where clients connect to.
    pub fn address(&self) -> Option<SocketAddr> {
        self.server.as_ref().map(Server::tcp_address)
    }

    /// Where clients of Channel Access connect to, if they can.
    pub fn channel_access(&self) -> Option<SocketAddr> {
        self.channels.as_ref().map(livetime_ca::server::Server::tcp_address)
    }

    /// How many PVs there are.
    pub fn pvs(&self) -> usize {
        self.pvs.len()
    }

    /// Why clients connect to another port than the one that was asked for, if they do.
    pub fn moved(&self) -> Option<&str> {
        self.server.as_ref().and_then(Server::moved)
    }

    /// Shows the last values and ends.
    pub fn end(self) {}
}

impl Drop for Served {
    fn drop(&mut self) {
        self.core.is_ended.store(true, Ordering::Release);
        self.screen_bell.end();
        // The thread that shows wakes by it.
        self.core.model.at_most_old(Duration::ZERO, LAST);
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so, and the run ends as it would.
            let _ = thread.join();
        }
        self.channels = None;
        self.server = None;
    }
}

fn core(
    model: &Model,
    plan: &Plan,
    options: &Options,
    screen_bell: &Arc<Waker>,
    map: &PvMap,
    commands: &Commands,
) -> Result<(Core, Vec<Screen>, Records), ServeError> {
    let graph: &Graph = model.run().graph();
    let instances = instances(graph, &options.names);
    let prefix = &options.prefix;
    let (mut nodes, mut tables, mut places) = (Vec::new(), Tables::default(), HashMap::new());
    for (number, (node, instance)) in graph.nodes().iter().zip(&instances).enumerate() {
        let prefix = format!("{prefix}{instance}:");
        let table = tables.of(&node.node_type)?;
        let parent = names::measured_by(graph, number);
        let at_parent = |name: &str| {
            let parent = parent?;
            let name = names::name_at_parent(&graph.nodes()[parent].node_type, name)?;
            Some(format!("{}{}:{name}", options.prefix, instances[parent]))
        };
        let on_put = |target| commands.handler(number, target);
        places.insert(prefix.clone(), (number, table.clone()));
        let pvs = NodePvs::new(table, number, &prefix, map, on_put, at_parent)?;
        nodes.push(Mutex::new(pvs));
    }
    let (pictures, screens) = Pictures::new(graph, plan, &instances, prefix, map, screen_bell)?;
    let core = Core {
        model: model.clone(),
        nodes,
        whole: Mutex::new(RunPvs::new(graph, &instances, prefix, map, |action| commands.act(action))?),
        pictures: Mutex::new(pictures),
        puts: Mutex::default(),
        links: Default::default(),
        is_ended: Default::default(),
        period: Duration::from_secs_f64(1.0 / options.update_rate_hz.clamp(0.1, 100.0)),
    };
    Ok((core, screens, Records::new(map, places, commands)))
}
