//! Sliding windows: the common part of algorithms that test all hits of a stretch of time.
//!
//! The window of a hit begins with the hit and is `window` ticks long. A window is tested when no further hit can fall
//! into it. If the condition holds, its hits become an activity, and the window is emptied; else its first hit is
//! abandoned, and the window of the next hit is tested.

use std::collections::VecDeque;

use super::{Algorithm, Found, TriggerParams};
use crate::{ActivityRow, HitRow};

/// The condition on the hits of a window. The condition is updated with every hit that enters or leaves, so the cost of
/// a test does not depend on the number of hits.
pub trait Condition: Default + Send + 'static {
    /// Parameters of the algorithm.
    type Params: WindowParams;
    /// As [`Algorithm::NAME`].
    const NAME: &'static str;
    /// As [`Algorithm::SUMMARY`].
    const SUMMARY: &'static str;
    /// As [`Algorithm::NUMBER`].
    const NUMBER: u16;
    /// As [`Algorithm::KIND`].
    const KIND: u16;

    /// A hit enters.
    fn add(&mut self, hit: &HitRow, params: &Self::Params);

    /// The oldest hit leaves.
    fn remove(&mut self, hit: &HitRow);

    /// All hits leave.
    fn clear(&mut self);

    /// Whether the condition holds for the hits that are in, oldest first.
    fn holds(&mut self, hits: &VecDeque<HitRow>, params: &Self::Params) -> bool;

    /// Once the condition holds: whether the hit belongs to the activity.
    fn keeps(&self, hit: &HitRow) -> bool {
        let _ = hit;
        true
    }

    /// Once the condition holds: the time that a trigger is for. As a rule the start of the first hit with which it held.
    fn moment(&mut self, hits: &VecDeque<HitRow>, params: &Self::Params) -> u64 {
        self.clear();
        let fulfilled = hits.iter().find(|hit| {
            self.add(hit, params);
            self.holds(hits, params)
        });
        fulfilled.or(hits.front()).map_or(0, |hit| hit.time_start)
    }
}

/// Parameters of an algorithm with a sliding window.
pub trait WindowParams: TriggerParams {
    /// Length of the window, ticks of the clock.
    fn window(&self) -> u64;
}

/// Gives the parameters' field `window`.
macro_rules! window_params {
    ($name:ident) => {
        impl super::window::WindowParams for $name {
            fn window(&self) -> u64 {
                self.window
            }
        }
    };
}
pub(super) use window_params;

/// Tests the condition `C` for the window of each hit.
#[derive(Default)]
pub struct Window<C> {
    hits: VecDeque<HitRow>,
    condition: C,
}

impl<C: Condition> Window<C> {
    /// Tests the window of the first hit, which is over.
    fn test(&mut self, params: &C::Params, found: &mut Found) {
        if !self.condition.holds(&self.hits, params) {
            if let Some(first) = self.hits.pop_front() {
                self.condition.remove(&first);
            }
            return;
        }
        if let Some(row) = self.activity(params) {
            let time_activity = self.condition.moment(&self.hits, params);
            found.give(ActivityRow { time_activity, ..row });
        }
        self.hits.clear();
        self.condition.clear();
    }

    fn activity(&self, params: &C::Params) -> Option<ActivityRow> {
        let hits = self.hits.iter().filter(|hit| self.condition.keeps(hit));
        hits.map(|hit| ActivityRow::of(hit, params.sample_step())).reduce(|mut row, hit| {
            row.join(&hit);
            row
        })
    }
}

impl<C: Condition> Algorithm for Window<C> {
    type Params = C::Params;
    const NAME: &'static str = C::NAME;
    const SUMMARY: &'static str = C::SUMMARY;
    const NUMBER: u16 = C::NUMBER;
    const KIND: u16 = C::KIND;

    fn until(&mut self, time: u64, params: &C::Params, found: &mut Found) {
        while let Some(first) = self.hits.front()
            && first.time_start.saturating_add(params.window()) <= time
        {
            self.test(params, found);
        }
    }

    fn hit(&mut self, hit: &HitRow, params: &C::Params, _found: &mut Found) {
        self.condition.add(hit, params);
        self.hits.push_back(*hit);
    }

    fn earliest(&self) -> Option<u64> {
        self.hits.front().map(|hit| hit.time_start)
    }

    fn held(&self) -> usize {
        self.hits.len()
    }
}
