//! Which addresses are those of this machine.

use std::net::IpAddr;
use std::time::Duration;

use crate::net::own_addresses;

/// Asking the system takes a while, and interfaces come and go rarely.
const FRESH: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(super) struct Own {
    addresses: Vec<IpAddr>,
    read: Option<Duration>,
}

impl Own {
    /// Whether `address` is one of this machine's, as far as was known a few seconds before `now`.
    pub(super) fn contains(&mut self, address: IpAddr, now: Duration) -> bool {
        if self.read.is_none_or(|read| now > read + FRESH) {
            (self.addresses, self.read) = (own_addresses(), Some(now));
        }
        address.is_loopback() || self.addresses.contains(&address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_ours_and_an_example_is_not() {
        let mut own = Own::default();
        assert!(own.contains([127, 0, 0, 2].into(), Duration::ZERO));
        assert!(!own.contains([192, 0, 2, 1].into(), Duration::ZERO));
    }
}
