//! The thread that answers searches and sends beacons.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token, Waker};
use socket2::SockRef;

use super::answer::{Answer, Arrival, answer};
use super::beacon::Beacons;
use super::datagram::{Origin, Received, receive, send};
use super::sockets::{Hears, Sockets};
use crate::net::{self, Destination};
use crate::server::service::ServiceParts;
use crate::server::statistics::add;
use crate::server::{ServerConfig, Service};
use livetime_guests::Limit;

const WAKE: Token = Token(usize::MAX);

/// The number of datagrams of one socket that are handled before the other sockets have their turn.
const TURN: usize = 64;

/// Answers searches until it is dropped.
pub(crate) struct Responder {
    waker: Arc<Waker>,
    port: u16,
    thread: Option<JoinHandle<()>>,
}

impl Responder {
    /// Nothing if `config` wants no searches.
    pub(crate) fn start(config: &ServerConfig, service: &Service) -> io::Result<Option<Responder>> {
        let Some(port) = config.udp_port else { return Ok(None) };
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
        let mut state = SearchThread::bind(config, service, poll, port)?;
        let port = state.sockets.port;
        let thread = thread::Builder::new().name("pva-search".into()).spawn(move || state.run())?;
        Ok(Some(Responder { waker, port, thread: Some(thread) }))
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        // The wake fails only if the thread is gone, which needs none.
        let _ = self.waker.wake();
        self.thread.take().map(JoinHandle::join);
    }
}

struct SearchThread {
    shared: Arc<ServiceParts>,
    poll: Poll,
    sockets: Sockets,
    ignore: Vec<SocketAddr>,
    destinations: Vec<Destination>,
    beacons: Beacons,
    limit: Limit,
    limit_forwarded: Limit,
    buffer: Vec<u8>,
    start: Instant,
}

impl SearchThread {
    fn bind(config: &ServerConfig, service: &Service, poll: Poll, port: u16) -> io::Result<SearchThread> {
        let shared = Arc::clone(&service.0);
        let mut sockets = Sockets::bind(config, port, |text| shared.problem(text))?;
        for (index, listener) in sockets.all.iter_mut().enumerate() {
            poll.registry().register(&mut listener.socket, Token(index), Interest::READABLE)?;
        }
        Ok(SearchThread {
            shared,
            poll,
            sockets,
            ignore: config.ignore.clone(),
            destinations: config.beacons.clone(),
            beacons: Beacons::default(),
            limit: Limit::new(config.limits.searches),
            // Forwarded searches all come from this machine, whichever client asked, so their limit is higher.
            limit_forwarded: Limit::new(config.limits.searches.saturating_mul(4)),
            buffer: vec![0; 1 << 16],
            start: Instant::now(),
        })
    }

    fn run(&mut self) {
        let mut events = Events::with_capacity(16);
        let mut more = Vec::new();
        loop {
            self.announce();
            let wait = match more.is_empty() {
                true => self.beacons.due().saturating_sub(self.start.elapsed()),
                false => Duration::ZERO,
            };
            match self.poll.poll(&mut events, Some(wait)) {
                Err(error) if error.kind() != ErrorKind::Interrupted => {
                    return self.shared.problem(format!("cannot wait for searches: {error}"));
                }
                _ => {}
            }
            if events.iter().any(|event| event.token() == WAKE) {
                return;
            }
            let mut readable: Vec<usize> = std::mem::take(&mut more);
            readable.extend(events.iter().map(|event| event.token().0));
            // A socket may be in both lists, and is read once.
            readable.sort_unstable();
            readable.dedup();
            more.extend(readable.into_iter().filter(|&socket| self.read(socket)));
        }
    }

    fn announce(&mut self) {
        if !self.beacons.take(self.start.elapsed()) {
            return;
        }
        for to in &self.destinations {
            let v6 = to.address.is_ipv6();
            let sent = match self.sockets.speaker(v6) {
                Some(socket) => {
                    let beacon = self.beacons.encode(&self.shared, self.sockets.told(v6));
                    net::send(SockRef::from(socket), to, &beacon)
                }
                None => Err(io::Error::other("it does not listen at an address of that kind")),
            };
            if let Err(error) = sent {
                self.shared.problem(format!("cannot announce the server to {to}: {error}"));
            }
        }
    }

    /// Works on some datagrams of a socket. Returns whether there may be more.
    fn read(&mut self, index: usize) -> bool {
        for _ in 0..TURN {
            let Some(listener) = self.sockets.all.get(index) else { return false };
            match receive(&listener.socket, &mut self.buffer) {
                Ok(received) => self.datagram(index, &received, listener.hears),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    // The error may be an answer's: the system reports here that its receiver is gone.
                    self.shared.problem(format!("cannot receive a search: {error}"));
                }
            }
        }
        true
    }

    fn datagram(&mut self, index: usize, received: &Received, hears: Hears) {
        if !self.welcome(received, hears) {
            return add(&self.shared.counters.dropped, 1);
        }
        let arrival = Arrival {
            source: received.source,
            destination: received.destination.map(|to| to.header),
            unicast: match hears {
                Hears::Host => received.destination.map(|to| Some(to.header) == to.local),
                Hears::Group | Hears::Neighbours | Hears::Machine => Some(false),
            },
            forwarded: hears == Hears::Neighbours,
        };
        // A forwarded datagram was sent to another server first.
        let origin = received.destination.filter(|_| !arrival.forwarded).and_then(|to| to.origin());
        let told = self.sockets.told(received.source.is_ipv6());
        let Ok(answers) = answer(&self.shared, &self.buffer[..received.len], arrival, told) else {
            return add(&self.shared.counters.dropped, 1);
        };
        answers.into_iter().for_each(|answer| self.act(index, answer, arrival, origin));
    }

    fn welcome(&mut self, received: &Received, hears: Hears) -> bool {
        let (ip, now) = (received.source.ip(), self.start.elapsed());
        let port = received.source.port();
        let ignored = |ignored: &SocketAddr| ignored.ip() == ip && [0, port].contains(&ignored.port());
        let at_us = match (hears, received.destination.and_then(|to| to.local)) {
            // The group reaches only this machine, so no other machine can have sent to it.
            (Hears::Neighbours | Hears::Machine, _) => self.shared.guests.is_local(ip),
            (Hears::Host, Some(local)) => self.sockets.listens_at(local),
            (Hears::Host | Hears::Group, _) => true,
        };
        let limit = if hears == Hears::Neighbours { &mut self.limit_forwarded } else { &mut self.limit };
        !self.ignore.iter().any(ignored) && at_us && limit.admits(ip, now)
    }

    fn act(&mut self, index: usize, action: Answer, arrival: Arrival, origin: Option<Origin>) {
        if let Answer::Reply { to, .. } = &action
            && self.sockets.is_local()
            && !self.shared.guests.is_local(to.ip())
        {
            // The client could not connect, because the server listens at loopback alone.
            return add(&self.shared.counters.dropped, 1);
        }
        let result = match action {
            Answer::Reply { to, datagram, asked: None } => self.reply(index, to, &datagram, origin),
            Answer::Reply { to, datagram, asked: Some(address) } => {
                let own = self.shared.guests.is_local(address);
                if !own || !(self.sockets.is_local() || self.sockets.listens_at(address)) {
                    return add(&self.shared.counters.dropped, 1);
                }
                self.reply(index, to, &datagram, Some(Origin { address, interface: 0 }))
            }
            Answer::Forward(bytes) => match self.sockets.pass_on(&bytes) {
                Some(result) => result.map(drop),
                None => return self.alone(index, &bytes, arrival, origin),
            },
        };
        if let Err(error) = result
            && error.kind() != ErrorKind::WouldBlock
        {
            self.shared.problem(format!("cannot answer a search of {}: {error}", arrival.source));
        }
    }

    /// There is no other server to share with: answered as if it had been shared.
    fn alone(&mut self, index: usize, bytes: &[u8], arrival: Arrival, origin: Option<Origin>) {
        let arrival = Arrival { forwarded: true, ..arrival };
        let told = self.sockets.told(false);
        // A datagram of our own is valid.
        let answers = answer(&self.shared, bytes, arrival, told).unwrap_or_default();
        answers.into_iter().for_each(|answer| self.act(index, answer, arrival, origin));
    }

    fn reply(&self, index: usize, to: SocketAddr, bytes: &[u8], origin: Option<Origin>) -> io::Result<()> {
        self.sockets.answering(index).map_or(Ok(()), |socket| send(socket, bytes, to, origin))
    }
}
