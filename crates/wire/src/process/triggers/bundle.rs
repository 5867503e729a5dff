//! `trigger_bundle`: every n consecutive hits are an activity.
//!
//! In: merged hits. Out: activities of n hits, or of fewer when the time of a bundle is over before; see [`super`]. Each hit is in exactly one.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::bundle::TriggerBundle;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerBundle>(&[("bundle", 2.into()), ("longest", 100.into())])?;
//! let (rows, mut out) = ([1, 2, 3].map(|time_start| HitRow { time_start, ..HitRow::default() }), Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 103)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!(out.iter().map(|a| a.hits).collect::<Vec<_>>(), [2, 1]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use super::{Algorithm, Found, Trigger, trigger_params};
use crate::{ActivityRow, HitRow};

/// `trigger_bundle`.
pub type TriggerBundle = Trigger<Bundle>;

trigger_params! {
    /// Parameters of `trigger_bundle`.
    BundleParams {
        /// Hits of a bundle.
        #[param(default = 100, min = 1)]
        bundle: u32,
        /// A bundle that is not full this long after its first hit is sent incomplete, so that it does not
        /// hold back the watermark.
        #[param(default = 5_000_000, min = 1, max = 10_000_000_000.0, unit = "ticks")]
        longest: u64,
    }
}

/// Gathers hits.
#[derive(Default)]
pub struct Bundle {
    open: Option<ActivityRow>,
}

impl Algorithm for Bundle {
    type Params = BundleParams;
    const NAME: &'static str = "trigger_bundle";
    const SUMMARY: &'static str = "Makes activities of every n hits.";
    const NUMBER: u16 = 9;
    const KIND: u16 = 12;

    fn until(&mut self, time: u64, params: &BundleParams, found: &mut Found) {
        let over = |open: &mut ActivityRow| open.time_start.saturating_add(params.longest) <= time;
        if let Some(row) = self.open.take_if(over) {
            found.give(row);
        }
    }

    fn hit(&mut self, hit: &HitRow, params: &BundleParams, found: &mut Found) {
        let row = ActivityRow::of(hit, params.sample_step);
        match &mut self.open {
            Some(open) => open.join(&row),
            None => self.open = Some(row),
        }
        if let Some(row) = self.open.take_if(|open| open.hits >= params.bundle) {
            found.give(row);
        }
    }

    fn earliest(&self) -> Option<u64> {
        self.open.map(|open| open.time_start)
    }
}
