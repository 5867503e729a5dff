//! The true pulses as rows.

use crate::wires::{Simulation, TruePulse};
use livetime_wire::{RawFormat, TruthRow};

/// The rows of a loop that begins at tick 0 of the clock, in the order of time.
pub(super) fn rows(simulation: &Simulation) -> Vec<TruthRow> {
    simulation.truth().iter().map(|pulse| row(simulation, pulse)).collect()
}

fn row(simulation: &Simulation, pulse: &TruePulse) -> TruthRow {
    let format: RawFormat = simulation.setup().format;
    let wire = simulation.links()[usize::from(pulse.link)].wires[usize::from(pulse.channel)];
    TruthRow {
        time_peak: (pulse.time_peak() * format.sample_step() as f64).round() as u64,
        channel: wire.offline,
        adc_integral: pulse.charge().round() as u32,
        adc_peak: pulse.peak.round() as u16,
        width: (pulse.width * 100.0).round() as u16,
        link: pulse.link,
        plane: wire.plane.number(),
        origin: pulse.origin as u8,
        bipolar: pulse.bipolar.into(),
    }
}
