//! A recorded run of a simulated CSPad.

use std::path::{Path, PathBuf};

use livetime_formats::xtc1::compressed::{Compressor, Engine};
use livetime_formats::xtc1::data::panels;
use livetime_formats::xtc1::{
    Builder, Configs, Datagram, DatagramHeader, Src, Transition, TypeId, Writer, XtcHeader, id,
};
use livetime_formats::{Error, Result};
use livetime_kernels::Level;
use livetime_kernels::cspad::{Cspad, Preset, QUAD_PIXELS, QUADS};

const BEGIN_NS: u64 = 1_365_000_000_000_000_000;
/// 120 Hz.
const PERIOD_NS: u64 = 8_333_333;
/// Events that differ; then they come again.
const DIFFERENT: u64 = 8;
const CONFIG_VERSION: u16 = 4;
const CONFIG_BYTES: usize = 287_892;
/// Where the masks of ASICs, quadrants and sections are.
const MASKS: usize = 72;

/// A file in the system's folder for temporary files; removed at the end.
pub(crate) struct SimulatedRun {
    path: PathBuf,
}

impl SimulatedRun {
    /// Writes `events` events of the preset `deck`.
    pub(crate) fn write(engine: Engine, events: u64) -> Result<SimulatedRun> {
        let name = format!("livetime{}{engine}-r0001-s00-c00.xtc", std::process::id());
        let run = SimulatedRun { path: std::env::temp_dir().join(name) };
        let mut writer = Writer::create(&run.path)?;
        let configure = configure()?;
        writer.write(&configure)?;
        let mut configs = Configs::default();
        configs.add(&Datagram::parse(&configure)?);
        let payloads = payloads(engine, events.min(DIFFERENT), &configs)?;
        let mut bytes = Vec::new();
        for event in 0..events {
            let (type_id, payload) = &payloads[(event % DIFFERENT) as usize];
            bytes.clear();
            // Fiducials begin again after 131,040.
            let header = DatagramHeader::event(BEGIN_NS + event * PERIOD_NS, 3 * event as u32 % 131_040);
            leaf(Builder::new(&mut bytes, &header), *type_id, payload)?;
            writer.write(&bytes)?;
        }
        writer.finish()?;
        Ok(run)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SimulatedRun {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn src() -> Src {
    Src::detector(32, 0, 10, 0)
}

fn leaf(mut builder: Builder<'_>, type_id: TypeId, payload: &[u8]) -> Result<()> {
    builder.open(XtcHeader::new(Src::segment(1), TypeId::CONTAINER))?;
    builder.leaf(XtcHeader::new(src(), type_id), &[payload])?;
    builder.finish().map(|_| ())
}

/// All quadrants and sections are read.
fn configure() -> Result<Vec<u8>> {
    let mut payload = vec![0; CONFIG_BYTES];
    let masks = [0xFFFFu32, 0xF, u32::MAX].map(u32::to_le_bytes).concat();
    payload[MASKS..][..masks.len()].copy_from_slice(&masks);
    let mut bytes = Vec::new();
    let header = DatagramHeader::new(Transition::Configure, BEGIN_NS - PERIOD_NS, 0);
    leaf(Builder::new(&mut bytes, &header), TypeId::new(id::CSPAD_CONFIG, CONFIG_VERSION), &payload)?;
    Ok(bytes)
}

fn payloads(engine: Engine, events: u64, configs: &Configs) -> Result<Vec<(TypeId, Vec<u8>)>> {
    let detector = Cspad::new(Preset::Deck, 1);
    let mut compressor = Compressor::new(engine)?;
    let type_id = TypeId::new(id::CSPAD_ELEMENT, 2);
    let payload = |event| -> Result<(TypeId, Vec<u8>)> {
        let plain = event_payload(&detector, event)?;
        if engine == Engine::NONE {
            return Ok((type_id, plain));
        }
        let mut packed = Vec::new();
        compressor.encode(&panels(type_id, src(), &plain, configs)?, &mut packed)?;
        Ok((type_id.compressed(), packed))
    };
    (0..events).map(payload).collect()
}

/// Quadrants, each with a header that tells its number and two words behind the pixels.
fn event_payload(detector: &Cspad, event: u64) -> Result<Vec<u8>> {
    let mut pixels = vec![0; QUAD_PIXELS];
    let mut payload = Vec::new();
    for quad in 0..QUADS {
        let made = detector.quad(Level::best(), event, quad, &mut pixels);
        made.map_err(|e| Error::new("a simulated quadrant", e.to_string()))?;
        let mut header = [0; 32];
        header[7] = quad as u8;
        payload.extend_from_slice(&header);
        payload.extend(pixels.iter().flat_map(|v| v.to_le_bytes()));
        payload.extend_from_slice(&[0; 4]);
    }
    Ok(payload)
}
