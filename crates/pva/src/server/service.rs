//! The shared state of all connections of a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use livetime_guests::Guests;

use crate::proto::Guid;
use crate::server::statistics::Counters;
use crate::server::{Access, Event, Limits, Log, Peer, Provider, ServerConfig, Statistics, Timeouts};

/// The shared state of all connections of a server: its PVs, its limits, its counts.
#[derive(Clone)]
pub struct Service(pub(crate) Arc<ServiceParts>);

pub(crate) struct ServiceParts {
    pub(crate) provider: Box<dyn Provider>,
    pub(crate) access: Access,
    pub(crate) hint: String,
    pub(crate) type_cache: bool,
    pub(crate) timeouts: Timeouts,
    pub(crate) limits: Limits,
    pub(crate) counters: Counters,
    pub(crate) guests: Guests,
    pub(crate) guid: Guid,
    pub(crate) port: AtomicU16,
    log: Option<Log>,
}

impl Service {
    /// A service of the PVs of `provider`. Of `config` only the settings of connections are used.
    pub fn new(config: &ServerConfig, provider: impl Provider + 'static) -> Service {
        Service(Arc::new(ServiceParts {
            provider: Box::new(provider),
            access: config.access.clone(),
            hint: config.hint.clone(),
            type_cache: config.type_cache,
            timeouts: config.timeouts,
            limits: config.limits,
            counters: Counters::default(),
            guests: Guests::new(config.limits.bounds()),
            guid: guid(),
            port: AtomicU16::new(config.tcp_port),
            log: config.log.clone(),
        }))
    }

    /// Counts of the service.
    pub fn statistics(&self) -> Statistics {
        Statistics { memory: self.0.guests.memory() as u64, ..self.0.counters.read() }
    }

    /// The identity of the server.
    pub fn guid(&self) -> Guid {
        self.0.guid
    }
}

impl ServiceParts {
    pub(crate) fn tell(&self, event: &Event) {
        self.log.iter().for_each(|log| log(event));
    }

    /// The receiver of events, if there is one.
    pub(crate) fn log(&self) -> Option<&Log> {
        self.log.as_ref()
    }

    pub(crate) fn problem(&self, text: String) {
        self.tell(&Event::Problem(text));
    }

    pub(crate) fn closed(&self, peer: &Arc<Peer>, reason: String) {
        self.tell(&Event::Closed { peer: Arc::clone(peer), reason });
    }

    pub(crate) fn port(&self) -> u16 {
        self.port.load(Relaxed)
    }
}

// Differs from start to start and from server to server; need not be secret.
// The keys of the standard hasher are random for each process, which is all that is needed.
fn guid() -> Guid {
    use std::hash::{BuildHasher, RandomState};
    let random = || RandomState::new().hash_one(std::process::id()).to_le_bytes();
    let mut guid = [0; 12];
    guid[..8].copy_from_slice(&random());
    guid[8..].copy_from_slice(&random()[..4]);
    guid
}
