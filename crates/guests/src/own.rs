//! The addresses of this machine.

use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::lock;

/// Asking the system takes a while, and interfaces come and go rarely.
const FRESH: Duration = Duration::from_secs(5);

/// The addresses of all interfaces, loopback included.
pub fn own_addresses() -> Vec<IpAddr> {
    if_addrs::get_if_addrs().unwrap_or_default().into_iter().map(|interface| interface.ip()).collect()
}

#[derive(Default)]
pub(crate) struct Own(Mutex<Known>);

#[derive(Default)]
struct Known {
    addresses: Vec<IpAddr>,
    read: Option<Instant>,
}

impl Own {
    /// Whether `address` is one of this machine's, as far as was known a few seconds ago.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        if address.is_loopback() {
            return true;
        }
        let mut known = lock(&self.0);
        if known.read.is_none_or(|read| read.elapsed() > FRESH) {
            *known = Known { addresses: own_addresses(), read: Some(Instant::now()) };
        }
        known.addresses.contains(&address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_ours_and_an_example_is_not() {
        let own = Own::default();
        assert!(own.contains([127, 0, 0, 2].into()));
        assert!(!own.contains([192, 0, 2, 1].into()));
        own_addresses().into_iter().for_each(|address| assert!(own.contains(address), "{address}"));
    }
}
