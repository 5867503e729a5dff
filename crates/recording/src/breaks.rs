//! Places inside of datagrams that mean nothing, noted as they are read.
//!
//! Opening a run looks at the headers of datagrams alone. Whoever reads an event finds what is broken inside it, also beside what it looks for;
//! all readers of a run share the list.

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
    /// An event is broken beside what was read of it.
    pub(crate) fn note(&self, event: usize, problem: Problem) {
        let mut known = self.lock();
        if known.events.insert(event) {
            known.all.push(problem);
        }
    }

    /// All problems of the run behind the first `seen`: those of the scan, which may go when a file grows, then what was found since.
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
