//! Random numbers that are functions of a counter, so that simulated data do not depend on the order in which they are
//! made, nor on the number of threads.

/// The step of SplitMix64: 2^64 divided by the golden ratio, and odd, so that all 2^64 states are visited.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A sequence of random numbers that can be entered anywhere: SplitMix64 (Steele, Lea, Flood 2014).
///
/// ```
/// use livetime_kernels::random::Counter;
/// let numbers = Counter::new(1, [2, 3]);
/// assert_eq!(numbers.at(15), numbers.from(10).at(5));
/// assert!((0.0..1.0).contains(&numbers.uniform(15)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    start: u64,
}

impl Counter {
    /// The sequence of this name: another `seed` or `stream` is another one.
    pub fn new(seed: u64, stream: [u64; 2]) -> Counter {
        let start = stream.into_iter().fold(mix(seed), |key, part| mix(key ^ mix(part)));
        Counter { start }
    }

    /// The number at `position`: 64 random bits.
    #[inline(always)]
    pub fn at(&self, position: usize) -> u64 {
        mix(self.start.wrapping_add((position as u64).wrapping_mul(GOLDEN)))
    }

    /// The same sequence, counted from `position` on.
    #[inline(always)]
    pub fn from(&self, position: usize) -> Counter {
        Counter { start: self.start.wrapping_add((position as u64).wrapping_mul(GOLDEN)) }
    }

    /// In `[0, 1)`.
    pub fn uniform(&self, position: usize) -> f64 {
        // As many bits as an `f64` has digits.
        (self.at(position) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[inline(always)]
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(GOLDEN);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Normal numbers as the sum of two from a table of quantiles: smooth, and out to five deviations.
///
/// ```
/// use livetime_kernels::random::{Counter, Normal};
/// let (normal, numbers) = (Normal::new(), Counter::new(1, [0, 0]));
/// let mean = (0..1000).map(|i| normal.of(numbers.at(i))).sum::<f32>() / 1000.0;
/// assert!(mean.abs() < 0.1);
/// ```
#[derive(Clone, Debug)]
pub struct Normal {
    quantiles: Box<[f32; TABLE]>,
}

/// Quantiles: 12 bits choose one, and two are added for each number.
const TABLE: usize = 4096;

impl Default for Normal {
    fn default() -> Normal {
        Normal::new()
    }
}

impl Normal {
    /// Makes the table, 16 KB.
    pub fn new() -> Normal {
        // In the middle of equal parts, because the quantiles of 0 and 1 are infinite.
        let quantiles: Vec<f64> = (0..TABLE).map(|i| quantile((i as f64 + 0.5) / TABLE as f64)).collect();
        let variance = quantiles.iter().map(|q| q * q).sum::<f64>() / TABLE as f64;
        let mut table = Box::new([0.0; TABLE]);
        for (t, q) in table.iter_mut().zip(quantiles) {
            // Two are added, so each has half of the variance.
            *t = (q / (2.0 * variance).sqrt()) as f32;
        }
        Normal { quantiles: table }
    }

    /// A number of mean 0 and deviation 1, made of the lower 24 bits.
    #[inline(always)]
    pub fn of(&self, random: u64) -> f32 {
        let (a, b) = (random as usize % TABLE, (random >> 12) as usize % TABLE);
        self.quantiles[a] + self.quantiles[b]
    }
}

/// The normal quantile: Winitzki's approximation of the inverse error function, then two steps of Newton's method.
fn quantile(p: f64) -> f64 {
    // Winitzki's constant; the steps of Newton's method remove its error.
    const A: f64 = 0.147;
    let y = 2.0 * p - 1.0;
    let log = (1.0 - y * y).ln();
    let half = 2.0 / (std::f64::consts::PI * A) + log / 2.0;
    let start = y.signum() * ((half * half - log / A).sqrt() - half).sqrt() * std::f64::consts::SQRT_2;
    (0..2).fold(start, |x, _| x - (probability(x) - p) / density(x))
}

fn density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// The normal distribution function by Marsaglia's series (2004).
fn probability(x: f64) -> f64 {
    let (mut sum, mut term, mut n) = (x, x, 1.0);
    while sum + term != sum {
        n += 2.0;
        term *= x * x / n;
        sum += term;
    }
    0.5 + sum * density(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (p, expected) in [(0.5, 0.0), (0.975, 1.959964), (0.001, -3.090232), (0.9999, 3.719016)] {
            assert!((quantile(p) - expected).abs() < 1e-5, "{p}: {}", quantile(p));
        }
    }

    #[test]
    fn normal_numbers_have_mean_and_deviation() {
        let (normal, counter) = (Normal::new(), Counter::new(3, [1, 2]));
        let numbers: Vec<f64> = (0..100_000).map(|i| f64::from(normal.of(counter.at(i)))).collect();
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let square = numbers.iter().map(|v| v * v).sum::<f64>() / 1e5;
        let fourth = numbers.iter().map(|v| v.powi(4)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.02 && (square - 1.0).abs() < 0.02 && (fourth - 3.0).abs() < 0.15);
    }

    #[test]
    fn a_sequence_can_be_entered_anywhere() {
        let counter = Counter::new(1, [2, 3]);
        assert_eq!(counter.from(10).at(5), counter.at(15));
        assert_ne!(counter.at(0), Counter::new(1, [3, 2]).at(0));
    }
}
