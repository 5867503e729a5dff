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
