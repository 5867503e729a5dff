//! Basic statistics of an array of several planes or colours, from the statistics of its planes.

use livetime_kernels::statistics::Basic;
use livetime_kernels::{Pixel, Plane};

/// Statistics of the planes so far.
#[derive(Default)]
pub(super) struct Joined {
    basic: Option<Basic>,
    count: f64,
    border: f64,
    border_count: f64,
}

impl Joined {
    /// Adds a plane, whose columns are samples of `samples` colours side by side.
    pub(super) fn add<T: Pixel>(&mut self, mut found: Basic, plane: Plane<T>, samples: usize, width: usize) {
        let samples = samples.max(1);
        found.min_x /= samples;
        found.max_x /= samples;
        self.add_border(plane, samples, width);
        let count = plane.len() as f64;
        self.basic = Some(match self.basic {
            Some(basic) => joined((basic, self.count), (found, count)),
            None => found,
        });
        self.count += count;
    }

    /// Every border pixel once; the ends of a row of colours are whole pixels.
    fn add_border<T: Pixel>(&mut self, plane: Plane<T>, samples: usize, width: usize) {
        let rows = plane.height();
        let ends = width.saturating_mul(samples);
        for (y, row) in plane.rows().enumerate().filter(|_| width > 0) {
            let outside = rows > 1 && (y < width || y >= rows.saturating_sub(width));
            let left = if outside { row.len() } else { ends.min(row.len()) };
            let right = row.len().saturating_sub(ends).max(left);
            for v in row[..left].iter().chain(&row[right..]) {
                self.border += v.to_f64();
                self.border_count += 1.0;
            }
        }
    }

    /// All planes together.
    pub(super) fn finish(&self) -> Option<Basic> {
        let background = if self.border_count > 0.0 { self.border / self.border_count } else { 0.0 };
        self.basic.map(|b| Basic { net: b.total - background * self.count, ..b })
    }
}

/// Two sets of pixels as one; the first of equal extremes stays, and an extreme beats none.
fn joined((a, a_count): (Basic, f64), (b, b_count): (Basic, f64)) -> Basic {
    let count = a_count + b_count;
    let total = a.total + b.total;
    let mean = total / count;
    let spread = |s: Basic, n: f64| n * (s.sigma.powi(2) + (s.mean - mean).powi(2));
    let (min, max) = (b.min < a.min || a.min.is_nan(), b.max > a.max || a.max.is_nan());
    let (low, high) = (if min { b } else { a }, if max { b } else { a });
    Basic {
        min: low.min,
        min_x: low.min_x,
        min_y: low.min_y,
        max: high.max,
        max_x: high.max_x,
        max_y: high.max_y,
        mean,
        sigma: ((spread(a, a_count) + spread(b, b_count)) / count).sqrt(),
        total,
        net: total,
    }
}
