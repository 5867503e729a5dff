//! Simulated runs of a CSPad as XTC files of LCLS-I, of any length: the data for measuring conversion and analysis.
//!
//! The pixels come from [`livetime_kernels::cspad`] as functions of seed, event and pixel, so that a file is the same
//! byte for byte whatever the number of threads.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use livetime_formats::file::Head;
use livetime_formats::xtc1::compressed::{Compressor, Engine};
use livetime_formats::xtc1::data::panels;
use livetime_formats::xtc1::{
    Builder, Configs, Datagram, DatagramHeader, Env, FIDUCIAL_PERIOD, Src, Transition, TypeId, Writer,
    XtcHeader, id,
};
use livetime_formats::{Error, Result};
use livetime_kernels::Level;
use livetime_kernels::cspad::{Cspad, Preset, QUAD_PIXELS, QUADS};
use livetime_recording::convert::interrupted;
use livetime_runtime::ordered::{Worker, in_order};

/// When the run begins: 3 April 2013, 14:40 UTC.
const BEGIN_NS: u64 = 1_365_000_000_000_000_000;
/// Between transitions.
const MILLISECOND_NS: u64 = 1_000_000;
/// The accelerator's pulses come at 120 Hz; fiducials count at 360 Hz.
const FIDUCIALS_PER_EVENT: u64 = 3;
const CSPAD: Src = Src::detector(32, 0, 10, 0);
const EVR: Src = Src::detector(0, 0, 1, 0);
/// Two nodes that read detectors.
const NODES: [Src; 2] = [Src::segment(0xAC15_0101), Src::segment(0xAC15_0102)];
const ELEMENT: TypeId = TypeId::new(id::CSPAD_ELEMENT, 2);
/// The headers of a quadrant, its pixels, and two words behind them.
const QUAD_BYTES: usize = 32 + 2 * QUAD_PIXELS + 4;

/// The run to be simulated.
#[derive(Clone, Debug)]
pub struct Options {
    /// The picture before the detector.
    pub preset: Preset,
    /// How many events.
    pub events: u64,
    /// Another seed is another detector with other noise.
    pub seed: u64,
    /// How the pictures are compressed.
    pub codec: Engine,
    /// Number of threads; 0 counts as 1.
    pub workers: usize,
}

/// The size of a simulated run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Simulated {
    /// Bytes of the file.
    pub bytes: u64,
    /// The bytes that the file would have without compression.
    pub raw_bytes: u64,
}

/// The number of events in a file of at least this many bytes, uncompressed.
pub fn events_of(raw_bytes: u64) -> u64 {
    raw_bytes.div_ceil(EVENT_BYTES)
}

/// The number of bytes of this many events, uncompressed.
pub fn bytes_of(events: u64) -> u64 {
    events.saturating_mul(EVENT_BYTES)
}

/// Writes a run of one stream to the new file `path`: Configure with a CspadConfig, BeginRun, BeginCalibCycle, Enable, events
/// at 120 Hz with an EvrData and four quadrants (CspadElement, version 2), Disable, EndCalibCycle, EndRun.
///
/// `watch` is called several times a second with the number of bytes (uncompressed) done; it stops the work
/// by returning false.
///
/// ```
/// use livetime_sim::cspad_run::{Options, simulate};
/// use livetime_formats::xtc1::compressed::Engine;
/// use livetime_kernels::cspad::Preset;
///
/// let path = std::env::temp_dir().join(format!("livetime-example-{}.xtc", std::process::id()));
/// let options = Options { preset: Preset::Deck, events: 1, seed: 1, codec: Engine::NONE, workers: 1 };
/// let simulated = simulate(&path, &options, |_| true)?;
/// assert_eq!(simulated.bytes, std::fs::metadata(&path).unwrap().len());
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// If the file is there already, the codec is not known, or the operating system reports an error. The written part is removed then.
pub fn simulate(path: &Path, options: &Options, watch: impl FnMut(u64) -> bool) -> Result<Simulated> {
    let mut writer = Writer::make(path)?;
    let raw_bytes = write_run(&mut writer, options, watch)?;
    let bytes = writer.len();
    writer.finish()?;
    Ok(Simulated { bytes, raw_bytes })
}

fn write_run(writer: &mut Writer, options: &Options, mut watch: impl FnMut(u64) -> bool) -> Result<u64> {
    let begin = transitions(&BEGIN, BEGIN_NS)?;
    writer.write(&begin)?;
    let mut configs = Configs::default();
    configs.add(&Datagram::parse(&begin)?);
    let cspad = Cspad::new(options.preset, options.seed);
    let workers = (0..options.workers.max(1)).map(|_| Simulator::new(&cspad, &configs, options.codec));
    let mut workers = workers.collect::<Result<Vec<_>>>()?;
    // Some more than workers, so that none waits while events are written.
    let jobs = (0..workers.len() + 2).map(|_| Event::default()).collect();
    let mut numbers = 0..options.events;
    let done = AtomicU64::new(0);
    let take = |event: &mut Event| {
        let number = numbers.next();
        event.number = number.unwrap_or(0);
        Ok(number.is_some())
    };
    let give = |event: &mut Event| {
        // Relaxed: the number is for `watch` alone, and guards no memory.
        done.fetch_add(EVENT_BYTES, Ordering::Relaxed);
        writer.write(&event.bytes).map(drop)
    };
    let written = in_order(jobs, &mut workers, take, give, || watch(done.load(Ordering::Relaxed)));
    written.map_err(interrupted)?;
    let end = transitions(&END, time_ns(options.events))?;
    writer.write(&end)?;
    Ok((begin.len() + end.len()) as u64 + options.events * EVENT_BYTES)
}

const BEGIN: [Transition; 4] =
    [Transition::Configure, Transition::BeginRun, Transition::BeginCalibCycle, Transition::Enable];
const END: [Transition; 3] = [Transition::Disable, Transition::EndCalibCycle, Transition::EndRun];

/// When event `number` happened.
fn time_ns(number: u64) -> u64 {
    BEGIN_NS + 10 * MILLISECOND_NS + number * 1_000_000_000 / 120
}

/// Transitions at intervals of a millisecond.
fn transitions(all: &[Transition], from_ns: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for (transition, i) in all.iter().zip(0..) {
        let mut header = DatagramHeader::new(*transition, from_ns + i * MILLISECOND_NS, 0x1_FFFF);
        header.env = Env(u32::from(*transition == Transition::BeginRun));
        let mut builder = Builder::new(&mut bytes, &header);
        if *transition == Transition::Configure {
            builder.open(XtcHeader::new(NODES[0], TypeId::CONTAINER))?;
            builder.leaf(XtcHeader::new(CSPAD, TypeId::new(id::CSPAD_CONFIG, 4)), &[&cspad_config()])?;
        }
        builder.finish()?;
    }
    Ok(bytes)
}

/// CspadConfig version 4: all ASICs, quadrants and sections are read, with high gain.
fn cspad_config() -> Vec<u8> {
    const QUADS_AT: usize = 84;
    const QUAD_RECORD: usize = 71_952;
    const GAIN_MAP: usize = 172;
    let mut config = vec![0; QUADS_AT + QUADS * QUAD_RECORD];
    for quad in config[QUADS_AT..].chunks_exact_mut(QUAD_RECORD) {
        quad[GAIN_MAP..].fill(0xFF);
    }
    let words = [(8, 140), (60, QUAD_BYTES as u32), (72, 0xFFFF), (76, (1 << QUADS) - 1), (80, u32::MAX)];
    for (at, word) in words {
        config[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    config
}

const EVR_BYTES: usize = 4 + 2 * 12;
/// A datagram with two containers of one leaf each.
const EVENT_BYTES: u64 = (DatagramHeader::LEN + 4 * XtcHeader::LEN + EVR_BYTES + QUADS * QUAD_BYTES) as u64;

#[derive(Default)]
struct Event {
    number: u64,
    bytes: Vec<u8>,
}

/// Makes events. One for each thread.
struct Simulator<'a> {
    cspad: &'a Cspad,
    configs: &'a Configs,
    compressor: Option<Compressor>,
    pixels: Vec<u16>,
    payload: Vec<u8>,
}

impl Simulator<'_> {
    fn new<'a>(cspad: &'a Cspad, configs: &'a Configs, codec: Engine) -> Result<Simulator<'a>> {
        let compressor = if codec == Engine::NONE { None } else { Some(Compressor::new(codec)?) };
        Ok(Simulator { cspad, configs, compressor, pixels: vec![0; QUAD_PIXELS], payload: Vec::new() })
    }

    fn write_pictures(&mut self, event: u64, fiducial: u32, payload: &mut Vec<u8>) -> Result<()> {
        for quad in 0..QUADS {
            let number = quad as u32;
            let header =
                [number << 6, (event as u32 & 0xFFFF) | number << 24, event as u32, 0, fiducial, 0, 0, 0];
            header.iter().for_each(|word| payload.extend_from_slice(&word.to_le_bytes()));
            let made = self.cspad.quad(Level::best(), event, quad, &mut self.pixels);
            made.map_err(|e| Error::new("a quadrant", e.to_string()))?;
            // Files are little-endian on every machine.
            self.pixels.iter_mut().for_each(|pixel| *pixel = pixel.to_le());
            payload.extend_from_slice(bytemuck::cast_slice(&self.pixels));
            payload.extend_from_slice(&[0; 4]);
        }
        Ok(())
    }
}

impl Worker<Event> for Simulator<'_> {
    type Error = Error;

    fn work(&mut self, event: &mut Event) -> Result<()> {
        let fiducial = (FIDUCIALS_PER_EVENT * event.number % u64::from(FIDUCIAL_PERIOD)) as u32;
        let mut header = DatagramHeader::event(time_ns(event.number), fiducial);
        // The counter of events lies above the fiducials, which have 17 bits.
        header.stamp.high |= (event.number as u32 + 1) << 17;
        event.bytes.clear();
        let mut builder = Builder::new(&mut event.bytes, &header);
        builder.open(XtcHeader::new(NODES[1], TypeId::CONTAINER))?;
        // Two event codes, 40 and 140, each with its fiducial and its ticks.
        let codes = [2, fiducial, 0, 40, fiducial, 11_000, 140].map(u32::to_le_bytes);
        builder.leaf(XtcHeader::new(EVR, TypeId::new(id::EVR_DATA, 3)), &[codes.as_flattened()])?;
        builder.close();
        builder.open(XtcHeader::new(NODES[0], TypeId::CONTAINER))?;
        // Taken out, because the pictures borrow the simulator.
        let mut payload = std::mem::take(&mut self.payload);
        payload.clear();
        self.write_pictures(event.number, fiducial, &mut payload)?;
        match &mut self.compressor {
            None => builder.leaf(XtcHeader::new(CSPAD, ELEMENT), &[&payload])?,
            Some(compressor) => {
                let panels = panels(ELEMENT, CSPAD, &payload, self.configs)?;
                let header = XtcHeader::new(CSPAD, ELEMENT.compressed());
                builder.leaf_with(header, |out| compressor.encode(&panels, out))?;
            }
        }
        self.payload = payload;
        builder.finish().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, options: &Options) -> Vec<u8> {
        let path = std::env::temp_dir().join(format!("livetime-simulate-{}-{name}.xtc", std::process::id()));
        let simulated = simulate(&path, options, |_| true).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(simulated.bytes, bytes.len() as u64);
        bytes
    }

    fn deck(codec: Engine, workers: usize) -> Options {
        Options { preset: Preset::Deck, events: 4, seed: 7, codec, workers }
    }

    #[test]
    fn any_number_of_threads_makes_the_same_file() {
        let one = run("one", &deck(Engine::NONE, 1));
        assert!(one == run("three", &deck(Engine::NONE, 3)));
        assert_eq!(events_of(one.len() as u64 - 300_000), 4);
        assert!(one != run("seed", &Options { seed: 8, ..deck(Engine::NONE, 1) }));
    }

    /// The ratios are the ones of the study's recorded files.
    #[test]
    fn the_deck_preset_compresses_as_the_study_says() {
        let raw = 4.0 * EVENT_BYTES as f64;
        for (name, codec, percent) in [("hist16", Engine::HIST16, 55.0), ("histn", Engine::HISTN, 49.0)] {
            let packed = run(name, &deck(codec, 2)).len() as f64 - cspad_config().len() as f64;
            assert!((100.0 * packed / raw - percent).abs() < 1.0, "{name}: {}", 100.0 * packed / raw);
        }
    }
}
