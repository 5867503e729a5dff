//! `trigger_channel_distance`: hits near each other in channel, gathered one by one.
//!
//! In: merged hits. Out: activities; see [`super`]. The first hit opens an activity; during `window` ticks hits join
//! that are at most `distance` channels away from a member; all others are dropped. An activity with enough hits is
//! sent. Rule and numbers are the ones of DUNE's channel distance algorithm.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::channel_distance::TriggerChannelDistance;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerChannelDistance>(&[("least_hits", 3.into())])?;
//! let hit = |channel| HitRow { time_start: 10, channel, ..HitRow::default() };
//! let (rows, mut out) = ([hit(100), hit(150), hit(200), hit(251)], Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 20_000)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!((out[0].hits, out[0].channel_end), (3, 200));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use super::{Algorithm, Found, Trigger, trigger_params};
use crate::{ActivityRow, HitRow};

/// `trigger_channel_distance`.
pub type TriggerChannelDistance = Trigger<ChannelDistance>;

trigger_params! {
    /// Parameters of `trigger_channel_distance`.
    ChannelDistanceParams {
        /// How long after its first hit further hits may join an activity.
        #[param(default = 8_000, min = 1, max = 10_000_000_000.0, unit = "ticks")]
        window: u64,
        /// A hit joins when its channel is at most this far from the channels of the activity.
        #[param(default = 50, min = 0)]
        distance: u32,
        /// Fewest hits of an activity.
        #[param(default = 20, min = 1)]
        least_hits: u32,
    }
}

/// Gathers hits near each other.
#[derive(Default)]
pub struct ChannelDistance {
    open: Option<ActivityRow>,
}

impl Algorithm for ChannelDistance {
    type Params = ChannelDistanceParams;
    const NAME: &'static str = "trigger_channel_distance";
    const SUMMARY: &'static str = "Gathers hits on channels near each other.";
    const NUMBER: u16 = 8;
    const KIND: u16 = 11;

    fn until(&mut self, time: u64, params: &ChannelDistanceParams, found: &mut Found) {
        let over = |open: &mut ActivityRow| open.time_start.saturating_add(params.window) <= time;
        if let Some(row) = self.open.take_if(over).filter(|row| row.hits >= params.least_hits) {
            found.give(row);
        }
    }

    fn hit(&mut self, hit: &HitRow, params: &ChannelDistanceParams, _found: &mut Found) {
        let row = ActivityRow::of(hit, params.sample_step);
        match &mut self.open {
            Some(open) if is_near(open, hit.channel, params.distance) => open.join(&row),
            Some(_) => {}
            None => self.open = Some(row),
        }
    }

    fn earliest(&self) -> Option<u64> {
        self.open.map(|open| open.time_start)
    }
}

/// Whether `channel` is at most `distance` away from the channels of an activity.
pub(super) fn is_near(activity: &ActivityRow, channel: u32, distance: u32) -> bool {
    let first = activity.channel_start.saturating_sub(distance);
    (first..=activity.channel_end.saturating_add(distance)).contains(&channel)
}
