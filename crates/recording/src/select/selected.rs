//! An expression becomes a verdict for each event.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use livetime_runtime::lock;

use super::error::SelectError;
use super::expression::Expression;
use super::value::{Known, Place, Variable};
use crate::{Change, FaultKind, Reader, Recording};

/// Events searched for the names of an expression. An expression with a name that is in none of them is refused before
/// the rest of a long run is read.
const MOST_LOOKED_AT: usize = 1000;
/// Events that a thread takes at once: enough that the shared counter costs nothing, few enough that all threads end at
/// nearly the same time.
const CHUNK: usize = 64;

/// The verdict of an expression on an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Verdict {
    /// The event is wanted.
    Selected,
    /// The event is not wanted.
    Refused,
    /// The event lacks a value that would decide.
    WithoutValue,
    /// The event's small data cannot be read.
    Unreadable,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 4] =
        [Verdict::Selected, Verdict::Refused, Verdict::WithoutValue, Verdict::Unreadable];

    /// `"selected"`, `"refused"`, `"without value"` or `"unreadable"`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Selected => "selected",
            Verdict::Refused => "refused",
            Verdict::WithoutValue => "without value",
            Verdict::Unreadable => "unreadable",
        }
    }
}

/// The events of a run that an expression selects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selected {
    expression: String,
    first: usize,
    /// Of the events from `first` on.
    verdicts: Vec<Verdict>,
}

impl Selected {
    /// From known verdicts on the events from `first` on.
    pub fn new(expression: String, first: usize, verdicts: Vec<Verdict>) -> Selected {
        Selected { expression, first, verdicts }
    }

    /// As it was written.
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// The numbers of the events that were judged.
    pub fn events(&self) -> Range<usize> {
        self.first..self.first + self.verdicts.len()
    }

    /// The verdict on an event; one that was not judged is refused.
    pub fn verdict(&self, event: usize) -> Verdict {
        let found = event.checked_sub(self.first).and_then(|at| self.verdicts.get(at));
        found.copied().unwrap_or(Verdict::Refused)
    }

    /// Whether an event is selected.
    pub fn has(&self, event: usize) -> bool {
        self.verdict(event) == Verdict::Selected
    }

    /// How many of the events that were judged have this verdict.
    pub fn count(&self, verdict: Verdict) -> u64 {
        self.verdicts.iter().filter(|found| **found == verdict).count() as u64
    }

    /// Itself, if it has an event: work on no event at all would end without a word.
    ///
    /// # Errors
    /// [`SelectError::NoEvent`] if events were judged and none is selected.
    pub fn with_some(self) -> Result<Selected, SelectError> {
        let judged = self.verdicts.len();
        if judged == 0 || self.count(Verdict::Selected) > 0 {
            return Ok(self);
        }
        let counts = Verdict::ALL.iter().skip(1).map(|v| (v.name(), self.count(*v))).collect();
        Err(SelectError::NoEvent { expression: self.expression, judged, counts })
    }

    /// The verdicts, beginning with the first event that was judged.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }
}

impl Recording {
    /// Judges `events` by an expression, with `threads` threads. The small data of each event are read once; where the
    /// expression has process variables, also the small data of all events before, because their last value holds.
    ///
    /// # Errors
    /// [`SelectError`] if the expression names a value that neither the configuration nor the first thousand events have; it lists
    /// the names that there are.
    pub fn select(
        &self,
        expression: &Expression,
        events: Range<usize>,
        threads: usize,
    ) -> Result<Selected, SelectError> {
        let end = events.end.min(self.events());
        let wanted = events.start.clamp(self.first(), end.max(self.first()))..end.max(self.first());
        let places = self.places_of(&expression.variables)?;
        let keeps = expression.variables.iter().any(Variable::keeps);
        // A value that holds until it changes is followed from the begin of the run.
        let read = if keeps { self.first()..wanted.end } else { wanted.clone() };
        let mut last = vec![None; places.len()];
        let (mut configured, mut changes) =
            (vec![None; places.len()], self.small_changes(keeps).into_iter().peekable());
        let mut verdicts = Vec::with_capacity(wanted.len());
        for (event, found) in read.clone().zip(self.values(&places, read, threads)) {
            while changes.next_if(|change| *change <= event).is_some() {
                self.configure(event, &places, &mut configured, &mut last);
            }
            let Some(values) = found else {
                verdicts.extend(wanted.contains(&event).then_some(Verdict::Unreadable));
                continue;
            };
            for ((variable, last), found) in expression.variables.iter().zip(&mut last).zip(values) {
                // Only process variables hold a former value.
                *last = found.or(last.filter(|_| variable.keeps()));
            }
            if wanted.contains(&event) {
                verdicts.push(match expression.decide(&last) {
                    Some(true) => Verdict::Selected,
                    Some(false) => Verdict::Refused,
                    None => Verdict::WithoutValue,
                });
            }
        }
        Ok(Selected { expression: expression.to_string(), first: wanted.start, verdicts })
    }

    /// Where the variables are in small data.
    fn places_of(&self, variables: &[Variable]) -> Result<Vec<Place>, SelectError> {
        let (mut known, mut reader) = (Known::default(), Reader::default());
        let mut changes = self.small_changes(true).into_iter().peekable();
        let mut places = Vec::new();
        for event in (self.first()..self.events()).take(MOST_LOOKED_AT) {
            if changes.next_if(|change| *change <= event).is_some() {
                known.add(&self.configuration(event, &mut reader).unwrap_or_default(), false);
            }
            known.add(&self.small_data(event, &mut reader).unwrap_or_default(), true);
            places = variables.iter().map(|variable| known.place(variable)).collect();
            if places.iter().all(Result::is_ok) {
                break;
            }
        }
        // A run without events has no names: the errors below say so.
        if places.is_empty() {
            places = variables.iter().map(|variable| known.place(variable)).collect();
        }
        places.into_iter().collect()
    }

    /// The events before which process variables may have changed outside of events: the first one, the beginnings of a
    /// scan's steps, and in LCLS-II the events behind a slow update.
    fn small_changes(&self, keeps: bool) -> Vec<usize> {
        if !keeps {
            return Vec::new();
        }
        let steps = self.transitions().into_iter().filter(|t| t.change == Change::BeginStep).map(|t| t.event);
        let updates = self.changes().into_iter().map(|change| change.event);
        let mut all: Vec<usize> = std::iter::once(self.first()).chain(steps).chain(updates).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Takes over the values that were set since the last known configuration.
    fn configure(&self, event: usize, places: &[Place], known: &mut [Option<f64>], last: &mut [Option<f64>]) {
        let small = self.configuration(event, &mut Reader::default()).unwrap_or_default();
        for ((place, known), last) in places.iter().zip(known).zip(last) {
            let new = place.find(&small);
            // An unchanged configuration must not hide a later value of an event.
            if new.is_some() && new != *known {
                (*known, *last) = (new, new);
            }
        }
    }

    /// The values at each of the events; `None` where an event cannot be read.
    fn values(
        &self,
        places: &[Place],
        events: Range<usize>,
        threads: usize,
    ) -> Vec<Option<Vec<Option<f64>>>> {
        let all = Mutex::new(vec![None; events.len()]);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut reader = Reader::default();
            loop {
                // Relaxed: the counter alone divides the events; results are handed over under the lock.
                let from = next.fetch_add(CHUNK, Ordering::Relaxed);
                if from >= events.len() {
                    return;
                }
                let chunk = from..(from + CHUNK).min(events.len());
                let read = |at: usize| self.values_at(places, events.start + at, &mut reader);
                let found: Vec<_> = chunk.clone().map(read).collect();
                let mut all = lock(&all);
                if let Some(slots) = all.get_mut(chunk) {
                    slots.iter_mut().zip(found).for_each(|(slot, found)| *slot = found);
                }
            }
        };
        std::thread::scope(|scope| {
            // This thread works, too: a system that refuses further threads is no error.
            for number in 1..threads.clamp(1, events.len().div_ceil(CHUNK).max(1)) {
                let _ =
                    std::thread::Builder::new().name(format!("select {number}")).spawn_scoped(scope, work);
            }
            work();
        });
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn values_at(&self, places: &[Place], event: usize, reader: &mut Reader) -> Option<Vec<Option<f64>>> {
        match self.small_data(event, reader) {
            Ok(small) => Some(places.iter().map(|place| place.find(&small)).collect()),
            // An event without these data can still be judged.
            Err(fault) if fault.kind == FaultKind::Missing => Some(vec![None; places.len()]),
            Err(_) => None,
        }
    }
}
