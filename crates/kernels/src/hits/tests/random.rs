//! Random streams, cut at random, on every level, against the plain definitions. Hits must come in order.

use super::judge;
use crate::Level;
use crate::hits::{
    FinderSetup, Hit, HitBuffer, HitFinder, RunningSum, SampleBits, SeedHits, TpgHits, TpgSetup,
};
use crate::test_data::numbers;
use proptest::prelude::*;

/// The properties of a stream.
#[derive(Debug, Clone)]
struct Stream {
    channels: usize,
    ticks: usize,
    /// Counts that a sample may have.
    range: i64,
    /// Width of the noise.
    noise: i64,
    /// One tick in this many begins a pulse or a step.
    pulses: u64,
    /// One sample in this many is any value at all.
    wild: u64,
    seed: u64,
}

impl Stream {
    /// Per channel its samples.
    fn samples(&self) -> Vec<Vec<i64>> {
        (0..self.channels).map(|channel| self.channel(self.seed.wrapping_add(channel as u64))).collect()
    }

    fn channel(&self, seed: u64) -> Vec<i64> {
        let mut random = numbers(seed.wrapping_mul(77)).map(|x| x >> 13);
        let mut next = |below: u64| (random.next().unwrap() % below.max(1)) as i64;
        let (mut pedestal, mut pulse) = (next(self.range as u64), 0);
        let mut out = Vec::new();
        for _ in 0..self.ticks {
            if next(self.pulses) == 0 {
                pulse += next(self.range as u64 / 4) - self.range / 16;
            }
            if next(self.pulses * 8) == 0 {
                pedestal = next(self.range as u64);
            }
            let noise = next(self.noise as u64 + 1) + next(self.noise as u64 + 1) - self.noise;
            let wild = next(self.wild) == 0;
            let value = if wild { next(self.range as u64) } else { pedestal + pulse + noise };
            out.push(value.clamp(0, self.range - 1));
            pulse = pulse * 3 / 4;
        }
        out
    }
}

fn stream() -> impl Strategy<Value = Stream> {
    let range = prop_oneof![Just(4096i64), Just(16384)];
    (1usize..4, 0usize..900, range, 0i64..60, 4u64..400, 20u64..4000, any::<u64>()).prop_map(
        |(blocks, ticks, range, noise, pulses, wild, seed)| Stream {
            channels: blocks * 32,
            ticks,
            range,
            noise,
            pulses,
            wild,
            seed,
        },
    )
}

/// The hits of all channels in the order that is promised.
fn expected(samples: &[Vec<i64>], judge: impl Fn(usize, &[i64]) -> Vec<(i64, Hit)>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (channel, samples) in samples.iter().enumerate().filter(|(_, samples)| !samples.is_empty()) {
        hits.extend(judge(channel, samples).into_iter().map(|(found, hit)| (found, channel as u16, hit)));
    }
    hits.sort_by_key(|(found, channel, _)| (*found, *channel));
    hits.into_iter().map(|(_, channel, hit)| Hit { channel, ..hit }).collect()
}

/// The hits that `find` finds in `samples`, cut by `seed`, on every level.
fn check(
    samples: &[Vec<i64>],
    seed: u64,
    expected: &[Hit],
    mut find: impl FnMut(Level, &mut dyn Iterator<Item = (i64, Vec<i16>)>, &mut HitBuffer),
) {
    let ticks = samples[0].len();
    for level in Level::available() {
        let mut hits = HitBuffer::with_capacity(1 << 20);
        let mut sizes = numbers(seed).map(|x| [1, 2, 12, 31, 32, 33, 64, 200][(x >> 20) as usize % 8]);
        let mut at = 0;
        let mut batches = std::iter::from_fn(|| {
            let end = (at + sizes.next()?).min(ticks);
            let rows = (at..end).flat_map(|t| samples.iter().map(move |s| s[t] as i16)).collect();
            let first = at as i64;
            at = end;
            (first < end as i64).then_some((first, rows))
        });
        find(level, &mut batches, &mut hits);
        let found = hits.hits();
        let difference = found.iter().zip(expected).find(|(a, b)| a != b);
        assert!(difference.is_none(), "{}: {difference:?}", level.name());
        assert_eq!(found.len(), expected.len(), "{}", level.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn seed(stream in stream(), offset in 0i16..60) {
        let samples = stream.samples();
        let expected = expected(&samples, |_, samples| judge::seed(samples, offset.into()));
        check(&samples, stream.seed, &expected, |level, batches, hits| {
            let mut finder = SeedHits::new(stream.channels, offset).unwrap();
            batches.for_each(|(first, rows)| finder.find(level, &rows, first, hits).unwrap());
        });
    }

    #[test]
    fn tpg(
        stream in stream(),
        limit in 1i16..20,
        fixed in proptest::option::of(0u64..600),
        running_sum in prop_oneof![Just(RunningSum::None), Just(RunningSum::Signed), Just(RunningSum::Absolute)],
        threshold in prop::array::uniform3(0i16..200),
    ) {
        let setup = TpgSetup { limit, fixed_after: fixed, running_sum, threshold, ..TpgSetup::default() };
        let samples = stream.samples();
        let planes: Vec<u8> = (0..stream.channels).map(|c| (c % 3) as u8).collect();
        let expected = expected(&samples, |channel, samples| judge::tpg(samples, channel % 3, &setup));
        check(&samples, stream.seed, &expected, |level, batches, hits| {
            let mut finder = TpgHits::new(&planes, setup).unwrap();
            batches.for_each(|(first, rows)| finder.find(level, &rows, first, hits).unwrap());
        });
    }

    #[test]
    fn finder(stream in stream(), threshold in 0.6f32..9.0, floor in 0i16..20, bipolar in any::<[bool; 3]>()) {
        let bits = if stream.range == 4096 { SampleBits::Twelve } else { SampleBits::Fourteen };
        let setup = FinderSetup { bits, threshold: [threshold, 2.0, 5.0], floor, bipolar };
        let samples = stream.samples();
        let planes: Vec<u8> = (0..stream.channels).map(|c| (c % 3) as u8).collect();
        let expected = expected(&samples, |channel, samples| judge::finder(samples, channel % 3, &setup));
        check(&samples, stream.seed, &expected, |level, batches, hits| {
            let mut finder = HitFinder::new(&planes, setup).unwrap();
            batches.for_each(|(first, rows)| finder.find(level, &rows, first, hits).unwrap());
        });
    }
}
