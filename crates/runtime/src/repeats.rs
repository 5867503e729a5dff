//! Folds repeated events of a run: a fault is reported once, then counted, and reported again at growing
//! intervals.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::event::Event;

/// A continuing fault is reported again after this time, then after four times as long, up to [`LONGEST_NS`].
/// Ten seconds and ten minutes keep a log of a day to some 150 lines per fault.
const FIRST_NS: u64 = 10_000_000_000;
const LONGEST_NS: u64 = 600_000_000_000;
/// A node that has completed frames and had no error for this long is reported as recovered.
const QUIET_NS: u64 = 1_000_000_000;
/// The number of kinds of errors of one node that are distinguished; all others of the node count as one
/// kind. It bounds the log of a node whose messages always differ.
const MOST_OF_NODE: usize = 16;
/// The number of kinds that are remembered for all nodes. Beyond it, the kind that was quiet for the longest time is
/// forgotten.
const MOST_KINDS: usize = 4096;

/// The events that were reported, and how often each occurred since.
#[derive(Default)]
pub(crate) struct Repeats {
    kinds: BTreeMap<SeriesKey, Series>,
}

/// Errors of one node that have the same shape. All notes of a node are one kind: only equal notes in succession are
/// folded.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SeriesKey {
    node: String,
    is_error: bool,
    shape: String,
}

struct Series {
    last: String,
    first_ns: u64,
    last_ns: u64,
    told_ns: u64,
    /// The interval between two reports.
    period_ns: u64,
    /// How often it occurred since the last report.
    untold: u64,
    /// How often it occurred since the node was last free of errors.
    count: u64,
    /// Whether it was reported since then.
    is_open: bool,
}

impl Repeats {
    /// The event as it should be reported now, or nothing because it was reported a short time ago.
    pub(crate) fn fold(&mut self, event: Event) -> Option<Event> {
        let now_ns = event.at_ns;
        let kind = self.kind(&event);
        // Only a new kind needs room: for a known kind another one would be forgotten without need.
        if !self.kinds.contains_key(&kind) {
            self.make_room();
        }
        let series = match self.kinds.entry(kind) {
            Entry::Occupied(series) => series.into_mut(),
            Entry::Vacant(place) => {
                place.insert(Series::new(&event));
                return Some(event);
            }
        };
        // A note that differs from the previous one reports a change, which is never left out.
        if !event.is_error && series.last != event.message {
            *series = Series::new(&event);
            return Some(event);
        }
        // A fault that returns after a long quiet time begins with short intervals again.
        if now_ns.saturating_sub(series.last_ns) > LONGEST_NS {
            series.period_ns = FIRST_NS;
        }
        series.add(&event);
        if now_ns.saturating_sub(series.told_ns) < series.period_ns {
            return None;
        }
        series.period_ns = (series.period_ns * 4).min(LONGEST_NS);
        series.rest(event.node, event.is_error).inspect(|_| {
            (series.told_ns, series.is_open) = (now_ns, true);
        })
    }

    /// Notes that a node has completed work. Returns the event that reports its recovery once it was free of
    /// errors for a while; `None` before that.
    pub(crate) fn well(&mut self, node: &str, now_ns: u64) -> Option<Option<Event>> {
        let of_node = self.kinds.iter_mut().filter(|(kind, _)| kind.is_error && kind.node == node);
        let mut all: Vec<&mut Series> = of_node.map(|(_, series)| series).collect();
        let last_ns = all.iter().map(|s| s.last_ns).max()?;
        if now_ns.saturating_sub(last_ns) < QUIET_NS {
            return None;
        }
        let (mut count, mut is_open, mut first_ns) = (0, false, last_ns);
        for series in &mut all {
            if series.count > 0 {
                first_ns = first_ns.min(series.first_ns);
            }
            // Taken, so that the next fault of the node is counted from zero.
            count += std::mem::take(&mut series.count);
            is_open |= std::mem::take(&mut series.is_open);
        }
        // A single fault needs no report of recovery, and a node that fails occasionally would cause one each
        // time.
        if count < 2 || !is_open {
            return Some(None);
        }
        // The report of the recovery names the count of all errors: none of them is left for the end of the
        // run.
        all.iter_mut().for_each(|series| series.untold = 0);
        let message = format!("works again, after {count} errors in {}", seconds(last_ns - first_ns));
        Some(Some(Event { at_ns: now_ns, node: node.to_owned(), is_error: false, message, cause: None }))
    }

    /// At the end of the run: the events that were counted but not reported.
    pub(crate) fn rest(&mut self) -> Vec<Event> {
        let all = self.kinds.iter_mut();
        all.filter_map(|(kind, series)| series.rest(kind.node.clone(), kind.is_error)).collect()
    }

    fn kind(&self, event: &Event) -> SeriesKey {
        let rest = SeriesKey { node: event.node.clone(), is_error: event.is_error, shape: String::new() };
        if !event.is_error {
            return rest;
        }
        let kind = SeriesKey { shape: shape(&event.message), ..rest.clone() };
        // A kind that is known keeps its own count, even where the node has reached the limit.
        if self.kinds.contains_key(&kind) {
            return kind;
        }
        let is_like = |other: &SeriesKey| other.node == rest.node && other.is_error;
        // Keys are ordered by node, then `is_error`: the kinds of a node's errors follow the key with the
        // empty shape.
        let known = self.kinds.range(rest.clone()..).take_while(|(other, _)| is_like(other)).count();
        if known < MOST_OF_NODE { kind } else { rest }
    }

    fn make_room(&mut self) {
        if self.kinds.len() < MOST_KINDS {
            return;
        }
        let quietest =
            self.kinds.iter().min_by_key(|(_, series)| series.last_ns).map(|(kind, _)| kind.clone());
        quietest.and_then(|kind| self.kinds.remove(&kind));
    }
}

impl Series {
    fn new(event: &Event) -> Series {
        Series {
            last: event.message.clone(),
            first_ns: event.at_ns,
            last_ns: event.at_ns,
            told_ns: event.at_ns,
            period_ns: FIRST_NS,
            untold: 0,
            count: 1,
            is_open: true,
        }
    }

    fn add(&mut self, event: &Event) {
        // The node was well in between: the fault begins with this error.
        if self.count == 0 {
            self.first_ns = event.at_ns;
        }
        self.last.clone_from(&event.message);
        self.last_ns = event.at_ns;
        self.untold += 1;
        self.count += 1;
    }

    /// The report of events that were only counted since the last one.
    fn rest(&mut self, node: String, is_error: bool) -> Option<Event> {
        let untold = std::mem::take(&mut self.untold);
        let since = seconds(self.last_ns.saturating_sub(self.told_ns));
        let message = match untold {
            0 => return None,
            1 => self.last.clone(),
            _ => format!("{} ({untold} times in {since})", self.last),
        };
        Some(Event { at_ns: self.last_ns, node, is_error, message, cause: None })
    }
}

fn seconds(ns: u64) -> String {
    format!("{:.1} s", ns as f64 / 1e9)
}

/// A message without its numbers: errors of frame 123 and of frame 124 are of one kind. A first number of one or two
/// digits stays, because it names something (link 2, input 1); [`MOST_OF_NODE`] bounds the number of kinds that this
/// makes.
fn shape(message: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    let first = message.find(is_digit).unwrap_or(message.len());
    let (head, rest) = message.split_at(first);
    let digits = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(if digits <= 2 { digits } else { 0 });
    let mut shape = [head, name].concat();
    for c in rest.chars() {
        match is_digit(c) {
            // A number of any length becomes one `#`: errors of frames 99 and 100 have one shape.
            true if shape.ends_with('#') => {}
            true => shape.push('#'),
            false => shape.push(c),
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn error(at_ms: u64, message: &str) -> Event {
        Event { at_ns: at_ms * MS, node: "disk".into(), is_error: true, message: message.into(), cause: None }
    }

    fn messages(repeats: &mut Repeats, events: impl Iterator<Item = Event>) -> Vec<String> {
        events.filter_map(|e| repeats.fold(e)).map(|e| e.message).collect()
    }

    #[test]
    fn a_fault_that_goes_on_is_told_ever_more_rarely() {
        let mut repeats = Repeats::default();
        // Ten times a second for 200 s.
        let told =
            messages(&mut repeats, (0..2000).map(|n| error(n * 100, &format!("frame {}: full", n + 1000))));
        assert_eq!(
            told,
            [
                "frame 1000: full",
                "frame 1100: full (100 times in 10.0 s)",
                "frame 1500: full (400 times in 40.0 s)"
            ]
        );
        let rest: Vec<String> = repeats.rest().into_iter().map(|e| e.message).collect();
        assert_eq!(rest, ["frame 2999: full (1499 times in 149.9 s)"]);
        assert_eq!(repeats.rest(), []);
    }

    #[test]
    fn kinds_and_nodes_are_told_apart() {
        let mut repeats = Repeats::default();
        let other = Event { node: "other".into(), ..error(0, "full 1") };
        let told = messages(&mut repeats, [error(0, "full 1"), error(1, "empty"), other].into_iter());
        assert_eq!(told, ["full 1", "empty", "full 1"]);
        // Notes with different texts.
        let note = |text: &str| Event { is_error: false, ..error(2, text) };
        let told = messages(&mut repeats, [note("run 1"), note("run 2"), note("run 2")].into_iter());
        assert_eq!(told, ["run 1", "run 2"]);
        // A change and the change back are both reported.
        let told = messages(&mut repeats, [note("up"), note("down"), note("up"), note("up")].into_iter());
        assert_eq!(told, ["up", "down", "up"]);
        let told =
            messages(&mut repeats, (0..3).map(|n| error(4, &format!("link {n} is dead since 123{n}"))));
        assert_eq!(told.len(), 3);
        let many = messages(&mut repeats, (3..100).map(|n| note(&format!("run {n}"))));
        assert_eq!(many.len(), 97);
    }

    #[test]
    fn a_node_is_well_again_when_it_has_been_quiet_for_a_while() {
        let mut repeats = Repeats::default();
        let _ = messages(&mut repeats, (0..50).map(|n| error(n * 100, "full")));
        assert_eq!(repeats.well("disk", 5000 * MS), None);
        let told = repeats.well("disk", 5900 * MS).unwrap().unwrap();
        assert_eq!((&*told.message, told.is_error), ("works again, after 50 errors in 4.9 s", false));
        assert_eq!(repeats.rest(), []);
        // One that fails now and then says neither each time.
        let told = messages(&mut repeats, (60..99).map(|n| error(n * 100, "full")));
        assert_eq!(told, [""; 0]);
        assert_eq!(repeats.well("disk", 12_000 * MS), Some(None));
        assert_eq!(repeats.rest().len(), 1);
    }

    #[test]
    fn one_fault_alone_is_not_called_off() {
        let mut repeats = Repeats::default();
        repeats.fold(error(0, "frame 107"));
        assert_eq!(repeats.well("disk", 5000 * MS), Some(None));
        // After a long time the error is reported as a new one.
        assert_eq!(repeats.fold(error(700_000, "frame 109")).unwrap().message, "frame 109");
    }

    #[test]
    fn no_number_of_kinds_takes_more_memory() {
        let mut repeats = Repeats::default();
        let text =
            |n: u32| n.to_string().chars().map(|c| (b'a' + c as u8 - b'0') as char).collect::<String>();
        let told = (0..10_000).filter(|n| repeats.fold(error(0, &text(*n))).is_some()).count();
        assert_eq!((told, repeats.kinds.len()), (MOST_OF_NODE + 1, MOST_OF_NODE + 1));
        // Agents come and go with names of their own.
        let told = (0..10_000).filter(|n| {
            let event = Event { node: format!("agent {n}"), ..error(*n, "full") };
            repeats.fold(event).is_some()
        });
        assert_eq!(told.count(), 10_000);
        assert_eq!(repeats.kinds.len(), MOST_KINDS);
    }
}
