//! Which hit is which pulse.

use livetime_sim::wires::TruePulse;

use super::finder::Found;

/// The matches between the pulses and hits of one channel.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Matches {
    /// For each pulse its hit.
    pub(super) hit_of: Vec<Option<usize>>,
    /// For each pulse without a hit of its own: whether the hit of another one lies over it.
    pub(super) merged: Vec<bool>,
    /// Hits of no pulse that lie over one which has its hit already.
    pub(super) splits: usize,
    /// Hits of no pulse that lie over one which has none: too far from its peak.
    pub(super) astray: usize,
    /// Hits where there is no pulse.
    pub(super) fakes: usize,
}

/// Pulses reach so many standard deviations to either side, as far as hits are concerned.
const REACH: f64 = 4.0;

/// Compares the pulses and hits of one channel, both in the order of time: a hit belongs to the nearest pulse at most `tolerance`
/// ticks away, one to one, nearest first.
pub(super) fn matches(pulses: &[TruePulse], hits: &[Found], tolerance: f64) -> Matches {
    let (hit_of, is_taken) = pair(pulses, hits, tolerance);
    let lies_over = |hit: &Found, pulse: &TruePulse| {
        let reach = REACH * f64::from(pulse.width) + tolerance;
        hit.begin < pulse.centre + reach && hit.end > pulse.centre - reach
    };
    let mut matches = Matches { merged: vec![false; pulses.len()], ..Matches::default() };
    for (p, _) in hit_of.iter().enumerate().filter(|(_, hit)| hit.is_none()) {
        let at = pulses[p].time_peak();
        matches.merged[p] =
            hits.iter().zip(&is_taken).any(|(h, taken)| *taken && h.begin <= at && at < h.end);
    }
    for (hit, _) in hits.iter().zip(&is_taken).filter(|(_, taken)| !**taken) {
        let mut over = pulses.iter().zip(&hit_of).filter(|(pulse, _)| lies_over(hit, pulse)).peekable();
        match () {
            () if over.peek().is_none() => matches.fakes += 1,
            () if over.any(|(_, hit)| hit.is_some()) => matches.splits += 1,
            () => matches.astray += 1,
        }
    }
    matches.hit_of = hit_of;
    matches
}

/// For each pulse its hit, and for each hit whether it has a pulse.
fn pair(pulses: &[TruePulse], hits: &[Found], tolerance: f64) -> (Vec<Option<usize>>, Vec<bool>) {
    let mut near = Vec::new();
    for (p, pulse) in pulses.iter().enumerate() {
        let at = pulse.time_peak();
        // Hits are in the order of their end, so their peaks are nearly in order: look a little further.
        let first = hits.partition_point(|h| h.end < at - tolerance);
        for (h, hit) in hits.iter().enumerate().skip(first).take_while(|(_, h)| h.begin <= at + tolerance) {
            let apart = (hit.peak_time - at).abs();
            if apart <= tolerance {
                near.push((apart, p, h));
            }
        }
    }
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut hit_of, mut is_taken) = (vec![None; pulses.len()], vec![false; hits.len()]);
    for (_, p, h) in near {
        if hit_of[p].is_none() && !is_taken[h] {
            (hit_of[p], is_taken[h]) = (Some(h), true);
        }
    }
    (hit_of, is_taken)
}

#[cfg(test)]
mod tests {
    use livetime_sim::wires::Origin;

    use super::*;

    fn pulse(centre: f64) -> TruePulse {
        TruePulse {
            link: 0,
            channel: 0,
            centre,
            peak: 50.0,
            width: 2.5,
            bipolar: false,
            origin: Origin::Test,
        }
    }

    fn hit(begin: f64, end: f64, peak_time: f64) -> Found {
        Found { channel: 0, begin, end, peak_time, sum: 0.0 }
    }

    #[test]
    fn the_nearest_come_together_one_to_one() {
        let pulses = [pulse(100.0), pulse(108.0), pulse(300.0)];
        let hits = [hit(95.0, 104.0, 101.0), hit(105.0, 112.0, 109.0), hit(318.0, 325.0, 322.0)];
        let found = matches(&pulses, &hits, 10.0);
        assert_eq!(found.hit_of, [Some(0), Some(1), None]);
        assert_eq!((found.splits, found.astray, found.fakes), (0, 1, 0));
        assert_eq!(found.merged, [false; 3]);
    }

    #[test]
    fn splits_merges_and_fakes() {
        let split = matches(&[pulse(100.0)], &[hit(96.0, 99.0, 97.0), hit(100.0, 104.0, 101.0)], 10.0);
        assert_eq!((split.hit_of, split.splits, split.fakes), (vec![Some(1)], 1, 0));
        let merged = matches(&[pulse(100.0), pulse(108.0)], &[hit(94.0, 115.0, 101.0)], 10.0);
        assert_eq!((merged.hit_of, merged.merged), (vec![Some(0), None], vec![false, true]));
        let fake = matches(&[pulse(100.0)], &[hit(200.0, 203.0, 201.0)], 10.0);
        assert_eq!((fake.hit_of, fake.fakes, fake.merged), (vec![None], 1, vec![false]));
    }
}
