//! Monitors of channels.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::handle::Handle;
use super::op::Event;
use super::parts::{Command, lock};

/// Events that wait for a user. When they are full, the newest update takes the place of the last one.
const DEPTH: usize = 64;

/// A watch of changes that calls a function. It ends when it is dropped.
#[must_use = "it ends when it is dropped"]
pub struct Subscription {
    id: u64,
    handle: Arc<Handle>,
}

impl Subscription {
    pub(super) fn new(id: u64, handle: Arc<Handle>) -> Subscription {
        Subscription { id, handle }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.handle.push(Command::Cancel(self.id));
    }
}

/// A watch of changes with a queue of events. It ends when it is dropped.
#[must_use = "it ends when it is dropped"]
pub struct Monitor {
    shared: Arc<Shared>,
    _subscription: Option<Subscription>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    come: Condvar,
}

#[derive(Default)]
struct Waiting {
    events: VecDeque<Event>,
    overwritten: u64,
}

impl Monitor {
    /// A monitor, and the function that fills its queue.
    pub(super) fn new() -> (Monitor, impl FnMut(Event) + Send + 'static) {
        let shared = Arc::new(Shared::default());
        let filled = Arc::clone(&shared);
        (Monitor { shared, _subscription: None }, move |event| filled.push(event))
    }

    pub(super) fn with(self, subscription: Subscription) -> Monitor {
        Monitor { _subscription: Some(subscription), ..self }
    }

    /// The next event; `None` if none comes within `timeout`.
    pub fn next(&mut self, timeout: Duration) -> Option<Event> {
        let waiting = lock(&self.shared.waiting);
        let waited =
            self.shared.come.wait_timeout_while(waiting, timeout, |waiting| waiting.events.is_empty());
        let (mut waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        waiting.events.pop_front()
    }

    /// Updates that a newer one replaced before they were taken.
    pub fn overwritten(&self) -> u64 {
        lock(&self.shared.waiting).overwritten
    }
}

impl Shared {
    fn push(&self, event: Event) {
        let mut waiting = lock(&self.waiting);
        let Waiting { events, overwritten } = &mut *waiting;
        // Only the last event may go: an update before a lost connection is older than that.
        let is_replaced = events.len() >= DEPTH && matches!(events.back(), Some(Event::Update(_)));
        if is_replaced {
            events.pop_back();
            *overwritten += 1;
        }
        events.push_back(event);
        drop(waiting);
        self.come.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dbr::{Alarm, Reading, Stamp, Values};

    #[test]
    fn the_newest_update_takes_the_last_place() {
        let (mut monitor, mut tell) = Monitor::new();
        for number in 0..100 {
            let values = Values::Long(vec![number]);
            let (alarm, stamp, about) = (Alarm::default(), Stamp::default(), Arc::default());
            tell(Event::Update(Reading { values, alarm, stamp, about }));
        }
        let mut numbers = Vec::new();
        while let Some(Event::Update(reading)) = monitor.next(Duration::ZERO) {
            let Values::Long(values) = reading.values else { break };
            numbers.extend(values);
        }
        assert_eq!((numbers.len(), numbers[62], numbers[63], monitor.overwritten()), (64, 62, 99, 36));
    }
}
