//! Lines on their way from the threads of a run to the main thread, which alone writes.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use livetime_engine::{Event, EventHandler};

use super::{Level, Line};

/// Lines that wait. A server under attack tells more than a main thread can write, and must not wait for it.
const WAITING: usize = 1000;
/// Lines written at once; a node that fails on every frame must not scroll everything else away.
const AT_ONCE: usize = 10;

/// A queue for the lines that are wanted at this level.
pub(crate) fn queue(most: Level) -> (Writer, Reader) {
    let (sender, lines) = sync_channel(WAITING);
    let left_out = Arc::new(AtomicUsize::new(0));
    (Writer { sender, most, left_out: Arc::clone(&left_out) }, Reader { lines, most, left_out })
}

/// The end for threads of a run: never waits.
#[derive(Clone)]
pub(crate) struct Writer {
    sender: SyncSender<Line>,
    most: Level,
    left_out: Arc<AtomicUsize>,
}

impl Writer {
    /// A line of now; a full queue counts it instead of keeping it.
    pub(crate) fn tell(&self, level: Level, text: impl fmt::Display) {
        // Unwanted lines may not take the room of wanted ones.
        if level <= self.most {
            self.send(Line::new(level, text));
        }
    }

    /// Tells messages of nodes.
    pub(crate) fn events(self) -> EventHandler {
        Arc::new(move |event: &Event| self.send(Line::of(event)))
    }

    fn send(&self, line: Line) {
        if self.sender.try_send(line).is_err() {
            self.left_out.fetch_add(1, Relaxed);
        }
    }
}

/// The end for the main thread.
pub(crate) struct Reader {
    lines: Receiver<Line>,
    most: Level,
    left_out: Arc<AtomicUsize>,
}

impl Reader {
    /// `before` and the waiting lines, in this order. Of many, the most severe are kept, and a line counts all others.
    pub(crate) fn lines(&self, before: impl Iterator<Item = Line>) -> Vec<Line> {
        let wanted = before.chain(self.lines.try_iter()).filter(|line| line.level <= self.most);
        shortened(wanted.collect(), self.left_out.swap(0, Relaxed))
    }
}

/// At most [`AT_ONCE`] of the lines, in their order, and a count of the rest with the `left_out` ones.
fn shortened(lines: Vec<Line>, left_out: usize) -> Vec<Line> {
    let mut by_level: Vec<usize> = (0..lines.len()).collect();
    by_level.sort_by_key(|number| lines[*number].level);
    let rest = by_level.split_off(by_level.len().min(AT_ONCE));
    let more = rest.len() + left_out;
    let level = rest.first().map_or(Level::Warn, |number| lines[*number].level);
    by_level.sort_unstable();
    let mut kept: Vec<Line> = by_level.into_iter().map(|number| lines[number].clone()).collect();
    if more > 0 {
        kept.push(Line::new(level, format_args!("and {more} more events")));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_lines_the_severe_ones_are_written_and_the_others_counted() {
        let (writer, reader) = queue(Level::Info);
        writer.tell(Level::Debug, "unwanted");
        (0..20).for_each(|n| writer.tell(Level::Info, n));
        writer.tell(Level::Error, "lost");
        let lines = reader.lines([Line::new(Level::Warn, "first")].into_iter());
        let texts: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
        assert_eq!(texts, ["first", "0", "1", "2", "3", "4", "5", "6", "7", "lost", "and 12 more events"]);
        assert_eq!(lines[10].level, Level::Info);
        assert_eq!(reader.lines(std::iter::empty()), []);
    }

    #[test]
    fn lines_that_find_no_room_are_counted() {
        let (writer, reader) = queue(Level::Info);
        (0..WAITING + 5).for_each(|n| writer.tell(Level::Info, n));
        let lines = reader.lines(std::iter::empty());
        assert_eq!((lines.len(), &*lines[AT_ONCE].text), (AT_ONCE + 1, "and 995 more events"));
    }
}
