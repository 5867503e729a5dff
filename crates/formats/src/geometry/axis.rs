//! Rows or columns of a segment: where their pixels are, and how wide.

/// More pixels than any detector has.
pub(super) const MOST_PIXELS: usize = 1 << 28;

/// The pixels along one axis of a segment, in the order of their numbers.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Axis {
    /// Coordinates of the pixels' centres, in µm; NaN for columns that are no pixels.
    pub(super) at: Vec<f64>,
    /// Widths of the pixels, in µm; NaN for columns that are no pixels.
    pub(super) widths: Vec<f64>,
    /// The width of most pixels, to which areas relate.
    pub(super) width: f64,
    /// The numbers of the pixels behind a border between chips, whose neighbours a mask may leave out.
    pub(super) borders: Vec<usize>,
}

impl Axis {
    /// Pixels of one width.
    pub(super) fn even(at: Vec<f64>, width: f64) -> Axis {
        Axis { widths: vec![width; at.len()], at, width, borders: Vec::new() }
    }

    /// `count` pixels from the first one on.
    pub(super) fn counted(count: u32, width: f64) -> Axis {
        Axis::even((0..count).map(|n| f64::from(n) * width).collect(), width)
    }

    /// `count` pixels from the middle.
    pub(super) fn centered(count: u32, width: f64) -> Axis {
        let middle = (f64::from(count) - 1.0) / 2.0;
        Axis::even((0..count).map(|n| (f64::from(n) - middle) * width).collect(), width)
    }

    /// Twice `count` pixels from the middle, the two in the middle wide. Their coordinate is the centre of their outer part, as psana has
    /// it.
    pub(super) fn halves(count: u32, width: f64, wide: f64) -> Axis {
        let right = (0..count).map(|n| f64::from(n) * width + wide - width / 2.0);
        let at = right.clone().rev().map(|x| -x).chain(right).collect();
        Axis::even(at, width).with_borders(&[count as usize], wide)
    }

    /// With borders between chips, beside which pixels are so wide.
    pub(super) fn with_borders(mut self, borders: &[usize], wide: f64) -> Axis {
        for border in borders {
            self.widths[border - 1..=*border].fill(wide);
        }
        Axis { borders: borders.to_vec(), ..self }
    }

    /// The last pixel where the first one was.
    pub(super) fn reversed(mut self) -> Axis {
        self.at.reverse();
        self
    }

    /// The number of pixels.
    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether a mask leaves each pixel out: `edge` pixels at both ends, and `beside` pixels on both sides of each
    /// border.
    pub(super) fn masked(&self, edge: usize, beside: usize) -> Vec<bool> {
        let is_edge = |n: usize| n < edge || n >= self.len().saturating_sub(edge);
        let is_beside = |n: usize| self.borders.iter().any(|b| n < b + beside && n + beside >= *b);
        (0..self.len()).map(|n| self.at[n].is_nan() || is_edge(n) || is_beside(n)).collect()
    }
}
