//! The parameters of a selector of regions.

use livetime_engine::{ParamEnum, Params};

use crate::ChannelMap;

/// The least unit that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ParamEnum)]
#[allow(non_camel_case_types, reason = "the name of the choice is made from that of the variant")]
pub enum BlockSize {
    /// 12 ticks of a group of 16 channels.
    Fine,
    /// 12 ticks of all collection channels of the link; hits on other planes mark nothing.
    Coarse_2020,
}

/// Parameters of `roi_selector`.
#[derive(Params)]
pub struct RoiSelectorParams {
    /// The least unit that is kept.
    #[param(default = BlockSize::Fine)]
    pub block: BlockSize,
    /// How much before and after a hit is kept.
    #[param(default = 50, min = 0, max = 100_000, unit = "samples")]
    pub margin: u64,
    /// Which wires the channels of a link read: as the hit finder has it.
    #[param(default = ChannelMap::Auto)]
    pub channel_map: ChannelMap,
    /// A batch is dropped when others of its link are this much newer and its hits are still not known.
    #[param(default = 100.0, min = 0.1, max = 60_000, unit = "ms")]
    pub wait: f64,
    /// The oldest batch of a link is dropped when more wait.
    #[param(default = 4_096, min = 1, max = 1_000_000)]
    pub most_batches: usize,
    /// Batches so far.
    #[param(readback, count)]
    pub batches: u64,
    /// Batches that wait for their hits.
    #[param(readback)]
    pub waiting: usize,
    /// Batches dropped so far because their hits came too late.
    #[param(readback, count)]
    pub batches_dropped: u64,
    /// Hits so far.
    #[param(readback, count)]
    pub hits: u64,
    /// Hits so far whose blocks had all been dealt with.
    #[param(readback, count)]
    pub late_hits: u64,
    /// Hits so far on wires that their link does not read, or of a link that no batch has come from.
    #[param(readback, count)]
    pub unknown_hits: u64,
    /// Hits left out so far because too many blocks were marked.
    #[param(readback, count)]
    pub hits_left_out: u64,
    /// Regions kept so far: 12 ticks of 16 channels.
    #[param(readback, count)]
    pub regions: u64,
    /// Regions kept by all regions there were.
    #[param(readback)]
    pub kept_fraction: f64,
    /// Marked channels of blocks by all channels of blocks there were.
    #[param(readback)]
    pub marked_fraction: f64,
}
