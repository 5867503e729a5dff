//! A unit of work of the threads: some whole datagrams, and the bytes that they become.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use livetime_formats::file::{ReadAt, Stores, read_exact_at};
use livetime_formats::xtc1::Configs;
use livetime_formats::{Error, Result};

use super::report::Report;

/// Input per job where datagrams are small: enough that reads and writes cost little besides the data, and little
/// enough that it stays in the cache on its way through one thread.
pub(super) const BLOCK: usize = 2 << 20;

/// The largest datagram that is converted. The format allows 4 GiB, but every job needs memory for several copies.
pub(super) const LIMIT: u64 = 1 << 30;

/// Whole datagrams that follow each other, up to about [`BLOCK`] or one that is larger. Keeps its memory.
#[derive(Default)]
pub(super) struct Job {
    /// May be longer than its content.
    pub(super) input: Vec<u8>,
    /// The pieces of all items.
    pieces: Vec<Range<usize>>,
    /// Events and transitions, as ranges of pieces.
    items: Vec<Range<usize>>,
    /// The configurations in force when the pieces were recorded.
    pub(super) configs: Arc<Configs>,
    /// The output continues in a new file.
    pub(super) starts_file: bool,
    /// How much of the input is done when this is done.
    pub(super) progress: u64,
    pub(super) output: Vec<u8>,
    /// Where the output was written, until it was read again.
    pub(super) written: Option<Written>,
    /// The output as it was read again from the file.
    again: Vec<u8>,
}

/// A place in a new file.
pub(super) struct Written {
    pub(super) file: Arc<File>,
    pub(super) offset: u64,
}

/// Where jobs come from.
pub(super) trait Source: Send {
    /// Fills `job` with the next datagrams; false at the end.
    fn fill(&mut self, job: &mut Job) -> Result<bool>;

    /// Counts the pieces that were not wanted, were put together, or could not be read.
    fn account(&self, report: &mut Report);
}

impl Job {
    /// Empties it.
    pub(super) fn begin(&mut self, configs: Arc<Configs>) {
        self.pieces.clear();
        self.items.clear();
        self.configs = configs;
        self.starts_file = false;
    }

    /// Whether the file holds the output; then that goes.
    pub(super) fn check_written(&mut self) -> Result<()> {
        if let Some(Written { file, offset }) = self.written.take() {
            let length = self.output.len();
            // The memory only grows, because it serves for the next job.
            if self.again.len() < length {
                self.again.resize(length, 0);
            }
            let again = &mut self.again[..length];
            read_exact_at(&*file, again, offset)?;
            // Read back through the system, so that a fault of disk or memory shows before the input may be deleted.
            if *again != self.output {
                let found = "other bytes: the disk, the memory or the system is at fault";
                return Err(Error::new("what was written to the new file", found).at(offset));
            }
        }
        self.output.clear();
        Ok(())
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

    /// The input up to byte `end`, to be filled. Old content is not zeroed first, because the caller overwrites it.
    pub(super) fn room(&mut self, end: usize) -> &mut [u8] {
        if self.input.len() < end {
            self.input.resize(end, 0);
        }
        &mut self.input[..end]
    }
}

/// Bytes of a file; 0 if it is not there any more.
pub(super) fn size_of(stores: &Stores, path: &Path) -> u64 {
    stores.open(path).ok().and_then(|file| file.size().ok()).unwrap_or(0)
}
