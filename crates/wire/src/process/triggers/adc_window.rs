//! `trigger_adc_window`: much charge within a time (DUNE's ADC simple window).
//!
//! In: merged hits. Out: activities of all hits of a window whose sum is above the threshold; see [`super`].
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::adc_window::TriggerAdcWindow;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerAdcWindow>(&[("threshold", 5000.into())])?;
//! let hit = |time_start| HitRow { time_start, adc_integral: 2000, ..HitRow::default() };
//! let (rows, mut out) = ([hit(10), hit(20), hit(30)], Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 200_000)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!((out[0].adc_integral, out[0].time_activity), (6000, 30));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::collections::VecDeque;

use super::window::{Condition, Window, window_params};
use super::{Trigger, trigger_params};
use crate::HitRow;

/// `trigger_adc_window`.
pub type TriggerAdcWindow = Trigger<Window<AdcWindow>>;

trigger_params! {
    /// Parameters of `trigger_adc_window`.
    AdcWindowParams {
        /// Length of the window.
        #[param(default = 100_000, min = 1, max = 10_000_000_000.0, unit = "ticks")]
        window: u64,
        /// Hits with a larger sum are an activity.
        #[param(default = 1_200_000, min = 0, unit = "counts")]
        threshold: u64,
    }
}
window_params!(AdcWindowParams);

/// The charge of a window.
#[derive(Default)]
pub struct AdcWindow {
    sum: u64,
}

impl Condition for AdcWindow {
    type Params = AdcWindowParams;
    const NAME: &'static str = "trigger_adc_window";
    const SUMMARY: &'static str = "Finds windows of hits with much charge.";
    const NUMBER: u16 = 3;
    const KIND: u16 = 6;

    fn add(&mut self, hit: &HitRow, _params: &AdcWindowParams) {
        self.sum += u64::from(hit.adc_integral);
    }

    fn remove(&mut self, hit: &HitRow) {
        self.sum -= u64::from(hit.adc_integral);
    }

    fn clear(&mut self) {
        self.sum = 0;
    }

    fn holds(&mut self, _hits: &VecDeque<HitRow>, params: &AdcWindowParams) -> bool {
        self.sum > params.threshold
    }
}
