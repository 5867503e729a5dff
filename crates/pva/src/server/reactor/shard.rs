//! One thread with its connections.

use std::collections::VecDeque;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_guests::Reports;
use mio::{Events, Interest, Poll, Token, Waker};

use super::connection::{End, ServedConnection};
use super::guests::Guest;
use super::inbox::{Accepted, Inbox, Work};
use crate::net::tune;
use crate::server::service::ServiceParts;
use crate::server::slots::Slots;
use crate::server::statistics::add;
use crate::server::{Event, Leaving, ServerConfig, Service, Session, TURN};

/// Tokens of the poll that no connection has: connections are numbered from 0.
const WAKE: Token = Token(usize::MAX);
/// Token of the first listener: half of all numbers are for connections, half for listeners.
const FIRST_LISTENER: usize = usize::MAX / 2;

/// The most bytes that are read, and then handled, at once. The buffer is shared by all connections of the thread.
const SCRATCH: usize = 256 << 10;

/// Connections that are accepted in one turn of the others: each costs as much as some hundred gets.
const ACCEPTED: usize = 16;

/// Time between two checks of time-outs, which are seconds.
const TICK: Duration = Duration::from_millis(500);

pub(super) struct Shard {
    pub(super) inbox: Arc<Inbox>,
    service: Service,
    poll: Poll,
    connections: Slots<ServedConnection>,
    // Connections that want another turn.
    busy: VecDeque<usize>,
    // The leftovers of clients that have gone, where they are many.
    leaving: VecDeque<Leaving>,
    acceptor: Option<Acceptor>,
    scratch: Box<[u8]>,
    spin: Duration,
    start: Instant,
}

struct Acceptor {
    listeners: Vec<mio::net::TcpListener>,
    inboxes: Arc<[Arc<Inbox>]>,
    next: usize,
    // Whether more connections may wait to be accepted.
    more: bool,
    refusals: Reports,
    displaced: Reports,
}

impl Shard {
    /// A thread without connections; all threads of a server count time from `start`.
    pub(super) fn new(config: &ServerConfig, service: &Service, start: Instant) -> io::Result<Shard> {
        let poll = Poll::new()?;
        let inbox = Arc::new(Inbox::new(Waker::new(poll.registry(), WAKE)?));
        Ok(Shard {
            inbox,
            service: service.clone(),
            poll,
            connections: Slots::default(),
            busy: VecDeque::new(),
            leaving: VecDeque::new(),
            acceptor: None,
            scratch: vec![0; SCRATCH].into(),
            spin: config.spin,
            start,
        })
    }

    /// Accepts connections for all `inboxes`.
    pub(super) fn listen(
        &mut self,
        listeners: Vec<TcpListener>,
        inboxes: &Arc<[Arc<Inbox>]>,
    ) -> io::Result<()> {
        let mut listeners: Vec<_> = listeners.into_iter().map(mio::net::TcpListener::from_std).collect();
        for (index, listener) in listeners.iter_mut().enumerate() {
            self.poll.registry().register(listener, Token(FIRST_LISTENER + index), Interest::READABLE)?;
        }
        let inboxes = Arc::clone(inboxes);
        self.acceptor = Some(Acceptor {
            listeners,
            inboxes,
            next: 0,
            more: false,
            refusals: Reports::default(),
            displaced: Reports::default(),
        });
        Ok(())
    }

    pub(super) fn run(mut self) {
        let mut events = Events::with_capacity(1024);
        let mut work = Work::default();
        let mut ticked = self.now();
        while !work.stop {
            if let Err(error) = self.wait(&mut events)
                && error.kind() != io::ErrorKind::Interrupted
            {
                return self.shared().problem(format!("cannot wait for sockets: {error}"));
            }
            let now = self.now();
            // Events of the kernel come before unfinished work: a client with one request waits for no flood.
            for event in &events {
                self.event(event, now);
            }
            self.inbox.take(&mut work);
            self.adopt(&mut work, now);
            for connection in work.rung.drain(..) {
                self.wake(connection, now);
            }
            self.go_on(now);
            if now - ticked >= TICK {
                ticked = now;
                self.tick(now);
            }
        }
        for index in 0..self.connections.end() {
            self.close(index, "the server stops".into());
        }
    }

    /// Does some of the unfinished work. Only one busy connection has a turn before the kernel is asked again, so that
    /// a client with a single request waits for one turn of the others, and not for a turn of each of them.
    fn go_on(&mut self, now: Duration) {
        if self.acceptor.as_mut().is_some_and(|acceptor| std::mem::take(&mut acceptor.more)) {
            self.accept_all();
        }
        if let Some(leaving) = self.leaving.front_mut()
            && !leaving.work(TURN)
        {
            self.leaving.pop_front();
        }
        if let Some(index) = self.busy.pop_front() {
            if let Some(connection) = self.connections.get_mut(index) {
                connection.is_queued = false;
            }
            self.turn(index, now);
        }
    }

    /// Whether there is something to do without being woken.
    fn has_more(&self) -> bool {
        let accepts = self.acceptor.as_ref().is_some_and(|acceptor| acceptor.more);
        accepts || !self.busy.is_empty() || !self.leaving.is_empty() || self.inbox.has_work()
    }

    fn shared(&self) -> &ServiceParts {
        &self.service.0
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Waits for something to happen; spins first if that is wanted.
    fn wait(&mut self, events: &mut Events) -> io::Result<()> {
        if self.has_more() {
            return self.poll.poll(events, Some(Duration::ZERO));
        }
        if !self.spin.is_zero() {
            let end = Instant::now() + self.spin;
            while Instant::now() < end {
                self.poll.poll(events, Some(Duration::ZERO))?;
                if !events.is_empty() || self.inbox.has_work() {
                    return Ok(());
                }
            }
        }
        self.poll.poll(events, Some(TICK))
    }

    fn event(&mut self, event: &mio::event::Event, now: Duration) {
        match event.token() {
            WAKE => {}
            Token(index) if index >= FIRST_LISTENER => self.accept(index - FIRST_LISTENER),
            Token(index) => {
                if let Some(connection) = self.connections.get_mut(index) {
                    connection.event(event);
                    self.wake(index, now);
                }
            }
        }
    }

    /// Something happened to a connection: it has a turn, unless it waits for one already.
    fn wake(&mut self, index: usize, now: Duration) {
        if self.connections.get(index).is_some_and(|connection| !connection.is_queued) {
            self.turn(index, now);
        }
    }

    fn turn(&mut self, index: usize, now: Duration) {
        let Some(connection) = self.connections.get_mut(index) else { return };
        match connection.turn(&mut self.scratch, now, &self.service.0.counters) {
            Ok(false) => {}
            Ok(true) => {
                connection.is_queued = true;
                self.busy.push_back(index);
            }
            Err(end) => self.close(index, end.to_string()),
        }
    }

    fn tick(&mut self, now: Duration) {
        // Connections that could not be accepted before, for lack of descriptors, say.
        self.accept_all();
        for index in 0..self.connections.end() {
            let Some(connection) = self.connections.get_mut(index) else { continue };
            if let Err(error) = connection.session.tick(now) {
                self.close(index, End::Wrong(error).to_string());
            }
        }
    }

    fn close(&mut self, index: usize, reason: String) {
        let Some(mut connection) = self.connections.remove(index) else { return };
        // The system removes the registration with the socket in any case.
        let _ = self.poll.registry().deregister(&mut connection.stream);
        self.shared().closed(connection.session.peer(), reason);
        if connection.is_queued {
            // A later connection gets the same number, and with it a place of its own in the queue.
            self.busy.retain(|&busy| busy != index);
        }
        let mut leaving = connection.session.leave();
        if leaving.work(TURN) {
            self.leaving.push_back(leaving);
        }
    }

    fn accept_all(&mut self) {
        for listener in 0..self.acceptor.as_ref().map_or(0, |acceptor| acceptor.listeners.len()) {
            self.accept(listener);
        }
    }

    fn accept(&mut self, listener: usize) {
        let Some(acceptor) = &mut self.acceptor else { return };
        let Some(listener) = acceptor.listeners.get(listener) else { return };
        for _ in 0..ACCEPTED {
            let (stream, address) = match listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) => {
                    return self.service.0.problem(format!("cannot accept a connection: {error}"));
                }
            };
            let now = self.start.elapsed();
            let told = match Guest::admit(&self.service, address.ip(), now) {
                Ok((guest, is_displacing)) => {
                    // In turn, since all threads have the same work per connection on average.
                    acceptor.next = (acceptor.next + 1) % acceptor.inboxes.len();
                    acceptor.inboxes[acceptor.next].accepted(Accepted { stream, address, guest });
                    let why = "all places were taken, and the connection without a channel that rested longest is closed";
                    is_displacing
                        .then(|| acceptor.displaced.add("made room for", "connections", address, why, now))
                        .flatten()
                }
                Err(why) => {
                    add(&self.service.0.counters.refused, 1);
                    acceptor.refusals.add("refused", "connections", address, why, now)
                }
            };
            told.into_iter().for_each(|text| self.service.0.problem(text));
        }
        acceptor.more = true;
    }

    fn adopt(&mut self, work: &mut Work, now: Duration) {
        for accepted in work.accepted.drain(..) {
            let address = accepted.address;
            self.shared().tell(&Event::Connected(address));
            match self.add(accepted, now) {
                Ok(index) => self.turn(index, now),
                Err(error) => self.shared().problem(format!("cannot serve {address}: {error}")),
            }
        }
    }

    fn add(&mut self, accepted: Accepted, now: Duration) -> io::Result<usize> {
        let Accepted { mut stream, address, guest } = accepted;
        tune(&stream)?;
        let index = self.connections.next();
        self.poll.registry().register(&mut stream, Token(index), Interest::READABLE | Interest::WRITABLE)?;
        let inbox = Arc::clone(&self.inbox);
        guest.place.sit(move || inbox.ring(index));
        let inbox = Arc::clone(&self.inbox);
        let session = Session::new(&self.service, address, move || inbox.ring(index), now);
        Ok(self.connections.insert(ServedConnection::new(stream, session, guest)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;
    use crate::data::{Array, Value};
    use crate::nt;
    use crate::server::{PvMap, SharedPv};

    /// A thread's work, done by hand, with one connection, and the client's end of that.
    fn shard() -> (Shard, TcpStream) {
        let pvs = PvMap::new();
        let mut picture = Value::new(&nt::ndarray());
        picture.set("value", Array::from(vec![1_u8; 60_000_000])).unwrap();
        pvs.add("p", SharedPv::writable(picture));
        let config = ServerConfig::loopback();
        let service = Service::new(&config, pvs);
        let mut shard = Shard::new(&config, &service, Instant::now()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, address) = listener.accept().unwrap();
        stream.set_nonblocking(true).unwrap();
        let (guest, _) = Guest::admit(&service, address.ip(), Duration::ZERO).unwrap();
        let accepted = Accepted { stream: mio::net::TcpStream::from_std(stream), address, guest };
        let mut work = Work { accepted: vec![accepted], ..Work::default() };
        shard.adopt(&mut work, Duration::ZERO);
        (shard, client)
    }

    /// Events of the kernel about connections.
    fn look(shard: &mut Shard) {
        let mut events = Events::with_capacity(16);
        shard.poll.poll(&mut events, Some(Duration::from_secs(60))).unwrap();
        events.iter().for_each(|event| shard.event(event, Duration::ZERO));
    }

    const HELLO: &[u8] = b"\xCA\x02\x00\x01\x12\x00\x00\x00\x00\x00\x01\x00\xFF\x7F\x00\x00\x09anonymous";

    /// Opens channel `p` and begins operation 1, a get or a put.
    fn prepare(shard: &mut Shard, client: &mut TcpStream, command: u8) -> u32 {
        let create = [0xCA, 2, 0, 7, 8, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, b'p'];
        client.write_all(&[HELLO, &create].concat()).unwrap();
        while shard.connections.get(0).is_some_and(|connection| !connection.session.has_channels()) {
            look(shard);
        }
        let sid = 1 << 20;
        client
            .write_all(
                &[&[0xCA, 2, 0, command, 12, 0, 0, 0][..], &[0, 0, 0x10, 0, 1, 0, 0, 0, 8, 0x80, 0, 0]]
                    .concat(),
            )
            .unwrap();
        look(shard);
        sid
    }

    /// A connection that is notified repeatedly while it waits for its turn gets no more turns than others.
    #[test]
    fn a_flood_has_one_place_among_the_busy_ones() {
        let (mut shard, mut client) = shard();
        client.write_all(HELLO).unwrap();
        // Each echo costs as much as a get, so these are the work of some turns.
        let echoes = [0xCA, 2, 0, 2, 0, 0, 0, 0].repeat(8 * TURN);
        client.write_all(&echoes).unwrap();
        while shard.busy.is_empty() {
            look(&mut shard);
        }
        for _ in 0..10 {
            client.write_all(&echoes[..8]).unwrap();
            look(&mut shard);
            shard.wake(0, Duration::ZERO);
            assert_eq!(shard.busy, [0]);
        }
        shard.close(0, "the test ends".into());
        assert!(shard.busy.is_empty() && !shard.has_more());
    }

    #[test]
    fn a_turn_writes_a_part_of_a_large_picture() {
        let (mut shard, mut client) = shard();
        let sid = prepare(&mut shard, &mut client, 10);
        let get = [&[0xCA, 2, 0, 10, 9, 0, 0, 0][..], &sid.to_le_bytes(), &[1, 0, 0, 0, 0]].concat();
        let mut reader = client.try_clone().unwrap();
        let reads = std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 20];
            while reader.read(&mut buffer).is_ok_and(|count| count > 0) {}
        });
        client.write_all(&get).unwrap();
        let sent = |shard: &Shard| shard.service.statistics().bytes_out as usize;
        while sent(&shard) < 60_000_000 {
            let before = sent(&shard);
            match shard.busy.is_empty() {
                true => look(&mut shard),
                false => shard.go_on(Duration::ZERO),
            }
            assert!(sent(&shard) - before <= 8 << 20, "{}", sent(&shard) - before);
        }
        drop((shard, client));
        reads.join().unwrap();
    }

    #[test]
    fn a_turn_reads_a_part_of_a_large_picture() {
        let (mut shard, mut client) = shard();
        let sid = prepare(&mut shard, &mut client, 11);
        let bytes = 20_000_000_u32;
        let head = [&[0xCA, 2, 0, 11], &(bytes + 9).to_le_bytes()[..], &sid.to_le_bytes(), &[1, 0, 0, 0, 0]];
        let head = head.concat();
        let writes = std::thread::spawn(move || {
            client.write_all(&head).unwrap();
            client.write_all(&vec![0; bytes as usize]).unwrap();
            client
        });
        let came = |shard: &Shard| shard.service.statistics().bytes_in as usize;
        while came(&shard) < bytes as usize {
            let before = came(&shard);
            match shard.busy.is_empty() {
                true => look(&mut shard),
                false => shard.go_on(Duration::ZERO),
            }
            assert!(came(&shard) - before <= 1 << 20, "{}", came(&shard) - before);
        }
        drop(writes.join().unwrap());
    }
}
