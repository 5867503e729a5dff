//! Pulses of known shape.

use livetime_formats::channel_map::Plane;

use super::random::Stream;
use super::{Origin, PulseShape, SimulatedLink, SimulationSetup, TestPulses, TruePulse};

/// On every channel equally far apart, but for a quarter of that which is chance; so pulses keep apart and have any phase.
pub(super) fn add(setup: &SimulationSetup, links: &[SimulatedLink], pulses: &mut Vec<TruePulse>) {
    let Some(test) = setup.test_pulses.as_ref().filter(|t| t.rate_hz > 0.0 && !t.amplitudes.is_empty())
    else {
        return;
    };
    // At most one pulse begins at a tick.
    let gap = (1.0 / (test.rate_hz * setup.tick_seconds())).max(1.0);
    for link in links {
        for (c, wire) in link.wires.iter().enumerate() {
            // Each channel has numbers of its own, so that other links make no difference.
            let numbers = Stream::TestPulses.numbers(setup.seed, u64::from(link.number) << 16 | c as u64);
            let first = gap * numbers.uniform(0);
            for i in 0..(setup.ticks as f64 / gap).floor() as usize {
                // Number 0 was the phase; each pulse takes two more.
                let centre = first + gap * (i as f64 + 0.25 * numbers.uniform(2 * i + 1));
                let which = (numbers.uniform(2 * i + 2) * test.amplitudes.len() as f64) as usize;
                pulses.push(TruePulse {
                    link: link.number,
                    channel: c as u16,
                    centre,
                    peak: test.amplitudes.get(which).copied().unwrap_or_default(),
                    // A width of 0 would divide by 0.
                    width: test.width.max(0.1),
                    bipolar: is_bipolar(test, wire.plane),
                    origin: Origin::Test,
                });
            }
        }
    }
}

fn is_bipolar(test: &TestPulses, plane: Plane) -> bool {
    match test.shape {
        PulseShape::Unipolar => false,
        PulseShape::Bipolar => true,
        PulseShape::ByPlane => plane != Plane::Collection,
    }
}
