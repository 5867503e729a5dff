//! Column sums in narrow integers, which are emptied before they overflow.

use super::aligned::Aligned;

/// Column sums over the rows from `start` to `end`.
#[derive(Debug, Default)]
pub(super) struct Lanes<L> {
    /// S: Σv of the passing pixels.
    pub(super) sum: Aligned<L>,
    /// T: the sum of S after each row.
    pub(super) moment: Aligned<L>,
    /// Σv of all.
    pub(super) all: Aligned<L>,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<L: Copy + Default> Lanes<L> {
    pub(super) fn clear(&mut self, width: usize, averaging: bool, start: usize) {
        self.sum.zeros(width);
        self.moment.zeros(width);
        self.all.zeros(if averaging { width } else { 0 });
        (self.start, self.end) = (start, start);
    }
}

/// Column sums of bytes over a few thousand rows; `moment` is Σ (y − start)·v.
#[derive(Debug, Default)]
pub(super) struct Middle {
    pub(super) sum: Aligned<i32>,
    pub(super) moment: Aligned<i32>,
    pub(super) all: Aligned<i32>,
    pub(super) start: usize,
}

impl Middle {
    pub(super) fn clear(&mut self, width: usize, averaging: bool, start: usize) {
        self.sum.zeros(width);
        self.moment.zeros(width);
        self.all.zeros(if averaging { width } else { 0 });
        self.start = start;
    }
}
