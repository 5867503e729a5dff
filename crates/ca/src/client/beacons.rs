//! Beacons of servers, as they come from the repeater.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use super::search::messages;
use crate::wire::{Command, Header};

/// Servers that are remembered. Beacons can be made up, so that their number must have a bound.
const MOST: usize = 10_000;
/// A server's beacons come this many times faster than before after its start only.
const FASTER: u32 = 4;

/// Pauses between two tries to register at the repeater, until it has confirmed, and after that.
const REGISTER: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// The beacons that were heard.
#[derive(Debug, Default)]
pub struct Beacons {
    servers: BTreeMap<SocketAddr, Last>,
    register_at: Duration,
    confirmed: bool,
}

#[derive(Debug)]
struct Last {
    number: u32,
    at: Duration,
    period: Duration,
}

impl Beacons {
    /// Whether a repeater sends beacons.
    pub fn is_confirmed(&self) -> bool {
        self.confirmed
    }

    /// All servers that were heard.
    pub fn servers(&self) -> Vec<SocketAddr> {
        self.servers.keys().copied().collect()
    }

    /// When [`register`](Beacons::register) has a message.
    pub fn due(&self) -> Duration {
        self.register_at
    }

    /// A message that registers this client at the repeater, if it is time.
    pub fn register(&mut self, now: Duration) -> Option<Vec<u8>> {
        if now < self.register_at {
            return None;
        }
        self.register_at = now + REGISTER[usize::from(self.confirmed)];
        let mut bytes = Vec::new();
        let second = Ipv4Addr::LOCALHOST.into();
        Header { command: Command::RepeaterRegister as u16, second, ..Header::default() }.encode(&mut bytes);
        Some(bytes)
    }

    /// Takes a datagram. Returns the servers that have come or come again, according to its beacons.
    pub fn hear(&mut self, datagram: &[u8], from: SocketAddr, now: Duration) -> Vec<SocketAddr> {
        let mut come = Vec::new();
        for (header, _) in messages(datagram) {
            match Command::from_number(header.command) {
                Some(Command::RepeaterConfirm) => {
                    self.confirmed = true;
                    self.register_at = now + REGISTER[1];
                }
                Some(Command::Beacon) => come.extend(self.beacon(&header, from, now)),
                _ => {}
            }
        }
        come
    }

    fn beacon(&mut self, header: &Header, from: SocketAddr, now: Duration) -> Option<SocketAddr> {
        let port = u16::try_from(header.count).ok().filter(|&port| port != 0)?;
        let ip = if header.second == 0 { from.ip() } else { IpAddr::V4(header.second.into()) };
        let server = SocketAddr::new(ip, port);
        let Some(last) = self.servers.get_mut(&server) else {
            let room = self.servers.len() < MOST;
            let last = Last { number: header.first, at: now, period: Duration::ZERO };
            return room.then(|| self.servers.insert(server, last)).map(|_| server);
        };
        let step = header.first.wrapping_sub(last.number);
        // The same beacon comes once for each interface.
        if step == 0 {
            return None;
        }
        let period = now.saturating_sub(last.at) / step.min(i32::MAX as u32);
        let is_anew = step > i32::MAX as u32 || period * FASTER < last.period;
        *last = Last { number: header.first, at: now, period };
        is_anew.then_some(server)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beacon(number: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (command, count, second) = (Command::Beacon as u16, 5064, 0x0A00_0005);
        Header { command, size: 0, data_type: 13, count, first: number, second }.encode(&mut bytes);
        bytes
    }

    #[test]
    fn a_server_comes_once_and_after_a_restart_again() {
        let (mut beacons, from) = (Beacons::default(), "127.0.0.1:5065".parse().unwrap());
        let mut come =
            |number, second| beacons.hear(&beacon(number), from, Duration::from_secs(second)).len();
        assert_eq!([come(5, 0), come(5, 0), come(6, 15), come(7, 30), come(9, 60)], [1, 0, 0, 0, 0]);
        // It begins at 0 again; another server at the same address sends faster.
        assert_eq!([come(0, 70), come(1, 85), come(2, 86)], [1, 0, 1]);
        assert_eq!(beacons.servers(), ["10.0.0.5:5064".parse().unwrap()]);
    }

    #[test]
    fn the_repeater_is_asked_until_it_confirms() {
        let (mut beacons, s) = (Beacons::default(), Duration::from_secs);
        assert_eq!(beacons.register(s(0)).unwrap()[..2], [0, 24]);
        assert!(beacons.register(s(0)).is_none() && beacons.register(s(1)).is_some());
        let mut confirm = Vec::new();
        Header { command: Command::RepeaterConfirm as u16, ..Header::default() }.encode(&mut confirm);
        assert!(beacons.hear(&confirm, "127.0.0.1:5065".parse().unwrap(), s(1)).is_empty());
        assert!(beacons.is_confirmed());
        assert_eq!(beacons.due(), s(61));
    }
}
