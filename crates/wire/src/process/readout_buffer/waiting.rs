//! Requests with data still to come.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use livetime_frame::Frame;

use crate::DecisionRow;

/// A request for a window of time.
pub(super) struct Request {
    pub(super) decision: DecisionRow,
    /// The table that it came in; `None` for one by hand.
    pub(super) origin: Option<Frame>,
    pub(super) asked_ns: u64,
}

/// Requests that wait, found by the end of their window, its begin, and their deadline.
///
/// A heap may still hold numbers of answered requests; they are removed when they come to the top.
#[derive(Default)]
pub(super) struct Waiting {
    requests: HashMap<u64, Request>,
    next: u64,
    by_end: Heap,
    by_begin: Heap,
    by_deadline: Heap,
}

/// Times and numbers, earliest first.
type Heap = BinaryHeap<Reverse<(u64, u64)>>;

impl Waiting {
    pub(super) fn put(&mut self, request: Request, deadline_ns: u64) {
        let (number, decision) = (self.next, &request.decision);
        self.next += 1;
        self.by_end.push(Reverse((decision.window_end, number)));
        self.by_begin.push(Reverse((decision.window_begin, number)));
        self.by_deadline.push(Reverse((deadline_ns, number)));
        self.requests.insert(number, request);
    }

    pub(super) fn len(&self) -> usize {
        self.requests.len()
    }

    /// End of the window that ends first.
    pub(super) fn first_end(&mut self) -> Option<u64> {
        Some(first(&mut self.by_end, &self.requests)?.0)
    }

    /// Begin of the window that begins first: data from then on are pinned.
    pub(super) fn first_begin(&mut self) -> Option<u64> {
        Some(first(&mut self.by_begin, &self.requests)?.0)
    }

    /// The first deadline.
    pub(super) fn first_deadline(&mut self) -> Option<u64> {
        Some(first(&mut self.by_deadline, &self.requests)?.0)
    }

    /// Takes the request whose window ends first, if the end is at `until` or before.
    pub(super) fn take_ended(&mut self, until: u64) -> Option<Request> {
        let (_, number) = first(&mut self.by_end, &self.requests).filter(|(end, _)| *end <= until)?;
        self.requests.remove(&number)
    }

    /// Takes the request with the first deadline, if that has come.
    pub(super) fn take_due(&mut self, now_ns: u64) -> Option<Request> {
        let (_, number) = first(&mut self.by_deadline, &self.requests).filter(|(at, _)| *at <= now_ns)?;
        self.requests.remove(&number)
    }
}

fn first(heap: &mut Heap, requests: &HashMap<u64, Request>) -> Option<(u64, u64)> {
    while let Some(Reverse((time, number))) = heap.peek().copied() {
        if requests.contains_key(&number) {
            return Some((time, number));
        }
        heap.pop();
    }
    None
}
