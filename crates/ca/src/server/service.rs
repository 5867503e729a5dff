//! The shared state of all connections of a server.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use livetime_guests::Guests;

use super::{Event, Limits, Log, Provider, ServerConfig};

/// The shared state of all connections of a server: its channels, its limits, its clients.
#[derive(Clone)]
pub struct Service(pub(super) Arc<Parts>);

pub(super) struct Parts {
    pub(super) provider: Box<dyn Provider>,
    pub(super) limits: Limits,
    pub(super) guests: Guests,
    /// Where a search over a connection sends clients.
    pub(super) tcp_port: u16,
    watched: Watched,
    log: Option<Log>,
}

/// The monitors of each host, by record.
type Watched = Mutex<HashMap<(IpAddr, Arc<str>), usize>>;

impl Service {
    /// A service of the channels of `provider`. Of `config` only the settings of connections are used.
    pub fn new(config: &ServerConfig, tcp_port: u16, provider: impl Provider + 'static) -> Service {
        let limits = config.limits;
        let guests = config.guests.clone().unwrap_or_else(|| Guests::new(limits.bounds.affordable()));
        let (provider, watched, log) = (Box::new(provider), Mutex::default(), config.log.clone());
        Service(Arc::new(Parts { provider, limits, guests, tcp_port, watched, log }))
    }
}

impl Parts {
    pub(super) fn tell(&self, event: &Event) {
        self.log.iter().for_each(|log| log(event));
    }

    pub(super) fn problem(&self, text: String) {
        self.tell(&Event::Problem(text));
    }

    /// Counts a monitor of a record, or returns nothing when the host has as many as it may.
    pub(super) fn watch(self: &Arc<Parts>, host: IpAddr, record: &Arc<str>) -> Option<Seen> {
        let seen = (host.to_canonical(), Arc::clone(record));
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let count = watched.entry(seen.clone()).or_default();
        (*count < self.limits.monitors_per_record).then(|| {
            *count += 1;
            Seen { parts: Arc::clone(self), seen }
        })
    }
}

/// A monitor, counted until it is dropped.
pub(super) struct Seen {
    parts: Arc<Parts>,
    seen: (IpAddr, Arc<str>),
}

impl Drop for Seen {
    fn drop(&mut self) {
        let mut watched = self.parts.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = watched.get_mut(&self.seen) else { return };
        *count -= 1;
        if *count == 0 {
            watched.remove(&self.seen);
        }
    }
}
