//! Cosmic muons.

use std::f64::consts::TAU;

use livetime_kernels::random::{Counter, Normal};

use super::detector::{self, Cells, Charge, DRIFT_MM, Detector, ELECTRONS_PER_MEV, HEIGHT_MM, WIDTH_MM};
use super::random::{Stream, landau, times};
use super::{Origin, SimulationSetup, TruePulse};

/// Energy that is left by a minimum ionising particle.
const MEV_PER_MM: f64 = 0.21;

pub(super) fn add(setup: &SimulationSetup, detector: &Detector, cells: &Cells, pulses: &mut Vec<TruePulse>) {
    if setup.tracks_hz <= 0.0 {
        return;
    }
    let normal = Normal::new();
    let mean_gap = 1.0 / (setup.tracks_hz * setup.tick_seconds());
    let numbers = Stream::TrackTimes.numbers(setup.seed, 0);
    for (i, time) in times(numbers, mean_gap, setup.ticks as f64).enumerate() {
        let numbers = Stream::Track.numbers(setup.seed, i as u64);
        let track = Track::new(&numbers, time);
        for plane in 0..3 {
            // Each plane has numbers of its own, behind the numbers of the track.
            track.add(plane, &numbers.from(1000 * (plane + 1)), &normal, detector, cells, pulses);
        }
    }
}

/// A straight line through the volume of one face. x is along the drift, y up, z along the beam, mm.
struct Track {
    time: f64,
    face: i64,
    /// Where it enters at the top.
    begin: [f64; 3],
    /// A step of 1 mm along it.
    step: [f64; 3],
    /// Length inside.
    length: f64,
}

impl Track {
    fn new(numbers: &Counter, time: f64) -> Track {
        // cos² of the zenith angle for each direction, and a cosine for the slant of the top.
        let cos = numbers.uniform(0).powf(0.25);
        let (sin, azimuth) = ((1.0 - cos * cos).sqrt(), TAU * numbers.uniform(1));
        let step = [sin * azimuth.cos(), -cos, sin * azimuth.sin()];
        let begin = [DRIFT_MM * numbers.uniform(2), HEIGHT_MM, WIDTH_MM * numbers.uniform(3)];
        let ends = [(0, DRIFT_MM), (1, HEIGHT_MM), (2, WIDTH_MM)].map(|(axis, most)| {
            let to = if step[axis] > 0.0 { most } else { 0.0 };
            if step[axis] == 0.0 { f64::INFINITY } else { (to - begin[axis]) / step[axis] }
        });
        let length = ends.into_iter().fold(f64::INFINITY, f64::min).clamp(0.0, 1e5);
        Track { time, face: i64::from(numbers.uniform(4) < 0.5), begin, step, length }
    }

    fn at(&self, axis: usize, along: f64) -> f64 {
        self.begin[axis] + along * self.step[axis]
    }

    /// Adds a pulse for each wire of `plane` that it passes.
    fn add(
        &self,
        plane: usize,
        numbers: &Counter,
        normal: &Normal,
        detector: &Detector,
        cells: &Cells,
        pulses: &mut Vec<TruePulse>,
    ) {
        let position = |along: f64| detector::position(plane, self.at(1, along), self.at(2, along));
        let (first, last) = (position(0.0), position(self.length));
        let per_mm = (last - first) / self.length.max(1e-9);
        let (low, high) = (first.min(last), first.max(last));
        for (i, cell) in (low.floor() as i64..=high.floor() as i64).enumerate() {
            // From where to where along the track the cell is passed.
            let passed = [cell as f64, cell as f64 + 1.0].map(|border| {
                let along = if per_mm == 0.0 { 0.0 } else { (border.clamp(low, high) - first) / per_mm };
                along.clamp(0.0, self.length)
            });
            // A track along the wires stays in one cell.
            let mm = if per_mm == 0.0 { self.length } else { (passed[1] - passed[0]).abs() };
            let middle = if per_mm == 0.0 { 0.5 * self.length } else { 0.5 * (passed[0] + passed[1]) };
            let energy_mev = MEV_PER_MM * mm * landau(normal, numbers.at(i));
            let charge = Charge {
                time: self.time,
                drift_mm: self.at(0, middle),
                spread_mm: mm * self.step[0].abs(),
                electrons: energy_mev * ELECTRONS_PER_MEV,
            };
            detector.add(cells, (plane, cell, self.face), charge, Origin::Track, pulses);
        }
    }
}
