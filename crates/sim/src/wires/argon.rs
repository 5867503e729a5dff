//! Decays of ³⁹Ar.

use std::f64::consts::TAU;

use livetime_kernels::random::Counter;

use super::detector::{self, Cells, Charge, DRIFT_MM, Detector, ELECTRONS_PER_MEV, HEIGHT_MM, WIDTH_MM};
use super::random::{Stream, times};
use super::{Origin, SimulationSetup, TruePulse};

/// Collection wires of an anode plane.
const WIRES: f64 = 960.0;
/// As near to the border of a wire's cell, in units of its width, charge goes to its neighbour too.
const SHARED: f64 = 0.1;

pub(super) fn add(setup: &SimulationSetup, detector: &Detector, cells: &Cells, pulses: &mut Vec<TruePulse>) {
    if setup.argon_hz <= 0.0 {
        return;
    }
    let spectrum = Spectrum::new();
    let mean_gap = 1.0 / (setup.argon_hz * WIRES * setup.tick_seconds());
    let numbers = Stream::ArgonTimes.numbers(setup.seed, 0);
    for (i, time) in times(numbers, mean_gap, setup.ticks as f64).enumerate() {
        // Each decay has numbers of its own, so that none depends on how many another takes.
        let numbers = Stream::Argon.numbers(setup.seed, i as u64);
        let energy_mev = spectrum.energy_kev(numbers.uniform(0)) * 1e-3;
        decay(&numbers, time, energy_mev * ELECTRONS_PER_MEV, detector, cells, pulses);
    }
}

fn decay(
    numbers: &Counter,
    time: f64,
    electrons: f64,
    detector: &Detector,
    cells: &Cells,
    pulses: &mut Vec<TruePulse>,
) {
    let drift_mm = DRIFT_MM * numbers.uniform(1);
    let (y, z) = (HEIGHT_MM * numbers.uniform(2), WIDTH_MM * numbers.uniform(3));
    let face = i64::from(numbers.uniform(4) < 0.5);
    for plane in 0..3 {
        let position = detector::position(plane, y, z);
        for (cell, part) in parts(position).into_iter().filter(|(_, part)| *part > 0.0) {
            let charge = Charge { time, drift_mm, spread_mm: 0.0, electrons: part * electrons };
            detector.add(cells, (plane, cell, face), charge, Origin::Argon, pulses);
        }
    }
}

/// Which part of the charge at `position` goes to which cell.
fn parts(position: f64) -> [(i64, f64); 2] {
    let (cell, within) = (position.floor(), position - position.floor());
    let to_border = within.min(1.0 - within);
    // Half at the border, and nothing from `SHARED` of it on.
    let other = 0.5 * (1.0 - to_border / SHARED).max(0.0);
    let neighbour = if within < 0.5 { cell - 1.0 } else { cell + 1.0 };
    [(cell as i64, 1.0 - other), (neighbour as i64, other)]
}

/// Energies of the electrons: a unique first forbidden decay, with the Coulomb field of the nucleus as for slow electrons.
pub(super) struct Spectrum {
    /// Probability of less than each of the energies, equally far apart from 0 to the endpoint.
    below: Vec<f64>,
}

/// The highest energy of an electron of argon-39, and the rest energy of an electron.
const ENDPOINT_KEV: f64 = 565.0;
const ELECTRON_KEV: f64 = 511.0;
/// Charge of the nucleus that is left, potassium, times the fine-structure constant.
const COULOMB: f64 = 19.0 / 137.036;
/// Steps of the tabulated spectrum: about 1 keV each, far below the resolution of the detector.
const STEPS: usize = 512;

impl Spectrum {
    pub(super) fn new() -> Spectrum {
        let density = |i: usize| {
            // The middle of the step: at rest the formula would divide by 0.
            let kinetic = ENDPOINT_KEV * (i as f64 + 0.5) / STEPS as f64;
            let momentum2 = kinetic * (kinetic + 2.0 * ELECTRON_KEV);
            let neutrino2 = (ENDPOINT_KEV - kinetic).powi(2);
            let (momentum, energy) = (momentum2.sqrt(), kinetic + ELECTRON_KEV);
            let field = TAU * COULOMB * energy / momentum;
            momentum * energy * neutrino2 * (momentum2 + neutrino2) * field / (1.0 - (-field).exp())
        };
        let sum: f64 = (0..STEPS).map(density).sum();
        let below = (0..=STEPS).map(|n| (0..n).map(density).sum::<f64>() / sum).collect();
        Spectrum { below }
    }

    /// The energy below which the fraction `uniform` of all decays lies.
    pub(super) fn energy_kev(&self, uniform: f64) -> f64 {
        let above = self.below.partition_point(|b| *b <= uniform).clamp(1, STEPS);
        let (low, high) = (self.below[above - 1], self.below[above]);
        let within = if high > low { (uniform - low) / (high - low) } else { 0.0 };
        ENDPOINT_KEV * (above as f64 - 1.0 + within.min(1.0)) / STEPS as f64
    }
}
