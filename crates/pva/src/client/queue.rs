//! Updates on their way to the user.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Result;
use crate::data::Value;
use crate::proto::Guid;
use crate::wire::BitSet;

/// A change of a channel.
#[derive(Clone, PartialEq, Debug)]
pub struct Update {
    /// The whole value, with the changes applied. Large arrays are shared.
    pub value: Value,
    /// The changed fields.
    pub changed: BitSet,
    /// The fields that changed more than once since the update before: values in between are lost.
    pub overrun: BitSet,
}

/// An event of a monitor.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// The monitor runs. The next update contains all fields.
    Connected {
        /// The server, if it answered a search itself: another process has another one.
        server: Option<Guid>,
    },
    /// The connection is lost, or the server closed the channel. It is searched again; updates may be missed.
    Disconnected {
        /// Whether the server closed the channel: everything that it had sent before has arrived.
        is_closed: bool,
    },
    /// A change.
    Update(Update),
    /// The server ended it, or refused it. Nothing follows.
    Ended(Result<()>),
}

/// Updates on their way to the user.
#[derive(Default)]
pub(super) struct EventQueue {
    events: VecDeque<Event>,
    updates: usize,
    limit: usize,
    // Given back by the user; the next updates are copied into them.
    spare: Vec<Value>,
    // Of a monitor with a window: how many taken updates are not acknowledged, and from how many on that is done.
    unacknowledged: u32,
    acknowledge_at: Option<u32>,
}

impl EventQueue {
    pub(super) fn new(limit: u32, acknowledge_at: Option<u32>) -> EventQueue {
        EventQueue { limit: limit.max(1) as usize, acknowledge_at, ..EventQueue::default() }
    }

    pub(super) fn note(&mut self, event: Event) {
        if matches!(event, Event::Connected { .. }) {
            self.unacknowledged = 0;
        }
        // Several disconnections between two calls count as one gap.
        if self.events.back() != Some(&event) {
            self.events.push_back(event);
        }
        if self.events.len() > self.limit + 64 {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(Event::Update(_)) = self.events.pop_front() {
            self.updates -= 1;
        }
    }

    pub(super) fn end(&mut self, result: Result<()>) {
        self.events.push_back(Event::Ended(result));
    }

    /// Adds an update. If too many wait, the newest two become one.
    pub(super) fn update(&mut self, value: &Value, changed: BitSet, mut overrun: BitSet) {
        if self.updates >= self.limit
            && let Some(Event::Update(last)) = self.events.back_mut()
        {
            let mut twice = value.structure().expand(&changed);
            twice.intersect_with(&value.structure().expand(&last.changed));
            overrun.union_with(&twice);
            last.overrun.union_with(&overrun);
            last.changed.union_with(&changed);
            last.value = value.clone();
            return;
        }
        self.updates += 1;
        let value = self.copy(value);
        self.events.push_back(Event::Update(Update { value, changed, overrun }));
    }

    fn copy(&mut self, value: &Value) -> Value {
        match self.spare.pop() {
            Some(mut spare) if Arc::ptr_eq(spare.structure(), value.structure()) => {
                spare.copy_from(value);
                spare
            }
            _ => value.clone(),
        }
    }

    pub(super) fn recycle(&mut self, value: Value) {
        // More events than the limit never wait at once, so further spares are of no use.
        if self.spare.len() < self.limit {
            self.spare.push(value);
        }
    }

    /// Takes the next event, and how many updates the server is to be told of as taken, if it waits for that.
    pub(super) fn take(&mut self) -> (Option<Event>, Option<u32>) {
        let event = self.events.pop_front();
        if !matches!(event, Some(Event::Update(_))) {
            return (event, None);
        }
        self.updates -= 1;
        self.unacknowledged += 1;
        let count = self.unacknowledged;
        let is_due = self.acknowledge_at.is_some_and(|at| count >= at);
        if is_due {
            self.unacknowledged = 0;
        }
        (event, is_due.then_some(count))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ScalarType;
    use crate::nt;

    #[test]
    fn too_many_updates_become_one_and_say_so() {
        let mut value = Value::new(&nt::scalar(ScalarType::I32));
        let mut queue = EventQueue::new(2, None);
        for (number, bit) in [(1, 1), (2, 1), (3, 3), (4, 1)] {
            value.set("value", number).unwrap();
            queue.update(&value, BitSet::from_iter([bit]), BitSet::new());
        }
        let (Some(Event::Update(first)), _) = queue.take() else { panic!("no update") };
        let (Some(Event::Update(last)), _) = queue.take() else { panic!("no update") };
        assert_eq!((first.value.i64("value"), last.value.i64("value")), (Some(1), Some(4)));
        assert_eq!(last.changed, BitSet::from_iter([1, 3]));
        assert_eq!(last.overrun, BitSet::from_iter([1]));
        assert_eq!(queue.take(), (None, None));
    }

    #[test]
    fn a_server_that_comes_and_goes_fills_no_memory() {
        let mut queue = EventQueue::new(2, None);
        for _ in 0..1000 {
            queue.note(Event::Disconnected { is_closed: false });
            queue.note(Event::Connected { server: None });
        }
        assert!(queue.events.len() < 100);
    }
}
