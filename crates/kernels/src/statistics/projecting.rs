//! Rows and blocks on their way into the projections.

use super::blocks::BlockSums;
use super::measure::Measure;
use super::projections::{Project, Projections};
use crate::Plane;

impl Projections {
    pub(super) fn start<T: Measure>(
        &mut self,
        image: Plane<T>,
        projecting: bool,
        averaging: bool,
        in_blocks: bool,
    ) {
        let (width, height) = if projecting { (image.width(), image.height()) } else { (0, 0) };
        self.moment_of_columns = in_blocks || T::Projector::MOMENT_OF_COLUMNS;
        let moments = if self.moment_of_columns { width } else { height };
        self.columns.zeros(width);
        self.rows.zeros(height);
        self.moment.zeros(moments);
        self.all_columns.zeros(if averaging { width } else { 0 });
        self.all_rows.zeros(if averaging { height } else { 0 });
        if !in_blocks {
            T::Projector::start(self, width, averaging);
        }
    }

    /// Takes in the row sums of a block whose first row is `y`.
    pub(super) fn add_block<T: Measure>(&mut self, y: usize, found: &BlockSums<T>, least: Option<T>) {
        for (to, from) in self.all_rows.iter_mut().skip(y).zip(found.all) {
            *to = from;
        }
        if least.is_some() {
            for (to, from) in self.rows.iter_mut().skip(y).zip(found.passing) {
                *to = from;
            }
        }
    }

    /// Adds row `y`, whose plain sum is known, to the sums over all pixels, if those are wanted.
    #[inline(always)]
    pub(super) fn add_average<T: Measure>(&mut self, y: usize, row: &[T], sum: f64) {
        if let Some(all) = self.all_rows.get_mut(y) {
            *all = sum;
            T::Projector::add_all(self, y, row);
        }
    }

    #[inline(always)]
    pub(super) fn add_passing<T: Measure>(&mut self, y: usize, row: &[T], least: Option<T>) {
        if let (Some(least), true) = (least, y < self.rows.len()) {
            self.rows[y] = T::Projector::add_passing(self, y, row, least);
        }
    }

    #[inline(always)]
    pub(super) fn finish<T: Measure>(&mut self) {
        T::Projector::finish(self);
    }
}
