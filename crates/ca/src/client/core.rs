//! Channels, their servers and their operations, without sockets.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::beacons::Beacons;
use super::circuit::{Circuit, Heard};
use super::op::{Answer, Event, Job, Op};
use super::parts::{ChannelParts, Command, Queue};
use super::search::{Searcher, found, messages};
use super::{ClientConfig, Error};
use crate::wire;

/// The pause before the next connection to a server that was given by its address.
const REDIAL: Duration = Duration::from_secs(2);

/// The pause before a channel is searched again that its server has closed: a server that closes all does not keep us busy.
const SOON: Duration = Duration::from_millis(20);

/// All that a client knows.
pub(super) struct Core {
    pub(super) config: ClientConfig,
    pub(super) searcher: Searcher,
    pub(super) beacons: Beacons,
    channels: BTreeMap<u32, Channel>,
    ops: BTreeMap<u64, Op>,
    links: BTreeMap<SocketAddr, Link>,
    listeners: Vec<Sender<SocketAddr>>,
}

struct Channel {
    parts: Arc<ChannelParts>,
    ops: BTreeSet<u64>,
}

/// A server that is connected, or shall be.
struct Link {
    circuit: Option<Circuit>,
    /// When to connect; `None` while that is under way.
    dial_at: Option<Duration>,
    /// Its channels, open or not.
    cids: BTreeSet<u32>,
    is_name_server: bool,
}

impl Core {
    pub(super) fn new(config: ClientConfig) -> Core {
        let mut links = BTreeMap::new();
        for &server in &config.name_servers {
            links.insert(server, Link::new(Duration::ZERO, true));
        }
        let searcher = Searcher::new(config.search_period);
        let (channels, ops, listeners) = Default::default();
        Core { config, searcher, beacons: Beacons::default(), channels, ops, links, listeners }
    }

    /// Carries out a wish of a user.
    pub(super) fn command(&mut self, command: Command, now: Duration) {
        match command {
            Command::Open(parts) => self.open(parts, now),
            Command::Close(cid) => self.close(cid),
            Command::Begin { id, cid, job, sink } => {
                let Some(channel) = self.channels.get_mut(&cid) else {
                    return Op { cid, job, sink, ioid: None }.end(Err(Error::Closed));
                };
                channel.ops.insert(id);
                self.ops.insert(id, Op { cid, job, sink, ioid: None });
                self.begin(id);
            }
            Command::Cancel(id) => self.cancel(id),
            Command::Servers(listener) => {
                self.beacons.servers().into_iter().for_each(|server| _ = listener.send(server));
                self.listeners.push(listener);
            }
        }
    }

    fn open(&mut self, parts: Arc<ChannelParts>, now: Duration) {
        let (cid, server) = (parts.cid, parts.server);
        if server.is_none() {
            self.searcher.add(cid, &parts.name, now);
        }
        self.channels.insert(cid, Channel { parts, ops: BTreeSet::new() });
        if let Some(server) = server {
            self.join(cid, server, now);
        }
    }

    fn close(&mut self, cid: u32) {
        let Some(channel) = self.channels.remove(&cid) else { return };
        self.searcher.remove(cid);
        let server = channel.parts.seen().server;
        if let Some(link) = server.and_then(|server| self.links.get_mut(&server)) {
            link.cids.remove(&cid);
            link.circuit.iter_mut().for_each(|circuit| circuit.clear(cid));
        }
        for op in channel.ops.into_iter().filter_map(|id| self.ops.remove(&id)).collect::<Vec<_>>() {
            op.end(Err(Error::Closed));
        }
    }

    /// The channel is at this server.
    fn join(&mut self, cid: u32, server: SocketAddr, now: Duration) {
        let Some(channel) = self.channels.get(&cid) else { return };
        channel.parts.seen().server = Some(server);
        let link = self.links.entry(server).or_insert_with(|| Link::new(now, false));
        link.cids.insert(cid);
        link.circuit.iter_mut().for_each(|circuit| circuit.create(cid, &channel.parts.name));
    }

    /// Searches the server of a channel that has none any more.
    fn search(&mut self, cid: u32, is_later: bool, now: Duration) {
        let Some(channel) = self.channels.get(&cid) else { return };
        let (name, server) = (&channel.parts.name, channel.parts.server);
        channel.parts.seen().server = server;
        match server {
            // It stays with its server, which is asked again when the connection is there again.
            Some(_) => {}
            None if is_later => self.searcher.add_later(cid, name, now),
            None => self.searcher.add(cid, name, now + SOON),
        }
    }

    /// Sends an operation to the server, if its channel is open; else it waits for that.
    fn begin(&mut self, id: u64) {
        let Some(op) = self.ops.get_mut(&id) else { return };
        let Some(channel) = self.channels.get(&op.cid) else { return };
        let seen = *channel.parts.seen();
        let (Some(server), Some(facts)) = (seen.server, seen.facts) else { return };
        let Some(circuit) = self.links.get_mut(&server).and_then(|link| link.circuit.as_mut()) else {
            return;
        };
        let begun = match &op.job {
            Job::Facts => return self.end(id, Ok(Answer::Facts(facts))),
            Job::Get(ask) => circuit.get(op.cid, *ask, id),
            Job::Put { values, waits } => circuit.put(op.cid, values, *waits, id),
            Job::Monitor(ask, changes) => circuit.monitor(op.cid, *ask, *changes, id),
        };
        match begun {
            Ok(_) if matches!(op.job, Job::Put { waits: false, .. }) => self.end(id, Ok(Answer::Done)),
            Ok(ioid) => op.ioid = Some(ioid),
            Err(error) => self.end(id, Err(error)),
        }
    }

    fn end(&mut self, id: u64, result: Result<Answer, Error>) {
        let Some(op) = self.ops.remove(&id) else { return };
        if let Some(channel) = self.channels.get_mut(&op.cid) {
            channel.ops.remove(&id);
        }
        op.end(result);
    }

    fn cancel(&mut self, id: u64) {
        let Some(op) = self.ops.remove(&id) else { return };
        let Some(channel) = self.channels.get_mut(&op.cid) else { return };
        channel.ops.remove(&id);
        let server = channel.parts.seen().server;
        let link = server.and_then(|server| self.links.get_mut(&server));
        let circuit = link.and_then(|link| link.circuit.as_mut());
        if let (Some(circuit), Some(ioid)) = (circuit, op.ioid) {
            circuit.cancel(ioid);
        }
    }

    /// Takes bytes of a server.
    ///
    /// # Errors
    /// When the connection must end; [`lost`](Core::lost) is the next call for it then.
    pub(super) fn receive(&mut self, server: SocketAddr, bytes: &[u8], now: Duration) -> crate::Result<()> {
        let Some(circuit) = self.circuit(server) else { return Ok(()) };
        circuit.receive(bytes, now);
        while let Some(circuit) = self.circuit(server)
            && let Some(heard) = circuit.next()?
        {
            self.hear(server, heard, now);
        }
        Ok(())
    }

    fn hear(&mut self, server: SocketAddr, heard: Heard, now: Duration) {
        match heard {
            Heard::Opened(cid) => self.opened(cid, server),
            Heard::Rights(cid) => self.note(cid, server),
            Heard::Refused(cid) => self.refused(cid, server, now),
            Heard::Closed(cid) => self.gone(cid, server, now),
            Heard::Read(id, result) => self.end(id, result.map(Answer::Reading).map_err(Error::Refused)),
            Heard::Written(id, result) => self.end(id, result.map(|()| Answer::Done).map_err(Error::Refused)),
            Heard::Update(id, result) => {
                if let Some(op) = self.ops.get_mut(&id) {
                    op.tell(result.map_or_else(|refusal| Event::Refused(refusal.into()), Event::Update));
                }
            }
            Heard::Complaint(cid, refusal) => {
                if let (Some(log), Some(channel)) = (&self.config.log, self.channels.get(&cid)) {
                    log(&format!("the put to {} was refused: {refusal}", channel.parts.name));
                }
            }
            Heard::Found(cid, server) => self.found(cid, server, now),
        }
    }

    fn note(&self, cid: u32, server: SocketAddr) {
        let facts = self.links.get(&server).and_then(|link| link.circuit.as_ref()?.facts(cid));
        if let Some(channel) = self.channels.get(&cid) {
            channel.parts.seen().facts = facts;
        }
    }

    fn opened(&mut self, cid: u32, server: SocketAddr) {
        self.note(cid, server);
        let ops: Vec<u64> =
            self.channels.get(&cid).map(|c| c.ops.iter().copied().collect()).unwrap_or_default();
        for id in ops {
            if let Some(op) = self.ops.get_mut(&id) {
                op.tell(Event::Connected);
            }
            self.begin(id);
        }
    }

    fn refused(&mut self, cid: u32, server: SocketAddr, now: Duration) {
        if let Some(channel) = self.channels.get(&cid) {
            channel.parts.seen().refused = Some(server);
        }
        self.part(cid, server);
        self.search(cid, true, now);
    }

    fn gone(&mut self, cid: u32, server: SocketAddr, now: Duration) {
        self.part(cid, server);
        self.search(cid, false, now);
        // A channel with a server of its own is opened there again.
        if let Some(server) = self.channels.get(&cid).and_then(|channel| channel.parts.server) {
            self.join(cid, server, now);
        }
    }

    /// The channel is not open any more. Gets and monitors wait for it, puts that were sent are in doubt.
    fn part(&mut self, cid: u32, server: SocketAddr) {
        if let Some(link) = self.links.get_mut(&server) {
            link.cids.remove(&cid);
        }
        let Some(channel) = self.channels.get(&cid) else { return };
        let was_open = channel.parts.seen().facts.take().is_some();
        for id in channel.ops.iter().copied().collect::<Vec<_>>() {
            let Some(op) = self.ops.get_mut(&id) else { continue };
            if op.is_in_doubt() {
                self.end(id, Err(Error::Disconnected));
                continue;
            }
            op.ioid = None;
            if was_open {
                op.tell(Event::Disconnected);
            }
        }
    }

    fn found(&mut self, cid: u32, server: SocketAddr, now: Duration) {
        // Of several answers the first one counts.
        if self.searcher.remove(cid) {
            self.join(cid, server, now);
        }
    }

    /// Takes a datagram of a server or of the repeater.
    pub(super) fn datagram(&mut self, bytes: &[u8], from: SocketAddr, now: Duration) {
        for (header, _) in messages(bytes) {
            if header.command == wire::Command::Search as u16
                && let Some((cid, server)) = found(&header, from)
            {
                self.found(cid, server, now);
            }
        }
        let come = self.beacons.hear(bytes, from, now);
        if come.is_empty() {
            return;
        }
        self.searcher.restart(now);
        for server in come {
            // If it was restarted, its old connection is dead without a word.
            self.circuit(server).into_iter().for_each(|circuit| circuit.probe(now));
            self.listeners.retain(|listener| listener.send(server).is_ok());
        }
    }

    /// Messages of searches that are due. Name servers have got them.
    pub(super) fn searches(&mut self, now: Duration) -> Vec<Vec<u8>> {
        let pieces = self.searcher.searches(now);
        for link in self.links.values_mut().filter(|link| link.is_name_server) {
            link.circuit.iter_mut().for_each(|circuit| pieces.iter().for_each(|piece| circuit.search(piece)));
        }
        pieces
    }

    /// The talk with a server that is connected.
    pub(super) fn circuit(&mut self, server: SocketAddr) -> Option<&mut Circuit> {
        self.links.get_mut(&server)?.circuit.as_mut()
    }

    /// Servers to connect to now.
    pub(super) fn dials(&mut self, now: Duration) -> Vec<SocketAddr> {
        let is_due = |link: &Link| link.dial_at.is_some_and(|at| at <= now);
        let due = self.links.iter_mut().filter(|(_, link)| is_due(link));
        due.map(|(&server, link)| {
            link.dial_at = None;
            server
        })
        .collect()
    }

    /// The connection to a server stands.
    pub(super) fn connected(&mut self, server: SocketAddr, now: Duration) {
        let Some(link) = self.links.get_mut(&server) else { return };
        let mut circuit = Circuit::new(&self.config, server, now);
        for cid in &link.cids {
            if let Some(channel) = self.channels.get(cid) {
                circuit.create(*cid, &channel.parts.name);
            }
        }
        let is_name_server = link.is_name_server;
        link.circuit = Some(circuit);
        if is_name_server {
            self.searcher.restart(now);
        }
    }

    /// There is no connection to a server any more, or none came about.
    pub(super) fn lost(&mut self, server: SocketAddr, now: Duration) {
        let Some(mut link) = self.links.remove(&server) else { return };
        let was_connected = link.circuit.take().is_some();
        let cids = std::mem::take(&mut link.cids);
        for &cid in &cids {
            self.part(cid, server);
            self.search(cid, !was_connected, now);
        }
        let is_bound = |cid: &u32| self.channels.get(cid).is_some_and(|c| c.parts.server.is_some());
        link.cids = cids.into_iter().filter(is_bound).collect();
        if link.is_name_server || !link.cids.is_empty() {
            link.dial_at = Some(now + REDIAL);
            self.links.insert(server, link);
        }
    }

    /// Servers without any channel: their connections end.
    pub(super) fn unused(&mut self) -> Vec<SocketAddr> {
        let is_unused = |link: &Link| link.cids.is_empty() && !link.is_name_server;
        let unused: Vec<_> =
            self.links.iter().filter(|(_, link)| is_unused(link)).map(|(&server, _)| server).collect();
        unused.iter().for_each(|server| drop(self.links.remove(server)));
        unused
    }

    /// Looks at the clock. Returns the servers that do not answer.
    pub(super) fn tick(&mut self, now: Duration) -> Vec<SocketAddr> {
        let dead = self.links.iter_mut().filter_map(|(&server, link)| {
            let circuit = link.circuit.as_mut()?;
            circuit.tick(now).is_err().then_some(server)
        });
        dead.collect()
    }

    /// Tells users that a repeater is there.
    pub(super) fn tell(&self, queue: &Queue) {
        if self.beacons.is_confirmed() {
            queue.confirm();
        }
    }
}

impl Link {
    fn new(dial_at: Duration, is_name_server: bool) -> Link {
        Link { circuit: None, dial_at: Some(dial_at), cids: BTreeSet::new(), is_name_server }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;
    use crate::Changes;
    use crate::client::op::Sink;
    use crate::dbr::{Form, Values};
    use crate::wire::{Command as Kind, Header, append};

    const CID: u32 = 3;
    const SERVER: &str = "10.0.0.5:5064";

    struct Talk {
        core: Core,
        events: Receiver<String>,
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn server() -> SocketAddr {
        SERVER.parse().unwrap()
    }

    fn message(
        command: Kind,
        data_type: u16,
        count: u32,
        first: u32,
        second: u32,
        payload: &[u8],
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        append(
            &mut bytes,
            Header { command: command as u16, data_type, count, first, second, size: 0 },
            payload,
        );
        bytes
    }

    /// A channel with a get (0), a put (1) and a monitor (2).
    fn talk(bound: Option<SocketAddr>) -> Talk {
        let mut core = Core::new(ClientConfig::loopback(5064));
        let (sender, events) = channel();
        core.command(Command::Open(Arc::new(ChannelParts::new(CID, "T:1", bound))), ms(0));
        let put = Job::Put { values: Values::Long(vec![1]), waits: true };
        let get = Job::Get(Form::Plain.into());
        for (id, job) in [(0, get), (1, put), (2, Job::Monitor(Form::Plain.into(), Changes::VALUE))] {
            let sender = sender.clone();
            let sink = match job {
                Job::Monitor(..) => {
                    Sink::Each(Box::new(move |event| sender.send(format!("{event:?}")).unwrap()))
                }
                _ => Sink::Once(Box::new(move |result| {
                    sender.send(format!("{id} {:?}", result.map(drop))).unwrap();
                })),
            };
            core.command(Command::Begin { id, cid: CID, job, sink }, ms(0));
        }
        Talk { core, events }
    }

    impl Talk {
        fn find(&mut self, at: Duration) {
            let answer = message(Kind::Search, 5064, 0, u32::MAX, CID, &[0, 13, 0, 0, 0, 0, 0, 0]);
            self.core.datagram(&answer, server(), at);
        }

        /// The server opens the channel.
        fn open(&mut self, at: Duration) {
            assert_eq!(self.core.dials(at), [server()]);
            self.core.connected(server(), at);
            let opened = message(Kind::CreateChannel, 5, 1, CID, 40, &[]);
            self.core.receive(server(), &opened, at).unwrap();
        }

        fn events(&self) -> Vec<String> {
            self.events.try_iter().collect()
        }
    }

    #[test]
    fn operations_wait_for_their_channel_and_survive_its_server_as_far_as_they_may() {
        let mut talk = talk(None);
        assert_eq!(talk.core.searches(ms(0)).len(), 1);
        talk.find(ms(5));
        assert_eq!(talk.core.searcher.due(), None);
        // Another server's answer comes too late.
        talk.core.datagram(&message(Kind::Search, 7, 0, u32::MAX, CID, &[0; 8]), server(), ms(6));
        talk.open(ms(10));
        assert_eq!(talk.core.dials(ms(10)), []);
        assert_eq!(talk.events(), ["Connected"]);
        talk.core.lost(server(), ms(20));
        assert_eq!(talk.events(), ["1 Err(Disconnected)", "Disconnected"]);
        assert_eq!(talk.core.searcher.due(), Some(ms(20) + SOON));
        talk.find(ms(50));
        talk.open(ms(60));
        // Get and monitor are sent again, with the numbers of a new connection.
        let get = message(Kind::ReadNotify, 5, 1, 1, 0, &7_i32.to_be_bytes());
        talk.core.receive(server(), &get, ms(70)).unwrap();
        assert_eq!(talk.events(), ["Connected", "0 Ok(())"]);
        talk.core.command(Command::Close(CID), ms(80));
        assert_eq!(talk.events(), ["Refused(Closed)"]);
        assert_eq!(talk.core.unused(), [server()]);
    }

    #[test]
    fn a_server_that_refuses_is_asked_again_later() {
        let mut talk = talk(None);
        talk.find(ms(0));
        assert_eq!(talk.core.dials(ms(0)), [server()]);
        talk.core.connected(server(), ms(0));
        let refused = message(Kind::CreateFailed, 0, 0, CID, 0, &[]);
        talk.core.receive(server(), &refused, ms(0)).unwrap();
        assert_eq!(talk.core.searcher.due(), Some(ms(5000)));
        assert!(talk.events().is_empty());
        // The same after a connection that did not come about.
        assert_eq!(talk.core.unused(), [server()]);
        talk.core.searches(ms(5000));
        talk.find(ms(5001));
        talk.core.lost(server(), ms(5002));
        assert_eq!(talk.core.searcher.due(), Some(ms(10_002)));
    }

    #[test]
    fn a_channel_of_one_server_waits_for_it() {
        let mut talk = talk(Some(server()));
        assert_eq!(talk.core.searcher.due(), None);
        assert_eq!(talk.core.dials(ms(0)), [server()]);
        talk.core.lost(server(), ms(1));
        assert_eq!(talk.core.dials(ms(1)), []);
        talk.open(ms(1) + REDIAL);
        assert_eq!(talk.events(), ["Connected"]);
    }

    #[test]
    fn a_beacon_of_a_new_server_begins_the_search_anew_and_doubts_the_old_connection() {
        let mut talk = talk(None);
        let mut now = ms(0);
        while now < ms(10_000) {
            now = talk.core.searcher.due().unwrap();
            talk.core.searches(now);
        }
        let beacon = |number| message(Kind::Beacon, 13, 5064, number, 0x0A00_0005, &[]);
        talk.core.datagram(&beacon(8), server(), now + ms(1));
        assert_eq!(talk.core.searcher.due(), Some(now + ms(1)));
        talk.find(now + ms(2));
        talk.open(now + ms(3));
        let circuit = talk.core.circuit(server()).unwrap();
        let all = circuit.pending();
        circuit.sent(all);
        talk.core.datagram(&beacon(0), server(), now + ms(4));
        assert_eq!(talk.core.circuit(server()).unwrap().output()[..2], [0, 23]);
        assert_eq!(talk.core.tick(now + ms(4) + Duration::from_secs(6)), [server()]);
    }

    #[test]
    fn name_servers_are_asked_too() {
        let mut core = Core::new(ClientConfig::name_servers(&[server()]));
        assert_eq!(core.dials(ms(0)), [server()]);
        core.connected(server(), ms(0));
        core.command(Command::Open(Arc::new(ChannelParts::new(CID, "T:1", None))), ms(1));
        let all = core.circuit(server()).unwrap().pending();
        core.circuit(server()).unwrap().sent(all);
        core.searches(ms(1));
        assert_eq!(core.circuit(server()).unwrap().output()[..2], [0, 6]);
        let answer = message(Kind::Search, 7000, 0, 0x0A00_0009, CID, &[0; 8]);
        core.receive(server(), &answer, ms(2)).unwrap();
        assert_eq!(core.dials(ms(2)), ["10.0.0.9:7000".parse().unwrap()]);
    }
}
