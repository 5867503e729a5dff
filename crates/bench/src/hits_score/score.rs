//! The counts, and the quantities that follow from them.

use livetime_sim::wires::TruePulse;

use super::finder::Found;
use super::matching::Matches;

/// Sums of a quantity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        (self.count, self.sum, self.squares) =
            (self.count + 1.0, self.sum + value, self.squares + value * value);
    }

    fn merge(&mut self, other: &Moments) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// NaN without any.
    pub(super) fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// Standard error of the mean; NaN with fewer than two.
    pub(super) fn mean_error(&self) -> f64 {
        self.known_deviation() / self.count.sqrt()
    }

    /// Standard error of the standard deviation, of normal values; NaN with fewer than two.
    pub(super) fn deviation_error(&self) -> f64 {
        self.known_deviation() / (2.0 * self.count).sqrt()
    }

    /// One value does not deviate from its own mean, and says nothing of others.
    fn known_deviation(&self) -> f64 {
        if self.count < 2.0 { f64::NAN } else { self.deviation() }
    }

    /// Standard deviation; NaN without any.
    pub(super) fn deviation(&self) -> f64 {
        // Rounding may make the variance of equal values negative.
        (self.squares / self.count - self.mean().powi(2)).max(0.0).sqrt()
    }
}

/// Pulses of about one height or charge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bin {
    /// The height or charge that it stands for.
    pub(super) at: f64,
    pub(super) pulses: u64,
    pub(super) found: u64,
    /// Pulses without a hit of their own, under the hit of another pulse.
    pub(super) merged: u64,
    /// Time of the hit's peak less the time of the pulse's peak, ticks.
    pub(super) peak_time: Moments,
    /// Begin of the hit less the time of the pulse's peak, ticks.
    pub(super) begin: Moments,
    /// Ticks over the threshold.
    pub(super) over: Moments,
    /// Sum of the hit over the pulse's charge.
    pub(super) charge: Moments,
}

impl Bin {
    /// NaN without pulses.
    pub(super) fn efficiency(&self) -> f64 {
        self.found as f64 / self.pulses as f64
    }

    /// How far the true efficiency may lie below and above what was found, with a confidence of 68.3 % (Wilson, 1927): never below 0 or above 1, and not 0 where all or none were found. NaN
    /// without pulses.
    pub(super) fn efficiency_error(&self) -> (f64, f64) {
        if self.pulses == 0 {
            return (f64::NAN, f64::NAN);
        }
        let (n, found) = (self.pulses as f64, self.efficiency());
        // Wilson's interval with z = 1.
        let scale = 1.0 / (1.0 + 1.0 / n);
        let centre = scale * (found + 0.5 / n);
        let half = scale * (found * (1.0 - found) / n + 0.25 / (n * n)).sqrt();
        // Rounding may lead a little beyond.
        ((found - (centre - half)).clamp(0.0, found), (centre + half - found).clamp(0.0, 1.0 - found))
    }

    fn add(&mut self, pulse: &TruePulse, hit: Option<&Found>, merged: bool) {
        self.pulses += 1;
        self.merged += u64::from(merged);
        let Some(hit) = hit else { return };
        self.found += 1;
        self.peak_time.add(hit.peak_time - pulse.time_peak());
        self.begin.add(hit.begin - pulse.time_peak());
        self.over.add(hit.end - hit.begin);
        self.charge.add(hit.sum / pulse.charge());
    }

    pub(super) fn merge(&mut self, other: &Bin) {
        self.pulses += other.pulses;
        self.found += other.found;
        self.merged += other.merged;
        self.peak_time.merge(&other.peak_time);
        self.begin.merge(&other.begin);
        self.over.merge(&other.over);
        self.charge.merge(&other.charge);
    }
}

/// How well the hits of one kind of data and channels are found.
#[derive(Clone, Debug, Default)]
pub(super) struct Score {
    pub(super) name: String,
    /// By height at the peak, counts.
    pub(super) by_peak: Vec<Bin>,
    /// By charge, counts · ticks.
    pub(super) by_charge: Vec<Bin>,
    /// Hits in time with pulses.
    pub(super) hits: u64,
    pub(super) splits: u64,
    pub(super) astray: u64,
    /// Hits where there is no pulse, and the time in which they were counted.
    pub(super) fakes: u64,
    pub(super) channel_seconds: f64,
    /// Hits that found no room: must be 0.
    pub(super) lost: u64,
}

/// Charges that bins stand for, counts · ticks.
const CHARGES: [f64; 20] = [
    10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 125.0, 150.0, 175.0, 200.0, 250.0, 300.0, 350.0, 400.0, 500.0,
    700.0, 1000.0, 1500.0, 2500.0, 5000.0,
];

impl Score {
    pub(super) fn new(name: String, peaks: &[f32]) -> Score {
        let bins = |at: &mut dyn Iterator<Item = f64>| at.map(|at| Bin { at, ..Bin::default() }).collect();
        Score {
            name,
            by_peak: bins(&mut peaks.iter().map(|p| f64::from(*p))),
            by_charge: bins(&mut CHARGES.into_iter()),
            ..Score::default()
        }
    }

    /// Adds the pulses and hits of one channel.
    pub(super) fn add(&mut self, pulses: &[TruePulse], hits: &[Found], matches: &Matches) {
        for (p, pulse) in pulses.iter().enumerate() {
            let hit = matches.hit_of[p].and_then(|h| hits.get(h));
            let merged = matches.merged[p];
            let bins =
                [nearest(&mut self.by_peak, pulse.peak.into()), nearest(&mut self.by_charge, pulse.charge())];
            bins.into_iter().flatten().for_each(|bin| bin.add(pulse, hit, merged));
        }
        self.hits += hits.len() as u64;
        self.splits += matches.splits as u64;
        self.astray += matches.astray as u64;
    }

    /// Adds the counts of another thread.
    pub(super) fn merge(&mut self, other: &Score) {
        self.by_peak.iter_mut().zip(&other.by_peak).for_each(|(bin, other)| bin.merge(other));
        self.by_charge.iter_mut().zip(&other.by_charge).for_each(|(bin, other)| bin.merge(other));
        self.hits += other.hits;
        self.splits += other.splits;
        self.astray += other.astray;
        self.fakes += other.fakes;
        self.channel_seconds += other.channel_seconds;
        self.lost += other.lost;
    }

    pub(super) fn pulses(&self) -> u64 {
        self.by_peak.iter().map(|bin| bin.pulses).sum()
    }

    pub(super) fn found(&self) -> u64 {
        self.by_peak.iter().map(|bin| bin.found).sum()
    }

    pub(super) fn merged(&self) -> u64 {
        self.by_peak.iter().map(|bin| bin.merged).sum()
    }

    /// Hits that belong to a pulse, of all in the data with pulses. NaN without hits.
    pub(super) fn purity(&self) -> f64 {
        self.found() as f64 / self.hits as f64
    }

    /// False hits per channel and second; NaN when none were looked for.
    pub(super) fn fake_hz(&self) -> f64 {
        self.fakes as f64 / self.channel_seconds
    }
}

/// The bin nearest to `value`.
fn nearest(bins: &mut [Bin], value: f64) -> Option<&mut Bin> {
    bins.iter_mut().min_by(|a, b| (a.at - value).abs().total_cmp(&(b.at - value).abs()))
}

/// Where the efficiency comes up to `wanted`, by straight lines between the bins; `None` when it does not.
pub(super) fn point(bins: &[Bin], wanted: f64) -> Option<f64> {
    let known: Vec<&Bin> = bins.iter().filter(|bin| bin.pulses > 0).collect();
    // The first one: by chance a later bin may fall below again.
    let above = known.iter().position(|bin| bin.efficiency() >= wanted)?;
    let high = known[above];
    let Some(low) = above.checked_sub(1).map(|i| known[i]) else { return Some(high.at) };
    // `low` is below `wanted`, so the difference is not 0.
    let part = (wanted - low.efficiency()) / (high.efficiency() - low.efficiency());
    Some(low.at + part * (high.at - low.at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_on_straight_lines() {
        let bin = |at, found| Bin { at, pulses: 100, found, ..Bin::default() };
        let bins =
            [bin(10.0, 0), Bin { at: 12.0, ..Bin::default() }, bin(20.0, 40), bin(30.0, 60), bin(40.0, 100)];
        assert_eq!(point(&bins, 0.5), Some(25.0));
        assert_eq!(point(&bins, 0.2), Some(15.0));
        assert_eq!((point(&bins[..3], 0.5), point(&bins, 0.0)), (None, Some(10.0)));
    }

    /// By hand: n = 100 with 50, 0 and 100 found.
    #[test]
    fn errors_of_efficiencies_stay_within_what_can_be() {
        let error = |found, pulses| Bin { pulses, found, ..Bin::default() }.efficiency_error();
        let near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < 1e-4 && (a.1 - b.1).abs() < 1e-4;
        assert!(near(error(50, 100), (0.049_752, 0.049_752)), "{:?}", error(50, 100));
        assert!(near(error(0, 100), (0.0, 0.009_901)), "{:?}", error(0, 100));
        assert!(near(error(100, 100), (0.009_901, 0.0)), "{:?}", error(100, 100));
        for pulses in [1, 3, 1000] {
            for found in 0..=pulses {
                let part = found as f64 / pulses as f64;
                let (below, above) = error(found, pulses);
                assert!(below >= 0.0 && above >= 0.0 && below <= part && part + above <= 1.0 + 1e-12);
                assert!(below + above > 0.0);
            }
        }
        assert!(error(0, 0).0.is_nan());
    }

    #[test]
    fn moments_of_numbers() {
        let mut moments = Moments::default();
        [1.0, 3.0].into_iter().for_each(|v| moments.add(v));
        assert_eq!((moments.mean(), moments.deviation()), (2.0, 1.0));
        assert!(Moments::default().mean().is_nan());
        assert!((moments.mean_error() - 0.5f64.sqrt()).abs() < 1e-12 && moments.deviation_error() == 0.5);
        let mut one = Moments::default();
        one.add(7.0);
        assert!(one.mean() == 7.0 && one.mean_error().is_nan() && one.deviation_error().is_nan());
    }
}
