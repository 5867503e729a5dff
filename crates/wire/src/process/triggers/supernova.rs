//! `trigger_supernova`: several small clusters within seconds, as the neutrinos of a supernova leave them.
//!
//! In: merged hits. Out: activities; see [`super`]. A hit joins the open cluster if the two are near in time or in
//! channel; else the cluster is closed, and the hit opens the next one. A cluster of enough hits counts; when more than
//! `clusters` of them began within `window`, the latest is sent, and counting begins again. So an activity stands for a
//! burst that began up to `window` before it: give `trigger_candidate` a readout window for `supernova` that begins as
//! early. Rule and numbers are the ones of DUNE's supernova algorithm.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::supernova::TriggerSupernova;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerSupernova>(&[])?;
//! let hit = |i: u64| HitRow { time_start: 1_000_000 * (i / 3) + i, channel: 40 * (i as u32 / 3), ..HitRow::default() };
//! let (rows, mut out) = ((0..12).map(hit).collect::<Vec<_>>(), Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 4_000_000)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!((out.len(), out[0].time_start), (1, 3_000_009));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::collections::VecDeque;

use super::channel_distance::is_near;
use super::{Algorithm, Found, Trigger, trigger_params};
use crate::{ActivityRow, HitRow};

/// `trigger_supernova`.
pub type TriggerSupernova = Trigger<Supernova>;

trigger_params! {
    /// Parameters of `trigger_supernova`.
    SupernovaParams {
        /// Time in which the clusters begin.
        #[param(default = 500_000_000, min = 1, max = 100_000_000_000.0, unit = "ticks")]
        window: u64,
        /// More clusters than this are a burst.
        #[param(default = 3, min = 0, max = 1_000_000)]
        clusters: usize,
        /// A cluster counts when it has more hits than this.
        #[param(default = 2, min = 0)]
        cluster_hits: u32,
        /// A hit joins a cluster that ended at most this long before.
        #[param(default = 5_000, min = 0, max = 10_000_000_000.0, unit = "ticks")]
        near: u64,
        /// A hit joins a cluster whose channels are at most this far away.
        #[param(default = 2, min = 0)]
        distance: u32,
        /// A cluster is closed at the latest this long after its first hit.
        #[param(default = 50_000, min = 1, max = 10_000_000_000.0, unit = "ticks")]
        longest: u64,
    }
}

/// The open cluster, and when the last ones that count began.
#[derive(Default)]
pub struct Supernova {
    open: Option<ActivityRow>,
    begins: VecDeque<u64>,
}

impl Supernova {
    fn close(&mut self, params: &SupernovaParams, found: &mut Found) {
        let Some(cluster) = self.open.take().filter(|c| c.hits > params.cluster_hits) else { return };
        self.begins.push_back(cluster.time_start);
        while self.begins.len() > params.clusters + 1 {
            self.begins.pop_front();
        }
        let first = self.begins.front().copied().unwrap_or(0);
        if self.begins.len() > params.clusters && cluster.time_start - first <= params.window {
            self.begins.clear();
            found.give(cluster);
        }
    }
}

impl Algorithm for Supernova {
    type Params = SupernovaParams;
    const NAME: &'static str = "trigger_supernova";
    const SUMMARY: &'static str = "Finds bursts of small clusters of hits within seconds.";
    const NUMBER: u16 = 1;
    const KIND: u16 = 3;

    fn until(&mut self, time: u64, params: &SupernovaParams, found: &mut Found) {
        if self.open.is_some_and(|open| open.time_start.saturating_add(params.longest) <= time) {
            self.close(params, found);
        }
    }

    fn hit(&mut self, hit: &HitRow, params: &SupernovaParams, found: &mut Found) {
        let joins = |open: &ActivityRow| {
            hit.time_start <= open.time_end.saturating_add(params.near)
                || is_near(open, hit.channel, params.distance)
        };
        if !self.open.as_ref().is_some_and(joins) {
            self.close(params, found);
        }
        let row = ActivityRow::of(hit, params.sample_step);
        match &mut self.open {
            Some(open) => open.join(&row),
            None => self.open = Some(row),
        }
    }

    fn earliest(&self) -> Option<u64> {
        self.open.map(|open| open.time_start)
    }
}
