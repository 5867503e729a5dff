//! Finding the servers of channels.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use super::slab::Slab;
use crate::data::MAX_NAME;
use crate::proto::{Beacon, Guid, Search, SearchResponse};

const FIRST_ID: u32 = 0x1234_5678;

/// "find", as pvxs has it. Ids tell what an answer is about; the sequence means nothing.
const SEQUENCE: u32 = 0x6669_6E64;

/// How long a datagram with searches may be in bytes: less than networks carry in one piece.
pub const MAX_DATAGRAM: usize = 1400;

// The bytes of a search besides names: header, fields, one protocol.
const OVERHEAD: usize = 8 + 8 + 16 + 2 + 1 + 4 + 2;

// At most this many search datagrams are sent at once, with this pause between them, because the receive buffer of a
// server would not hold the datagrams of all names.
const DATAGRAMS_AT_ONCE: usize = 32;
const BREATH: Duration = Duration::from_millis(3);

// The waits of a name: at first short, so that many names go into one datagram, then growing up to the longest one.
const FIRST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT_S: u32 = 30;
// New servers make all names be searched at once, but not more often than this: a site where many servers restart
// would otherwise be flooded.
const BETWEEN_HURRIES: Duration = Duration::from_secs(30);

// Servers that are remembered by their beacons; one that was silent for two of its slow beacons (180 s) is forgotten
// when room is needed.
const MAX_SERVERS: usize = 20_000;
const SERVER_EXPIRES: Duration = Duration::from_secs(360);

/// Which names to ask for, and when.
///
/// A name is asked for after 10 ms, so that many go into one datagram, then after 1 s, 2 s … every 30 s. A server
/// that appears makes all of them be asked for at once. `C` is the owner's key of a channel.
#[derive(Debug)]
pub struct Searcher<C> {
    names: Slab<Name<C>>,
    due: BTreeSet<(Instant, u32)>,
    breath_until: Option<Instant>,
    hurried: Option<Instant>,
    servers: HashMap<SocketAddr, (Guid, Instant)>,
}

#[derive(Debug)]
struct Name<C> {
    token: C,
    name: String,
    attempts: u32,
    due: Option<Instant>,
    found: Option<Guid>,
}

/// The meaning of an answer to a search.
#[derive(PartialEq, Eq, Debug)]
pub enum Found<'a, C> {
    /// A channel was found.
    Channel(&'a C),
    /// Another server has a channel, too.
    Twice(&'a str, Guid),
}

impl<C> Default for Searcher<C> {
    fn default() -> Searcher<C> {
        Searcher {
            names: Slab::new(FIRST_ID),
            due: BTreeSet::new(),
            breath_until: None,
            hurried: None,
            servers: HashMap::new(),
        }
    }
}

impl<C> Searcher<C> {
    /// Begins to ask for `name`. `None`: there are too many, or it is empty or longer than [`MAX_NAME`].
    pub fn add(&mut self, token: C, name: &str, now: Instant) -> Option<u32> {
        if name.is_empty() || name.len() > MAX_NAME {
            return None;
        }
        let name = Name { token, name: name.into(), attempts: 0, due: None, found: None };
        let id = self.names.insert(name).ok()?;
        self.set_due(id, Some(now + FIRST_WAIT));
        Some(id)
    }

    /// Asks again for a name whose server is gone, or refuses it, after `wait`.
    pub fn again(&mut self, id: u32, now: Instant, wait: Duration) {
        if let Some(name) = self.names.get_mut(id) {
            name.found = None;
            name.attempts = 0;
            self.set_due(id, Some(now + FIRST_WAIT.max(wait)));
        }
    }

    /// Forgets a name.
    pub fn remove(&mut self, id: u32) {
        self.set_due(id, None);
        self.names.remove(id);
    }

    fn set_due(&mut self, id: u32, due: Option<Instant>) {
        let Some(name) = self.names.get_mut(id) else { return };
        if let Some(old) = std::mem::replace(&mut name.due, due) {
            self.due.remove(&(old, id));
        }
        due.into_iter().for_each(|due| {
            self.due.insert((due, id));
        });
    }

    /// When to call [`Searcher::poll`].
    pub fn deadline(&self) -> Option<Instant> {
        let (first, _) = self.due.first()?;
        Some(self.breath_until.map_or(*first, |until| until.max(*first)))
    }

    /// Returns the names that are due, as many at a time as a datagram holds.
    pub fn poll(&mut self, now: Instant, mut send: impl FnMut(&[(u32, Cow<'_, str>)])) {
        for _ in 0..DATAGRAMS_AT_ONCE {
            let batch = self.batch(now);
            if batch.is_empty() {
                self.breath_until = None;
                return;
            }
            let named = batch.iter().filter_map(|&id| Some((id, Cow::Borrowed(&*self.names.get(id)?.name))));
            send(&named.collect::<Vec<_>>());
            batch.into_iter().for_each(|id| self.asked(id, now));
        }
        self.breath_until = Some(now + BREATH);
    }

    fn batch(&self, now: Instant) -> Vec<u32> {
        let mut left = MAX_DATAGRAM - OVERHEAD;
        let due = self.due.iter().take_while(|(due, _)| *due <= now);
        let fits = |id: &u32| {
            let bytes = self.names.get(*id).map_or(0, |name| name.name.len() + 9);
            let fits = left >= bytes;
            left = left.saturating_sub(bytes);
            fits
        };
        // A name of up to 500 bytes always fits into an empty one.
        due.map(|(_, id)| *id).take_while(fits).collect()
    }

    fn asked(&mut self, id: u32, now: Instant) {
        let Some(name) = self.names.get_mut(id) else { return };
        name.attempts += 1;
        let wait = Duration::from_secs(name.attempts.min(LONGEST_WAIT_S).into());
        self.set_due(id, Some(now + wait));
    }

    /// Takes the answer of a server.
    pub fn answer(&mut self, response: &SearchResponse<'_>, mut sink: impl FnMut(Found<'_, C>)) {
        if !response.found || response.protocol != "tcp" {
            return;
        }
        for &id in &response.ids {
            self.set_due(id, None);
            let Some(name) = self.names.get_mut(id) else { continue };
            match name.found {
                None => {
                    name.found = Some(response.guid);
                    sink(Found::Channel(&name.token));
                }
                Some(first) if first != response.guid => sink(Found::Twice(&name.name, first)),
                Some(_) => {}
            }
        }
    }

    /// Takes the beacon of the server at `server`. Returns whether it is new there, in which case all names are
    /// asked for at once, though not more often than every 30 s.
    pub fn beacon(&mut self, server: SocketAddr, beacon: &Beacon<'_>, now: Instant) -> bool {
        let known = self.servers.get(&server).is_some_and(|(guid, _)| *guid == beacon.guid);
        if self.servers.len() >= MAX_SERVERS {
            self.servers.retain(|_, (_, heard)| *heard + SERVER_EXPIRES > now);
        }
        if known || self.servers.len() < MAX_SERVERS {
            self.servers.insert(server, (beacon.guid, now));
        }
        if !known {
            self.hurry(now);
        }
        !known
    }

    /// Asks for all names that are not found, unless that was done within the last 30 s.
    pub fn hurry(&mut self, now: Instant) {
        if self.hurried.is_some_and(|last| now < last + BETWEEN_HURRIES) {
            return;
        }
        self.hurried = Some(now);
        self.all_now(now);
    }

    /// Asks for all names that are not found.
    pub fn all_now(&mut self, now: Instant) {
        let waiting: Vec<u32> = self.due.iter().map(|(_, id)| *id).collect();
        waiting.into_iter().for_each(|id| self.set_due(id, Some(now + FIRST_WAIT)));
    }

    /// How often a name was searched since its server was last known.
    pub fn attempts(&self, id: u32) -> u32 {
        self.names.get(id).map_or(0, |name| name.attempts)
    }
}

impl<'a> Search<'a> {
    /// A search for `channels`, answers to which come back to where it was sent from, at `port`. On a connection
    /// `port` is 0. Without channels it asks which servers are there.
    pub fn of(channels: &'a [(u32, Cow<'a, str>)], flags: u8, port: u16) -> Search<'a> {
        let channels = channels.iter().map(|(id, name)| (*id, Cow::Borrowed(&**name))).collect();
        let address = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        Search { sequence: SEQUENCE, flags, address, port, protocols: vec!["tcp".into()], channels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Order, Writer};

    fn due(searcher: &mut Searcher<u32>, now: Instant) -> usize {
        let mut count = 0;
        searcher.poll(now, |names| count += names.len());
        count
    }

    fn response(guid: u8, ids: Vec<u32>) -> SearchResponse<'static> {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let protocol = "tcp".into();
        SearchResponse { guid: [guid; 12], sequence: SEQUENCE, address, port: 1, protocol, found: true, ids }
    }

    fn beacon(guid: u8) -> Beacon<'static> {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let protocol = "tcp".into();
        Beacon {
            guid: [guid; 12],
            flags: 0,
            sequence: 0,
            changes: 0,
            address,
            port: 1,
            protocol,
            status: None,
        }
    }

    #[test]
    fn a_name_is_asked_for_less_and_less_often() {
        let start = Instant::now();
        let mut searcher = Searcher::default();
        searcher.add(1, "A", start);
        let mut asked = Vec::new();
        for tick in 0..100_000u64 {
            let now = start + Duration::from_millis(10 * tick);
            if due(&mut searcher, now) > 0 {
                asked.push(tick / 100);
            }
        }
        let growing = (0..=30).map(|n| n * (n + 1) / 2);
        let expected: Vec<u64> = growing.chain((496..1000).step_by(30)).collect();
        assert_eq!(asked[..30], expected[..30]);
        assert_eq!(asked.len(), expected.len());
    }

    #[test]
    fn many_names_are_asked_for_in_full_datagrams_with_breaks() {
        let start = Instant::now();
        let mut searcher = Searcher::default();
        for number in 0..10_000 {
            searcher.add(number, &format!("Some:Prefix:{number}"), start);
        }
        let (mut now, mut asked, mut datagrams) = (start + FIRST_WAIT, 0, 0);
        while asked < 10_000 {
            let mut at_once = 0;
            searcher.poll(now, |names| {
                let mut writer = Writer::new(Order::Big);
                Search::of(names, Search::UNICAST, 5000).encode(&mut writer).unwrap();
                assert!(writer.len() <= MAX_DATAGRAM, "{}", writer.len());
                asked += names.len();
                at_once += 1;
            });
            datagrams += at_once;
            assert!(at_once <= DATAGRAMS_AT_ONCE);
            assert!(now < start + Duration::from_millis(100));
            now = searcher.deadline().unwrap();
        }
        assert!(datagrams < 250, "{datagrams}");
    }

    #[test]
    fn answers_are_told_once_and_other_servers_are_noticed() {
        let start = Instant::now();
        let mut searcher = Searcher::default();
        let id = searcher.add(7, "A", start).unwrap();
        let mut found = Vec::new();
        for guid in [1, 1, 2] {
            searcher.answer(&response(guid, vec![id, 99]), |what| found.push(format!("{what:?}")));
        }
        assert_eq!(found, ["Channel(7)", "Twice(\"A\", [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])"]);
        assert_eq!(searcher.deadline(), None);
        searcher.again(id, start, Duration::from_secs(2));
        assert_eq!(searcher.deadline(), Some(start + Duration::from_secs(2)));
        searcher.remove(id);
        assert_eq!(searcher.deadline(), None);
    }

    #[test]
    fn a_new_server_makes_all_names_urgent_but_not_too_often() {
        let start = Instant::now();
        let mut searcher = Searcher::default();
        for number in 0..5 {
            searcher.add(number, "A", start);
        }
        let later = start + Duration::from_secs(1);
        assert_eq!(due(&mut searcher, later), 5);
        let server = SocketAddr::from(([127, 0, 0, 1], 5075));
        assert!(searcher.beacon(server, &beacon(1), later));
        assert!(!searcher.beacon(server, &beacon(1), later));
        assert_eq!(due(&mut searcher, later + FIRST_WAIT), 5);
        assert!(searcher.beacon(server, &beacon(2), later));
        assert_eq!(due(&mut searcher, later + 2 * FIRST_WAIT), 0);
    }
}
