//! The progress of long work, on stderr if that is a terminal.

use std::time::{Duration, Instant};

use crate::log::Level;
use crate::output::Output;
use crate::report::numbers::bytes;

/// How often progress is written.
const EVERY: Duration = Duration::from_millis(500);

/// Bytes done of bytes in all, with the rate and the time left. Nothing is shown when the output is piped.
pub(crate) struct Progress<'a, 'b> {
    size: u64,
    output: &'a mut Output<'b>,
    begin: Instant,
    next: Instant,
    is_shown: bool,
}

impl<'a, 'b> Progress<'a, 'b> {
    pub(crate) fn new(size: u64, output: &'a mut Output<'b>) -> Progress<'a, 'b> {
        let begin = Instant::now();
        Progress { size, output, begin, next: begin + EVERY, is_shown: false }
    }

    /// Reports the number of bytes done; cheap enough for every event.
    pub(crate) fn tell(&mut self, done: u64) {
        let now = Instant::now();
        if !self.output.is_terminal || now < self.next {
            return;
        }
        (self.next, self.is_shown) = (now + EVERY, true);
        let passed = (now - self.begin).as_secs_f64();
        let left_s = (self.size.saturating_sub(done)) as f64 * passed / done.max(1) as f64;
        let mb_s = done as f64 / 1e6 / passed;
        let line = format!("{} of {}, {mb_s:.0} MB/s, {left_s:.0} s left", bytes(done), bytes(self.size));
        let _ = write!(self.output.err, "\r{line:<70}");
        let _ = self.output.err.flush();
    }

    /// Writes a line for people; how far the work is comes below it again.
    pub(crate) fn log(&mut self, line: impl std::fmt::Display) {
        self.erase();
        self.output.log(line);
    }

    /// Which lines of a log are wanted.
    pub(crate) fn level(&self) -> Level {
        self.output.level
    }

    /// Takes the line away.
    pub(crate) fn clear(mut self) {
        self.erase();
    }

    fn erase(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(self.output.err, "\r{:70}\r", "");
        }
    }
}
