//! The client's internal state of a channel: its link to a connection, and the operations that wait for one.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use super::Error;
use super::conn::Protocol;
use super::error::reason;
use super::lock::lock;
use super::op::{Conn, Home, Links, Op};
use crate::proto::Guid;
use crate::wire::Status;

/// The client's internal state of a channel.
pub(super) struct ChannelParts {
    pub(super) name: String,
    /// The server of the channel, which is then not searched.
    pub(super) server: Option<SocketAddr>,
    pub(super) state: Mutex<ChannelState>,
}

#[derive(Default)]
pub(super) struct ChannelState {
    /// Its number in the search.
    pub(super) search: Option<u32>,
    /// The identity of the server that has it or is asked for it, if that answered the search itself.
    pub(super) guid: Option<Guid>,
    pub(super) link: Option<(Arc<Conn>, u32)>,
    pub(super) open: bool,
    pub(super) closed: bool,
    pub(super) waiting: Vec<Arc<Op>>,
    pub(super) refusal: Option<String>,
    pub(super) refusals: u32,
}

impl ChannelParts {
    pub(super) fn new(name: &str, server: Option<SocketAddr>) -> Arc<ChannelParts> {
        Arc::new(ChannelParts { name: name.into(), server, state: Mutex::new(ChannelState::default()) })
    }

    /// Asks the server on `conn` to open it. `false`: the connection is lost already.
    pub(super) fn link(self: &Arc<Self>, conn: &Arc<Conn>, core: &mut Protocol<Links>) -> bool {
        if conn.is_closed() {
            return false;
        }
        let mut state = lock(&self.state);
        // An answer to an older search may come after the channel was linked.
        if state.closed || state.link.is_some() {
            return true;
        }
        match core.connection.create_channel(Arc::clone(self), &self.name) {
            Some(cid) => state.link = Some((Arc::clone(conn), cid)),
            None => log::warn!("`{}`: too many channels on one connection", self.name),
        }
        true
    }

    /// The server opened it: waiting operations begin.
    pub(super) fn opened(self: &Arc<Self>, conn: &Arc<Conn>, core: &mut Protocol<Links>) {
        let mut state = lock(&self.state);
        state.open = true;
        state.refusal = None;
        state.refusals = 0;
        let cid = state.link.as_ref().map(|(_, cid)| *cid);
        let waiting = std::mem::take(&mut state.waiting);
        // `begin` locks the connection's requests and the operation, which come before and after this lock.
        drop(state);
        for op in waiting {
            let begun = cid.is_some_and(|cid| op.is_over() || op.begin(conn, core, cid));
            if !begun {
                lock(&self.state).waiting.push(op);
            }
        }
    }

    /// It is on no connection any more.
    pub(super) fn unlink(&self, refusal: Option<&Status>) {
        let mut state = lock(&self.state);
        state.link = None;
        state.open = false;
        if let Some(status) = refusal {
            state.refusal = Some(reason(status));
            state.refusals += 1;
        }
    }

    pub(super) fn note_failure(&self, failure: String) {
        lock(&self.state).refusal = Some(failure);
    }

    /// The answer to its search names this server. An answer that comes when it is on a connection is of an older search.
    pub(super) fn found_at(&self, server: Option<Guid>) {
        let mut state = lock(&self.state);
        if state.link.is_none() {
            state.guid = server;
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        lock(&self.state).closed
    }

    /// Lets `op` begin, now or as soon as the channel is open.
    pub(super) fn submit(&self, op: &Arc<Op>) {
        loop {
            let mut state = lock(&self.state);
            let Some((conn, cid)) = state.link.clone().filter(|_| state.open) else {
                state.waiting.push(Arc::clone(op));
                return;
            };
            drop(state);
            // The connection is locked before the channel, so the channel's lock is given back first, and its state is
            // looked at again.
            let mut core = conn.core();
            if op.begin(&conn, &mut core, cid) {
                return conn.flush(&mut core);
            }
            // The connection was closed meanwhile, or it is full.
            let same = lock(&self.state)
                .link
                .as_ref()
                .is_some_and(|(now, id)| Arc::ptr_eq(now, &conn) && *id == cid);
            if same {
                let full = Error::System("too many operations on one connection".into());
                return op.finish(Err(full), &mut Vec::new());
            }
        }
    }

    pub(super) fn withdraw(&self, op: &Arc<Op>) {
        lock(&self.state).waiting.retain(|waiting| !Arc::ptr_eq(waiting, op));
    }
}

impl Home for ChannelParts {
    fn wait(&self, op: &Arc<Op>) {
        lock(&self.state).waiting.push(Arc::clone(op));
    }

    fn server(&self) -> Option<Guid> {
        lock(&self.state).guid
    }
}
