//! The handling of events of connections.
//!
//! A connection knows neither channels nor operations nor the client's thread: it tells of messages and of its end, and
//! this file has their meaning for these.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

use mio::Registry;

use super::Error;
use super::config::ClientConfig;
use super::conn::{Broken, Owner, Protocol};
use super::driver::{ClientParts, Deed};
use super::op::{Conn, Links, Op};
use super::parts::ChannelParts;
use super::queue::EventQueue;
use crate::data::Value;
use crate::proto::client::{Answer, Event, Refusal};
use crate::proto::{LogKind, SearchResponse};
use crate::wire::Payload;

/// Work that came up while messages were read, to be done when nothing is locked.
#[derive(Default)]
pub(super) struct Later {
    wakers: Vec<Waker>,
    callbacks: Vec<Arc<Op>>,
    opened: Vec<Arc<ChannelParts>>,
    deeds: Vec<Deed>,
    lost: VecDeque<(Arc<Op>, bool)>,
}

impl Owner for Links {
    type Shared = ClientParts;
    type Channel = Arc<ChannelParts>;
    type Request = Arc<Op>;
    type Later = Later;

    fn config(shared: &ClientParts) -> &ClientConfig {
        &shared.config
    }

    fn registry(shared: &ClientParts) -> &Registry {
        &shared.registry
    }

    fn event(
        conn: &Arc<Conn>,
        event: Event<'_, Arc<ChannelParts>, Arc<Op>>,
        payload: &Payload<'_>,
        later: &mut Later,
    ) -> Option<usize> {
        match event {
            Event::Answered(op, answer) => return answered(op, answer, payload, later),
            Event::Update(op, value, changed, overrun) => {
                tell(op, |queue| queue.update(value, changed, overrun), later);
                return array_offset(value, payload);
            }
            Event::Started(op, _) => {
                op.started(&mut later.wakers);
                if op.has_callback() {
                    later.callbacks.push(Arc::clone(op));
                }
            }
            Event::Ended(op, status) => {
                let end = if status.is_success() { Ok(()) } else { Err(Error::Refused(status)) };
                op.finish(end.map(|()| Answer::Done), &mut later.wakers);
                tell(op, |_| {}, later);
                op.detach();
            }
            Event::Opened(channel) => later.opened.push(Arc::clone(channel)),
            Event::Refused(channel, status) => {
                channel.unlink(Some(&status));
                later.deeds.push(Deed::Refused(channel));
            }
            Event::Closed(channel) => {
                channel.unlink(None);
                later.deeds.push(Deed::Closed(channel));
            }
            Event::Lost(op, ran) => {
                if op.has_callback() {
                    later.callbacks.push(Arc::clone(&op));
                }
                later.lost.push_back((op, ran));
            }
            Event::Found(found) => {
                later.deeds.push(Deed::Found(conn.address, Box::new(owned(found))));
            }
            Event::Ready => later.deeds.push(Deed::Ready(Arc::clone(conn))),
            Event::Log(log) => log::log!(level_of(log.kind), "{} says: {}", conn.address, log.text),
        }
        None
    }

    fn taken(conn: &Arc<Conn>, core: &mut Protocol<Links>, later: &mut Later, made_sense: bool) {
        if !made_sense {
            // The connection ends, and its channels are opened elsewhere.
            later.opened.clear();
        }
        // Only after all messages: a channel that was opened and closed at once must not begin anything.
        for channel in later.opened.drain(..) {
            channel.opened(conn, core);
        }
        for (op, ran) in later.lost.drain(..) {
            // Without its channel: a connection that is lost takes its operations with it below.
            op.lost(ran, true, &mut later.wakers);
        }
    }

    fn unlocked(conn: &Arc<Conn>, later: &mut Later) {
        // Queued deeds hold an `Arc` to their connection; leaving them here would leak it.
        conn.shared().todo(&mut later.deeds);
    }

    fn run(later: &mut Later) {
        later.wakers.drain(..).for_each(Waker::wake);
        later.callbacks.drain(..).for_each(|op| op.call_back());
    }

    fn ended(channels: &[Arc<ChannelParts>], requests: Vec<(Arc<Op>, bool)>, later: &mut Later) {
        channels.iter().for_each(|channel| channel.unlink(None));
        for (op, ran) in requests {
            op.lost(ran, false, &mut later.wakers);
            if op.has_callback() {
                later.callbacks.push(op);
            }
        }
    }

    fn broken(conn: &Arc<Conn>, why: Broken) {
        conn.shared().todo(&mut vec![Deed::Failed(Arc::clone(conn), why)]);
    }

    fn closed(conn: &Arc<Conn>, channels: Vec<Arc<ChannelParts>>, why: Broken) {
        conn.shared().todo(&mut vec![Deed::Lost(Arc::clone(conn), channels, why)]);
    }

    fn linger(shared: &ClientParts) {
        shared.linger();
    }
}

/// Ends an operation, or one round of it. Returns where in the payload a large array began.
fn answered(
    op: &Arc<Op>,
    answer: Result<Answer, Refusal>,
    payload: &Payload<'_>,
    later: &mut Later,
) -> Option<usize> {
    let large = match &answer {
        Ok(Answer::Value(value)) => array_offset(value, payload),
        _ => None,
    };
    let answer = answer.map_err(|refusal| match refusal {
        Refusal::Server(status) => Error::Refused(status),
        Refusal::Here(error) => Error::Invalid(error),
    });
    // Threads are woken and callbacks called later, when the connection is not locked.
    op.finish(answer, &mut later.wakers);
    if op.has_callback() {
        later.callbacks.push(Arc::clone(op));
    }
    large
}

fn level_of(kind: LogKind) -> log::Level {
    match kind {
        LogKind::Info => log::Level::Info,
        LogKind::Warning => log::Level::Warn,
        LogKind::Error | LogKind::Fatal => log::Level::Error,
    }
}

fn tell(op: &Arc<Op>, put: impl FnOnce(&mut EventQueue), later: &mut Later) {
    op.push(put, &mut later.wakers);
    if op.has_callback() {
        later.callbacks.push(Arc::clone(op));
    }
}

fn owned(found: SearchResponse<'_>) -> SearchResponse<'static> {
    SearchResponse { protocol: found.protocol.into_owned().into(), ..found }
}

/// Where in `payload` the first array of `value` lies that shares it: the next one will lie there, too.
fn array_offset(value: &Value, payload: &Payload<'_>) -> Option<usize> {
    let Payload::Shared(payload) = payload else { return None };
    let range = payload.as_ptr_range();
    let arrays = value.leaves().filter_map(|(_, field)| field.as_array());
    let shared = arrays.map(|array| array.data().as_ptr()).find(|start| range.contains(start));
    shared.map(|start| start.addr() - range.start.addr())
}
