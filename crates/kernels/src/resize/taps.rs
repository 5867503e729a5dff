//! Which elements of the input make an element of the output, and with which weights, along one dimension.

use super::method::ResizeMethod;

/// The most taps of any method but area.
pub(super) const MOST: usize = 4;

/// Sharpness of the cubic curve, as in OpenCV; -0.5 would be Catmull and Rom's.
const SHARPNESS: f64 = -0.75;

/// For each element of the output the elements of the input from which it is made. All lie inside the input: the weight
/// of an element outside is added to the edge, and no weight at either end is 0.
#[derive(Clone, Debug)]
pub(super) struct Taps<W> {
    first: Vec<usize>,
    /// Where the weights of each element end.
    ends: Vec<usize>,
    weights: Vec<W>,
    /// The divisor of the sum.
    pub(super) divisor: f64,
}

impl<W> Default for Taps<W> {
    fn default() -> Self {
        Taps { first: Vec::new(), ends: Vec::new(), weights: Vec::new(), divisor: 1.0 }
    }
}

impl<W> Taps<W> {
    /// Number of elements of the output.
    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    /// The first element of the input that takes part in element `index`, and the weights from there on.
    #[inline(always)]
    pub(super) fn of(&self, index: usize) -> (usize, &[W]) {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        (self.first[index], &self.weights[start..self.ends[index]])
    }

    /// As [`Taps::of`] for every element.
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &[W])> {
        let mut start = 0;
        self.first.iter().zip(&self.ends).map(move |(first, end)| {
            let weights = &self.weights[start..*end];
            start = *end;
            (*first, weights)
        })
    }

    /// Lets `change` see the weights of each element.
    pub(super) fn each_mut(&mut self, mut change: impl FnMut(&mut [W])) {
        let mut rest = &mut self.weights[..];
        let mut start = 0;
        for end in &self.ends {
            let (weights, behind) = rest.split_at_mut(end - start);
            change(weights);
            (rest, start) = (behind, *end);
        }
    }

    /// The same with weights of another type.
    pub(super) fn map<V>(&self, weight: impl FnMut(&W) -> V) -> Taps<V> {
        let weights = self.weights.iter().map(weight).collect();
        Taps { first: self.first.clone(), ends: self.ends.clone(), weights, divisor: self.divisor }
    }
}

impl Taps<f64> {
    /// From `from` to `to` elements, neither of them 0.
    pub(super) fn new(method: ResizeMethod, from: usize, to: usize) -> Taps<f64> {
        let mut taps = Taps::default();
        for index in 0..to {
            match method {
                ResizeMethod::Nearest => taps.push(nearest(index, from, to), &[1.0]),
                ResizeMethod::Bilinear => {
                    let (near, t) = position(index, from, to);
                    taps.push_clamped(near, &[1.0 - t, t], from);
                }
                ResizeMethod::Cubic => {
                    let (near, t) = position(index, from, to);
                    taps.push_clamped(near - 1, &cubic(t), from);
                }
                ResizeMethod::Area => taps.push_covered(index, from, to),
            }
        }
        if method == ResizeMethod::Area && from > to {
            taps.divisor = from as f64 / to as f64;
        }
        taps
    }

    /// The most weights of an element.
    pub(super) fn most(&self) -> usize {
        self.iter().map(|(_, weights)| weights.len()).max().unwrap_or(0)
    }

    fn push(&mut self, first: usize, weights: &[f64]) {
        let leading = weights.iter().take_while(|w| **w == 0.0).count();
        let trailing = weights[leading..].iter().rev().take_while(|w| **w == 0.0).count();
        self.first.push(first + leading);
        self.weights.extend_from_slice(&weights[leading..weights.len() - trailing]);
        self.ends.push(self.weights.len());
    }

    /// Weights of elements from `first` on, which may lie outside.
    fn push_clamped(&mut self, first: i128, weights: &[f64], from: usize) {
        let inside = |k: usize| (first + k as i128).clamp(0, from as i128 - 1) as usize;
        let mut sums = [0.0; MOST];
        let start = inside(0);
        for (k, weight) in weights.iter().enumerate() {
            sums[inside(k) - start] += weight;
        }
        self.push(start, &sums);
    }

    /// The part of each element of the input that is covered: 1 for the whole one when reducing, so that sums of
    /// integers stay exact and are divided once; the part of the output when enlarging.
    fn push_covered(&mut self, index: usize, from: usize, to: usize) {
        let (from, to) = (from as u128, to as u128);
        // In units in which an element of the input is `to` long and one of the output `from`.
        let (start, end) = (index as u128 * from, (index as u128 + 1) * from);
        let first = start / to;
        for element in first..end.div_ceil(to) {
            let covered = end.min((element + 1) * to) - start.max(element * to);
            self.weights.push(covered as f64 / from.min(to) as f64);
        }
        self.first.push(first as usize);
        self.ends.push(self.weights.len());
    }
}

/// The element whose area holds the centre of element `index`; of two that share it the later one.
pub(super) fn nearest(index: usize, from: usize, to: usize) -> usize {
    // In 128 bits, because sizes are multiplied.
    ((2 * index as u128 + 1) * from as u128 / (2 * to as u128)) as usize
}

/// Where the centre of element `index` lies between the centres of two elements of the input: the number of the
/// first one, and the distance from it.
fn position(index: usize, from: usize, to: usize) -> (i128, f64) {
    let (twice, whole) = ((2 * index as i128 + 1) * from as i128 - to as i128, 2 * to as i128);
    // Before the first centre the number is negative; the distance never is.
    (twice.div_euclid(whole), twice.rem_euclid(whole) as f64 / whole as f64)
}

/// Weights of the four elements around a place that lies `t` behind the second one.
fn cubic(t: f64) -> [f64; 4] {
    let inner = |d: f64| ((SHARPNESS + 2.0) * d - (SHARPNESS + 3.0)) * d * d + 1.0;
    let outer = |d: f64| ((d - 5.0) * d + 8.0) * d * SHARPNESS - 4.0 * SHARPNESS;
    let (before, near, far) = (outer(1.0 + t), inner(t), inner(1.0 - t));
    // The fourth weight makes the sum 1.
    [before, near, far, 1.0 - before - near - far]
}
