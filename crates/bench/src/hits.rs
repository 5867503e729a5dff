//! `livetime-bench hits`: unpacking and hit finding, per algorithm and instruction-set level, on one core.
//!
//! The samples are noise with a standard deviation of 4 counts (14 bits: 10), quiet or with 10,000 pulses per channel and
//! second. Frames are read from a few MB that are gone over repeatedly; headers are not looked at.

use crate::Failed;
use std::time::{Duration, Instant};

use livetime_kernels::hits::{
    FinderSetup, HitBuffer, HitFinder, RunningSum, SampleBits, SeedHits, TpgHits, TpgSetup,
};
use livetime_kernels::wib::{WIB1_BYTES, WIBETH_BYTES, pack_wib1, pack_wibeth, unpack_wib1, unpack_wibeth};
use livetime_kernels::{LengthError, Level};
use serde_json::{Value, json};

use super::{Progress, Record, Settings, Spread};
use livetime_control::report::table::{Style, Table};

/// Superchunks or WIBEth frames in memory.
const BATCHES: usize = 500;
/// Ticks of a superchunk.
const TICKS: usize = 12;
/// Pulses per channel and second.
const BUSY: f64 = 10_000.0;

/// The unit of input.
#[derive(Clone, Copy, PartialEq)]
enum Input {
    /// 12 WIB1 frames: 256 channels, 6 us.
    Superchunk,
    /// A WIBEth frame: 64 channels, 32.768 us.
    Ethernet,
}

impl Input {
    fn name(self) -> &'static str {
        if self == Input::Superchunk { "superchunk" } else { "wibeth" }
    }

    fn bytes(self) -> usize {
        if self == Input::Superchunk { TICKS * WIB1_BYTES } else { WIBETH_BYTES }
    }

    fn channels(self) -> usize {
        if self == Input::Superchunk { 256 } else { 64 }
    }

    fn ticks(self) -> usize {
        if self == Input::Superchunk { TICKS } else { 64 }
    }

    /// Time in which the detector sends one unit.
    fn real_ns(self) -> f64 {
        if self == Input::Superchunk { 6000.0 } else { 32_768.0 }
    }

    /// Links or streams of an anode plane.
    fn per_apa(self) -> f64 {
        if self == Input::Superchunk { 10.0 } else { 40.0 }
    }

    fn unpack(self, level: Level, bytes: &[u8], samples: &mut [i16]) -> Result<(), LengthError> {
        match self {
            Input::Superchunk => unpack_wib1(level, bytes, samples),
            Input::Ethernet => unpack_wibeth(level, bytes, samples),
        }
    }

    /// [`BATCHES`] of them, with `rate` pulses per channel and second.
    fn frames(self, rate: f64) -> Result<Vec<u8>, LengthError> {
        let rms = if self == Input::Superchunk { 4 } else { 10 };
        let samples = noise(self.channels(), BATCHES * self.ticks(), rms, rate);
        let mut frames = vec![0; BATCHES * self.bytes()];
        match self {
            Input::Superchunk => pack_wib1(&samples, &mut frames)?,
            Input::Ethernet => pack_wibeth(&samples, &mut frames)?,
        }
        Ok(frames)
    }
}

type Find = Box<dyn FnMut(&[i16], &mut HitBuffer) -> Result<(), LengthError>>;

struct Case {
    algorithm: &'static str,
    input: Input,
    /// A hit finder that starts again.
    finder: fn(Level) -> Result<Find, LengthError>,
}

const CASES: &[Case] = &[
    Case { algorithm: "unpack", input: Input::Superchunk, finder: |_| Ok(Box::new(|_, _| Ok(()))) },
    Case { algorithm: "seed", input: Input::Superchunk, finder: seed },
    Case { algorithm: "tpg", input: Input::Superchunk, finder: |level| tpg(level, 256, RunningSum::None) },
    Case {
        algorithm: "default",
        input: Input::Superchunk,
        finder: |level| default(level, SampleBits::Twelve, false),
    },
    Case {
        algorithm: "default bipolar",
        input: Input::Superchunk,
        finder: |level| default(level, SampleBits::Twelve, true),
    },
    Case { algorithm: "unpack", input: Input::Ethernet, finder: |_| Ok(Box::new(|_, _| Ok(()))) },
    Case { algorithm: "tpg", input: Input::Ethernet, finder: |level| tpg(level, 64, RunningSum::None) },
    Case {
        algorithm: "tpg running sum",
        input: Input::Ethernet,
        finder: |level| tpg(level, 64, RunningSum::Absolute),
    },
    Case {
        algorithm: "default",
        input: Input::Ethernet,
        finder: |level| default(level, SampleBits::Fourteen, false),
    },
];

fn seed(level: Level) -> Result<Find, LengthError> {
    let mut finder = SeedHits::new(256, 3)?;
    Ok(Box::new(move |samples, hits| finder.find(level, samples, 0, hits)))
}

fn tpg(level: Level, channels: usize, running_sum: RunningSum) -> Result<Find, LengthError> {
    let mut finder =
        TpgHits::new(&vec![2; channels], TpgSetup { limit: 1, running_sum, ..TpgSetup::default() })?;
    Ok(Box::new(move |samples, hits| finder.find(level, samples, 0, hits)))
}

fn default(level: Level, bits: SampleBits, bipolar: bool) -> Result<Find, LengthError> {
    let channels = if bits == SampleBits::Twelve { 256 } else { 64 };
    let setup = FinderSetup { bipolar: [bipolar; 3], ..FinderSetup::new(bits) };
    let mut finder = HitFinder::new(&vec![2; channels], setup)?;
    Ok(Box::new(move |samples, hits| finder.find(level, samples, 0, hits)))
}

struct Row {
    algorithm: &'static str,
    input: Input,
    level: &'static str,
    quiet: Spread,
    busy: Spread,
}

pub(super) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let wrong = |e: LengthError| e.to_string();
    let mut rows = Vec::new();
    for input in [Input::Superchunk, Input::Ethernet] {
        let [quiet, busy] = [input.frames(0.0).map_err(wrong)?, input.frames(BUSY).map_err(wrong)?];
        for level in Level::available() {
            let wanted = |case: &&Case| case.input == input && case.algorithm.contains(&settings.filter);
            for case in CASES.iter().filter(wanted) {
                progress.log(format!("{} {} {}", input.name(), case.algorithm, level.name()));
                let measure = |frames| measure(case, level, frames, settings).map_err(wrong);
                let (quiet, busy) = (measure(&quiet)?, measure(&busy)?);
                rows.push(Row { algorithm: case.algorithm, input, level: level.name(), quiet, busy });
            }
        }
    }
    Ok(record(&rows))
}

fn measure(case: &Case, level: Level, frames: &[u8], settings: &Settings) -> Result<Spread, LengthError> {
    let mut find = (case.finder)(level)?;
    let mut hits = HitBuffer::with_capacity(case.input.channels() * (case.input.ticks() + 1));
    let mut memory = vec![0; case.input.channels() * case.input.ticks() + 32];
    // Samples that begin at a cache line are not cut by loads.
    let start = memory.as_ptr().align_offset(64).min(32);
    let samples = &mut memory[start..][..case.input.channels() * case.input.ticks()];
    let mut pass = || {
        for batch in frames.chunks_exact(case.input.bytes()) {
            case.input.unpack(level, batch, samples)?;
            hits.clear();
            find(samples, &mut hits)?;
        }
        Ok(())
    };
    // The first pass fills caches and lets the finder settle, so it is not timed.
    pass()?;
    let repeats = (0..settings.repeats()).map(|_| sample(&mut pass, settings.quick));
    Ok(Spread::of(repeats.collect::<Result<_, _>>()?))
}

/// Mean time per batch in ns, over as many passes as fit into a tenth of a second.
fn sample(pass: &mut impl FnMut() -> Result<(), LengthError>, quick: bool) -> Result<f64, LengthError> {
    let span = Duration::from_millis(if quick { 1 } else { 100 });
    let (start, mut passes) = (Instant::now(), 0);
    while start.elapsed() < span {
        pass()?;
        passes += 1;
    }
    Ok(start.elapsed().as_nanos() as f64 / f64::from(passes) / BATCHES as f64)
}

/// Rows of noise of about `rms` at 900 counts, with pulses of 100 to 400 counts.
fn noise(channels: usize, ticks: usize, rms: i16, rate: f64) -> Vec<i16> {
    let mut state = 1u64;
    let mut random = move || {
        // Xorshift: the same numbers in each run.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    let mut sample = || {
        // Four numbers of 12 bits: a standard deviation of 2365.
        let bits = random();
        let sum: i32 = [0, 12, 24, 36].iter().map(|shift| (bits >> shift & 0xFFF) as i32 - 2048).sum();
        900 + (sum * i32::from(rms) / 2365) as i16
    };
    let mut samples: Vec<i16> = (0..ticks * channels).map(|_| sample()).collect();
    // A tick takes about half a microsecond in both formats.
    let pulses = (rate * 0.5e-6 * (ticks * channels) as f64) as usize;
    for _ in 0..pulses {
        // A pulse ends before the samples do.
        let (channel, start) = (random() as usize % channels, random() as usize % (ticks - 16));
        let peak = 100 + (random() % 300) as i16;
        for (i, part) in [1, 3, 8, 13, 16, 13, 8, 3, 1].into_iter().enumerate() {
            samples[(start + i) * channels + channel] += peak / 16 * part;
        }
    }
    samples
}

fn record(rows: &[Row]) -> Record {
    let links = |row: &Row| row.input.real_ns() / row.quiet.median;
    let json: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "algorithm": row.algorithm,
                "input": row.input.name(),
                "level": row.level,
                "ns_per_superchunk": row.quiet.median.round(),
                "min": row.quiet.min.round(),
                "max": row.quiet.max.round(),
                "ns_at_10_khz": row.busy.median.round(),
                "links_per_core": (links(row) * 100.0).round() / 100.0,
                "cores_per_apa": (row.input.per_apa() / links(row) * 100.0).round() / 100.0,
            })
        })
        .collect();
    let header =
        ["input", "algorithm", "level", "ns", "min", "max", "ns at 10 kHz", "links/core", "cores/APA"];
    let mut table = Table::new(&header).right(3..9);
    for row in rows {
        let ns = |ns: f64| format!("{ns:.0}");
        table.row([
            row.input.name().to_owned(),
            row.algorithm.to_owned(),
            row.level.to_owned(),
            ns(row.quiet.median),
            ns(row.quiet.min),
            ns(row.quiet.max),
            ns(row.busy.median),
            format!("{:.1}", links(row)),
            format!("{:.2}", row.input.per_apa() / links(row)),
        ]);
    }
    Record { json: json!({ "rows": json }), table: table.render(Style::default()) }
}
