//! Pedestal and noise of the channels.

use std::collections::BTreeMap;

use livetime_formats::channel_map::{Plane, wire_of};
use livetime_formats::wib::RawFormat;
use livetime_kernels::Level;
use livetime_kernels::wib::{unpack_wib1, unpack_wib2, unpack_wibeth};

/// So many samples of each channel tell enough.
const MOST_TICKS: usize = 20_000;
/// Half the distance of the quartiles of a normal distribution, in standard deviations, is this.
const QUARTILE: f64 = 0.674_489_75;

/// How often each channel had each value, in frames without faults.
pub(super) struct Samples {
    format: RawFormat,
    /// A row of values for each channel.
    counts: Vec<u32>,
    ticks: usize,
    unpacked: Vec<i16>,
}

/// Pedestal (median) and noise (from the quartiles) of the channels of a plane.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlaneNoise {
    /// `None` where the channel map does not know the link.
    pub(super) plane: Option<Plane>,
    pub(super) channels: usize,
    /// Lowest, median and highest pedestal, counts.
    pub(super) pedestal: [f64; 3],
    /// Lowest, median and highest noise, counts.
    pub(super) noise: [f64; 3],
    /// Channels that always have the same value.
    pub(super) constant: usize,
}

impl Samples {
    pub(super) fn new(format: RawFormat) -> Samples {
        let values = format.most() as usize + 1;
        Samples { format, counts: vec![0; format.channels() * values], ticks: 0, unpacked: Vec::new() }
    }

    /// Takes in good frames, as long as there are not enough.
    pub(super) fn add(&mut self, frames: &[u8]) {
        let (bytes, samples, channels) = (self.format.bytes(), self.format.samples(), self.format.channels());
        let wanted = (MOST_TICKS - self.ticks.min(MOST_TICKS)).div_ceil(samples);
        let frames = &frames[..frames.len().min(wanted * bytes)];
        let ticks = frames.len() / bytes * samples;
        self.unpacked.resize(ticks * channels, 0);
        let (level, unpacked) = (Level::best(), &mut self.unpacked[..]);
        let read = match self.format {
            RawFormat::Wib1 => unpack_wib1(level, frames, unpacked),
            RawFormat::Wib2 => unpack_wib2(level, frames, unpacked),
            RawFormat::WibEth => unpack_wibeth(level, frames, unpacked),
        };
        if read.is_err() {
            return;
        }
        self.ticks += ticks;
        let values = self.format.most() as usize + 1;
        for row in self.unpacked.chunks_exact(channels) {
            for (channel, sample) in row.iter().enumerate() {
                self.counts[channel * values + *sample as usize] += 1;
            }
        }
    }

    pub(super) fn ticks(&self) -> usize {
        self.ticks
    }

    /// By plane; `frame` tells which wires the link reads.
    pub(super) fn planes(&self, frame: &[u8]) -> Vec<PlaneNoise> {
        if self.ticks == 0 {
            return Vec::new();
        }
        let values = self.format.most() as usize + 1;
        let mut planes: BTreeMap<Option<Plane>, Vec<(f64, f64, bool)>> = BTreeMap::new();
        for (channel, counts) in self.counts.chunks_exact(values).enumerate() {
            let plane = wire_of(self.format, frame, channel).map(|wire| wire.plane);
            planes.entry(plane).or_default().push(self.channel(counts));
        }
        planes.into_iter().map(|(plane, channels)| of_plane(plane, &channels)).collect()
    }

    /// Pedestal, noise, and whether all samples are the same.
    fn channel(&self, counts: &[u32]) -> (f64, f64, bool) {
        let at = |share: f64| quantile(counts, share * self.ticks as f64);
        let is_constant = counts.iter().any(|count| *count as usize == self.ticks);
        // Spread over one count, a constant channel would seem to have noise.
        let noise = if is_constant { 0.0 } else { (at(0.75) - at(0.25)) / 2.0 / QUARTILE };
        (at(0.5), noise, is_constant)
    }
}

/// The value below which `rank` samples lie, each value spread evenly over one count.
fn quantile(counts: &[u32], rank: f64) -> f64 {
    let mut below = 0.0;
    for (value, count) in counts.iter().enumerate() {
        let count = f64::from(*count);
        if below + count >= rank && count > 0.0 {
            return value as f64 - 0.5 + (rank - below) / count;
        }
        below += count;
    }
    0.0
}

fn of_plane(plane: Option<Plane>, channels: &[(f64, f64, bool)]) -> PlaneNoise {
    let spread = |of: &dyn Fn(&(f64, f64, bool)) -> f64| {
        let mut all: Vec<f64> = channels.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        [0, all.len() / 2, all.len().saturating_sub(1)].map(|at| all.get(at).copied().unwrap_or(0.0))
    };
    PlaneNoise {
        plane,
        channels: channels.len(),
        pedestal: spread(&|channel| channel.0),
        noise: spread(&|channel| channel.1),
        constant: channels.iter().filter(|channel| channel.2).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_of_a_known_distribution() {
        // 900 to 909, each equally often.
        let mut counts = vec![0; 4096];
        counts[900..910].fill(100);
        assert_eq!(quantile(&counts, 500.0), 904.5);
        assert_eq!(quantile(&counts, 750.0) - quantile(&counts, 250.0), 5.0);
    }
}
