//! The state that all threads of a run or of a system share: the way it shall end, and its events.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::event::{Event, EventHandler};
use crate::lock;
use crate::repeats::Repeats;

/// Events kept for the report: more than a person reads. Later ones are only counted, so that a failing node cannot take
/// all memory.
const KEPT_EVENTS: usize = 200;
/// The number of causes kept for each node. A cause may hold much memory, such as all variables of a
/// traceback.
const KEPT_CAUSES: usize = 4;
/// Unfinished works that the report names; a run with more has one fault, and its first names show it.
const KEPT_UNFINISHED: usize = 100;

/// How a run is to end, and the events in it: shared by all its threads.
#[derive(Default)]
pub struct Control {
    stopping: AtomicBool,
    aborting: AtomicBool,
    failure: Mutex<Option<String>>,
    events: Mutex<Vec<Event>>,
    unkept: AtomicUsize,
    repeats: Mutex<Repeats>,
    /// The number of events that were counted but not reported individually.
    repeated: AtomicUsize,
    unfinished: Mutex<Vec<String>>,
    handler: Option<EventHandler>,
}

impl Control {
    /// Nothing has happened yet; `handler` is called with every event.
    pub fn new(handler: Option<EventHandler>) -> Control {
        Control { handler, ..Control::default() }
    }

    /// Sources end, and queued frames are handled.
    pub fn stop(&self) {
        // Release pairs with the Acquire of `is_stopping`: a thread that sees the stop sees the writes before
        // it.
        self.stopping.store(true, Ordering::Release);
    }

    /// Everything shall end now.
    pub fn abort(&self) {
        self.aborting.store(true, Ordering::Release);
        // Last, so that a thread that sees the stop sees the abort, too.
        self.stop();
    }

    /// Stops the run because of `message`; the first failure is the one reported.
    pub fn fail(&self, message: String) {
        // Before the stop, so that a thread that sees the stop finds the failure.
        lock(&self.failure).get_or_insert(message);
        self.stop();
    }

    /// True when sources shall end.
    #[inline]
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// True when everything shall end now.
    #[inline]
    pub fn is_aborting(&self) -> bool {
        self.aborting.load(Ordering::Acquire)
    }

    /// Why the run has failed, if it has.
    pub fn failure(&self) -> Option<String> {
        lock(&self.failure).clone()
    }

    /// Reports an event, unless an equal one was reported a short time ago.
    pub fn tell(&self, event: Event) {
        self.tell_whole(event, |_| ());
    }

    /// As [`Control::tell`], for an event with a part that is expensive to make. `complete` adds that part;
    /// it is not called when an equal event was reported a short time ago.
    pub fn tell_whole(&self, event: Event, complete: impl FnOnce(&mut Event)) {
        // The lock ends with this line: the handler of events may take long, or report an event itself.
        let told = lock(&self.repeats).fold(event);
        match told {
            Some(mut event) => {
                complete(&mut event);
                self.publish(event);
            }
            None => _ = self.repeated.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// A node that had errors has done its work; true when it counts as well again.
    pub fn well(&self, node: &str, now_ns: u64) -> bool {
        let well = lock(&self.repeats).well(node, now_ns);
        if let Some(Some(event)) = &well {
            self.publish(event.clone());
        }
        well.is_some()
    }

    /// Reports events that were counted but not reported yet.
    pub fn tell_the_rest(&self) {
        let rest = lock(&self.repeats).rest();
        rest.into_iter().for_each(|event| self.publish(event));
    }

    /// Output that should outlive the run is incomplete: the run has failed, although it continues.
    pub fn leave_unfinished(&self, node: &str, message: &str) {
        let mut unfinished = lock(&self.unfinished);
        let text = format!("{node}: {message}");
        if unfinished.len() < KEPT_UNFINISHED && !unfinished.contains(&text) {
            unfinished.push(text);
        }
    }

    /// Descriptions of output that should outlive the run and is incomplete.
    pub fn unfinished(&self) -> Vec<String> {
        lock(&self.unfinished).clone()
    }

    fn publish(&self, mut event: Event) {
        // The handler gets every event; only the events kept for the report are bounded.
        if let Some(handler) = &self.handler {
            handler(&event);
        }
        let mut events = lock(&self.events);
        if events.len() < KEPT_EVENTS {
            let with_cause = |other: &&Event| other.cause.is_some() && other.node == event.node;
            if events.iter().filter(with_cause).count() >= KEPT_CAUSES {
                event.cause = None;
            }
            events.push(event);
        } else {
            self.unkept.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The events kept, and how many more there were.
    pub fn events(&self) -> (Vec<Event>, usize) {
        (lock(&self.events).clone(), self.unkept.load(Ordering::Relaxed))
    }

    /// The number of events that were not reported individually, because equal ones had been.
    pub fn repeated(&self) -> usize {
        self.repeated.load(Ordering::Relaxed)
    }
}
