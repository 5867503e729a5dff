//! The PVs of a run over Channel Access: the same values under the same names, for older clients.

mod bridge;
mod fields;
mod put;
mod reading;
mod serve;

use std::sync::Arc;

use livetime_ca::server::{Channel, Provider};
use livetime_pva::server::{Access, PvMap};

use bridge::Bridge;
pub(super) use bridge::FACE;
use fields::Field;
pub(super) use serve::serve;

/// PVs as channels. A name may end with a field of a record: `13SIM1:cam1:AcquireTime.EGU`.
pub(super) struct Channels {
    pub(super) pvs: PvMap,
    /// Which clients may write.
    pub(super) access: Access,
}

impl Channels {
    /// The PV of a name and the field that the name asks for.
    fn find<'a>(&self, name: &'a str) -> Option<(&'a str, livetime_pva::server::SharedPv, Field)> {
        if let Some(pv) = self.pvs.get(name) {
            return Some((name, pv, Field::Value));
        }
        let (record, field) = name.rsplit_once('.')?;
        Some((record, self.pvs.get(record)?, Field::named(field)?))
    }
}

impl Provider for Channels {
    fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn open(&self, name: &str) -> Option<Arc<dyn Channel>> {
        let (record, pv, field) = self.find(name)?;
        Some(Arc::new(Bridge::new(record, pv, field, self.access.clone())?))
    }
}
