//! `trigger_adjacency`: a long run of neighbouring channels within a short time, as a track leaves it.
//!
//! In: merged hits. Out: activities of the hits of the longest run in a window, where it is long enough; see [`super`].
//! A window that gave an activity is emptied. Rule and numbers are the ones of DUNE's channel adjacency algorithm.
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::adjacency::TriggerAdjacency;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerAdjacency>(&[])?;
//! let track = (0..20).map(|i| HitRow { time_start: 1000 + 50 * i, channel: 1700 + i as u32, ..HitRow::default() });
//! let (rows, mut out) = (track.collect::<Vec<_>>(), Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 20_000)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!((out[0].channel_start, out[0].channel_end, out[0].hits), (1700, 1719, 20));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::collections::VecDeque;

use super::runs::{ChannelRun, Rule, Runs};
use super::window::{Condition, Window, window_params};
use super::{Trigger, trigger_params};
use crate::HitRow;

/// `trigger_adjacency`.
pub type TriggerAdjacency = Trigger<Window<Adjacency>>;

trigger_params! {
    /// Parameters of `trigger_adjacency`.
    AdjacencyParams {
        /// Length of the window.
        #[param(default = 8_000, min = 1, max = 10_000_000_000.0, unit = "ticks")]
        window: u64,
        /// A run of more channels than this is an activity.
        #[param(default = 15, min = 1)]
        adjacency: u32,
        /// Largest step from one channel of a run to the next.
        #[param(default = 5, min = 1, max = 64)]
        gap: u32,
        /// A step of more than one channel belongs to a run while the sum of those before is below this.
        #[param(default = 3, min = 0)]
        tolerance: u32,
    }
}
window_params!(AdjacencyParams);

/// The longest run of a window.
#[derive(Default)]
pub struct Adjacency {
    runs: Runs,
    run: Option<ChannelRun>,
}

impl Condition for Adjacency {
    type Params = AdjacencyParams;
    const NAME: &'static str = "trigger_adjacency";
    const SUMMARY: &'static str = "Finds long runs of neighbouring channels in windows of hits.";
    const NUMBER: u16 = 10;
    const KIND: u16 = 24;

    fn add(&mut self, hit: &HitRow, params: &AdjacencyParams) {
        self.runs.set_rule(Rule { gap: params.gap, tolerance: params.tolerance });
        self.runs.add(hit.channel);
    }

    fn remove(&mut self, hit: &HitRow) {
        self.runs.remove(hit.channel);
    }

    fn clear(&mut self) {
        self.runs.clear();
    }

    fn holds(&mut self, _hits: &VecDeque<HitRow>, params: &AdjacencyParams) -> bool {
        let holds = self.runs.longest() > params.adjacency;
        if holds {
            self.run = self.runs.longest_run();
        }
        holds
    }

    fn keeps(&self, hit: &HitRow) -> bool {
        self.run.is_some_and(|run| (run.first..=run.last).contains(&hit.channel))
    }
}
