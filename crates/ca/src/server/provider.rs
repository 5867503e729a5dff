//! Channels of a server.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::{Done, Peer, Pv, Watcher};
use crate::Status;
use crate::dbr::{Native, Reading, Values};

/// Channels by name. A clone of the `Arc` that a server holds may be asked from any thread.
pub trait Provider: Send + Sync {
    /// Whether there is a channel of this name. Asked for every search in the network.
    fn has(&self, name: &str) -> bool;

    /// The channel of this name.
    fn open(&self, name: &str) -> Option<Arc<dyn Channel>>;
}

/// A value that clients read, watch and perhaps write. It is called from the thread of the server and must not wait.
pub trait Channel: Send + Sync {
    /// The kind of its values.
    fn native(&self) -> Native;

    /// The most values that it has.
    fn count(&self) -> usize;

    /// What this client may do.
    fn rights(&self, peer: &Peer) -> Rights;

    /// The values of now.
    ///
    /// # Errors
    /// When there are none.
    fn read(&self) -> Result<Reading, Refusal>;

    /// A client puts values; it is told when they are written.
    fn write(&self, put: Put);

    /// Pushes changes to this watcher from now on, until the watcher is [closed](Watcher::is_closed).
    fn watch(&self, watcher: Arc<Watcher>);
}

/// What a client may do at a channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rights {
    /// Get and monitor.
    pub read: bool,
    /// Put.
    pub write: bool,
}

impl Rights {
    /// As they travel.
    pub(super) fn bits(self) -> u32 {
        u32::from(self.read) | u32::from(self.write) << 1
    }
}

/// A put of a client. Answer it at once, or keep it and answer later from any thread.
pub struct Put {
    /// The values, as the client sent them.
    pub values: Values,
    /// Who wants it.
    pub peer: Arc<Peer>,
    /// Whether the client waits until all that the put begins has ended.
    pub waits: bool,
    /// The way of the answer.
    pub done: Done,
}

/// Why a request is not done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// For the program of the client.
    pub status: Status,
    /// For people.
    pub reason: String,
}

impl Refusal {
    /// A refusal with a status and a reason.
    pub fn new(status: Status, reason: impl Into<String>) -> Refusal {
        Refusal { status, reason: reason.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// [`Pv`]s by name. A clone is the same map.
#[derive(Clone, Default)]
pub struct PvMap(Arc<RwLock<HashMap<String, Pv>>>);

impl PvMap {
    /// An empty map.
    pub fn new() -> PvMap {
        PvMap::default()
    }

    /// Serves `pv` under `name` from now on, instead of the PV that had the name.
    pub fn add(&self, name: impl Into<String>, pv: Pv) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(name.into(), pv);
    }
}

impl Provider for PvMap {
    fn has(&self, name: &str) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains_key(name)
    }

    fn open(&self, name: &str) -> Option<Arc<dyn Channel>> {
        let map = self.0.read().unwrap_or_else(PoisonError::into_inner);
        map.get(name).map(|pv| Arc::new(pv.clone()) as Arc<dyn Channel>)
    }
}
