//! The output of one connection: messages that wait to be sent.

use std::io::IoSlice;

use crate::wire::Writer;

/// A kept buffer beyond this is given back: as much as the largest message. With less, a client that asks for a thousand
/// channels at a time has new memory mapped for each answer, which costs a quarter of the rate. Kept memory counts in
/// the connection's account, and is given back when the connection rests.
const KEEP: usize = 4 << 20;

/// Bytes of the buffer that are kept for a connection with nothing to send for a while.
const KEEP_IDLE: usize = 4 << 10;

/// Messages in pieces: small parts lie in one buffer, large arrays are only referred to.
pub(super) struct Outgoing {
    writer: Writer,
    written: usize,
    // Whether the content of `writer` begins in the middle of a message.
    is_cut: bool,
}

impl Outgoing {
    pub(super) fn new(writer: Writer) -> Outgoing {
        Outgoing { writer, written: 0, is_cut: false }
    }

    #[inline]
    pub(super) fn writer(&mut self) -> &mut Writer {
        &mut self.writer
    }

    pub(super) fn pending(&self) -> usize {
        self.writer.len() - self.written
    }

    /// How many bytes of memory it takes that belongs to it alone.
    pub(super) fn memory(&self) -> usize {
        self.writer.memory()
    }

    /// Copies the waiting pieces, so that they no longer refer to foreign memory.
    pub(super) fn own(&mut self) {
        if self.pending() == 0 || !self.writer.is_sharing() {
            return;
        }
        let mut skip = self.written;
        let mut rest = Vec::with_capacity(self.pending());
        for chunk in self.writer.chunks() {
            rest.extend_from_slice(chunk.get(skip.min(chunk.len())..).unwrap_or_default());
            skip -= skip.min(chunk.len());
        }
        self.writer.clear();
        self.writer.raw(&rest);
        // The rest is still the end of a message.
        self.written = 0;
        self.is_cut = true;
    }

    /// Releases memory that is not needed now.
    pub(super) fn rest(&mut self) {
        if self.pending() == 0 {
            self.writer.shrink(KEEP_IDLE);
        }
    }

    /// Whether part of it is sent and the rest has to wait.
    pub(super) fn is_blocked(&self) -> bool {
        self.written > 0 || self.is_cut
    }

    /// Fills `slices` with the next pieces, at most `room` bytes; returns how many.
    pub(super) fn slices<'a>(&'a self, slices: &mut [IoSlice<'a>], mut room: usize) -> usize {
        let mut skip = self.written;
        let pieces = self.writer.chunks().filter_map(|chunk| {
            let rest = chunk.get(skip.min(chunk.len())..).unwrap_or_default();
            skip -= chunk.len() - rest.len();
            let piece = &rest[..rest.len().min(room)];
            room -= piece.len();
            (!piece.is_empty()).then_some(piece)
        });
        slices.iter_mut().zip(pieces).map(|(slice, piece)| *slice = IoSlice::new(piece)).count()
    }

    /// Notes that `count` bytes are sent.
    pub(super) fn advance(&mut self, count: usize) {
        self.written += count;
        if self.written >= self.writer.len() {
            (self.written, self.is_cut) = (0, false);
            self.writer.clear();
            self.writer.shrink(KEEP);
        }
    }
}
