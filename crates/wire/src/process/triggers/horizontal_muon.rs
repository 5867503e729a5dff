//! `trigger_horizontal_muon`: much charge, many channels, a long run of neighbours, or much time over the threshold within a short time.
//!
//! In: merged hits. Out: activities of all hits of a window that fulfils one of the enabled conditions; see [`super`].
//! Conditions and numbers are the ones of DUNE's horizontal muon algorithm.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::horizontal_muon::TriggerHorizontalMuon;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerHorizontalMuon>(&[("by_channels", true.into()), ("channels", 2.into())])?;
//! let hit = |channel| HitRow { time_start: 10, channel, ..HitRow::default() };
//! let (rows, mut out) = ([hit(1), hit(1000), hit(2000)], Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 20_000)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!(out[0].hits, 3);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::collections::VecDeque;

use super::runs::{Rule, Runs};
use super::window::{Condition, Window, window_params};
use super::{Trigger, trigger_params};
use crate::HitRow;

/// `trigger_horizontal_muon`.
pub type TriggerHorizontalMuon = Trigger<Window<HorizontalMuon>>;

trigger_params! {
    /// Parameters of `trigger_horizontal_muon`.
    HorizontalMuonParams {
        /// Length of the window.
        #[param(default = 8_000, min = 1, max = 10_000_000_000.0, unit = "ticks")]
        window: u64,
        /// Whether a window with a larger sum than `adc` is an activity.
        #[param(default = false)]
        by_adc: bool,
        /// Sum over the hits.
        #[param(default = 3_000_000, min = 0, unit = "counts")]
        adc: u64,
        /// Whether a window with hits on more channels than `channels` is an activity.
        #[param(default = false)]
        by_channels: bool,
        /// Channels with hits.
        #[param(default = 400, min = 0)]
        channels: u32,
        /// Whether a window with a run of more channels than `adjacency` is an activity.
        #[param(default = true)]
        by_adjacency: bool,
        /// Channels of the longest run.
        #[param(default = 15, min = 1)]
        adjacency: u32,
        /// Whether a window with more samples over the threshold than `samples_over` is an activity.
        #[param(default = false)]
        by_samples_over: bool,
        /// Samples over the threshold of all hits.
        #[param(default = 5_000, min = 0, unit = "samples")]
        samples_over: u64,
        /// Largest step from one channel of a run to the next.
        #[param(default = 5, min = 1, max = 64)]
        gap: u32,
        /// A step of more than one channel belongs to a run while the sum of those before is below this.
        #[param(default = 3, min = 0)]
        tolerance: u32,
    }
}
window_params!(HorizontalMuonParams);

/// Charge, channels, runs and time over the threshold of a window.
#[derive(Default)]
pub struct HorizontalMuon {
    adc: u64,
    samples_over: u64,
    runs: Runs,
}

impl Condition for HorizontalMuon {
    type Params = HorizontalMuonParams;
    const NAME: &'static str = "trigger_horizontal_muon";
    const SUMMARY: &'static str =
        "Finds windows of hits with much charge, many channels, long runs or long hits.";
    const NUMBER: u16 = 4;
    const KIND: u16 = 7;

    fn add(&mut self, hit: &HitRow, params: &HorizontalMuonParams) {
        self.adc += u64::from(hit.adc_integral);
        self.samples_over += u64::from(hit.samples_over);
        self.runs.set_rule(Rule { gap: params.gap, tolerance: params.tolerance });
        self.runs.add(hit.channel);
    }

    fn remove(&mut self, hit: &HitRow) {
        self.adc -= u64::from(hit.adc_integral);
        self.samples_over -= u64::from(hit.samples_over);
        self.runs.remove(hit.channel);
    }

    fn clear(&mut self) {
        (self.adc, self.samples_over) = (0, 0);
        self.runs.clear();
    }

    fn holds(&mut self, _hits: &VecDeque<HitRow>, params: &HorizontalMuonParams) -> bool {
        params.by_adc && self.adc > params.adc
            || params.by_channels && self.runs.channels() > params.channels
            || params.by_adjacency && self.runs.longest() > params.adjacency
            || params.by_samples_over && self.samples_over > params.samples_over
    }
}
