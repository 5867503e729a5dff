//! The time projection chamber: from charge at a place to pulses on wires.

use std::f64::consts::TAU;

use livetime_formats::channel_map::Plane;

use super::setup::scale;
use super::{Origin, SimulatedLink, TruePulse};
use livetime_wire::RawFormat;

/// Height of an anode plane.
pub(super) const HEIGHT_MM: f64 = 5984.0;
/// Width of an anode plane: 480 collection wires on each face.
pub(super) const WIDTH_MM: f64 = 480.0 * 4.79;
/// Longest drift.
pub(super) const DRIFT_MM: f64 = 3600.0;
/// Electrons per MeV that reach the wires without impurities: after recombination.
pub(super) const ELECTRONS_PER_MEV: f64 = 25_000.0;

const PLANES: [Plane; 3] = [Plane::U, Plane::V, Plane::Collection];
const PITCH_MM: [f64; 3] = [4.67, 4.67, 4.79];
/// Of induction wires against the vertical.
const ANGLE_DEGREES: f64 = 35.7;
/// Drift velocity at 500 V/cm, and the lifetime of drifting electrons in pure argon.
const DRIFT_MM_PER_US: f64 = 1.6;
const LIFETIME_US: f64 = 6000.0;
/// Along the drift: 5 cm²/s.
const DIFFUSION_MM2_PER_US: f64 = 5e-4;
/// Standard deviation of the electronics' response to a point charge: shaping of 2 us.
const SHAPING_US: f64 = 0.9;
/// Electrons per count of 12 bits.
const ELECTRONS_PER_COUNT: f64 = 23.0;
/// Height of an induction pulse divided by the height of the collection pulse, for a point charge that has not drifted.
const INDUCTION: f64 = 0.65;
/// Wires of a plane of induction, and the shift of the wires of the other face.
const INDUCTION_WIRES: i64 = 800;

/// Which link and channel read each wire of the anode plane.
pub(super) struct Cells {
    channels: Vec<Option<(u16, u16)>>,
}

impl Cells {
    pub(super) fn new(links: &[SimulatedLink]) -> Cells {
        // An anode plane has twice 800 induction wires and twice 480 collection wires.
        let mut channels = vec![None; 2560];
        for link in links {
            for (wire, c) in link.wires.iter().zip(0..) {
                channels[wire.offline as usize % 2560] = Some((link.number, c));
            }
        }
        Cells { channels }
    }

    /// The channel that reads the wire of `plane` (0 to 2) at position `cell` of the face (0 or 1), if that
    /// is simulated.
    fn channel(&self, plane: usize, cell: i64, face: i64) -> Option<(u16, u16)> {
        let wire = match PLANES[plane] {
            Plane::Collection if (0..480).contains(&cell) => 1600 + 480 * face + cell,
            Plane::Collection => return None,
            _ => {
                // Induction wires go on around the edge, on the other face.
                let turned = (cell + INDUCTION_WIRES / 2 * face).rem_euclid(INDUCTION_WIRES);
                INDUCTION_WIRES * plane as i64 + turned
            }
        };
        *self.channels.get(wire as usize)?
    }
}

/// Electrons that arrive at a wire.
#[derive(Clone, Copy)]
pub(super) struct Charge {
    /// When they were set free, ticks.
    pub(super) time: f64,
    /// How far they drift.
    pub(super) drift_mm: f64,
    /// How far they are spread along the drift, from the first to the last.
    pub(super) spread_mm: f64,
    pub(super) electrons: f64,
}

/// The constants that turn charge into pulses.
pub(super) struct Detector {
    tick_us: f64,
    electrons_per_count: f64,
}

impl Detector {
    pub(super) fn new(format: RawFormat) -> Detector {
        Detector {
            tick_us: (format.sample_step() * format.tick_ns()) as f64 * 1e-3,
            electrons_per_count: ELECTRONS_PER_COUNT / f64::from(scale(format)),
        }
    }

    /// Adds the pulse of `charge` on the wire of `plane` at `cell` and `face`, if it is read and at least half a count high.
    pub(super) fn add(
        &self,
        cells: &Cells,
        (plane, cell, face): (usize, i64, i64),
        charge: Charge,
        origin: Origin,
        pulses: &mut Vec<TruePulse>,
    ) {
        let Some((link, channel)) = cells.channel(plane, cell, face) else { return };
        let drift_us = charge.drift_mm / DRIFT_MM_PER_US;
        // Variances of time: lengths divided by the velocity.
        let diffused = 2.0 * DIFFUSION_MM2_PER_US * drift_us / DRIFT_MM_PER_US.powi(2);
        // An evenly filled length has a twelfth of its square as variance.
        let spread = (charge.spread_mm / DRIFT_MM_PER_US).powi(2) / 12.0;
        let width_us = (SHAPING_US * SHAPING_US + diffused + spread).sqrt();
        let width = width_us / self.tick_us;
        let counts = charge.electrons * (-drift_us / LIFETIME_US).exp() / self.electrons_per_count;
        let height = counts / (width * TAU.sqrt());
        let bipolar = PLANES[plane] != Plane::Collection;
        // The wider the charge, the more of its two lobes cancels.
        let peak = if bipolar { height * INDUCTION * SHAPING_US / width_us } else { height };
        if peak >= 0.5 {
            let centre = charge.time + drift_us / self.tick_us;
            let (peak, width) = (peak as f32, width as f32);
            pulses.push(TruePulse { link, channel, centre, peak, width, bipolar, origin });
        }
    }
}

/// Where a place lies among the wires of `plane` (0 to 2), in units of their distance.
pub(super) fn position(plane: usize, y_mm: f64, z_mm: f64) -> f64 {
    let (sin, cos) = ANGLE_DEGREES.to_radians().sin_cos();
    let across = match PLANES[plane] {
        Plane::U => z_mm * cos + y_mm * sin,
        Plane::V => z_mm * cos + (HEIGHT_MM - y_mm) * sin,
        Plane::Collection => z_mm,
    };
    across / PITCH_MM[plane]
}
