//! `trigger_prescale`: every n-th hit is an activity, for an unbiased sample of the detector.
//!
//! In: merged hits. Out: activities of one hit; see [`super`].
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::prescale::TriggerPrescale;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerPrescale>(&[("every", 3.into())])?;
//! let (rows, mut out) = ([1, 2, 3, 4].map(|time_start| HitRow { time_start, ..HitRow::default() }), Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 5)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!((out.len(), out[0].time_start), (1, 3));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use super::{Algorithm, Found, Trigger, trigger_params};
use crate::{ActivityRow, HitRow};

/// `trigger_prescale`.
pub type TriggerPrescale = Trigger<Prescale>;

trigger_params! {
    /// Parameters of `trigger_prescale`.
    PrescaleParams {
        /// One hit of this many is an activity.
        #[param(default = 1_000, min = 1)]
        every: u64,
    }
}

/// Counts hits.
#[derive(Default)]
pub struct Prescale {
    hits: u64,
}

impl Algorithm for Prescale {
    type Params = PrescaleParams;
    const NAME: &'static str = "trigger_prescale";
    const SUMMARY: &'static str = "Makes an activity of every n-th hit.";
    const NUMBER: u16 = 2;
    const KIND: u16 = 5;

    fn until(&mut self, _time: u64, _params: &PrescaleParams, _found: &mut Found) {}

    fn hit(&mut self, hit: &HitRow, params: &PrescaleParams, found: &mut Found) {
        self.hits += 1;
        if self.hits >= params.every {
            self.hits = 0;
            found.give(ActivityRow::of(hit, params.sample_step));
        }
    }

    fn earliest(&self) -> Option<u64> {
        None
    }
}
