//! Activities and candidates. On disk each is followed by a `u64` count and its inputs.

use super::Bytes;
use crate::Result;

/// Primitives near each other, 80 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TriggerActivity {
    /// Begin, ticks of the clock.
    pub time_start: u64,
    /// End.
    pub time_end: u64,
    /// Highest primitive.
    pub time_peak: u64,
    /// Time of the activity.
    pub time_activity: u64,
    /// First, last and highest offline channel.
    pub channels: [i32; 3],
    /// Sum over all primitives.
    pub adc_integral: u64,
    /// Highest value.
    pub adc_peak: u16,
    /// Detector.
    pub detector: u16,
    /// Kind of activity.
    pub kind: i32,
    /// 1 supernova, 2 prescale, 3 ADC simple window, 4 horizontal muon, 5 Michel electron, 6 DBSCAN, 7 plane
    /// coincidence, 8 channel distance, 9 bundle, 10 channel adjacency.
    pub algorithm: i32,
}

impl TriggerActivity {
    /// Bytes of an activity.
    pub const BYTES: usize = 80;
    const VERSION: u16 = 1;

    /// The activity at the start of `bytes`.
    ///
    /// # Errors
    /// Fewer than 80 bytes, or another version.
    pub fn read(bytes: &[u8]) -> Result<TriggerActivity> {
        let b = Bytes::<{ Self::BYTES }>::read("a trigger activity", bytes)?;
        b.expect("version", 0, Self::VERSION.into(), b.u16(0).into())?;
        Ok(TriggerActivity {
            time_start: b.u64(8),
            time_end: b.u64(16),
            time_peak: b.u64(24),
            time_activity: b.u64(32),
            channels: [40, 44, 48].map(|at| b.i32(at)),
            adc_integral: b.u64(56),
            adc_peak: b.u16(64),
            detector: b.u16(66),
            kind: b.i32(68),
            algorithm: b.i32(72),
        })
    }

    /// As it lies in memory and files.
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        let [first, last, peak] = self.channels;
        Bytes::new()
            .put(0, Self::VERSION.to_le_bytes())
            .put(8, self.time_start.to_le_bytes())
            .put(16, self.time_end.to_le_bytes())
            .put(24, self.time_peak.to_le_bytes())
            .put(32, self.time_activity.to_le_bytes())
            .put(40, first.to_le_bytes())
            .put(44, last.to_le_bytes())
            .put(48, peak.to_le_bytes())
            .put(56, self.adc_integral.to_le_bytes())
            .put(64, self.adc_peak.to_le_bytes())
            .put(66, self.detector.to_le_bytes())
            .put(68, self.kind.to_le_bytes())
            .put(72, self.algorithm.to_le_bytes())
            .0
    }
}

/// Activities worth a trigger, 48 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TriggerCandidate {
    /// Begin, ticks of the clock.
    pub time_start: u64,
    /// End.
    pub time_end: u64,
    /// Time of the candidate.
    pub time_candidate: u64,
    /// Detector.
    pub detector: u16,
    /// 1 timing, 2 TPC low energy, 3 supernova, 4 random, 5 prescale, 6 ADC simple window, 7 horizontal muon, 8 Michel,
    /// 9 plane coincidence, 10 DBSCAN, 11 channel distance, 12 bundle, 13 to 22 central trigger board, 23 neutron
    /// source, 24 channel adjacency.
    pub kind: i32,
    /// Algorithm.
    pub algorithm: i32,
}

impl TriggerCandidate {
    /// Bytes of a candidate.
    pub const BYTES: usize = 48;
    const VERSION: u16 = 2;

    /// The candidate at the start of `bytes`.
    ///
    /// # Errors
    /// Fewer than 48 bytes, or another version.
    pub fn read(bytes: &[u8]) -> Result<TriggerCandidate> {
        let b = Bytes::<{ Self::BYTES }>::read("a trigger candidate", bytes)?;
        b.expect("version", 0, Self::VERSION.into(), b.u16(0).into())?;
        Ok(TriggerCandidate {
            time_start: b.u64(8),
            time_end: b.u64(16),
            time_candidate: b.u64(24),
            detector: b.u16(32),
            kind: b.i32(36),
            algorithm: b.i32(40),
        })
    }

    /// As it lies in memory and files.
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        Bytes::new()
            .put(0, Self::VERSION.to_le_bytes())
            .put(8, self.time_start.to_le_bytes())
            .put(16, self.time_end.to_le_bytes())
            .put(24, self.time_candidate.to_le_bytes())
            .put(32, self.detector.to_le_bytes())
            .put(36, self.kind.to_le_bytes())
            .put(40, self.algorithm.to_le_bytes())
            .0
    }
}
