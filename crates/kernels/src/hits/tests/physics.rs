//! Efficiency and false hits in simulated noise: the purpose of the algorithms.

use crate::Level;
use crate::hits::{FinderSetup, Hit, HitBuffer, HitFinder, SampleBits, SeedHits};
use crate::test_data::numbers;

const CHANNELS: usize = 256;
/// Ticks between pulses.
const EVERY: usize = 200;
/// Ticks until all is settled: 3 ms.
const SETTLED: usize = 6000;

/// Normal numbers, by Box and Muller.
fn normal(seed: u64) -> impl Iterator<Item = f64> {
    // Never 0, which has no logarithm.
    let mut uniform = numbers(seed).map(|x| ((x >> 11) as f64 + 0.5) / (1u64 << 53) as f64);
    std::iter::from_fn(move || {
        let radius = (-2.0 * uniform.next()?.ln()).sqrt();
        let angle = std::f64::consts::TAU * uniform.next()?;
        Some([radius * angle.cos(), radius * angle.sin()])
    })
    .flatten()
}

/// Noise of rms 4 with `correlation` between neighbouring ticks, and pulses of `amplitude` with a width of 2.5 ticks.
fn samples(ticks: usize, correlation: f64, amplitude: f64) -> Vec<i16> {
    let mut random = normal(7);
    let mut last: Vec<f64> = random.by_ref().take(CHANNELS).collect();
    // Keeps the deviation of correlated noise at 1.
    let fresh = (1.0 - correlation * correlation).sqrt();
    let mut phases = numbers(3).map(|x| (x >> 11) as f64 / (1u64 << 53) as f64);
    let mut phase = vec![0.0; CHANNELS];
    let mut out = Vec::with_capacity(ticks * CHANNELS);
    for tick in 0..ticks {
        for c in 0..CHANNELS {
            if tick % EVERY == 0 {
                // A pulse may have its peak anywhere between two ticks.
                phase[c] = phases.next().unwrap();
            }
            last[c] = correlation * last[c] + fresh * random.next().unwrap();
            let from_peak = (tick % EVERY) as f64 - 100.0 - phase[c];
            let pulse =
                if tick > SETTLED { amplitude * (-0.5 * (from_peak / 2.5).powi(2)).exp() } else { 0.0 };
            out.push((900.0 + 4.0 * last[c] + pulse).round() as i16);
        }
    }
    out
}

/// Part of the pulses with a hit whose peak (or begin) lies within 10 ticks of theirs.
fn efficiency(hits: &[Hit], ticks: usize) -> f64 {
    let mut found = vec![false; (ticks / EVERY + 1) * CHANNELS];
    for hit in hits {
        let time = hit.start + i64::from(hit.to_peak);
        let pulse = time.div_euclid(EVERY as i64);
        if time > SETTLED as i64 && (time.rem_euclid(EVERY as i64) - 100).abs() <= 10 {
            found[pulse as usize * CHANNELS + usize::from(hit.channel)] = true;
        }
    }
    let pulses = (ticks - SETTLED) / EVERY * CHANNELS;
    found.iter().filter(|f| **f).count() as f64 / pulses as f64
}

fn default_hits(samples: &[i16]) -> Vec<Hit> {
    let mut finder = HitFinder::new(&[2; CHANNELS], FinderSetup::new(SampleBits::Twelve)).unwrap();
    let mut hits = HitBuffer::with_capacity(1 << 20);
    finder.find(Level::best(), samples, 0, &mut hits).unwrap();
    hits.hits().to_vec()
}

#[test]
fn the_default_finds_half_of_the_pulses_that_are_asked_for() {
    let ticks = SETTLED + 20 * EVERY;
    for (correlation, amplitude) in [(0.0, 15.0), (0.6, 22.0)] {
        let found = efficiency(&default_hits(&samples(ticks, correlation, amplitude)), ticks);
        println!("correlation {correlation}: {found:.3} of pulses of {amplitude} counts");
        assert!(found > 0.5, "correlation {correlation}: {found}");
    }
}

#[test]
fn the_default_has_less_than_one_false_hit_per_channel_and_second() {
    let ticks = SETTLED + 40_000;
    for correlation in [0.0, 0.6] {
        let hits = default_hits(&samples(ticks, correlation, 0.0));
        let false_hits = hits.iter().filter(|hit| hit.start > SETTLED as i64).count() as f64;
        let seconds = 40_000.0 * 0.5e-6 * CHANNELS as f64;
        println!("correlation {correlation}: {false_hits} false hits in {seconds} channel-seconds");
        assert!(false_hits < seconds, "correlation {correlation}: {false_hits} in {seconds}");
    }
}

#[test]
fn the_seed_has_the_efficiency_that_was_measured() {
    let ticks = SETTLED + 40 * EVERY;
    for (amplitude, expected) in [(30.0, 0.06), (35.0, 0.37), (40.0, 0.75), (50.0, 0.998), (60.0, 1.0)] {
        let mut finder = SeedHits::new(CHANNELS, 3).unwrap();
        let mut hits = HitBuffer::with_capacity(1 << 20);
        finder.find(Level::best(), &samples(ticks, 0.0, amplitude), 0, &mut hits).unwrap();
        let found = efficiency(hits.hits(), ticks);
        println!("{amplitude} counts: {found:.3}, expected {expected}");
        assert!((found - expected).abs() < 0.02, "{amplitude}: {found} instead of {expected}");
    }
}
