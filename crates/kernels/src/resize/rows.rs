//! Rows of the input that are resampled already: each one is needed for several rows of the output, and made once.

use super::taps::MOST;

/// The latest rows, each in a place that follows from its number.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows<A> {
    held: [Option<usize>; MOST],
    elements: Vec<A>,
    len: usize,
}

impl<A: Copy + Default> Rows<A> {
    /// Rows of `len` elements, none of them made.
    pub(super) fn clear(&mut self, len: usize) {
        self.held = [None; MOST];
        self.len = len;
        self.elements.resize(MOST * len, A::default());
    }

    /// Makes row `row` unless it is there.
    pub(super) fn hold(&mut self, row: usize, make: impl FnOnce(&mut [A])) {
        // At most `MOST` consecutive rows are needed at once: none of them has the place of another.
        let place = row % MOST;
        if self.held[place] != Some(row) {
            make(&mut self.elements[place * self.len..][..self.len]);
            self.held[place] = Some(row);
        }
    }

    /// Row `first` and the three behind it; rows that are not held have no meaning.
    #[inline(always)]
    pub(super) fn from(&self, first: usize) -> [&[A]; MOST] {
        std::array::from_fn(|k| &self.elements[(first + k) % MOST * self.len..][..self.len])
    }
}
