//! When and how a server announces itself.

use std::net::IpAddr;
use std::time::Duration;

use crate::proto::Beacon;
use crate::server::service::ServiceParts;
use crate::wire::{Order, Writer};

/// The intervals of beacons, at first and later: the same as in other implementations of the protocol.
const OFTEN: Duration = Duration::from_secs(15);
const RARELY: Duration = Duration::from_secs(180);

/// The number of beacons at the short interval.
const SOON: u32 = 10;

/// Counts beacons.
#[derive(Default)]
pub(super) struct Beacons {
    sent: u32,
    due: Duration,
}

impl Beacons {
    /// Whether one is due at `now`; then the time of the next is set.
    pub(super) fn take(&mut self, now: Duration) -> bool {
        if now < self.due {
            return false;
        }
        self.due = now + if self.sent < SOON { OFTEN } else { RARELY };
        self.sent = self.sent.saturating_add(1);
        true
    }

    pub(super) fn due(&self) -> Duration {
        self.due
    }

    /// The datagram that says the server is at `address`; unspecified: where it comes from.
    pub(super) fn encode(&self, shared: &ServiceParts, address: IpAddr) -> Vec<u8> {
        let mut writer = Writer::new(Order::Big);
        let beacon = Beacon {
            guid: shared.guid,
            flags: 0,
            sequence: self.sent.wrapping_sub(1) as u8,
            changes: shared.provider.changes(),
            address,
            port: shared.port(),
            protocol: "tcp".into(),
            status: None,
        };
        // A beacon is far shorter than the bound at which encoding fails.
        let _ = beacon.encode(&mut writer);
        writer.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eleven_come_soon_and_then_they_are_rare() {
        let mut beacons = Beacons::default();
        let times: Vec<u64> = (0..1000).filter(|&s| beacons.take(Duration::from_secs(s))).collect();
        let soon: Vec<u64> = (0..=10).map(|i| 15 * i).collect();
        assert_eq!(times[..11], soon);
        assert_eq!(times[11..], [330, 510, 690, 870]);
    }
}
