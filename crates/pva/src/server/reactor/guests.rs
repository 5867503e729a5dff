//! How many connections there are, in all and from each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::server::statistics::{add, subtract};
use crate::server::{Limits, Service};

/// How many connections there are from each address.
#[derive(Clone, Default)]
pub(super) struct Guests(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One connection, counted until it is dropped.
pub(super) struct Guest {
    guests: Guests,
    service: Service,
    address: IpAddr,
}

/// How many files this process may have open, connections among them; `None` where the system does not say.
fn open_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Clients get at most half of the files that the process may open: the rest of the program needs some, too. Of these one
/// host gets at most half.
pub(super) fn affordable(limits: Limits) -> Limits {
    let connections = open_files().map_or(limits.connections, |files| limits.connections.min(files / 2));
    let connections_per_host = match connections < limits.connections {
        true => limits.connections_per_host.min(connections / 2),
        false => limits.connections_per_host,
    };
    Limits { connections, connections_per_host, ..limits }
}

impl Guests {
    /// Counts a connection from `address`, or says why it must not be.
    pub(super) fn admit(&self, service: &Service, address: IpAddr) -> Result<Guest, &'static str> {
        let address = address.to_canonical();
        let limits = &service.0.limits;
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.values().sum::<usize>() >= limits.connections {
            return Err("too many connections");
        }
        let count = hosts.entry(address).or_default();
        if *count >= limits.connections_per_host {
            return Err("too many connections from this address");
        }
        *count += 1;
        add(&service.0.counters.connections, 1);
        add(&service.0.counters.accepted, 1);
        Ok(Guest { guests: self.clone(), service: service.clone(), address })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        subtract(&self.service.0.counters.connections, 1);
        let mut hosts = self.guests.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = hosts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                hosts.remove(&self.address);
            }
        }
    }
}
