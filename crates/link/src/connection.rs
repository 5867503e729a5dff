//! The connection of an end.

use livetime_runtime::Random;

use crate::{Body, Message};

/// What an end wants next.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "taken apart at once; a box would be allocated per message")]
pub enum Step<F> {
    /// Send this message.
    Send(Message<F>),
    /// Close the connection and open a new one: the peer is silent. Comes once.
    Reconnect,
    /// Nothing before this time, unless something happens; `u64::MAX`: nothing at all.
    Wait(u64),
}

/// Times of the connection of an end, in ns.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    pub(crate) state: State,
    /// Number of this connection at this end.
    pub(crate) session: u64,
    /// Its number at the other end; 0 if that is not known yet.
    pub(crate) peer: u64,
    /// How many there were.
    count: u64,
    /// When the peer was heard last.
    pub(crate) heard_ns: u64,
    /// When this end sent something last.
    pub(crate) sent_ns: u64,
}

/// States of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum State {
    /// There is none.
    #[default]
    Down,
    /// The ends do not know each other's epoch yet.
    Greeting,
    /// Both ends know each other.
    Open,
}

impl Connection {
    /// A new one. Its number is in every message, so that a message of an earlier connection, which comes late, is
    /// recognised: it may be from an incarnation that has died.
    pub(crate) fn open(&mut self, epoch: u64, now_ns: u64) {
        let count = self.count + 1;
        let session = Random::new(epoch).next_u64().wrapping_add(count).max(1);
        *self =
            Connection { state: State::Greeting, session, peer: 0, count, heard_ns: now_ns, sent_ns: now_ns };
    }

    /// A message with this content, sent now.
    pub(crate) fn send<F>(&mut self, body: Body<F>, now_ns: u64) -> Step<F> {
        self.sent_ns = now_ns;
        Step::Send(Message { from: self.session, to: self.peer, body })
    }

    /// True, once, when the peer has been silent for too long.
    pub(crate) fn dies(&mut self, now_ns: u64, dead_after_ns: u64) -> bool {
        let silent = self.state != State::Down && now_ns >= self.heard_ns.saturating_add(dead_after_ns);
        if silent {
            self.state = State::Down;
        }
        silent
    }
}
