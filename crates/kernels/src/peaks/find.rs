//! The peaks of one picture.

use super::wanted::Peaks;

/// Pixels that are compared with `high` at once.
const CHUNK: usize = 64;

/// A peak.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peak {
    /// Row of the top.
    pub row: usize,
    /// Column of the top.
    pub column: usize,
    /// How many pixels it has.
    pub pixels: usize,
    /// Its centre, weighted by the excess over the background.
    pub row_mean: f64,
    /// The same of columns.
    pub column_mean: f64,
    /// Value of the top above the background.
    pub max: f64,
    /// Sum of the pixels above the background.
    pub sum: f64,
    /// Mean of the ring around it.
    pub background: f64,
    /// Standard deviation of the ring.
    pub noise: f64,
}

impl Peak {
    /// `row_mean`, `column_mean`, `max`, `sum`, `background` and `noise`, as tables have them.
    pub fn numbers(&self) -> [f64; 6] {
        [self.row_mean, self.column_mean, self.max, self.sum, self.background, self.noise]
    }
}

/// Gives the peaks of a picture to `give`, in the order of their tops.
pub(super) fn peaks(wanted: &Peaks, plane: &[f32], width: usize, give: &mut dyn FnMut(Peak)) {
    let high = wanted.high as f32;
    for (chunk, pixels) in plane.chunks(CHUNK).enumerate() {
        // Most chunks have none: a loop without branches finds that out.
        if !pixels.iter().fold(false, |any, v| any | (*v >= high)) {
            continue;
        }
        for at in (chunk * CHUNK..).zip(pixels).filter(|(_, v)| **v >= high).map(|(at, _)| at) {
            let place = Surroundings { plane, width, row: at / width, column: at % width };
            if let Some(peak) = place.is_top(wanted.rank).then(|| place.peak(wanted)).flatten() {
                give(peak);
            }
        }
    }
}

/// A pixel and its surroundings.
struct Surroundings<'a> {
    plane: &'a [f32],
    width: usize,
    row: usize,
    column: usize,
}

impl Surroundings<'_> {
    /// The pixels at most `far` rows and columns away, each with its row, column and value.
    fn around(&self, far: usize) -> impl Iterator<Item = (usize, usize, f32)> {
        let rows = self.row.saturating_sub(far)..(self.row + far + 1).min(self.plane.len() / self.width);
        let columns = self.column.saturating_sub(far)..(self.column + far + 1).min(self.width);
        rows.flat_map(move |row| {
            let values = self.plane.get(row * self.width + columns.start..row * self.width + columns.end);
            columns.clone().zip(values.unwrap_or_default()).map(move |(column, v)| (row, column, *v))
        })
    }

    fn value(&self) -> f32 {
        self.plane.get(self.row * self.width + self.column).copied().unwrap_or(f32::NAN)
    }

    /// Whether no pixel around is larger, and no earlier one as large.
    fn is_top(&self, rank: usize) -> bool {
        let (value, own) = (self.value(), (self.row, self.column));
        !self.around(rank).any(|(row, column, v)| v > value || v == value && (row, column) < own)
    }

    fn peak(&self, wanted: &Peaks) -> Option<Peak> {
        let members = self.members(wanted.rank, wanted.low as f32);
        if !(wanted.pixels.0..=wanted.pixels.1).contains(&members.len()) {
            return None;
        }
        let (background, noise) = self.background(wanted.ring, &members);
        let (mut sum, mut weight, mut of_rows, mut of_columns) = (0.0, 0.0, 0.0, 0.0);
        for (row, column, v) in &members {
            let above = f64::from(*v) - background;
            sum += above;
            // A pixel below the background would push the centre away from itself.
            weight += above.max(0.0);
            of_rows += above.max(0.0) * *row as f64;
            of_columns += above.max(0.0) * *column as f64;
        }
        let is_clear = sum >= wanted.snr * noise * (members.len() as f64).sqrt();
        let centre = |of: f64, top: usize| if weight > 0.0 { of / weight } else { top as f64 };
        is_clear.then(|| Peak {
            row: self.row,
            column: self.column,
            pixels: members.len(),
            row_mean: centre(of_rows, self.row),
            column_mean: centre(of_columns, self.column),
            max: f64::from(self.value()) - background,
            sum,
            background,
            noise,
        })
    }

    /// The pixels that are connected with this one, sorted.
    fn members(&self, rank: usize, low: f32) -> Vec<(usize, usize, f32)> {
        let mut left: Vec<(usize, usize, f32)> = self.around(rank).filter(|(_, _, v)| *v >= low).collect();
        let mut members = Vec::new();
        let mut next = vec![(self.row, self.column)];
        while let Some((row, column)) = next.pop() {
            let Some(at) = left.iter().position(|(r, c, _)| (*r, *c) == (row, column)) else { continue };
            members.push(left.swap_remove(at));
            let above = row.checked_sub(1).map(|row| (row, column));
            let before = column.checked_sub(1).map(|column| (row, column));
            next.extend(
                [above, before, Some((row + 1, column)), Some((row, column + 1))].into_iter().flatten(),
            );
        }
        // The background finds members by their position.
        members.sort_by_key(|(row, column, _)| (*row, *column));
        members
    }

    /// Mean and deviation of the ring; 0 if it has no pixel in the picture.
    fn background(&self, (inner, outer): (f64, f64), members: &[(usize, usize, f32)]) -> (f64, f64) {
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for (row, column, v) in self.around(outer.ceil() as usize) {
            let (down, right) = (row.abs_diff(self.row) as f64, column.abs_diff(self.column) as f64);
            let distance = (down * down + right * right).sqrt();
            let is_member = || members.binary_search_by_key(&(row, column), |(r, c, _)| (*r, *c)).is_ok();
            if (inner..=outer).contains(&distance) && !v.is_nan() && !is_member() {
                let v = f64::from(v);
                count += 1.0;
                sum += v;
                squares += v * v;
            }
        }
        if count == 0.0 {
            return (0.0, 0.0);
        }
        let mean = sum / count;
        // Rounding may make the variance of equal pixels negative.
        (mean, (squares / count - mean * mean).max(0.0).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, plane: &[f32], width: usize) -> Vec<(usize, usize, usize, f64, f64)> {
        let mut found = Vec::new();
        let mut give = |peak: Peak| found.push((peak.row, peak.column, peak.pixels, peak.max, peak.sum));
        peaks(&text.parse().unwrap(), plane, width, &mut give);
        found
    }

    /// Ones, with these pixels instead.
    fn picture(pixels: &[(usize, usize, f32)]) -> Vec<f32> {
        let mut plane = vec![1.0; 20 * 30];
        pixels.iter().for_each(|(row, column, v)| plane[row * 30 + column] = *v);
        plane
    }

    #[test]
    fn connected_pixels_around_a_maximum_above_the_ring() {
        // A spot of four; one beside it across a corner does not belong to it.
        let spot = [
            (5, 6, 50.0),
            (5, 7, 21.0),
            (6, 6, 31.0),
            (4, 6, 11.0),
            (6, 5, 11.0),
            (4, 7, 11.0),
            (7, 7, 11.0),
        ];
        let plane = picture(&spot);
        assert_eq!(find("high=40,low=10", &plane, 30), [(5, 6, 6, 49.0, 129.0)]);
        assert_eq!(find("high=40,low=20", &plane, 30), [(5, 6, 3, 49.0, 99.0)]);
        assert!(find("high=40,low=10,pixels=1..5", &plane, 30).is_empty());
        assert!(find("high=51", &plane, 30).is_empty());
        assert_eq!(find("high=15,low=10,rank=1", &plane, 30).len(), 1);
    }

    #[test]
    fn of_equal_pixels_the_first_is_the_top_and_edges_have_peaks() {
        let plane =
            picture(&[(0, 0, 9.0), (0, 1, 9.0), (19, 29, 8.0), (10, 10, 7.0), (10, 17, 7.0), (10, 13, 6.5)]);
        let tops: Vec<(usize, usize)> = find("high=5", &plane, 30).iter().map(|p| (p.0, p.1)).collect();
        assert_eq!(tops, [(0, 0), (10, 10), (10, 17), (19, 29)]);
    }

    #[test]
    fn noise_decides_by_the_ring_and_nan_is_no_pixel() {
        let mut plane: Vec<f32> = (0..600).map(|at| if at % 2 == 0 { 10.0 } else { 0.0 }).collect();
        plane[10 * 30 + 10] = 40.0;
        plane[10 * 30 + 12] = f32::NAN;
        // A mean of about 5 and a deviation of about 5.
        assert_eq!(find("high=30,low=20,snr=6", &plane, 30).len(), 1);
        assert_eq!(find("high=30,low=20,snr=8", &plane, 30).len(), 0);
    }
}
