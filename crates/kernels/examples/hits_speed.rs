//! Prints the time of hit finding with unpacking, per level, algorithm and rate of pulses.
//!
//! `cargo run --release -p livetime-kernels --example hits_speed`
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a program that prints")]

use livetime_kernels::Level;
use livetime_kernels::hits::{
    FinderSetup, HitBuffer, HitFinder, RunningSum, SampleBits, SeedHits, TpgHits, TpgSetup,
};
use livetime_kernels::wib::{WIB1_BYTES, WIBETH_BYTES, pack_wib1, pack_wibeth, unpack_wib1, unpack_wibeth};
use std::time::Instant;

/// Batches that are gone over again and again.
const BATCHES: usize = 500;
/// Bytes of a superchunk.
const SUPERCHUNK: usize = 12 * WIB1_BYTES;

fn main() {
    println!("ns, best of many; superchunks of 256 channels x 12 ticks, then WIBEth frames of 64 x 64");
    let wib1 = [0.0, 10_000.0].map(superchunks);
    let ethernet = [0.0, 10_000.0].map(frames);
    for level in Level::available() {
        let show = |name: &str, times: [f64; 2]| {
            let ratio = times[1] / times[0];
            println!("{:9} {name:22} {:6.0}, at 10 kHz {:6.0}: {ratio:.2}", level.name(), times[0], times[1]);
        };
        let unpack = |_: &[i16], _: &mut HitBuffer| {};
        show("superchunk unpack", wib1.each_ref().map(|data| time(level, data, SUPERCHUNK, unpack)));
        let seed = |data: &Vec<u8>| {
            let mut finder = SeedHits::new(256, 3).expect("size");
            time(level, data, SUPERCHUNK, |s, hits| finder.find(level, s, 0, hits).expect("size"))
        };
        show("superchunk seed", wib1.each_ref().map(seed));
        for (name, bipolar) in [("superchunk default", false), ("superchunk bipolar", true)] {
            let finder = |data: &Vec<u8>| {
                let setup = FinderSetup { bipolar: [bipolar; 3], ..FinderSetup::new(SampleBits::Twelve) };
                let mut finder = HitFinder::new(&[2; 256], setup).expect("size");
                time(level, data, SUPERCHUNK, |s, hits| finder.find(level, s, 0, hits).expect("size"))
            };
            show(name, wib1.each_ref().map(finder));
        }
        show("WIBEth unpack", ethernet.each_ref().map(|data| time(level, data, WIBETH_BYTES, unpack)));
        for (name, running_sum) in
            [("WIBEth threshold", RunningSum::None), ("WIBEth running sum", RunningSum::Absolute)]
        {
            let tpg = |data: &Vec<u8>| {
                let setup = TpgSetup { limit: 1, running_sum, ..TpgSetup::default() };
                let mut finder = TpgHits::new(&[2; 64], setup).expect("size");
                time(level, data, WIBETH_BYTES, |s, hits| finder.find(level, s, 0, hits).expect("size"))
            };
            show(name, ethernet.each_ref().map(tpg));
        }
        let finder = |data: &Vec<u8>| {
            let mut finder = HitFinder::new(&[2; 64], FinderSetup::new(SampleBits::Fourteen)).expect("size");
            time(level, data, WIBETH_BYTES, |s, hits| finder.find(level, s, 0, hits).expect("size"))
        };
        show("WIBEth default", ethernet.each_ref().map(finder));
    }
}

fn superchunks(rate: f64) -> Vec<u8> {
    let mut frames = vec![0; BATCHES * SUPERCHUNK];
    pack_wib1(&noise(256, BATCHES * 12, 4, rate), &mut frames).expect("size");
    frames
}

fn frames(rate: f64) -> Vec<u8> {
    let mut frames = vec![0; BATCHES * WIBETH_BYTES];
    pack_wibeth(&noise(64, BATCHES * 64, 10, rate), &mut frames).expect("size");
    frames
}

/// Rows of noise of about `rms` with pulses of 100 to 400 counts, `rate` per channel and second.
fn noise(channels: usize, ticks: usize, rms: i16, rate: f64) -> Vec<i16> {
    let mut state = 1u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    let mut samples: Vec<i16> = (0..ticks * channels)
        .map(|_| {
            // The sum of four uniform numbers has a standard deviation of 0.577 of their range.
            let x = random();
            let sum: i32 = [0, 12, 24, 36].iter().map(|s| ((x >> s & 0xFFF) as i32) - 2048).sum();
            900 + (sum * i32::from(rms) / 2365) as i16
        })
        .collect();
    for _ in 0..(rate * 0.5e-6 * (ticks * channels) as f64) as usize {
        let (channel, start) = (random() as usize % channels, random() as usize % (ticks - 16));
        let peak = 100 + (random() % 300) as i16;
        for (i, part) in [1, 3, 8, 13, 16, 13, 8, 3, 1].into_iter().enumerate() {
            samples[(start + i) * channels + channel] += peak / 16 * part;
        }
    }
    samples
}

/// Mean time of unpacking and `find` per batch of `bytes`, best of several rounds, ns.
fn time(level: Level, data: &[u8], bytes: usize, mut find: impl FnMut(&[i16], &mut HitBuffer)) -> f64 {
    let mut hits = HitBuffer::with_capacity(100_000);
    let mut memory = vec![0; 4096 + 32];
    // Cache lines that are not cut.
    let aligned = memory.as_ptr().align_offset(64).min(32);
    let samples = &mut memory[aligned..][..if bytes == SUPERCHUNK { 256 * 12 } else { 64 * 64 }];
    let mut best = f64::MAX;
    for _ in 0..40 {
        let start = Instant::now();
        for batch in data.chunks_exact(bytes) {
            match bytes {
                SUPERCHUNK => unpack_wib1(level, batch, samples).expect("size"),
                _ => unpack_wibeth(level, batch, samples).expect("size"),
            }
            hits.clear();
            find(samples, &mut hits);
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / BATCHES as f64);
    }
    best
}
