//! Where an event is expected to have its pixels.
//!
//! The places of an XTC event's pixels are known only after parsing. Events of a run are alike, though: the places in
//! the event before are the guess for an event of the same lengths, and parsing shows whether the guess was right.
//! After a wrong guess the event is read again as a whole.
//!
//! The check is sound although a wrong guess leaves old bytes where the parser may look for headers: if all the places are pixels of
//! the picture that was found, the parser has interpreted nothing of what lies in them, and so nothing old.

use livetime_formats::xtc1::run::Aside;

use crate::picture::{Picture, Place};

/// Panels with fewer bytes are not read straight into the frame: copying them is faster than further system calls.
const LEAST_BYTES: usize = 32 << 10;

/// Where an event is expected to have its pixels, as the one before had them.
#[derive(Default)]
pub(crate) struct Guess {
    lengths: Vec<u64>,
    asides: Vec<Aside>,
}

impl Guess {
    /// Guesses from the picture of an event, for a frame of this size if one is given. The guess is empty if reading
    /// straight would win nothing.
    pub(crate) fn take(&mut self, before: &Picture, size: Option<usize>) {
        self.lengths.clear();
        self.asides.clear();
        let mut to = 0;
        for place in &before.places {
            // One small panel ends the guess: reading around it costs more than it saves.
            let Some(piece) = place.piece.filter(|_| place.bytes.len() >= LEAST_BYTES) else { break };
            self.asides.push(Aside { piece, bytes: place.bytes.clone(), to });
            to += place.bytes.len();
        }
        // Panels must fill the frame exactly, in the order of the picture.
        if size.is_some_and(|size| size != to) || self.asides.len() != before.places.len() {
            return self.asides.clear();
        }
        // The reader walks the pieces in the order of the file.
        self.asides.sort_by_key(|aside| (aside.piece, aside.bytes.start));
        // Only an event with pieces of the same lengths is likely to have the same places.
        self.lengths.extend(before.bytes.pieces().map(|piece| piece.len() as u64));
    }

    /// The lengths of the pieces of the event, and where the pixels are.
    pub(crate) fn parts(&self) -> (&[u64], &[Aside]) {
        (&self.lengths, &self.asides)
    }

    /// Whether the pixels are where they were expected.
    pub(crate) fn fits(&self, places: &[Place]) -> bool {
        let mut to = 0;
        let is_there = |place: &Place| {
            let start = to;
            to += place.bytes.len();
            let is_its = |aside: &Aside| (Some(aside.piece), aside.to) == (place.piece, start);
            self.asides.iter().any(|aside| is_its(aside) && aside.bytes == place.bytes)
        };
        places.len() == self.asides.len() && places.iter().all(is_there)
    }
}
