//! Whether another server has PVs of a run, which would answer for one another.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use livetime_ca::client as ca;
use livetime_ca::wire::SERVER_PORT;
use livetime_engine::{Event, time_of_day_ns};
use livetime_pva::client as pva;

use crate::config::Pipeline;
use crate::pvs::instances;

/// Longest time between the question and the start of the run's own servers, which a longer wait would delay: several
/// round trips in a control network.
const PATIENCE: Duration = Duration::from_millis(250);

/// A search for one PV of the run over both protocols, where clients look. It is under way while the run starts, and
/// must end before the servers of the run answer it themselves.
pub(super) struct Search {
    name: String,
    begun: Instant,
    pva: Option<(pva::Channel, pva::Pending<livetime_pva::data::Value>)>,
    ca: Option<(ca::Channel, ca::Pending<ca::Facts>)>,
}

impl Search {
    /// Begins the search; `None` for a run that serves no PVs.
    pub(super) fn begin(pipeline: &Pipeline) -> Option<Search> {
        let options = &pipeline.pvaccess;
        let instance = instances(&pipeline.graph, &options.names).into_iter().next()?;
        if !options.enabled {
            return None;
        }
        let name = format!("{}{instance}:PortName_RBV", options.prefix);
        // Without a search port clients name the server that they want. A prefix of ours was searched already.
        let is_found = options.server.udp_port.is_some() && options.is_prefix_chosen;
        let pva = is_found.then(pva::Client::from_env).and_then(Result::ok).map(|client| {
            let channel = client.channel(&name);
            let pending = channel.get();
            (channel, pending)
        });
        let wanted = &options.channel_access;
        let ca = wanted.enabled.then(|| ca_client(wanted.port)).flatten().map(|client| {
            let channel = client.channel(&name);
            let pending = channel.open();
            (channel, pending)
        });
        Some(Search { name, begun: Instant::now(), pva, ca })
    }

    /// Waits for the rest of [`PATIENCE`]. Returns a warning for each protocol that has another server with the PV.
    pub(super) fn end(self) -> Vec<Event> {
        let left = || PATIENCE.saturating_sub(self.begun.elapsed());
        let mut found = Vec::new();
        if let Some((channel, pending)) = self.pva
            && (pending.wait(left()).is_ok() || channel.server().is_some())
        {
            found.push(("pvAccess", channel.server()));
        }
        if let Some((channel, pending)) = self.ca
            && pending.wait(left()).is_ok()
        {
            found.push(("Channel Access", channel.server()));
        }
        found.into_iter().map(|(protocol, server)| warning(&self.name, protocol, server)).collect()
    }
}

/// A client that looks where the environment says, and at the port of the run.
fn ca_client(port: Option<u16>) -> Option<ca::Client> {
    let mut config = ca::ClientConfig::from_env().ok()?;
    let port = port.unwrap_or(SERVER_PORT);
    let at_port: Vec<SocketAddr> =
        config.search.iter().map(|address| SocketAddr::new(address.ip(), port)).collect();
    config.search.extend(at_port);
    config.search.sort();
    config.search.dedup();
    config.repeater = None;
    ca::Client::new(config).ok()
}

fn warning(name: &str, protocol: &str, server: Option<SocketAddr>) -> Event {
    let at = server.map_or(String::new(), |server| format!(" at {server}"));
    let message = format!(
        "another server{at} has `{name}` over {protocol}, too: clients reach one of the two by chance (--prefix chooses \
         other names)"
    );
    let at_ns = u64::try_from(time_of_day_ns()).unwrap_or(0);
    Event { at_ns, node: String::new(), is_error: false, message, cause: None }
}
