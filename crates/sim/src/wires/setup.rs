//! The settings of a simulation.

use livetime_engine::NodeError;

use livetime_wire::RawFormat;

/// The setup of a [`super::Simulation`]. Amplitudes are in counts of the format's ADC.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationSetup {
    /// Format of the frames: WIB1 or WIBEth.
    pub format: RawFormat,
    /// Links: at most 10 of WIB1 or 40 streams of WIBEth.
    pub links: usize,
    /// Crate, which names the anode plane: 1 to 6 of ProtoDUNE-SP, 1 to 4 of ProtoDUNE-HD.
    pub crate_number: u8,
    /// Another seed is another detector and another time.
    pub seed: u64,
    /// Length of the loop in samples of a channel.
    pub ticks: usize,
    /// Standard deviation of the noise.
    pub noise_rms: f32,
    /// Factor of the noise on induction wires.
    pub induction_noise: f32,
    /// Correlation between the noise of neighbouring ticks, 0 to 0.99.
    pub correlation: f32,
    /// Standard deviation of the noise that the channels of a board have in common.
    pub coherent_rms: f32,
    /// Fraction of the channels with sticky codes.
    pub sticky: f32,
    /// Fraction of the channels that are dead.
    pub dead: f32,
    /// Fraction of the channels that are noisy.
    pub noisy: f32,
    /// Whether pulses are followed by the undershoot of AC coupling.
    pub undershoot: bool,
    /// Decays of ³⁹Ar per second and collection wire.
    pub argon_hz: f64,
    /// Cosmic tracks per second through the volume that is read by the anode plane.
    pub tracks_hz: f64,
    /// Test pulses on every channel.
    pub test_pulses: Option<TestPulses>,
}

impl Default for SimulationSetup {
    /// Ten WIB1 links for 100 ms with white noise of 4 counts.
    fn default() -> SimulationSetup {
        SimulationSetup {
            format: RawFormat::Wib1,
            links: 10,
            crate_number: 1,
            seed: 1,
            ticks: 200_000,
            noise_rms: 4.0,
            induction_noise: 1.0,
            correlation: 0.0,
            coherent_rms: 0.0,
            sticky: 0.0,
            dead: 0.0,
            noisy: 0.0,
            undershoot: false,
            argon_hz: 0.0,
            tracks_hz: 0.0,
            test_pulses: None,
        }
    }
}

/// Pulses of known shape on every channel.
#[derive(Clone, Debug, PartialEq)]
pub struct TestPulses {
    /// Pulses per second and channel.
    pub rate_hz: f64,
    /// Heights at the peak; each pulse has one of them, by chance.
    pub amplitudes: Vec<f32>,
    /// Standard deviation of the Gaussian, ticks.
    pub width: f32,
    /// Shape.
    pub shape: PulseShape,
}

impl Default for TestPulses {
    /// 100 per second, 100 counts high, 2.5 ticks wide, with one side.
    fn default() -> TestPulses {
        TestPulses { rate_hz: 100.0, amplitudes: vec![100.0], width: 2.5, shape: PulseShape::Unipolar }
    }
}

/// Shape of test pulses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PulseShape {
    /// A Gaussian.
    Unipolar,
    /// Its derivative, down then up.
    Bipolar,
    /// The first on collection wires, the second on induction wires.
    ByPlane,
}

/// Pulses that a simulation may have.
const MOST_PULSES: f64 = 2e8;

impl SimulationSetup {
    pub(super) fn check(&self) -> Result<(), NodeError> {
        let refuse = |what: String| Err(NodeError::new(what));
        let most = match self.format {
            RawFormat::Wib1 => 10,
            RawFormat::WibEth => 40,
            RawFormat::Wib2 => return refuse("wanted the format wib1 or wibeth, found wib2".into()),
        };
        if !(1..=most).contains(&self.links) {
            return refuse(format!("wanted 1 to {most} links, found {}", self.links));
        }
        if self.ticks == 0 || self.ticks > 1 << 32 {
            return refuse(format!("wanted 1 to {} ticks, found {}", 1u64 << 32, self.ticks));
        }
        let channels = (self.links * self.format.channels()) as f64;
        let test_hz = self.test_pulses.as_ref().map_or(0.0, |p| p.rate_hz);
        // A decay gives charge to one or two wires of each of three planes.
        let pulses = (self.argon_hz * 6.0 + self.tracks_hz + test_hz) * channels * self.seconds();
        // NaN is in no range, and is refused, too.
        if !(0.0..MOST_PULSES).contains(&pulses) {
            return refuse(format!("wanted fewer than {MOST_PULSES:e} pulses, found about {pulses:e}"));
        }
        Ok(())
    }

    /// Seconds from sample to sample.
    pub fn tick_seconds(&self) -> f64 {
        (self.format.sample_step() * self.format.tick_ns()) as f64 * 1e-9
    }

    /// Length of the loop in seconds.
    pub fn seconds(&self) -> f64 {
        self.ticks as f64 * self.tick_seconds()
    }

    /// Counts of this format's ADC for one of 12 bits.
    pub(super) fn scale(&self) -> f32 {
        scale(self.format)
    }
}

/// Counts of the format's ADC for one of 12 bits.
pub(super) fn scale(format: RawFormat) -> f32 {
    if format == RawFormat::Wib1 { 1.0 } else { 4.0 }
}
