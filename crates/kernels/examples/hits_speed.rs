//! Prints the time of unpacking and hit finding, per level, algorithm and rate of pulses.
//!
//! `cargo run --release -p livetime-kernels --example hits_speed`
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a program that prints")]

use livetime_kernels::Level;
use livetime_kernels::hits::{
    FinderSetup, HitBuffer, HitFinder, RunningSum, SampleBits, SeedHits, TpgHits, TpgSetup,
};
use livetime_kernels::wib::{unpack_wib1, unpack_wibeth};
use std::time::Instant;

/// Ticks of the noise that is gone over again and again.
const TICKS: usize = 12 * 512;

fn main() {
    println!("us, best of many; per superchunk of 256 channels x 12 ticks, or WIBEth frame of 64 x 64");
    println!(
        "level     unpack  seed  seed 10 kHz  default  default 10 kHz  bipolar | WIBEth: unpack  threshold  running sum  default"
    );
    for level in Level::available() {
        let mut samples = vec![0i16; 256 * 12];
        let frames: Vec<u8> = (0..464 * 12).map(|i| (i * 7 % 251) as u8).collect();
        let unpack = best(1000, || unpack_wib1(level, &frames, &mut samples).expect("size"));
        let quiet = noise(256, 4, 0.0);
        let busy = noise(256, 4, 10_000.0);
        let seed = |samples| {
            let mut finder = SeedHits::new(256, 3).expect("size");
            per_batch(samples, 256 * 12, |s, hits| finder.find(level, s, 0, hits).expect("size"))
        };
        let finder = |samples, bipolar| {
            let setup = FinderSetup { bipolar: [bipolar; 3], ..FinderSetup::new(SampleBits::Twelve) };
            let mut finder = HitFinder::new(&[2; 256], setup).expect("size");
            per_batch(samples, 256 * 12, |s, hits| finder.find(level, s, 0, hits).expect("size"))
        };
        let (a, b, c, d, e) =
            (seed(&quiet), seed(&busy), finder(&quiet, false), finder(&busy, false), finder(&quiet, true));
        let ethernet = noise(64, 10, 0.0);
        let mut samples = vec![0i16; 64 * 64];
        let frame: Vec<u8> = (0..7200).map(|i| (i * 7 % 251) as u8).collect();
        let unpack_ethernet = best(1000, || unpack_wibeth(level, &frame, &mut samples).expect("size"));
        let tpg = |running_sum| {
            let setup = TpgSetup { limit: 1, running_sum, ..TpgSetup::default() };
            let mut finder = TpgHits::new(&[2; 64], setup).expect("size");
            per_batch(&ethernet, 64 * 64, |s, hits| finder.find(level, s, 0, hits).expect("size"))
        };
        let mut finder = HitFinder::new(&[2; 64], FinderSetup::new(SampleBits::Fourteen)).expect("size");
        let standard = per_batch(&ethernet, 64 * 64, |s, hits| finder.find(level, s, 0, hits).expect("size"));
        println!(
            "{:9} {unpack:6.3} {a:5.3} {b:12.3} {c:8.3} {d:15.3} {e:8.3} | {unpack_ethernet:14.3} {:10.3} {:12.3} {standard:8.3}",
            level.name(),
            tpg(RunningSum::None),
            tpg(RunningSum::Absolute),
        );
    }
}

/// Rows of noise of about `rms` with pulses of 100 to 400 counts, `rate` per channel and second.
fn noise(channels: usize, rms: i16, rate: f64) -> Vec<i16> {
    let mut state = 1u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    let mut samples: Vec<i16> = (0..TICKS * channels)
        .map(|_| {
            // Four uniform numbers: a standard deviation of 0.577 of their range.
            let x = random();
            let sum: i32 = [0, 12, 24, 36].iter().map(|s| ((x >> s & 0xFFF) as i32) - 2048).sum();
            900 + (sum * i32::from(rms) / 2365) as i16
        })
        .collect();
    for _ in 0..(rate * 0.5e-6 * (TICKS * channels) as f64) as usize {
        let (channel, start, peak) =
            (random() as usize % channels, random() as usize % (TICKS - 16), 100 + (random() % 300) as i16);
        for (i, part) in [1, 3, 8, 13, 16, 13, 8, 3, 1].into_iter().enumerate() {
            samples[(start + i) * channels + channel] += peak / 16 * part;
        }
    }
    samples
}

/// Mean time per batch over all samples, best of several rounds, us.
fn per_batch(samples: &[i16], batch: usize, mut find: impl FnMut(&[i16], &mut HitBuffer)) -> f64 {
    let mut hits = HitBuffer::with_capacity(100_000);
    let time = best(12, || {
        for samples in samples.chunks(batch) {
            hits.clear();
            find(samples, &mut hits);
        }
    });
    time / (samples.len() / batch) as f64
}

fn best(count: usize, mut f: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        f();
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..count).map(time).fold(f64::MAX, f64::min)
}
