//! Values over time, for nodes that keep some of the latest.

use livetime_engine::Context;

/// Rows of values, each with a place for every point in time.
#[derive(Default)]
pub(crate) struct Series {
    rows: usize,
    points: usize,
    /// Row after row.
    values: Vec<f64>,
    /// Where the next point goes.
    next: usize,
}

impl Series {
    /// Other sizes; all values are 0, and the next point is the first one.
    pub(crate) fn resize(&mut self, rows: usize, points: usize) {
        (self.rows, self.points) = (rows, points);
        self.values.resize(rows * points, 0.0);
        self.clear();
    }

    /// Zeroes all.
    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
        self.next = 0;
    }

    /// Number of rows and of points in time.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.rows, self.points)
    }

    /// Where the next point goes; the number of points when there is no room.
    pub(crate) fn next(&self) -> usize {
        self.next
    }

    /// Whether there is no room for another point.
    pub(crate) fn is_full(&self) -> bool {
        self.next >= self.points
    }

    /// The next point overwrites the oldest.
    pub(crate) fn wrap(&mut self) {
        self.next = 0;
    }

    /// Sets a value of the next point; nothing happens where there is no such row, or no room.
    pub(crate) fn set(&mut self, row: usize, value: f64) {
        if row < self.rows && self.next < self.points {
            self.values[row * self.points + self.next] = value;
        }
    }

    /// The next point is complete.
    pub(crate) fn advance(&mut self) {
        self.next = (self.next + 1).min(self.points);
    }

    /// The values of a row in two parts, oldest first; the second part is empty unless the series wraps.
    pub(crate) fn wrapped(&self, row: usize) -> [&[f64]; 2] {
        let row = self.whole(row);
        let (newer, older) = row.split_at(self.next.min(row.len()));
        [older, newer]
    }

    /// The values of a row up to the latest.
    pub(crate) fn filled(&self, row: usize) -> &[f64] {
        let row = self.whole(row);
        &row[..self.next.min(row.len())]
    }

    /// All values of a row, with zeros where there was no point yet.
    pub(crate) fn whole(&self, row: usize) -> &[f64] {
        self.values.chunks_exact(self.points.max(1)).nth(row).unwrap_or(&[])
    }
}

/// When readers see new values: after a time, with one timer, however many values come.
#[derive(Default)]
pub(crate) struct Pace {
    is_timer_set: bool,
    has_news: bool,
}

impl Pace {
    /// There is a new value, which is to be seen within `period_s`.
    pub(crate) fn news(&mut self, ctx: &mut Context, period_s: f64) {
        self.has_news = true;
        if !self.is_timer_set {
            self.is_timer_set = true;
            ctx.set_timer(Some(ctx.now_ns() + (period_s * 1e9) as u64));
        }
    }

    /// All is to be seen before the next frame.
    pub(crate) fn at_once(&mut self, ctx: &mut Context) {
        self.is_timer_set = true;
        ctx.set_timer(Some(ctx.now_ns()));
    }

    /// The timer has gone off, or readers are being shown everything: whether there was something new.
    pub(crate) fn taken(&mut self) -> bool {
        self.is_timer_set = false;
        std::mem::take(&mut self.has_news)
    }
}

/// `to` becomes the parts one after the other, in the memory that it has.
pub(crate) fn copy(to: &mut Vec<f64>, parts: &[&[f64]]) {
    to.clear();
    parts.iter().for_each(|part| to.extend_from_slice(part));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_then_wraps() {
        let mut series = Series::default();
        series.resize(2, 3);
        let push = |series: &mut Series, value: f64| {
            series.set(0, value);
            series.set(1, -value);
            series.set(2, 9.0);
            series.advance();
        };
        (1..3).for_each(|v| push(&mut series, f64::from(v)));
        assert_eq!((series.filled(1), series.whole(0)), (&[-1.0, -2.0][..], &[1.0, 2.0, 0.0][..]));
        assert_eq!(series.wrapped(0), [&[0.0][..], &[1.0, 2.0]]);
        (3..5).for_each(|v| push(&mut series, f64::from(v)));
        assert!(series.is_full(), "a point too many is left out");
        assert_eq!(series.filled(0), [1.0, 2.0, 3.0]);
        series.wrap();
        push(&mut series, 7.0);
        assert_eq!(series.wrapped(1), [&[-2.0, -3.0][..], &[-7.0]]);
        series.clear();
        assert_eq!((series.filled(0), series.size(), series.next()), (&[][..], (2, 3), 0));
        assert_eq!(series.whole(5), [0.0; 0]);
    }
}
