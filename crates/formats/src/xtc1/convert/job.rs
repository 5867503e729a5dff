//! What goes through the threads: some whole datagrams, and what becomes of them.

use std::ops::Range;
use std::sync::Arc;

use super::report::Report;
use crate::Result;
use crate::xtc1::Configs;

/// Input per job where datagrams are small: enough that reads and writes cost little besides the data, and little
/// enough that it stays in the cache on its way through one thread.
pub(super) const BLOCK: usize = 2 << 20;

/// The largest datagram. The format allows 4 GiB.
pub(super) const LIMIT: u64 = 1 << 30;

/// Whole datagrams that follow each other, up to about [`BLOCK`] or one that is larger. Keeps its memory.
#[derive(Default)]
pub(super) struct Job {
    /// May be longer than what is in it.
    pub(super) input: Vec<u8>,
    /// The pieces of all items.
    pieces: Vec<Range<usize>>,
    /// What belongs together, as ranges of pieces.
    items: Vec<Range<usize>>,
    /// What was configured when they were taken.
    pub(super) configs: Arc<Configs>,
    /// The output goes on in a new file.
    pub(super) starts_file: bool,
    /// How much of the input is done when this is done.
    pub(super) progress: u64,
    pub(super) output: Vec<u8>,
    /// Checksum of `output`.
    pub(super) hash: u64,
}

/// Where jobs come from.
pub(super) trait Source: Send {
    /// Fills `job` with what comes next; false if there is nothing more.
    fn fill(&mut self, job: &mut Job) -> Result<bool>;

    /// Says what was not wanted, put together, or could not be read.
    fn account(&self, report: &mut Report);
}

impl Job {
    /// Empties it.
    pub(super) fn begin(&mut self, configs: Arc<Configs>) {
        self.pieces.clear();
        self.items.clear();
        self.output.clear();
        self.configs = configs;
        self.starts_file = false;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds a datagram, whose bytes are in the input.
    pub(super) fn add(&mut self, bytes: Range<usize>) {
        self.add_pieces([bytes]);
    }

    /// Adds datagrams that are to become one.
    pub(super) fn add_pieces(&mut self, pieces: impl IntoIterator<Item = Range<usize>>) {
        let first = self.pieces.len();
        self.pieces.extend(pieces);
        self.items.push(first..self.pieces.len());
    }

    pub(super) fn items(&self) -> impl ExactSizeIterator<Item = &[Range<usize>]> {
        self.items.iter().map(|item| &self.pieces[item.clone()])
    }

    /// The input up to byte `end`, to be filled. What is in it is not set to zero again.
    pub(super) fn room(&mut self, end: usize) -> &mut [u8] {
        if self.input.len() < end {
            self.input.resize(end, 0);
        }
        &mut self.input[..end]
    }
}
