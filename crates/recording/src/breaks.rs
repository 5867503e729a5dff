//! Places inside of datagrams that mean nothing, noted as they are read.
//!
//! Opening a run reads the headers of datagrams alone. A reader of an event finds broken parts inside the event, also
//! parts that the reader does not want; all readers of a run share the list.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};

use livetime_runtime::lock;

use crate::problem::Problem;
use crate::run::Run;

#[derive(Default, Debug)]
pub(crate) struct Breaks(Mutex<Known>);

#[derive(Default, Debug)]
struct Known {
    /// In the order in which they were found.
    all: Vec<Problem>,
    /// Changes of state that were looked into.
    transitions: usize,
    /// Events with a break, which may be read again.
    events: BTreeSet<usize>,
}

impl Breaks {
    /// Notes a part of an event that is broken, although the picture that was read is not.
    pub(crate) fn note(&self, event: usize, problem: Problem) {
        let mut known = self.lock();
        if known.events.insert(event) {
            known.all.push(problem);
        }
    }

    /// All problems of the run behind the first `seen`: first the scan's problems, whose number may shrink when a file
    /// grows, then the problems found later.
    pub(crate) fn behind(&self, seen: usize, run: &dyn Run) -> Vec<Problem> {
        let mut known = self.lock();
        let (transitions, broken) = run.broken_transitions(known.transitions);
        known.transitions = transitions;
        known.all.extend(broken);
        let scanned = run.problems();
        let found = known.all.iter().skip(seen.saturating_sub(scanned.len()));
        scanned.iter().skip(seen).map(Problem::of_scan).chain(found.cloned()).collect()
    }

    // A thread that panicked has left whole entries.
    fn lock(&self) -> MutexGuard<'_, Known> {
        lock(&self.0)
    }
}
