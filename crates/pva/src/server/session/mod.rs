//! One connection as a state machine: bytes and time go in, bytes come out. No sockets, threads or clocks.

mod answer;
mod brought;
mod channel;
mod channels;
mod core;
mod execute;
mod handshake;
mod ids;
mod init;
mod leaving;
mod monitor;
mod names;
mod operation;
mod output;
mod price;
mod rest;
mod special;
#[cfg(test)]
mod tests;

use std::io::{self, IoSlice, Read};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use self::core::SessionCore;
pub(crate) use self::leaving::Leaving;
pub(crate) use self::price::TURN;
use self::price::price;

use crate::server::account::{Account, Charge, SMALL};
use crate::server::pv::{Mail, Mailbox};
use crate::server::{Peer, Service};
use crate::wire::Assembler;
use crate::{Error, Result};

/// Input is not handled while this many bytes wait to be sent, so that a client that does not read stops its own
/// requests.
const ENOUGH: usize = 1 << 20;

/// Largest message of a client that has not identified itself: memory for strangers stays small.
const FIRST_MESSAGE: usize = 64 << 10;

/// One connection as a state machine, for callers with another source of bytes than [`Server`](super::Server): another
/// transport, a test.
///
/// Call [`Session::receive`] with received bytes, [`Session::work`] whenever the bell was rung or output was sent, and
/// [`Session::tick`] from time to time, and send the bytes of [`Session::slices`]. After an error the connection has to
/// be closed.
pub struct Session {
    assembler: Assembler,
    core: SessionCore,
    mail: Mail,
    received: Duration,
    // When output was first left waiting, or last moved.
    stalled: Option<Duration>,
    begun: Duration,
    // Remaining work of this turn, in gets, and remaining updates. Callers without turns have no limit of either.
    left: usize,
    updates: usize,
    // When the message that is coming in began.
    message: Option<Duration>,
    incoming: Charge,
}

impl Session {
    /// A connection from `address` that begins at `now`. `bell` is rung, by any thread, when there is something
    /// to do.
    pub fn new(
        service: &Service,
        address: SocketAddr,
        bell: impl Fn() + Send + Sync + 'static,
        now: Duration,
    ) -> Session {
        let mailbox = Arc::new(Mailbox::new(bell));
        let peer = Peer::anonymous(address);
        let peer = Peer { local: service.0.guests.is_local(peer.address.ip()), ..peer };
        let core = SessionCore::new(Arc::clone(&service.0), peer, mailbox);
        Session {
            assembler: Assembler::new(FIRST_MESSAGE),
            message: None,
            left: usize::MAX,
            updates: usize::MAX,
            incoming: Charge::new(&core.account),
            core,
            mail: Mail::default(),
            received: now,
            stalled: None,
            begun: now,
        }
    }

    /// The client.
    pub fn peer(&self) -> &Arc<Peer> {
        &self.core.peer
    }

    /// Works on `input`. Returns how much of it; the rest is to be brought again once everything is sent.
    pub fn receive(&mut self, input: &[u8], now: Duration) -> Result<usize> {
        self.received = now;
        // The mailbox is emptied after this anyway: a bell for each answer that is given at once would be a system call each.
        self.core.mailbox.hush();
        let mut rest = input;
        while self.accepts() {
            // A message is worked on when the one before it is finished: answers come in the order of the questions.
            if self.core.has_rest() {
                self.core.go_on(&mut self.left)?;
                continue;
            }
            let Some(message) = self.assembler.next(&mut rest)? else { break };
            let validated = self.core.validated;
            self.message = None;
            self.left = self.left.saturating_sub(price(&message));
            self.core.handle(&message, &mut self.left)?;
            self.left = self.left.saturating_sub(std::mem::take(&mut self.core.extra));
            if self.core.validated && !validated {
                self.assembler.set_limit(self.core.shared.limits.message);
                self.assembler.pass_over();
            }
        }
        // Once for all messages that were there: a message that came whole needs no account.
        self.expect(now)?;
        Ok(input.len() - rest.len())
    }

    /// Counts the memory for the message that is coming in, and the time since it began.
    fn expect(&mut self, now: Duration) -> Result<()> {
        self.message = self.assembler.is_inside().then(|| self.message.unwrap_or(now));
        let expected = self.assembler.expected();
        let bytes = if expected > SMALL { expected } else { 0 };
        if bytes == self.incoming.bytes() || self.incoming.set(bytes) {
            return Ok(());
        }
        if !self.core.validated {
            return Err(Error::new("a message for which there is memory", format!("one of {bytes} bytes")));
        }
        self.assembler.pass_over_this();
        self.incoming.set(0);
        Ok(())
    }

    /// The memory that the client makes us keep.
    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.core.account
    }

    /// Whether input would be worked on now.
    pub fn accepts(&self) -> bool {
        self.left > 0 && !self.core.output.is_blocked() && self.core.output.pending() < ENOUGH
    }

    /// Begins a turn with this much work. Updates are counted apart, so that a client which asks without a pause still
    /// gets the monitors' ones.
    pub(crate) fn allow(&mut self, work: usize) {
        (self.left, self.updates) = (work, work);
    }

    /// Whether something that the client asked for in one message is done in part.
    pub(crate) fn has_rest(&self) -> bool {
        self.core.has_rest()
    }

    /// The leftovers of the client, now that it has gone.
    pub(crate) fn leave(self) -> Leaving {
        Leaving::new(self.core)
    }

    /// Whether the work of this turn is done.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0 || self.updates == 0
    }

    /// Whether the client has a channel open.
    pub(crate) fn has_channels(&self) -> bool {
        self.core.channels.len() > 0
    }

    /// How many bytes a large message lacks, which [`Session::fill`] takes straight from their source.
    pub fn missing(&self) -> usize {
        self.assembler.missing()
    }

    /// Reads the rest of a large message. Then [`Session::receive`] nothing.
    pub fn fill(&mut self, source: impl Read, now: Duration) -> io::Result<usize> {
        self.received = now;
        self.assembler.fill(source)
    }

    /// Does the work that other threads left: updates, answers, channels to be closed. Updates go out only when all else
    /// is sent, and about `budget` bytes of them. Returns whether more could be sent after that.
    pub fn work(&mut self, budget: usize) -> Result<bool> {
        self.core.mailbox.take(&mut self.mail);
        for completion in self.mail.done.drain(..) {
            self.core.complete(completion)?;
        }
        self.core.expel(self.mail.closed.drain(..));
        if self.accepts() {
            self.core.go_on(&mut self.left)?;
        }
        self.core.ready.extend(self.mail.ready.drain(..));
        if std::mem::take(&mut self.mail.relief) {
            self.core.output.own();
        }
        let more = self.core.send_updates(budget, &mut self.updates)?;
        self.core.settle_accounts()?;
        Ok(more)
    }

    /// Looks whether it is time to give up; then the reason is the error.
    pub fn tick(&mut self, now: Duration) -> Result<()> {
        let timeouts = self.core.shared.timeouts;
        let since = |then: Duration| now.saturating_sub(then);
        if !self.core.validated && since(self.begun) > timeouts.handshake {
            return Err(late("the handshake", timeouts.handshake));
        }
        if self.message.is_some_and(|then| since(then) > timeouts.message) {
            return Err(late("the whole of a message", timeouts.message));
        }
        // Memory of a burst goes back when the client has been quiet.
        self.core.output.rest();
        self.core.settle_accounts()?;
        match self.stalled {
            Some(then) if since(then) > timeouts.stalled => Err(late("the client to read", timeouts.stalled)),
            None if since(self.received) > timeouts.idle && !self.core.old => {
                Err(late("a sign of the client", timeouts.idle))
            }
            _ => Ok(()),
        }
    }

    /// Fills `slices` with the next pieces to be sent; returns how many.
    pub fn slices<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        self.slices_up_to(slices, usize::MAX)
    }

    /// The bytes to send, at most `room` of them.
    pub(crate) fn slices_up_to<'a>(&'a self, slices: &mut [IoSlice<'a>], room: usize) -> usize {
        self.core.output.slices(slices, room)
    }

    /// How many bytes wait to be sent.
    pub fn pending(&self) -> usize {
        self.core.output.pending()
    }

    /// Notes that `count` bytes were sent.
    pub fn sent(&mut self, count: usize, now: Duration) {
        self.core.output.advance(count);
        let waiting = self.core.output.pending() > 0;
        self.stalled = waiting.then(|| if count > 0 { now } else { self.stalled.unwrap_or(now) });
    }
}

fn late(what: &str, limit: Duration) -> Error {
    Error::new(format!("{what} within {} s", limit.as_secs_f64()), "nothing")
}
