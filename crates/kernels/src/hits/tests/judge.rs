//! Plain definitions of the three algorithms, one channel at a time, in wide integers and with the filter as a sum of
//! products. Hits are given as (tick at which found, hit).

use crate::hits::finder::FinderSetup;
use crate::hits::{Hit, RunningSum, SampleBits, TpgSetup};

const TAPS: [i64; 7] = [1, 6, 15, 20, 15, 6, 1];

fn wrap(v: i64) -> i64 {
    i64::from(v as i16)
}

struct Frugal {
    value: i64,
    steps: i64,
}

impl Frugal {
    fn new(value: i64) -> Frugal {
        Frugal { value, steps: 0 }
    }

    fn step(&mut self, step: i64, limit: i64) {
        self.steps += step;
        if self.steps.abs() > limit {
            self.value += self.steps.signum();
            self.steps = 0;
        }
    }
}

pub(super) fn seed(samples: &[i64], offset: i64) -> Vec<(i64, Hit)> {
    let mut median = Frugal::new(samples[0]);
    let (mut low, mut high) = (Frugal::new(samples[0] - offset), Frugal::new(samples[0] + offset));
    let (mut past, mut sum, mut over) = (vec![0; 9], 0, 0);
    let mut hits = Vec::new();
    for (tick, &s) in samples.iter().enumerate() {
        let middle = median.value;
        if s < middle {
            low.step((s - low.value).signum(), 10);
        }
        if s > middle {
            high.step((s - high.value).signum(), 10);
        }
        median.step((s - middle).signum(), 10);
        past.rotate_right(1);
        past[0] = (s - median.value).min(511);
        let filtered = wrap(TAPS.iter().zip(&past[2..]).map(|(tap, v)| tap * v).sum());
        let tick = tick as i64;
        if filtered > (high.value - low.value).min(102) * 5 * 64 {
            sum = (sum + (filtered >> 6)).clamp(-32768, 32767);
            over = (over + 1).min(32767);
        } else if over > 0 {
            if sum != 0 {
                hits.push((
                    tick,
                    Hit { start: tick - over, sum: sum as i32, over: over as u16, ..Hit::default() },
                ));
            }
            (sum, over) = (0, 0);
        }
    }
    hits
}

fn tenth(v: i64) -> i64 {
    (v * 3276 + 0x4000) >> 15
}

pub(super) fn tpg(samples: &[i64], plane: usize, setup: &TpgSetup) -> Vec<(i64, Hit)> {
    let mut pedestal = Frugal::new(0x4000);
    let (mut running, mut hit, mut hits) = (0, Hit::default(), Vec::new());
    for (tick, &s) in samples.iter().enumerate() {
        if setup.fixed_after.is_none_or(|after| (tick as u64) < after) {
            pedestal.step((s - pedestal.value).signum(), setup.limit.into());
        }
        let mut v = wrap(s - pedestal.value);
        if setup.running_sum != RunningSum::None {
            let x = if setup.running_sum == RunningSum::Absolute { v.abs() } else { v };
            let parts = [(running, setup.memory), (x, setup.scale)];
            let sum: i64 = parts.iter().map(|(v, factor)| wrap(tenth(*v) * i64::from(factor[plane]))).sum();
            running = sum.clamp(-32768, 32767);
            v = running;
        }
        let over = v > i64::from(setup.threshold[plane]);
        if over {
            if v > i64::from(hit.peak) {
                (hit.peak, hit.to_peak) = (v as i16, hit.over);
            }
            hit.sum = (hit.sum + v as i32).min(65535);
            hit.over += 1;
        }
        if hit.sum == 65535 || (!over && hit.over > 0) {
            hits.push((tick as i64, Hit { start: tick as i64 - i64::from(hit.over), ..hit }));
            hit = Hit::default();
        }
    }
    hits
}

fn median(mut values: Vec<i64>) -> i64 {
    values.sort();
    values[(values.len() - 1) / 2]
}

/// The filter of ours: in units of 1/8 of a shifted sample, rounded half way.
struct Smooth {
    shift: u32,
    past: Vec<i64>,
    halves: Vec<i64>,
}

impl Smooth {
    fn new(shift: u32) -> Smooth {
        Smooth { shift, past: vec![0; 4], halves: vec![0; 4] }
    }

    fn next(&mut self, over_median: i64) -> i64 {
        let cube = |past: &[i64]| past[0] + 3 * past[1] + 3 * past[2] + past[3];
        self.past.rotate_right(1);
        self.past[0] = over_median >> self.shift;
        self.halves.rotate_right(1);
        self.halves[0] = (cube(&self.past) + if self.shift == 0 { 4 } else { 7 }) >> 3;
        cube(&self.halves)
    }
}

pub(super) fn finder(samples: &[i64], plane: usize, setup: &FinderSetup) -> Vec<(i64, Hit)> {
    if samples.len() < 64 {
        return Vec::new();
    }
    let (shift, fraction) = match setup.bits {
        SampleBits::Twelve => (0, 3),
        SampleBits::Fourteen => (2, 1),
    };
    let mut pedestal = Frugal::new(median(samples[..64].to_vec()));
    let mut smooth = Smooth::new(shift);
    let first: Vec<i64> = samples[..64].iter().map(|s| smooth.next(s - pedestal.value).abs()).collect();
    let mut noise = Frugal::new(median(first[6..].to_vec()));
    let factor = (setup.threshold[plane] * 1.4826 * 2048.0).round() as i64;
    let least = (i64::from(setup.floor) << fraction).max(1);
    let threshold_of = |noise: i64| ((noise.min(1023) * 32 * factor) >> 16).max(least);
    let mut threshold = threshold_of(noise.value);
    let mut smooth = Smooth::new(shift);
    let gap = if setup.bipolar[plane] { 4 } else { 0 };
    let mut hits = Vec::new();
    // Values since the begin of the hit; `None` for a value not over the threshold.
    let mut open: Vec<Option<i64>> = Vec::new();
    for (tick, &s) in samples.iter().enumerate() {
        let filtered = smooth.next(s - pedestal.value);
        let value = if setup.bipolar[plane] { filtered.abs() } else { filtered };
        let over = value > threshold || (!open.is_empty() && value > threshold >> 1);
        if over || !open.is_empty() {
            open.push(over.then_some(value));
        }
        let under = open.iter().rev().take_while(|v| v.is_none()).count();
        let (cut, ended) = (open.len() == 4000, under > gap);
        if cut || ended {
            if ended {
                open.truncate(open.len() - under);
            }
            let end = if ended { tick + 1 - under } else { tick + 1 } as i64;
            let peak = open.iter().flatten().copied().max().unwrap();
            let half = (1 << fraction) >> 1;
            let hit = Hit {
                start: end - open.len() as i64 - 3,
                sum: ((open.iter().flatten().sum::<i64>() + half) >> fraction) as i32,
                over: open.len() as u16,
                to_peak: open.iter().position(|v| *v == Some(peak)).unwrap() as u16,
                peak: ((peak + half) >> fraction) as i16,
                channel: 0,
                late: (tick as i64 - end + 3) as u16,
                flags: if ended { 0 } else { Hit::CUT },
            };
            hits.push((tick as i64, hit));
            open.clear();
        }
        if tick % 8 == 7 {
            pedestal.step((s - pedestal.value).signum(), 10);
            noise.step((filtered.abs() - noise.value).signum(), 10);
            threshold = threshold_of(noise.value);
        }
    }
    hits
}
