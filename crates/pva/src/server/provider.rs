//! From names to PVs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

use super::{Peer, SharedPv};

/// Provides the PVs of a server. The methods are called from the server's threads and must not block.
pub trait Provider: Send + Sync {
    /// Whether there is a PV of this name. Called for every search, so it must be fast.
    fn has(&self, name: &str) -> bool;

    /// The PV of this name, for `peer`. A provider may make the PV only now.
    fn open(&self, name: &str, peer: &Peer) -> Option<SharedPv>;

    /// All names, as far as they are known, for tools that list them.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// A count that differs whenever there are other names; clients then search again.
    fn changes(&self) -> u16 {
        0
    }
}

/// PVs by name, which can be added and removed while servers run. A clone is the same map.
///
/// ```
/// use livetime_pva::{data::{ScalarType, Value}, nt, server::{PvMap, SharedPv}};
///
/// let pvs = PvMap::new();
/// pvs.add("demo:temperature", SharedPv::new(Value::new(&nt::scalar(ScalarType::F64))));
/// assert_eq!(pvs.len(), 1);
/// ```
#[derive(Clone, Default, Debug)]
pub struct PvMap(Arc<Map>);

#[derive(Default, Debug)]
struct Map {
    pvs: RwLock<HashMap<String, SharedPv>>,
    changes: AtomicU16,
}

impl PvMap {
    /// No PVs yet.
    pub fn new() -> PvMap {
        PvMap::default()
    }

    /// Adds `pv` as `name`. Returns the one that had the name before; its channels stay open.
    pub fn add(&self, name: impl Into<String>, pv: SharedPv) -> Option<SharedPv> {
        // Relaxed: beacons only compare the number with the one before; the map has its own lock.
        self.0.changes.fetch_add(1, Relaxed);
        self.0.pvs.write().unwrap_or_else(PoisonError::into_inner).insert(name.into(), pv)
    }

    /// Removes `name`. Channels that are open stay so until the PV is [closed](SharedPv::close).
    pub fn remove(&self, name: &str) -> Option<SharedPv> {
        self.0.changes.fetch_add(1, Relaxed);
        self.0.pvs.write().unwrap_or_else(PoisonError::into_inner).remove(name)
    }

    /// The PV `name`.
    pub fn get(&self, name: &str) -> Option<SharedPv> {
        self.0.pvs.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.0.pvs.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Provider for PvMap {
    fn has(&self, name: &str) -> bool {
        self.0.pvs.read().unwrap_or_else(PoisonError::into_inner).contains_key(name)
    }

    fn open(&self, name: &str, _peer: &Peer) -> Option<SharedPv> {
        self.get(name)
    }

    fn names(&self) -> Vec<String> {
        let pvs = self.0.pvs.read().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<_> = pvs.keys().cloned().collect();
        names.sort_unstable();
        names
    }

    fn changes(&self) -> u16 {
        self.0.changes.load(Relaxed)
    }
}

/// Several providers, asked one after the other.
impl Provider for Vec<Arc<dyn Provider>> {
    fn has(&self, name: &str) -> bool {
        self.iter().any(|provider| provider.has(name))
    }

    fn open(&self, name: &str, peer: &Peer) -> Option<SharedPv> {
        self.iter().find_map(|provider| provider.open(name, peer))
    }

    fn names(&self) -> Vec<String> {
        self.iter().flat_map(|provider| provider.names()).collect()
    }

    // Any change of one of them changes the sum.
    fn changes(&self) -> u16 {
        self.iter().fold(0, |sum, provider| sum.wrapping_add(provider.changes()))
    }
}
