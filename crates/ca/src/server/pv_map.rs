//! PVs by name.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::{Channel, Provider, Pv};

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
