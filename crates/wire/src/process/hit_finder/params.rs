//! The parameters of a hit finder.

use livetime_engine::{ParamEnum, Params};

use crate::ChannelMap;

/// Planes that are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Planes {
    /// All of them.
    #[default]
    All,
    /// The collection plane.
    Collection,
    /// Both induction planes.
    Induction,
}

impl Planes {
    /// Bit `n` for plane `n`.
    pub(super) fn bits(self) -> u64 {
        match self {
            Planes::All => 0b111,
            Planes::Collection => 0b100,
            Planes::Induction => 0b011,
        }
    }
}

/// Parameters of `hit_finder`. Parameters of the algorithm act on links that begin after a change.
#[derive(Params)]
pub struct HitFinderParams {
    /// How hits are found.
    pub algorithm: Algorithm,
    /// Numbers of the links that are searched, for example `0-4,7`; empty: all.
    pub links: String,
    /// Planes that are searched.
    pub planes: Planes,
    /// From channels of frames to wires and planes.
    pub channel_map: ChannelMap,
    /// Threshold of the first induction plane: in standard deviations of the filtered noise (default), in counts (tpg); 0: the algorithm's own, 6
    /// and 60.
    #[param(min = 0, max = 16383)]
    pub threshold_u: f64,
    /// Threshold of the second induction plane.
    #[param(min = 0, max = 16383)]
    pub threshold_v: f64,
    /// Threshold of the collection plane.
    #[param(min = 0, max = 16383)]
    pub threshold_collection: f64,
    /// Pulses of the induction planes swing to both sides: both lobes are one hit (default only).
    pub bipolar_induction: bool,
    /// Subtract the common signal of the channels of a board and plane.
    pub remove_coherent: bool,
    /// Where the quartiles begin, below and above the first sample (seed only).
    #[param(default = 3, min = 0, max = 1000, unit = "counts")]
    pub seed_offset: u32,
    /// Net steps that move a pedestal (tpg only).
    #[param(default = 10, min = 1, max = 100)]
    pub tpg_limit: u32,
    /// Pedestals begin at the first sample, as those of the other algorithms do. Without, they begin at 16384 as in the original and need 11
    /// ticks (with `tpg_limit: 10`) per count to come down, in which no hit is found: 85 ms for 12-bit data (tpg only).
    pub tpg_from_first: bool,
    /// Offline numbers of channels that give no hits, separated by commas.
    pub masked: String,
    /// Hits per second that make a channel noisy; 0: none is.
    #[param(default = 50_000, max = 2_000_000, unit = "Hz")]
    pub noisy_rate: u32,
    /// Batches that have waited this long are searched in part; 0: all are searched, however late.
    #[param(min = 0, max = 60, unit = "s")]
    pub shed_after: f64,
    /// Link whose `pedestals`, `channel_noise` and `rates` are shown.
    #[param(max = 65535)]
    pub monitor_link: u32,
    /// Hits so far.
    #[param(readback, count)]
    pub hits: u64,
    /// Hits that were not passed on because their channel is noisy or masked.
    #[param(readback, count)]
    pub hits_held_back: u64,
    /// Hits that found no room. It has never been seen other than 0.
    #[param(readback, count)]
    pub hits_lost: u64,
    /// Links that are searched.
    #[param(readback)]
    pub links_found: usize,
    /// Links that the channel map does not know.
    #[param(readback)]
    pub links_unmapped: usize,
    /// Places where frames were missing.
    #[param(readback, count)]
    pub gaps: u64,
    /// Frames with faults.
    #[param(readback, count)]
    pub faulty_frames: u64,
    /// Batches that were searched in part or not at all.
    #[param(readback, count)]
    pub batches_shed: u64,
    /// Offline numbers of the noisy channels.
    #[param(readback)]
    pub noisy: String,
    /// Pedestal of each channel of the monitored link, once a second.
    #[param(readback, unit = "counts")]
    pub pedestals: Vec<f64>,
    /// Standard deviation of the noise of each channel of the monitored link, once a second.
    #[param(readback, unit = "counts")]
    pub channel_noise: Vec<f64>,
    /// Hits of each channel of the monitored link in the last second.
    #[param(readback, unit = "Hz")]
    pub rates: Vec<f64>,
}

impl HitFinderParams {
    /// The planes of each search. Induction is apart where it may be shed.
    pub(super) fn searches(&self) -> &'static [&'static [u8]] {
        match self.planes {
            Planes::All if self.shed_after > 0.0 => &[&[2], &[0, 1]],
            Planes::All => &[&[0, 1, 2]],
            Planes::Collection => &[&[2]],
            Planes::Induction => &[&[0, 1]],
        }
    }

    pub(super) fn masked(&self) -> Vec<u32> {
        self.masked.split(',').filter_map(|number| number.trim().parse().ok()).collect()
    }
}

/// How hits are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Algorithm {
    /// Ours: thresholds in units of the filtered noise, no delay, peaks measured.
    #[default]
    Default,
    /// ProtoDUNE-SP of 2019, bit for bit: five ticks late, no peak, sums up to 32767.
    Seed,
    /// tpglibs of DUNE-DAQ with a frugal pedestal and a threshold, bit for bit.
    Tpg,
}
