//! Pedestals, noise and defects of the channels.

use livetime_formats::channel_map::Plane;
use livetime_kernels::random::{Counter, Normal};
use livetime_kernels::waveform::WireChannel;

use super::random::Stream;
use super::{SimulatedLink, SimulationSetup};

/// Highest probability that a sample sticks.
const STICKIEST: f64 = 0.3;

/// A channel, and the probability with which its samples stick.
pub(super) struct SimulatedChannel {
    pub(super) wire: WireChannel,
    pub(super) sticky: f64,
}

pub(super) fn channels(setup: &SimulationSetup, link: &SimulatedLink) -> Vec<SimulatedChannel> {
    let normal = Normal::new();
    let channel = |(c, plane)| {
        // Each channel has numbers of its own, so that other links make no difference.
        let which = u64::from(link.number) << 16 | c as u64;
        channel(setup, plane, &Stream::Channel.numbers(setup.seed, which), &normal)
    };
    link.wires.iter().map(|wire| wire.plane).enumerate().map(channel).collect()
}

fn channel(setup: &SimulationSetup, plane: Plane, numbers: &Counter, normal: &Normal) -> SimulatedChannel {
    let (mean, factor) = match plane {
        Plane::Collection => (900.0, 1.0),
        Plane::U | Plane::V => (2300.0, setup.induction_noise),
    };
    let pedestal = setup.scale() * (mean + 50.0 * normal.of(numbers.at(0)));
    let rms = factor * setup.noise_rms;
    let good = WireChannel { pedestal, rms, gain: 1.0 };
    let defect = numbers.uniform(1) as f32;
    // One number for both defects: no channel is dead and noisy.
    let wire = match () {
        () if defect < setup.dead => WireChannel { rms: 0.0, gain: 0.0, ..good },
        () if defect < setup.dead + setup.noisy => {
            WireChannel { rms: setup.scale() * (20.0 + 80.0 * numbers.uniform(2) as f32), ..good }
        }
        () => good,
    };
    // A dead channel is constant, so it has no codes to stick to.
    let is_sticky = (numbers.uniform(3) as f32) < setup.sticky && wire.gain > 0.0;
    SimulatedChannel { wire, sticky: if is_sticky { STICKIEST * numbers.uniform(4) } else { 0.0 } }
}
