//! Random numbers that are functions of a counter, and the distributions made of them.

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A sequence of random numbers that can be entered anywhere: SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    start: u64,
}

impl Counter {
    pub(super) fn new(seed: u64, stream: [u64; 2]) -> Counter {
        let start = stream.into_iter().fold(mix(seed), |key, part| mix(key ^ mix(part)));
        Counter { start }
    }

    #[inline(always)]
    pub(super) fn at(&self, position: usize) -> u64 {
        mix(self.start.wrapping_add((position as u64).wrapping_mul(GOLDEN)))
    }

    /// The same sequence, counted from `position` on.
    pub(super) fn from(&self, position: usize) -> Counter {
        Counter { start: self.start.wrapping_add((position as u64).wrapping_mul(GOLDEN)) }
    }

    /// In `[0, 1)`.
    pub(super) fn uniform(&self, position: usize) -> f64 {
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
#[derive(Clone, Debug)]
pub(super) struct Normal {
    quantiles: Box<[f32; TABLE]>,
}

const TABLE: usize = 4096;

impl Normal {
    pub(super) fn new() -> Normal {
        let quantiles: Vec<f64> = (0..TABLE).map(|i| quantile((i as f64 + 0.5) / TABLE as f64)).collect();
        let variance = quantiles.iter().map(|q| q * q).sum::<f64>() / TABLE as f64;
        let mut table = Box::new([0.0; TABLE]);
        for (t, q) in table.iter_mut().zip(quantiles) {
            *t = (q / (2.0 * variance).sqrt()) as f32;
        }
        Normal { quantiles: table }
    }

    /// A number of mean 0 and deviation 1, made of the lower 24 bits.
    #[inline(always)]
    pub(super) fn of(&self, random: u64) -> f32 {
        let (a, b) = (random as usize % TABLE, (random >> 12) as usize % TABLE);
        self.quantiles[a] + self.quantiles[b]
    }
}

/// The normal quantile: Winitzki's approximation of the inverse error function, then two steps of Newton's method.
fn quantile(p: f64) -> f64 {
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

/// Poisson numbers by inversion, for 64 means.
#[derive(Clone, Debug)]
pub(super) struct Photons {
    highest: f64,
    /// Per class: from which random number on there are 1, 2, 3 … photons.
    thresholds: Vec<[u32; MOST]>,
}

const CLASSES: usize = 64;
const MOST: usize = 15;

impl Photons {
    /// Tables for the means that occur.
    pub(super) fn new(first: f64, means: impl Iterator<Item = f64>) -> Photons {
        let highest = means.fold(first, f64::max);
        let mean = |class: usize| highest * class as f64 / (CLASSES - 1) as f64;
        Photons { highest, thresholds: (0..CLASSES).map(|class| thresholds(mean(class))).collect() }
    }

    /// The class whose mean is nearest.
    pub(super) fn class(&self, mean: f64) -> u8 {
        let relative = if self.highest > 0.0 { mean / self.highest } else { 0.0 };
        (relative * (CLASSES - 1) as f64).round() as u8
    }

    #[inline(always)]
    pub(super) fn of(&self, class: u8, random: u32) -> f32 {
        let thresholds = &self.thresholds[usize::from(class)];
        let mut photons = 0;
        while photons < MOST && random >= thresholds[photons] {
            photons += 1;
        }
        photons as f32
    }
}

fn thresholds(mean: f64) -> [u32; MOST] {
    let (mut probability, mut below) = ((-mean).exp(), 0.0);
    let mut thresholds = [u32::MAX; MOST];
    for (k, threshold) in thresholds.iter_mut().enumerate() {
        below += probability;
        *threshold = (below * f64::from(u32::MAX)).ceil() as u32;
        probability *= mean / (k + 1) as f64;
    }
    thresholds
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
    fn photons_have_their_mean() {
        let photons = Photons::new(0.0, [2.0].into_iter());
        let counter = Counter::new(1, [0, 0]);
        let all: f64 = (0..100_000)
            .map(|i| f64::from(photons.of(photons.class(2.0), (counter.at(i) >> 32) as u32)))
            .sum();
        assert!((all / 1e5 - 2.0).abs() < 0.03, "{all}");
        assert_eq!(photons.of(0, u32::MAX - 1), 0.0);
    }

    #[test]
    fn a_sequence_can_be_entered_anywhere() {
        let counter = Counter::new(1, [2, 3]);
        assert_eq!(counter.from(10).at(5), counter.at(15));
        assert_ne!(counter.at(0), Counter::new(1, [3, 2]).at(0));
    }
}
