//! Shapes as spans of pixels, cut off at the picture's edges before anything is counted: however large a shape is, its cost
//! is bounded by the picture.

use super::params::ShapeParams;

/// Pixels `start..end` of row `y`, of shape number `shape`. The spans of a shape do not overlap, so that each pixel is
/// drawn once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) shape: usize,
    pub(super) y: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The spans of a picture.
pub(super) struct Spans {
    width: i64,
    height: i64,
    /// Number of the shape that is drawn.
    pub(super) shape: usize,
    spans: Vec<Span>,
}

impl Spans {
    /// `memory` is used again.
    pub(super) fn new(width: usize, height: usize, mut memory: Vec<Span>) -> Spans {
        memory.clear();
        Spans { width: width as i64, height: height as i64, shape: 0, spans: memory }
    }

    pub(super) fn done(self) -> Vec<Span> {
        self.spans
    }

    /// Columns `start` to `end`, both inclusive, of row `y`, as far as they lie in the picture.
    pub(super) fn add(&mut self, y: i64, start: i64, end: i64) {
        // Shapes may lie partly or wholly outside the picture, so each span is cut to it.
        let (start, end) = (start.max(0), (end + 1).min(self.width));
        if (0..self.height).contains(&y) && start < end {
            let (y, start, end) = (y as usize, start as usize, end as usize);
            self.spans.push(Span { shape: self.shape, y, start, end });
        }
    }

    /// The rows `first` to `last`, both inclusive, that lie in the picture.
    pub(super) fn rows(&self, first: i64, last: i64) -> std::ops::RangeInclusive<i64> {
        first.max(0)..=last.min(self.height - 1)
    }

    pub(super) fn cross(&mut self, shape: &ShapeParams) {
        let (x, half_x, bar_x) = (shape.center_x, shape.size_x / 2, shape.width_x / 2);
        let (y, half_y, bar_y) = (shape.center_y, shape.size_y / 2, shape.width_y / 2);
        for row in self.rows(y - half_y, y + half_y) {
            let half = if (row - y).abs() <= bar_y { half_x } else { bar_x };
            self.add(row, x - half, x + half);
        }
    }

    pub(super) fn rectangle(&mut self, shape: &ShapeParams) {
        let (left, right) = (shape.position_x, shape.position_x + shape.size_x);
        let (top, bottom) = (shape.position_y, shape.position_y + shape.size_y);
        // A bar wider than the shape would pass its other side.
        let wide_x = shape.width_x.min(shape.size_x - 1);
        let wide_y = shape.width_y.min(shape.size_y - 1);
        for row in self.rows(top, bottom) {
            // Bars that meet in the middle fill the row, and two spans that overlap would undo each other in
            // exclusive-or mode.
            if row < top + wide_y || row > bottom - wide_y || 2 * wide_x > right - left {
                self.add(row, left, right);
            } else if wide_x > 0 {
                self.add(row, left, left + wide_x - 1);
                self.add(row, right - wide_x + 1, right);
            }
        }
    }

    /// The pixels inside an ellipse with the half axes `size / 2` and outside a second ellipse whose half axes are
    /// `width_x` shorter.
    pub(super) fn ellipse(&mut self, shape: &ShapeParams) {
        let (x, y) = (shape.center_x, shape.center_y);
        let outer = (shape.size_x / 2, shape.size_y / 2);
        let wide = shape.width_x.min(shape.size_x - 1);
        if wide < 1 {
            return;
        }
        for row in self.rows(y - outer.1, y + outer.1) {
            let Some(far) = half_width(outer, row - y) else { continue };
            match half_width((outer.0 - wide, outer.1 - wide), row - y) {
                Some(near) if far > 0 => {
                    // At least one pixel on each side, so that the outline is closed.
                    let near = near.min(far - 1);
                    self.add(row, x - far, x - near - 1);
                    self.add(row, x + near + 1, x + far);
                }
                // A row of one pixel has no two sides: exclusive-or drawn twice would restore the pixel.
                _ => self.add(row, x - far, x + far),
            }
        }
    }
}

/// Columns on each side of the centre that an ellipse has `dy` rows from it, if it has any.
fn half_width((a, b): (i64, i64), dy: i64) -> Option<i64> {
    if a < 0 || b < 0 || dy.abs() > b {
        return None;
    }
    // A quarter of a pixel more in height gives the outermost rows the width that circles drawn by eye have.
    let part = dy as f64 / (b as f64 + 0.25);
    Some((a as f64 * (1.0 - part * part).sqrt()).round() as i64)
}
