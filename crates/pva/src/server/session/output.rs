//! What waits to be sent on one connection.

use std::io::IoSlice;

use crate::wire::Writer;

/// A kept buffer beyond this is given back.
const KEEP: usize = 1 << 20;

/// Messages in pieces: what is small lies in one buffer, large arrays are only referred to.
pub(super) struct Output {
    writer: Writer,
    written: usize,
}

impl Output {
    pub(super) fn new(writer: Writer) -> Output {
        Output { writer, written: 0 }
    }

    #[inline]
    pub(super) fn writer(&mut self) -> &mut Writer {
        &mut self.writer
    }

    pub(super) fn pending(&self) -> usize {
        self.writer.len() - self.written
    }

    /// Whether part of it is sent and the rest has to wait.
    pub(super) fn is_blocked(&self) -> bool {
        self.written > 0
    }

    /// Fills `slices` with what comes next; returns how many.
    pub(super) fn slices<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let mut skip = self.written;
        let pieces = self.writer.chunks().filter_map(|chunk| {
            let rest = chunk.get(skip.min(chunk.len())..).unwrap_or_default();
            skip -= chunk.len() - rest.len();
            (!rest.is_empty()).then_some(rest)
        });
        slices.iter_mut().zip(pieces).map(|(slice, piece)| *slice = IoSlice::new(piece)).count()
    }

    /// Notes that `count` bytes are sent.
    pub(super) fn advance(&mut self, count: usize) {
        self.written += count;
        if self.written >= self.writer.len() {
            self.written = 0;
            self.writer.clear();
            self.writer.shrink(KEEP);
        }
    }
}
