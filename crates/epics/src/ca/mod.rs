//! The PVs of a run over Channel Access: the same values under the same names, for older clients.

mod bridge;
mod put;
mod reading;
mod serve;

use std::sync::Arc;

use livetime_ca::server::{Channel, Provider};
use livetime_pva::server::{Access, Provider as _};

use super::fields::Records;
use bridge::Bridge;
pub(super) use serve::serve;

/// PVs as channels. A name may end with a field of a record: `13SIM1:cam1:AcquireTime.EGU`.
pub(super) struct Channels {
    pub(super) records: Records,
    /// Which clients may write.
    pub(super) access: Access,
}

impl Provider for Channels {
    fn has(&self, name: &str) -> bool {
        self.records.has(name)
    }

    fn open(&self, name: &str) -> Option<Arc<dyn Channel>> {
        let found = self.records.find(name)?;
        let pv = self.records.pv(name, &found)?;
        Some(Arc::new(Bridge::new(&found, pv, self.access.clone())?))
    }
}
