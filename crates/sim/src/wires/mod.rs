//! Simulated wire readout, with the truth about every pulse in it.
//!
//! A [`Simulation`] is a closed loop of [`SimulationSetup::ticks`] ticks of the links of one anode plane: a signal that reaches over its end
//! goes on at its begin, so it can be sent repeatedly. [`Simulation::samples`] makes the samples of one link row by row,
//! [`FrameWriter`] puts them into frames.
//!
//! | part | model |
//! |---|---|
//! | pedestals | 900 ± 50 counts on collection wires, 2300 ± 50 on induction wires (14 bits: four times) |
//! | noise | normal, first-order autoregressive; noise common to the 128 channels of a board: 8 lines of 10 to 50 kHz |
//! | channels | some dead (constant), some noisy (20 to 100 counts), some with sticky codes (0, 1 and 63 modulo 64) |
//! | collection pulse | Gaussian; width from 2 us shaping and diffusion along the drift |
//! | induction pulse | its derivative, down then up |
//! | ³⁹Ar | decays anywhere at a rate, energies of its beta spectrum, on one or two wires of each plane |
//! | cosmic tracks | straight, cos² of the zenith angle, 2.1 MeV/cm with Landau fluctuations (Moyal's form), through the wires of three planes |
//! | test pulses | of given amplitudes, width and rate, at any phase |
//! | undershoot | AC coupling with a time constant of 1.1 ms |
//!
//! Every number is a function of the seed and of its purpose: threads and order make no difference. The geometry is
//! ProtoDUNE-SP's: 6 m high, 2.3 m wide, 3.6 m of drift at 1.6 mm/us to either side, wires 4.7 and 4.8 mm apart,
//! induction wires at 35.7° wrapped around the anode plane. Which channel reads a wire is the experiments' channel
//! maps.

mod argon;
mod channels;
mod coherent;
mod detector;
mod frames;
mod link;
mod pulse;
mod random;
mod samples;
mod setup;
mod test_pulses;
#[cfg(test)]
mod tests;
mod tracks;

use livetime_engine::NodeError;

use detector::{Cells, Detector};
pub use frames::{FrameWriter, restamp};
pub use link::SimulatedLink;
pub use pulse::{Origin, TruePulse};
pub use samples::LinkSamples;
pub use setup::{PulseShape, SimulationSetup, TestPulses};

/// The links of an anode plane for some time.
///
/// ```
/// use livetime_kernels::Level;
/// use livetime_sim::wires::{Simulation, SimulationSetup, TestPulses};
/// let test_pulses = Some(TestPulses { rate_hz: 1000.0, amplitudes: vec![100.0], ..TestPulses::default() });
/// let setup = SimulationSetup { links: 1, ticks: 2000, test_pulses, ..SimulationSetup::default() };
/// let simulation = Simulation::new(setup)?;
/// let mut samples = vec![0; 2000 * 256];
/// simulation.samples(0)?.read(Level::best(), &mut samples)?;
/// let pulse = simulation.truth()[0];
/// let at = pulse.time_peak().round() as usize % 2000 * 256 + usize::from(pulse.channel);
/// assert!(samples[at] > 900 + 70);
/// # Ok::<(), livetime_engine::NodeError>(())
/// ```
#[derive(Debug)]
pub struct Simulation {
    setup: SimulationSetup,
    links: Vec<SimulatedLink>,
    truth: Vec<TruePulse>,
    /// Per link, in the order of their begin; pulses that reach over an end are there twice.
    drawn: Vec<Vec<TruePulse>>,
}

impl Simulation {
    /// Places all pulses; the samples are made by [`Simulation::samples`].
    ///
    /// # Errors
    /// [`NodeError`] when the setup asks for something that does not exist.
    pub fn new(setup: SimulationSetup) -> Result<Simulation, NodeError> {
        setup.check()?;
        let link = |number| SimulatedLink::new(setup.format, setup.crate_number, number);
        let links = (0..setup.links as u16).map(link).collect::<Result<Vec<_>, _>>()?;
        let truth = truth(&setup, &links);
        let drawn = (0..links.len()).map(|link| drawn(&truth, link, setup.ticks as f64)).collect();
        Ok(Simulation { setup, links, truth, drawn })
    }

    /// Its setup.
    pub fn setup(&self) -> &SimulationSetup {
        &self.setup
    }

    /// The links, by their number.
    pub fn links(&self) -> &[SimulatedLink] {
        &self.links
    }

    /// All pulses, in the order of [`TruePulse::time_peak`], then of link and channel.
    pub fn truth(&self) -> &[TruePulse] {
        &self.truth
    }

    /// The samples of link `link`, from tick 0 on.
    ///
    /// # Errors
    /// [`NodeError`] when there is no such link.
    pub fn samples(&self, link: usize) -> Result<LinkSamples<'_>, NodeError> {
        match (self.links.get(link), self.drawn.get(link)) {
            (Some(at), Some(pulses)) => Ok(LinkSamples::new(&self.setup, at, pulses)),
            _ => {
                let links = self.links.len();
                Err(NodeError::new(format_args!("wanted link {link}, found {links} links")))
            }
        }
    }
}

fn truth(setup: &SimulationSetup, links: &[SimulatedLink]) -> Vec<TruePulse> {
    let (cells, detector) = (Cells::new(links), Detector::new(setup.format));
    let mut truth = Vec::new();
    argon::add(setup, &detector, &cells, &mut truth);
    tracks::add(setup, &detector, &cells, &mut truth);
    test_pulses::add(setup, links, &mut truth);
    for pulse in &mut truth {
        // A pulse that drifts over the end of the loop is at its begin.
        pulse.centre = pulse.centre.rem_euclid(setup.ticks as f64);
    }
    let key = |p: &TruePulse| (p.time_peak(), p.link, p.channel);
    truth.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    truth
}

/// The pulses of a link as they are drawn into a loop of `ticks`.
fn drawn(truth: &[TruePulse], link: usize, ticks: f64) -> Vec<TruePulse> {
    let mut drawn = Vec::new();
    for pulse in truth.iter().filter(|p| usize::from(p.link) == link) {
        // Also pulses of the loop before and of the loop after that reach into this one.
        let shifts = [-ticks, 0.0, ticks].map(|by| TruePulse { centre: pulse.centre + by, ..*pulse });
        drawn.extend(shifts.into_iter().filter(|p| p.end() > 0.0 && p.begin() < ticks));
    }
    // `LinkSamples` opens pulses in this order.
    drawn.sort_by(|a, b| a.begin().total_cmp(&b.begin()));
    drawn
}
