//! Numbers of photons.

/// Poisson numbers by inversion, for 64 means.
#[derive(Clone, Debug)]
pub(super) struct Photons {
    highest: f64,
    /// Per class: from which random number on there are 1, 2, 3 … photons.
    thresholds: Vec<[u32; MOST]>,
}

/// Means: a mean between two of them is rounded to the nearest. All tables together take 4 KiB of the nearest cache.
const CLASSES: usize = 64;
/// The largest number of photons.
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
        // Without light all means are 0.
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
    use crate::random::Counter;

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
}
