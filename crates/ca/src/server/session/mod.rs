//! The talk with one client, without sockets: bytes come in, bytes go out.

mod answers;
mod channels;
mod monitors;
mod requests;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use channels::Channels;
use monitors::Monitors;

use super::mailbox::Mailbox;
use super::{Limits, Peer, Provider};
use crate::Result;
use crate::wire::{Assembler, Command, Header, MINOR};

/// The talk with one client. Hand it bytes of the client with [`receive`](Session::receive), let it [`work`](Session::work), and send
/// its [`output`](Session::output).
pub struct Session {
    provider: Arc<dyn Provider>,
    limits: Limits,
    peer: Arc<Peer>,
    mailbox: Arc<Mailbox>,
    input: Assembler,
    output: Vec<u8>,
    // How much of the output is sent.
    sent: usize,
    channels: Channels,
    monitors: Monitors,
    /// The client wants no updates for now.
    paused: bool,
    // The minor version of the client.
    minor: u16,
    tcp_port: u16,
    heard: Duration,
    asked: bool,
}

impl Session {
    /// A talk with the client at `address`; `ring` is called from any thread when there is something to send. `tcp_port`: where a
    /// search over this connection sends clients. `now`: any clock that goes forward.
    pub fn new(
        provider: Arc<dyn Provider>,
        limits: Limits,
        address: SocketAddr,
        tcp_port: u16,
        ring: impl Fn() + Send + Sync + 'static,
        now: Duration,
    ) -> Session {
        let mut session = Session {
            provider,
            limits,
            peer: Arc::new(Peer { address, user: String::new(), host: String::new() }),
            mailbox: Arc::new(Mailbox::new(ring)),
            input: Assembler::new(limits.message),
            output: Vec::new(),
            sent: 0,
            channels: Channels::default(),
            monitors: Monitors::default(),
            paused: false,
            minor: 0,
            tcp_port,
            heard: now,
            asked: false,
        };
        session
            .say(Header { command: Command::Version as u16, count: MINOR.into(), ..Header::default() }, &[]);
        session
    }

    /// Takes bytes of the client. They are worked on by [`work`](Session::work).
    pub fn receive(&mut self, bytes: &[u8], now: Duration) {
        (self.heard, self.asked) = (now, false);
        self.input.push(bytes);
    }

    /// Whether more input may come: not while answers wait for a client that does not read them.
    pub fn accepts(&self) -> bool {
        self.pending() < self.limits.output && self.input.held() <= self.limits.message
    }

    /// Answers at most `requests` requests, and adds updates as long as the output is short. Returns whether there is more to do
    /// at once.
    ///
    /// # Errors
    /// When the client sends something that makes the rest of the stream unreadable; the connection ends then.
    pub fn work(&mut self, requests: usize) -> Result<bool> {
        self.hear();
        for _ in 0..requests {
            if self.pending() >= self.limits.output {
                return Ok(false);
            }
            let Some(message) = self.input.next()? else { return Ok(self.update(requests)) };
            self.request(&message);
            // A put that ended at once is answered before the next request is.
            self.hear();
        }
        self.update(requests);
        Ok(true)
    }

    /// Takes the notes of other threads.
    fn hear(&mut self) {
        let notes = self.mailbox.take();
        notes.ended.into_iter().for_each(|ended| self.answer_put(ended));
        self.monitors.ready(notes.updated);
    }

    /// Sends at most so many updates. Returns whether more wait for which there is room.
    fn update(&mut self, most: usize) -> bool {
        for _ in 0..most {
            if self.paused || self.pending() >= self.limits.output || !self.send_update() {
                return false;
            }
        }
        true
    }

    /// Bytes for the client.
    pub fn output(&self) -> &[u8] {
        &self.output[self.sent..]
    }

    /// How many bytes wait for the client.
    pub fn pending(&self) -> usize {
        self.output.len() - self.sent
    }

    /// So many bytes of the output are sent.
    pub fn sent(&mut self, count: usize) {
        self.sent += count.min(self.pending());
        if self.sent == self.output.len() {
            self.output.clear();
            // A picture's room is given back; answers of usual length keep theirs.
            self.output.shrink_to(self.limits.output);
            self.sent = 0;
        }
    }

    /// Looks at the clock. Asks a silent client whether it is there.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn tick(&mut self, now: Duration) -> Result<()> {
        let silent = now.saturating_sub(self.heard);
        if silent > self.limits.silence.saturating_mul(2) {
            let wanted = format!("a client that says something within {:?}", self.limits.silence * 2);
            return Err(crate::Error::new(wanted, "silence"));
        }
        // Clients older than 4.3 know no echo.
        if silent > self.limits.silence && self.minor >= 3 && !self.asked {
            self.asked = true;
            self.say(Header { command: Command::Echo as u16, ..Header::default() }, &[]);
        }
        Ok(())
    }

    /// The client.
    pub fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    /// How many channels and monitors the client has.
    pub fn held(&self) -> (usize, usize) {
        (self.channels.len(), self.monitors.len())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.monitors.close_all();
    }
}
