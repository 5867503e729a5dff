//! A quantile that follows its samples with a few additions per sample.
//!
//! Q. Ma, S. Muthukrishnan, M. Sandler, "Frugal Streaming for Estimating Quantiles", 2014, with an accumulator in front
//! as the ProtoDUNE-SP hit finder has it: more than `limit` net steps in one direction move the value by one.

use super::rows::Row;
use crate::lanes::Lanes;

/// How many net steps move a value; 1 to 100.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit<L> {
    limit: L,
    /// 2¹⁶ / (2·limit + 1), rounded up.
    inverse: L,
    back: L,
    one: L,
}

impl<L: Lanes> Limit<L> {
    #[inline(always)]
    pub(super) fn new(limit: i16) -> Limit<L> {
        let limit = limit.clamp(1, 100);
        let inverse = 65536i32 / (2 * i32::from(limit) + 1) + 1;
        Limit {
            limit: L::splat(limit),
            inverse: L::splat(inverse as i16),
            back: L::splat(limit + 1),
            one: L::one(),
        }
    }
}

/// A value and its pending steps, in memory as `steps`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frugal<L> {
    pub(super) value: L,
    /// Net steps + limit: from 0 to 2·limit between two samples.
    biased: L,
}

impl<L: Lanes> Frugal<L> {
    #[inline(always)]
    pub(super) fn load(value: &Row, steps: &Row, lane: usize, limit: &Limit<L>) -> Frugal<L> {
        Frugal { value: value.load(lane), biased: steps.load::<L>(lane).add(limit.limit) }
    }

    #[inline(always)]
    pub(super) fn store(self, value: &mut Row, steps: &mut Row, lane: usize, limit: &Limit<L>) {
        value.store(lane, self.value);
        steps.store(lane, self.biased.sub(limit.limit));
    }

    /// A step towards `sample`. More than `limit` net steps, up or down, move the value by one and reset the
    /// steps.
    #[inline(always)]
    pub(super) fn step(&mut self, sample: L, limit: &Limit<L>) {
        self.biased = self.biased.toward(sample, self.value, limit.one);
        self.settle(limit);
    }

    /// The same where `mask`.
    #[inline(always)]
    pub(super) fn step_where(&mut self, sample: L, mask: L::Mask, limit: &Limit<L>) {
        self.biased = self.biased.toward_where(sample, self.value, limit.one, mask);
        self.settle(limit);
    }

    #[inline(always)]
    fn settle(&mut self, limit: &Limit<L>) {
        let biased = self.biased;
        // floor(biased / (2·limit + 1)): −1 at −1, 1 at 2·limit + 1, else 0.
        let moved = biased.mul_high(limit.inverse);
        self.value = self.value.add(moved);
        // From −1 and from 2·limit + 1 back to `limit`, which is no net step.
        self.biased = biased.sub(moved.mul_low(limit.back));
    }
}
