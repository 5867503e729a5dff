//! Messages that wait for room in an input which must not lose any.
//!
//! No thread waits: the message is stored, its sender handles nothing more until it is delivered, and the
//! other agents of the thread continue.

use std::collections::VecDeque;
use std::sync::Arc;

use livetime_runtime::LossReason;

use super::local::Local;
use super::sink::{Sink, Waiter};
use super::strand::ROOM;

/// The messages of one strand that wait.
#[derive(Default)]
pub(crate) struct Outbox {
    waiting: VecDeque<Waiting>,
}

struct Waiting {
    agent: u32,
    /// Where to: an address in memory, only ever compared.
    to: usize,
    message: Box<dyn Parked>,
}

trait Parked: Send {
    /// True when the message is delivered; otherwise the strand is notified when there is room.
    fn retry(&mut self, local: &mut Local) -> bool;
    fn give_up(&mut self);
}

struct ParkedMessage<T> {
    sink: Arc<dyn Sink<T>>,
    message: Option<T>,
    stamp_ns: u64,
}

impl<T: Send + 'static> Parked for ParkedMessage<T> {
    fn retry(&mut self, local: &mut Local) -> bool {
        let Some(message) = self.message.take() else { return true };
        // `true`: the message has passed decimation and the limit of the rate before.
        match self.sink.offer(message, self.stamp_ns, true, Some(local)) {
            Ok(_) => return true,
            Err(message) => self.message = Some(message),
        }
        // There is room by now: the strand is notified as a receiver would do it.
        if !self.sink.wait_for_room(Waiter::Strand(local.handle.clone())) {
            local.handle.tell(ROOM);
        }
        false
    }

    fn give_up(&mut self) {
        if self.message.take().is_some() {
            self.sink.give_up(LossReason::Refused);
        }
    }
}

fn place_of<T>(sink: &Arc<dyn Sink<T>>) -> usize {
    Arc::as_ptr(sink).cast::<()>() as usize
}

impl Outbox {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// True when a message waits for this sink: a later one must not overtake it.
    pub(crate) fn waits_for(&self, to: usize) -> bool {
        self.waiting.iter().any(|w| w.to == to)
    }

    /// Offers the waiting messages again, in order.
    pub(crate) fn retry(&mut self, local: &mut Local) {
        let mut full = Vec::new();
        for mut waiting in std::mem::take(&mut self.waiting) {
            local.running = waiting.agent;
            // A later message to the same sink must not overtake an earlier one.
            if full.contains(&waiting.to) || !waiting.message.retry(local) {
                full.push(waiting.to);
                self.waiting.push_back(waiting);
            }
        }
    }

    pub(crate) fn append(&mut self, other: Outbox) {
        self.waiting.extend(other.waiting);
    }

    /// True when a message of this agent waits.
    pub(crate) fn holds(&self, agent: u32) -> bool {
        self.waiting.iter().any(|w| w.agent == agent)
    }

    /// The agent has ended: its undelivered messages are counted as refused.
    pub(crate) fn forget(&mut self, agent: u32) {
        self.waiting.iter_mut().filter(|w| w.agent == agent).for_each(|w| w.message.give_up());
        self.waiting.retain(|w| w.agent != agent);
    }
}

impl Local {
    /// Puts a message aside until there is room, and its sender with it.
    #[cold]
    pub(crate) fn park<T: Send + 'static>(&mut self, sink: Arc<dyn Sink<T>>, message: T, stamp_ns: u64) {
        let (agent, to) = (self.running, place_of(&sink));
        // As in `retry`.
        if !self.outbox.waits_for(to) && !sink.wait_for_room(Waiter::Strand(self.handle.clone())) {
            self.handle.tell(ROOM);
        }
        let message = Box::new(ParkedMessage { sink, message: Some(message), stamp_ns });
        self.outbox.waiting.push_back(Waiting { agent, to, message });
        self.hold(agent);
    }
}

/// Offers a message for an agent of this strand; one that has to wait is put aside.
#[inline(always)]
pub(crate) fn offer_from_agent<T, S>(sink: &Arc<S>, message: T, stamp_ns: u64, local: &mut Local) -> bool
where
    T: Send + 'static,
    S: Sink<T> + 'static,
{
    if !local.outbox.is_empty() && local.outbox.waits_for(Arc::as_ptr(sink) as usize) {
        local.park(sink.clone() as Arc<dyn Sink<T>>, message, stamp_ns);
        return true;
    }
    match sink.offer(message, stamp_ns, false, Some(local)) {
        Ok(queued) => queued,
        Err(message) => {
            local.park(sink.clone() as Arc<dyn Sink<T>>, message, stamp_ns);
            true
        }
    }
}

/// As [`offer_from_agent`], for a sink of unknown kind.
#[inline(always)]
pub(crate) fn offer_dyn<T: Send + 'static>(
    sink: &Arc<dyn Sink<T>>,
    message: T,
    stamp_ns: u64,
    local: &mut Local,
) -> bool {
    if !local.outbox.is_empty() && local.outbox.waits_for(place_of(sink)) {
        local.park(sink.clone(), message, stamp_ns);
        return true;
    }
    match sink.offer(message, stamp_ns, false, Some(local)) {
        Ok(queued) => queued,
        Err(message) => {
            local.park(sink.clone(), message, stamp_ns);
            true
        }
    }
}
