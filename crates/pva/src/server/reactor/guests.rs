//! Connections, counted.

use std::net::IpAddr;
use std::time::Duration;

use livetime_guests::Full;

use crate::server::Service;
use crate::server::statistics::{add, subtract};

/// The place of one connection, which statistics count until it is dropped.
pub(super) struct Guest {
    pub(super) place: livetime_guests::Guest,
    service: Service,
}

impl Guest {
    /// Counts a connection from `address` at `now`, or says why it must not be. `true`: another one is closed for it.
    pub(super) fn admit(service: &Service, address: IpAddr, now: Duration) -> Result<(Guest, bool), Full> {
        let (place, is_displacing) = service.0.guests.admit(address, now)?;
        add(&service.0.counters.connections, 1);
        add(&service.0.counters.accepted, 1);
        Ok((Guest { place, service: service.clone() }, is_displacing))
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        subtract(&self.service.0.counters.connections, 1);
    }
}
