//! The state that all threads of a run share: how it ends, its events, and the counts of its sources.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use livetime_runtime::{Control, Event, EventHandler, lock};

use crate::failure::NodeFailure;

/// Wakes the threads of a run.
type Wake = Box<dyn Fn() + Send + Sync>;

/// Lists the nodes and edges that hold the frames of a run, as a sentence.
type ListHolders = Box<dyn Fn() -> String + Send + Sync>;

/// Shared by all threads of a run.
#[derive(Default)]
pub(crate) struct RunControl {
    common: Control,
    pub(crate) live_sources: AtomicUsize,
    /// A stop was requested; not set when sources end by themselves.
    is_asked_to_stop: AtomicBool,
    /// A node has aborted the run.
    is_aborted_by_node: AtomicBool,
    /// Set when the nodes and edges are made; they know this control, and it knows none of them.
    list_holders: OnceLock<ListHolders>,
    /// Wakes all threads; set as `list_holders`.
    wake: OnceLock<Wake>,
    /// Frames whose number is a multiple of this are traced; 0 traces none.
    pub(crate) trace_every: AtomicU64,
    /// Failures of nodes that the program has not taken yet; `None` if the program does not collect them.
    failures: Option<Mutex<Vec<NodeFailure>>>,
}

impl RunControl {
    pub(crate) fn new(handler: Option<EventHandler>) -> RunControl {
        RunControl { common: Control::new(handler), ..RunControl::default() }
    }

    /// As [`RunControl::new`], for a program that collects every failure of a node. The log folds repeated failures.
    pub(crate) fn keeping_failures(handler: Option<EventHandler>) -> RunControl {
        RunControl { failures: Some(Mutex::default()), ..RunControl::new(handler) }
    }

    /// A node has failed.
    pub(crate) fn keep_failure(&self, node: &str, message: &str, is_panic: bool) {
        if let Some(failures) = &self.failures {
            let (node, message) = (node.to_owned(), message.to_owned());
            lock(failures).push(NodeFailure { node, message, is_panic });
        }
    }

    /// The failures since they were taken last.
    pub(crate) fn take_failures(&self) -> Vec<NodeFailure> {
        self.failures.as_ref().map_or_else(Vec::new, |failures| std::mem::take(&mut *lock(failures)))
    }

    /// From now on, a report that memory is exhausted has the list that this function makes.
    pub(crate) fn list_holders_with(&self, list: impl Fn() -> String + Send + Sync + 'static) {
        // A second list is ignored: nodes and edges are made once.
        let _ = self.list_holders.set(Box::new(list));
    }

    /// Reports that memory is exhausted, with the holders of memory in the text of the event.
    pub(crate) fn tell_exhausted(&self, event: Event) {
        self.tell_whole(event, |event| {
            if let Some(list_holders) = self.list_holders.get() {
                event.message = format!("{}; {}", event.message, list_holders());
            }
        });
    }

    /// Ends the sources on request.
    pub(crate) fn ask_to_stop(&self) {
        // Before the stop, so that a thread that sees the stop can tell a request from the end of the
        // sources.
        self.is_asked_to_stop.store(true, Ordering::Release);
        self.stop();
        // After the request, so that a thread that wakes finds it.
        if let Some(wake) = self.wake.get() {
            wake();
        }
    }

    /// Aborts the run because of a program that a node works with.
    pub(crate) fn abort_by_node(&self) {
        self.is_aborted_by_node.store(true, Ordering::Release);
        self.abort();
        if let Some(wake) = self.wake.get() {
            wake();
        }
    }

    pub(crate) fn is_aborted_by_node(&self) -> bool {
        self.is_aborted_by_node.load(Ordering::Acquire)
    }

    /// From now on, a request to stop wakes the threads with this function.
    pub(crate) fn wake_with(&self, wake: impl Fn() + Send + Sync + 'static) {
        // A second function is ignored, as a second list of holders.
        let _ = self.wake.set(Box::new(wake));
    }

    pub(crate) fn is_asked_to_stop(&self) -> bool {
        self.is_asked_to_stop.load(Ordering::Acquire)
    }

    /// One more source has ended; true when it was the last. AcqRel: the last one sees the writes of all others.
    pub(crate) fn source_ended(&self) -> bool {
        self.live_sources.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// True when the frame of this number is traced.
    #[inline]
    pub(crate) fn is_traced(&self, sequence: u64) -> bool {
        // Relaxed: after a change, one frame more or less may be traced.
        let every = self.trace_every.load(Ordering::Relaxed);
        every != 0 && sequence.is_multiple_of(every)
    }
}

impl Deref for RunControl {
    type Target = Control;

    #[inline]
    fn deref(&self) -> &Control {
        &self.common
    }
}
