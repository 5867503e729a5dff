//! The last events and actions of a run, in one order.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Mutex;

use livetime_engine::{Event, time_of_day_ns};

use super::caller::Caller;
use super::locks::lock;
use crate::line::in_a_line;

/// Entries that are kept. A node that fails on every frame is told by the engine once in a while only, so this is hours of a usual run;
/// an entry takes some 200 bytes.
const KEPT: usize = 1000;

/// One line of the log.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Counts all entries of the run from 0 on.
    pub number: u64,
    /// Time of day, ns since 1970.
    pub at_ns: i64,
    /// The event or action.
    pub what: What,
}

/// The content of an entry.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// A node, or the engine, told something.
    Event(Event),
    /// A client acted on the run.
    Action {
        /// Who.
        caller: Caller,
        /// On which node; empty for the run as a whole.
        node: String,
        /// What, in words.
        action: String,
        /// Why it was refused or failed, if it was.
        problem: Option<String>,
    },
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |node: &str| if node.is_empty() { "run".to_owned() } else { node.to_owned() };
        match self {
            What::Event(event) => write!(f, "{}: {}", name(&event.node), event.message),
            What::Action { caller, node, action, problem: None } => {
                write!(f, "{}: {action}, by {caller}", name(node))
            }
            What::Action { caller, node, action, problem: Some(problem) } => {
                write!(f, "{}: {action}, by {caller}: refused: {problem}", name(node))
            }
        }
    }
}

/// The last entries.
#[derive(Default)]
pub(super) struct Log {
    ring: Mutex<Ring>,
}

#[derive(Default)]
struct Ring {
    entries: VecDeque<Entry>,
    next: u64,
}

impl Log {
    pub(super) fn event(&self, event: &Event) {
        self.add(What::Event(event.clone()));
    }

    /// The texts of a caller, its name among them, may come from anywhere: a line break would fake an entry.
    pub(super) fn action(&self, caller: Caller, node: String, action: &str, problem: Option<String>) {
        let caller = Caller { user: in_a_line(&caller.user), ..caller };
        let (action, problem) = (in_a_line(action), problem.map(|problem| in_a_line(&problem)));
        self.add(What::Action { caller, node, action, problem });
    }

    fn add(&self, what: What) {
        let at_ns = time_of_day_ns();
        let mut ring = lock(&self.ring);
        if ring.entries.len() == KEPT {
            ring.entries.pop_front();
        }
        let number = ring.next;
        ring.next += 1;
        ring.entries.push_back(Entry { number, at_ns, what });
    }

    /// The entries from `number` on that are still kept. Entries between `number` and the first of them were
    /// overwritten.
    pub(super) fn since(&self, number: u64) -> Vec<Entry> {
        let ring = lock(&self.ring);
        let first = ring.next - ring.entries.len() as u64;
        let skipped = usize::try_from(number.saturating_sub(first)).unwrap_or(usize::MAX);
        ring.entries.iter().skip(skipped).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_keeps_the_newest_and_numbers_all() {
        let log = Log::default();
        let event = |n: usize| Event {
            at_ns: 0,
            node: "cam".into(),
            is_error: false,
            message: n.to_string(),
            cause: None,
        };
        (0..KEPT + 5).for_each(|n| log.event(&event(n)));
        let kept = log.since(0);
        assert_eq!((kept.len(), kept[0].number), (KEPT, 5));
        let last = log.since(KEPT as u64 + 4);
        assert_eq!(last[0].what.to_string(), format!("cam: {}", KEPT + 4));
        assert_eq!((last.len(), log.since(KEPT as u64 + 5).len(), log.since(u64::MAX).len()), (1, 0, 0));
    }
}
