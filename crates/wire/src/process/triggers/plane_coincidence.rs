//! `trigger_plane_coincidence`: much charge on several planes at once, but no long track on the collection plane.
//!
//! In: merged hits of all planes. Out: activities of all hits of a window in which enough planes have hits, their sum
//! is above the threshold and the longest run of the collection plane is short; see [`super`]. Numbers are the ones of
//! DUNE's plane coincidence algorithm, which has a window for each plane; here one window of time holds the hits of all
//! planes.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::plane_coincidence::TriggerPlaneCoincidence;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerPlaneCoincidence>(&[])?;
//! let hit = |plane| HitRow { time_start: 10, adc_integral: 120_000, channel: 900 * u32::from(plane), plane, ..HitRow::default() };
//! let (rows, mut out) = ([hit(0), hit(1), hit(2)], Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 20_000)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!(out[0].adc_integral, 360_000);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::collections::VecDeque;

use super::runs::{Rule, Runs};
use super::window::{Condition, Window, window_params};
use super::{Trigger, trigger_params};
use crate::HitRow;

/// `trigger_plane_coincidence`.
pub type TriggerPlaneCoincidence = Trigger<Window<PlaneCoincidence>>;

trigger_params! {
    /// Parameters of `trigger_plane_coincidence`.
    PlaneCoincidenceParams {
        /// Length of the window.
        #[param(default = 3_000, min = 1, max = 10_000_000_000.0, unit = "ticks")]
        window: u64,
        /// The sum over the hits of all planes must be larger.
        #[param(default = 300_000, min = 0, unit = "counts")]
        threshold: u64,
        /// The number of planes that must have hits.
        #[param(default = 3, min = 1, max = 3)]
        coincident: u32,
        /// The longest run on the collection plane must not have more channels.
        #[param(default = 15, min = 0)]
        adjacency: u32,
        /// Largest step from one channel of a run to the next.
        #[param(default = 5, min = 1, max = 64)]
        gap: u32,
        /// A step of more than one channel belongs to a run while the sum of those before is below this.
        #[param(default = 5, min = 0)]
        tolerance: u32,
    }
}
window_params!(PlaneCoincidenceParams);

/// Charge, hits of each plane and runs of the collection plane in a window.
#[derive(Default)]
pub struct PlaneCoincidence {
    sum: u64,
    hits: [usize; 3],
    runs: Runs,
}

const COLLECTION: u8 = 2;

impl Condition for PlaneCoincidence {
    type Params = PlaneCoincidenceParams;
    const NAME: &'static str = "trigger_plane_coincidence";
    const SUMMARY: &'static str =
        "Finds windows of hits with much charge on several planes and no long track.";
    const NUMBER: u16 = 7;
    const KIND: u16 = 9;

    fn add(&mut self, hit: &HitRow, params: &PlaneCoincidenceParams) {
        self.sum += u64::from(hit.adc_integral);
        self.hits[usize::from(hit.plane.min(COLLECTION))] += 1;
        self.runs.set_rule(Rule { gap: params.gap, tolerance: params.tolerance });
        if hit.plane >= COLLECTION {
            self.runs.add(hit.channel);
        }
    }

    fn remove(&mut self, hit: &HitRow) {
        self.sum -= u64::from(hit.adc_integral);
        self.hits[usize::from(hit.plane.min(COLLECTION))] -= 1;
        if hit.plane >= COLLECTION {
            self.runs.remove(hit.channel);
        }
    }

    fn clear(&mut self) {
        (self.sum, self.hits) = (0, [0; 3]);
        self.runs.clear();
    }

    fn holds(&mut self, _hits: &VecDeque<HitRow>, params: &PlaneCoincidenceParams) -> bool {
        let planes = self.hits.iter().filter(|hits| **hits > 0).count();
        self.sum > params.threshold
            && planes >= params.coincident as usize
            && self.runs.longest() <= params.adjacency
    }
}
