//! Beacons: they tell clients that a server has come, so that they search again at once.

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use crate::wire::{Command, Header, MINOR};

/// The time between the first two beacons; each further one takes twice as long.
const FIRST: Duration = Duration::from_millis(20);

pub(super) struct Beacons {
    to: Vec<SocketAddr>,
    port: u16,
    number: u32,
    period: Duration,
    longest: Duration,
    due: Duration,
}

impl Beacons {
    pub(super) fn new(to: Vec<SocketAddr>, port: u16, longest: Duration, now: Duration) -> Beacons {
        Beacons { to, port, number: 0, period: FIRST.min(longest), longest, due: now }
    }

    /// Sends one if it is time. Returns how long until the next one.
    pub(super) fn send(&mut self, socket: &UdpSocket, now: Duration) -> Duration {
        if self.to.is_empty() {
            return Duration::MAX;
        }
        if now >= self.due {
            let (command, data_type, count) = (Command::Beacon as u16, MINOR, self.port.into());
            // The address 0 is the one from which it comes.
            let header = Header { command, size: 0, data_type, count, first: self.number, second: 0 };
            let mut bytes = Vec::new();
            header.encode(&mut bytes);
            for to in &self.to {
                // Without a repeater at that address the beacon is lost, which does no harm.
                let _ = socket.send_to(&bytes, to);
            }
            self.number = self.number.wrapping_add(1);
            self.due = now + self.period;
            self.period = (self.period * 2).min(self.longest);
        }
        self.due - now
    }
}
