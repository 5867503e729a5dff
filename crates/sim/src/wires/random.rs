//! The purposes of random numbers.

use livetime_kernels::random::{Counter, Normal};

/// The purpose of a sequence of random numbers.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(super) enum Stream {
    Channel = 1,
    Noise,
    Coherent,
    Sticky,
    ArgonTimes,
    Argon,
    TrackTimes,
    Track,
    TestPulses,
}

impl Stream {
    /// The sequence number `which` for this.
    pub(super) fn numbers(self, seed: u64, which: u64) -> Counter {
        Counter::new(seed, [self as u64, which])
    }
}

/// Times at which something happens by chance, `mean_gap` apart on average, from 0 up to `end`.
pub(super) fn times(numbers: Counter, mean_gap: f64, end: f64) -> impl Iterator<Item = f64> {
    // Gaps between independent events are exponential; 1 − u is never 0.
    let gap = move |i: usize| -(1.0 - numbers.uniform(i)).ln() * mean_gap;
    (0..)
        .scan(0.0, move |time, i| {
            *time += gap(i);
            Some(*time)
        })
        .take_while(move |time| *time < end)
}

/// A factor of mean 1 for the energy that a particle leaves in a few mm of argon: Landau's distribution in Moyal's form
/// (1955): −ln of the square of a normal number has this distribution.
pub(super) fn landau(normal: &Normal, random: u64) -> f64 {
    /// Width over the most probable value.
    const WIDTH: f64 = 0.075;
    /// Mean of the distribution: Euler's constant and ln 2.
    const MEAN: f64 = 1.270_362_845_461_478;
    let number = f64::from(normal.of(random));
    // A normal number of 0 would leave infinite energy.
    let moyal = -(number * number).max(1e-9).ln();
    1.0 + WIDTH * (moyal - MEAN)
}
