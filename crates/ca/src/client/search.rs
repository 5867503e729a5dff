//! Searches for channels: when which name is asked for, and the answers.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use crate::wire::{Command, HEADER_LEN, Header, MINOR, append, padded};

/// A server keeps its silence about channels that it has not.
const NO_REPLY: u16 = 5;
/// The pause after the first search for a channel; each further one takes twice as long.
const FIRST: Duration = Duration::from_millis(30);
/// Bytes of searches in a datagram: no network cuts it into pieces.
const DATAGRAM: usize = 1400 - HEADER_LEN;
/// Datagrams that are sent at one time, so that servers can keep up: their sockets hold a few hundred kB.
const AT_ONCE: usize = 16;
/// The pause between two times.
const PAUSE: Duration = Duration::from_millis(5);
/// The least time between two new beginnings, so that false beacons cause no flood.
const RESTART: Duration = Duration::from_secs(1);

/// The names that no server is known for.
#[derive(Debug)]
pub struct Searcher {
    wanted: BTreeMap<u32, Wanted>,
    // By time.
    queue: BTreeSet<(Duration, u32)>,
    longest: Duration,
    // Before this time nothing is sent.
    not_before: Duration,
    restarted: Option<Duration>,
}

#[derive(Debug)]
struct Wanted {
    name: Box<str>,
    due: Duration,
    pause: Duration,
}

impl Searcher {
    /// No names yet; `longest` is the longest pause between two searches for one.
    pub fn new(longest: Duration) -> Searcher {
        let (wanted, queue, restarted) = Default::default();
        Searcher { wanted, queue, longest, not_before: Duration::ZERO, restarted }
    }

    /// Searches the channel `cid` of this name from `now` on.
    pub fn add(&mut self, cid: u32, name: &str, now: Duration) {
        self.remove(cid);
        self.wanted.insert(cid, Wanted { name: name.into(), due: now, pause: FIRST.min(self.longest) });
        self.queue.insert((now, cid));
    }

    /// Searches a channel after a pause, because its server has refused it or cannot be reached.
    pub fn add_later(&mut self, cid: u32, name: &str, now: Duration) {
        let pause = Duration::from_secs(5).min(self.longest);
        self.add(cid, name, now + pause);
        self.wanted.entry(cid).and_modify(|wanted| wanted.pause = pause);
    }

    /// Searches a channel no more. Returns whether it was searched.
    pub fn remove(&mut self, cid: u32) -> bool {
        let found = self.wanted.remove(&cid);
        found.is_some_and(|wanted| self.queue.remove(&(wanted.due, cid)))
    }

    /// Begins anew, because a server has come.
    pub fn restart(&mut self, now: Duration) {
        // The next beginning is planned already.
        if self.restarted.is_some_and(|at| at > now) {
            return;
        }
        let at = self.restarted.map_or(now, |last| now.max(last + RESTART));
        self.restarted = Some(at);
        self.queue.clear();
        for (&cid, wanted) in &mut self.wanted {
            (wanted.due, wanted.pause) = (wanted.due.min(at), FIRST.min(self.longest));
            self.queue.insert((wanted.due, cid));
        }
    }

    /// When [`searches`](Searcher::searches) has something; `None` while no name is searched.
    pub fn due(&self) -> Option<Duration> {
        self.queue.first().map(|&(due, _)| due.max(self.not_before))
    }

    /// Messages of searches for all names that are due, in pieces that each fit a datagram with a version before them.
    pub fn searches(&mut self, now: Duration) -> Vec<Vec<u8>> {
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        while let Some(&(due, cid)) = self.queue.first().filter(|(due, _)| *due.max(&self.not_before) <= now)
        {
            let Some(wanted) = self.wanted.get_mut(&cid) else { break };
            let size = HEADER_LEN + padded(wanted.name.len() + 1);
            if pieces.last().is_none_or(|piece| piece.len() + size > DATAGRAM) {
                if pieces.len() == AT_ONCE {
                    self.not_before = now + PAUSE;
                    break;
                }
                pieces.push(Vec::new());
            }
            if let Some(piece) = pieces.last_mut() {
                search(piece, cid, &wanted.name);
            }
            self.queue.remove(&(due, cid));
            wanted.due = now + wanted.pause;
            wanted.pause = (wanted.pause * 2).min(self.longest);
            self.queue.insert((wanted.due, cid));
        }
        pieces
    }
}

fn search(out: &mut Vec<u8>, cid: u32, name: &str) {
    let (command, count) = (Command::Search as u16, MINOR.into());
    let header = Header { command, data_type: NO_REPLY, count, first: cid, second: cid, size: 0 };
    append(out, header, &[name.as_bytes(), &[0]].concat());
}

/// A datagram with these searches.
pub fn datagram(searches: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_LEN + searches.len());
    append(
        &mut bytes,
        Header { command: Command::Version as u16, count: MINOR.into(), ..Header::default() },
        &[],
    );
    bytes.extend(searches);
    bytes
}

/// The channel and the address of the server in the answer to a search that came from `from`; `None` if it makes no sense.
pub fn found(header: &Header, from: SocketAddr) -> Option<(u32, SocketAddr)> {
    let port = header.data_type;
    // All bits, or none, stand for the sender.
    let ip = match header.first {
        0 | u32::MAX => from.ip(),
        bits => IpAddr::V4(Ipv4Addr::from(bits)),
    };
    let usable = port != 0 && !ip.is_multicast() && ip != IpAddr::V4(Ipv4Addr::BROADCAST);
    usable.then(|| (header.second, SocketAddr::new(ip, port)))
}

/// The messages of a datagram.
pub(super) fn messages(datagram: &[u8]) -> impl Iterator<Item = (Header, &[u8])> {
    let mut rest = datagram;
    std::iter::from_fn(move || {
        let (header, len) = Header::decode(rest)?;
        let size = usize::try_from(header.size).ok()?;
        let payload = rest.get(len..len.checked_add(size)?)?;
        rest = &rest[len + size..];
        Some((header, payload))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(4);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_search_as_libca_sends_it() {
        let mut searcher = Searcher::new(LONGEST);
        searcher.add(7, "T:1", ms(0));
        let pieces = searcher.searches(ms(0));
        let bytes = datagram(&pieces[0]);
        assert_eq!(bytes[..16], [0, 0, 0, 0, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[16..32], [0, 6, 0, 8, 0, 5, 0, 13, 0, 0, 0, 7, 0, 0, 0, 7]);
        assert_eq!(bytes[32..], *b"T:1\0\0\0\0\0");
    }

    #[test]
    fn pauses_grow_and_a_new_server_ends_them() {
        let mut searcher = Searcher::new(LONGEST);
        searcher.add(1, "a", ms(0));
        let (mut now, mut times) = (ms(0), Vec::new());
        while now < ms(20_000) {
            now = searcher.due().unwrap();
            assert_eq!(searcher.searches(now).len(), 1);
            times.push(now.as_millis());
        }
        assert_eq!(times[..9], [0, 30, 90, 210, 450, 930, 1890, 3810, 7650]);
        assert_eq!(times[9] - times[8], LONGEST.as_millis());
        searcher.restart(now + ms(10));
        assert_eq!(searcher.due(), Some(now + ms(10)));
        // A second one right after it does not make more searches than one a second.
        searcher.searches(now + ms(10));
        for _ in 0..5 {
            searcher.searches(searcher.due().unwrap());
        }
        searcher.restart(now + ms(20));
        searcher.restart(now + ms(21));
        assert_eq!(searcher.due(), Some(now + ms(10) + RESTART));
        assert!(searcher.remove(1) && !searcher.remove(1));
        assert_eq!(searcher.due(), None);
    }

    #[test]
    fn many_names_go_out_bit_by_bit() {
        let mut searcher = Searcher::new(LONGEST);
        (0..2000).for_each(|cid| searcher.add(cid, &format!("13SIM1:cam1:Number{cid}_RBV"), ms(0)));
        let first = searcher.searches(ms(0));
        assert_eq!(first.len(), AT_ONCE);
        assert!(first.iter().all(|piece| piece.len() <= DATAGRAM));
        assert!(searcher.searches(ms(1)).is_empty());
        let (mut asked, mut pieces) = (BTreeSet::new(), first);
        while asked.len() < 2000 {
            for (header, _) in pieces.iter().flat_map(|piece| messages(piece)) {
                asked.insert(header.first);
            }
            pieces = searcher.searches(searcher.due().unwrap());
        }
    }

    #[test]
    fn answers_name_the_server() {
        let from = "10.0.0.5:5064".parse().unwrap();
        let of = |data_type, first| found(&Header { data_type, first, second: 3, ..Header::default() }, from);
        assert_eq!(of(5070, u32::MAX), Some((3, "10.0.0.5:5070".parse().unwrap())));
        assert_eq!(of(5070, 0x0A00_0009), Some((3, "10.0.0.9:5070".parse().unwrap())));
        assert_eq!((of(0, u32::MAX), of(5070, 0xE000_0001)), (None, None));
    }
}
