//! The parameters of the simulator.

use livetime_engine::{NodeError, ParamEnum, Params};

use super::faults::{Fault, parse};
use crate::wires::{PulseShape, SimulationSetup, TestPulses};
use livetime_wire::RawFormat;

/// Format of the frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum SimulatedFormat {
    /// ProtoDUNE-SP: links of 256 channels, 12 bits.
    #[default]
    Wib1,
    /// ProtoDUNE-HD: streams of 64 channels, 14 bits.
    Wibeth,
}

/// Shape of test pulses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum TestPulseShape {
    /// A Gaussian on every channel.
    Unipolar,
    /// Its derivative, down then up, on every channel.
    Bipolar,
    /// The first on collection wires, the second on induction wires.
    #[default]
    ByPlane,
}

/// Parameters of `wib_simulator`. Amplitudes are counts of the format's ADC.
#[derive(Params)]
pub struct WibSimulatorParams {
    // ---- The frames ----
    /// Links: at most 10 of WIB1, or 40 streams of WIBEth.
    #[param(default = 10, min = 1, max = 40)]
    pub links: usize,
    /// Format of the frames.
    pub format: SimulatedFormat,
    /// Crate in the headers, which names the anode plane: 1 to 6, of WIBEth 1 to 4.
    #[param(default = 1, min = 1, max = 6)]
    pub crate_number: u32,
    /// Fraction of the detector's rate; 0 means as fast as possible.
    #[param(default = 1.0, min = 0, max = 1000)]
    pub rate: f64,
    /// Superchunks (of WIBEth frames) in a batch.
    #[param(default = 32, min = 1, max = 4096)]
    pub batch: usize,
    /// Time after which the data repeat, rounded up to whole batches. The convert counts of WIB1 go on over the end only for a
    /// multiple of 98.304 ms.
    #[param(default = 0.098304, min = 1e-6, max = 100.0, unit = "s")]
    pub loop_time: f64,
    /// Time that is simulated, rounded up to whole batches; 0 means without end.
    #[param(min = 0, max = 1e9, unit = "s")]
    pub duration: f64,
    /// Time of the first frame, ticks of the clock since 1970; 0 means now.
    pub first_timestamp: u64,
    /// Whether to wait for memory that is still in use, instead of losing data. With rate 0 it is always waited for.
    pub lossless: bool,

    // ---- The detector ----
    /// Another seed is another detector, and other data.
    #[param(default = 1)]
    pub seed: u64,
    /// Standard deviation of the noise on collection wires.
    #[param(default = 4.0, min = 0, max = 1000, unit = "counts")]
    pub noise_rms: f64,
    /// Factor of the noise on induction wires.
    #[param(default = 1.2, min = 0, max = 100)]
    pub induction_noise: f64,
    /// Correlation between the noise of neighbouring ticks.
    #[param(default = 0.6, min = 0, max = 0.99)]
    pub correlation: f64,
    /// Standard deviation of the noise that the channels of a board have in common.
    #[param(min = 0, max = 1000, unit = "counts")]
    pub coherent_rms: f64,
    /// Fraction of the channels with sticky codes.
    #[param(min = 0, max = 1)]
    pub sticky: f64,
    /// Fraction of the channels that are dead.
    #[param(min = 0, max = 1)]
    pub dead: f64,
    /// Fraction of the channels that are noisy.
    #[param(min = 0, max = 1)]
    pub noisy: f64,
    /// Whether pulses are followed by the undershoot of AC coupling.
    pub undershoot: bool,
    /// Decays of argon-39 per collection wire.
    #[param(default = 70.0, min = 0, max = 1e6, unit = "Hz")]
    pub argon_rate: f64,
    /// Cosmic tracks through the volume of the anode plane.
    #[param(min = 0, max = 1e6, unit = "Hz")]
    pub track_rate: f64,
    /// Test pulses per channel.
    #[param(min = 0, max = 1e6, unit = "Hz")]
    pub test_pulse_rate: f64,
    /// Heights of test pulses; each has one of them, by chance.
    #[param(default = vec![100.0], unit = "counts")]
    pub test_pulse_amplitudes: Vec<f64>,
    /// Standard deviation of the Gaussian of test pulses, ticks.
    #[param(default = 2.5, min = 0.1, max = 1000)]
    pub test_pulse_width: f64,
    /// Shape of test pulses.
    pub test_pulse_shape: TestPulseShape,
    /// What goes wrong on the way, as `drop 700; link 2 skew 1ms`; see the node's description.
    pub faults: String,

    // ---- Readbacks ----
    /// Frames and tables sent.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub array_counter: u64,
    /// Batches sent.
    #[param(readback)]
    pub batches: u64,
    /// Batches lost because their memory was still in use.
    #[param(readback)]
    pub lost_in_use: u64,
    /// Batches lost because this node was too far behind.
    #[param(readback)]
    pub lost_behind: u64,
    /// Memory of the prepared data.
    #[param(readback, unit = "B")]
    pub loop_bytes: u64,
}

/// Frames in a superchunk.
const SUPERCHUNK: usize = 12;

impl WibSimulatorParams {
    pub(super) fn raw_format(&self) -> RawFormat {
        match self.format {
            SimulatedFormat::Wib1 => RawFormat::Wib1,
            SimulatedFormat::Wibeth => RawFormat::WibEth,
        }
    }

    /// Frames in a batch.
    pub(super) fn batch_frames(&self) -> usize {
        match self.format {
            SimulatedFormat::Wib1 => SUPERCHUNK * self.batch,
            SimulatedFormat::Wibeth => self.batch,
        }
    }

    /// Batches that cover `seconds`, at least one.
    pub(super) fn batches_in(&self, seconds: f64) -> u64 {
        let format = self.raw_format();
        let batch_ns = self.batch_frames() as u64 * format.step() * format.tick_ns();
        // Slightly less, so that a whole decimal number is not rounded up.
        ((seconds * 1e9 / batch_ns as f64 - 1e-6).ceil() as u64).max(1)
    }

    /// The setup of the simulation.
    ///
    /// # Errors
    /// [`NodeError`] when an amplitude is not a number of counts.
    pub(super) fn setup(&self) -> Result<SimulationSetup, NodeError> {
        let format = self.raw_format();
        let frames = self.batches_in(self.loop_time) as usize * self.batch_frames();
        Ok(SimulationSetup {
            format,
            links: self.links,
            crate_number: self.crate_number as u8,
            seed: self.seed,
            ticks: frames * format.samples(),
            noise_rms: self.noise_rms as f32,
            induction_noise: self.induction_noise as f32,
            correlation: self.correlation as f32,
            coherent_rms: self.coherent_rms as f32,
            sticky: self.sticky as f32,
            dead: self.dead as f32,
            noisy: self.noisy as f32,
            undershoot: self.undershoot,
            argon_hz: self.argon_rate,
            tracks_hz: self.track_rate,
            test_pulses: self.test_pulses()?,
        })
    }

    /// The faults.
    ///
    /// # Errors
    /// [`NodeError`] when the text says nothing, or the format has no such fault.
    pub(super) fn faults(&self) -> Result<Vec<Fault>, NodeError> {
        let faults = parse(&self.faults)?;
        let odd = faults.iter().find(|f| self.format == SimulatedFormat::Wibeth && f.is_for_wib1());
        match odd {
            Some(fault) => Err(NodeError::new(format_args!(
                "wanted faults that wibeth can have, found {:?}",
                fault.kind
            ))),
            None => Ok(faults),
        }
    }

    fn test_pulses(&self) -> Result<Option<TestPulses>, NodeError> {
        let heights = &self.test_pulse_amplitudes;
        if let Some(wrong) = heights.iter().find(|a| !(0.0..=16383.0).contains(*a)) {
            return Err(NodeError::new(format_args!(
                "wanted test_pulse_amplitudes from 0 to 16383, found {wrong}"
            )));
        }
        Ok((self.test_pulse_rate > 0.0).then(|| TestPulses {
            rate_hz: self.test_pulse_rate,
            amplitudes: heights.iter().map(|a| *a as f32).collect(),
            width: self.test_pulse_width as f32,
            shape: match self.test_pulse_shape {
                TestPulseShape::Unipolar => PulseShape::Unipolar,
                TestPulseShape::Bipolar => PulseShape::Bipolar,
                TestPulseShape::ByPlane => PulseShape::ByPlane,
            },
        }))
    }
}
