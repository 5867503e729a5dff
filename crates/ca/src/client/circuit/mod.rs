//! The talk with one server, without sockets: bytes come in, bytes go out.

mod answers;
mod heard;
mod requests;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

pub use heard::{Facts, Heard};

use super::ClientConfig;
use crate::dbr::Dbr;
use crate::wire::{Assembler, Command, Header, MINOR, append};
use crate::{Error, Result};

/// How long a server may take to answer when it is asked whether it is there.
const ANSWER: Duration = Duration::from_secs(5);

/// The talk with one server. Hand it bytes of the server with [`receive`](Circuit::receive), take what they say with
/// [`next`](Circuit::next), and send its [`output`](Circuit::output).
///
/// Channels have numbers of the caller ("cid"); requests get theirs here and carry one of the caller (`id`), with which their
/// answers come. Answers that belong to nothing are left out.
#[derive(Debug)]
pub struct Circuit {
    server: SocketAddr,
    input: Assembler,
    output: Vec<u8>,
    // How much of the output is sent.
    sent: usize,
    channels: BTreeMap<u32, Opened>,
    requests: BTreeMap<u32, Request>,
    next: u32,
    // The minor version of the server.
    minor: u16,
    silence: Duration,
    heard: Duration,
    asked: Option<Duration>,
}

/// A channel. `sid` is the server's number of it, `None` until it is open.
#[derive(Debug)]
struct Opened {
    sid: Option<u32>,
    facts: Facts,
}

/// A request without its last answer.
#[derive(Debug)]
struct Request {
    id: u64,
    cid: u32,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Get(Dbr),
    Put,
    Monitor(Dbr, u32),
}

impl Circuit {
    /// A talk with the server at `server`. `now`: any clock that goes forward.
    pub fn new(config: &ClientConfig, server: SocketAddr, now: Duration) -> Circuit {
        let mut circuit = Circuit {
            server,
            input: Assembler::new(config.max_message),
            output: Vec::new(),
            sent: 0,
            channels: BTreeMap::new(),
            requests: BTreeMap::new(),
            next: 0,
            minor: MINOR,
            silence: config.silence,
            heard: now,
            asked: None,
        };
        circuit.say(Command::Version, |header| header.count = MINOR.into(), &[]);
        circuit.introduce(Command::ClientName, &config.user);
        circuit.introduce(Command::HostName, &config.host);
        circuit
    }

    fn introduce(&mut self, command: Command, name: &str) {
        self.say(command, |_| {}, &[name.as_bytes(), &[0]].concat());
    }

    fn say(&mut self, command: Command, set: impl FnOnce(&mut Header), payload: &[u8]) {
        let mut header = Header { command: command as u16, ..Header::default() };
        set(&mut header);
        append(&mut self.output, header, payload);
    }

    /// Takes bytes of the server.
    pub fn receive(&mut self, bytes: &[u8], now: Duration) {
        (self.heard, self.asked) = (now, None);
        self.input.push(bytes);
    }

    /// The next thing that the server says; `None` until more bytes come.
    ///
    /// # Errors
    /// When the stream cannot be read further. The connection ends then.
    #[allow(clippy::should_implement_trait)] // an iterator would end at the first missing byte
    pub fn next(&mut self) -> Result<Option<Heard>> {
        while let Some(message) = self.input.next()? {
            if let Some(heard) = self.hear(&message) {
                return Ok(Some(heard));
            }
        }
        Ok(None)
    }

    /// Looks at the clock. Asks a silent server whether it is there.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn tick(&mut self, now: Duration) -> Result<()> {
        match self.asked {
            Some(asked) if now.saturating_sub(asked) > ANSWER => {
                let silence = now.saturating_sub(self.heard);
                Err(Error::new(
                    format!("an answer of the server within {ANSWER:?}"),
                    format!("silence for {silence:?}"),
                ))
            }
            None if now.saturating_sub(self.heard) > self.silence => {
                self.probe(now);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Asks the server whether it is there, because of doubts.
    pub fn probe(&mut self, now: Duration) {
        if self.asked.is_none() {
            self.asked = Some(now);
            self.say(Command::Echo, |_| {}, &[]);
        }
    }

    /// Bytes for the server.
    pub fn output(&self) -> &[u8] {
        &self.output[self.sent..]
    }

    /// The number of bytes for the server.
    pub fn pending(&self) -> usize {
        self.output.len() - self.sent
    }

    /// The first `count` bytes of the output are sent.
    pub fn sent(&mut self, count: usize) {
        self.sent += count.min(self.pending());
        if self.sent == self.output.len() {
            self.output.clear();
            // A long array's room is given back.
            self.output.shrink_to(1 << 16);
            self.sent = 0;
        }
    }

    /// The facts about a channel, once it is open.
    pub fn facts(&self, cid: u32) -> Option<Facts> {
        self.channels.get(&cid).filter(|opened| opened.sid.is_some()).map(|opened| opened.facts)
    }

    /// The numbers of channels and of requests without their last answer.
    pub fn held(&self) -> (usize, usize) {
        (self.channels.len(), self.requests.len())
    }
}
