//! Pedestal, filter, noise and threshold.

use super::super::frugal::{Frugal, Limit};
use super::super::rows::Row;
use super::super::walk::{Filter, Filtered};
use super::setup::FinderSetup;
use crate::lanes::Lanes;

/// Standard deviation of normal noise over the median of its absolute value.
pub(super) const SIGMA: f32 = 1.4826;
/// Ticks between two updates of pedestal and noise.
pub(super) const EVERY: u64 = 8;
/// Net steps that move the median and the noise.
const LIMIT: i16 = 10;
/// Highest noise: `SCALE` times this fits 16 bits.
const LOUDEST: i16 = 1023;
/// noise · SCALE · factor / 2¹⁶ = noise · threshold in units of the noise.
const SCALE: i16 = 32;

/// State and configuration of 32 channels.
#[derive(Debug, Clone)]
pub(super) struct FilterBlock {
    pub(super) median: Row,
    median_steps: Row,
    /// Median of the absolute filtered signal.
    pub(super) noise: Row,
    noise_steps: Row,
    /// The last input of each of the six additions.
    inputs: [Row; 6],
    pub(super) threshold: Row,
    /// Threshold in units of `noise`, times 2¹¹.
    factor: Row,
    /// −1 where pulses swing to both sides, else 0.
    mirror: Row,
}

impl FilterBlock {
    pub(super) fn new(planes: &[u8; 32], setup: &FinderSetup) -> FilterBlock {
        // At most 30364, which fits 16 bits.
        let factor = setup.threshold.map(|t| (t.clamp(0.5, 10.0) * SIGMA * 2048.0).round() as i16);
        FilterBlock {
            median: Row::ZERO,
            median_steps: Row::ZERO,
            noise: Row::ZERO,
            noise_steps: Row::ZERO,
            inputs: [Row::ZERO; 6],
            threshold: Row::ZERO,
            factor: Row(planes.map(|plane| factor[usize::from(plane.min(2))])),
            mirror: Row(planes.map(|plane| -i16::from(setup.bipolar[usize::from(plane.min(2))]))),
        }
    }

    /// Forgets the last samples.
    pub(super) fn forget(&mut self) {
        self.inputs = [Row::ZERO; 6];
    }

    /// Makes the threshold that belongs to the noise.
    pub(super) fn renew_threshold(&mut self, setup: &FinderSetup) {
        let floor = floor(setup);
        for i in 0..32 {
            let scaled = i32::from(self.noise.0[i].min(LOUDEST) * SCALE);
            self.threshold.0[i] = (((scaled * i32::from(self.factor.0[i])) >> 16) as i16).max(floor);
        }
    }
}

/// The shared parameters of all channels.
#[derive(Debug, Clone, Copy)]
pub(super) struct FilterSetup<L> {
    limit: Limit<L>,
    floor: L,
}

impl<L: Lanes> FilterSetup<L> {
    pub(super) fn new(setup: &FinderSetup) -> FilterSetup<L> {
        FilterSetup { limit: Limit::new(LIMIT), floor: L::splat(floor(setup)) }
    }
}

/// Least threshold, in units of the filter's output.
fn floor(setup: &FinderSetup) -> i16 {
    let floor = i32::from(setup.floor.max(0)) << setup.bits.fraction();
    floor.clamp(1, i32::from(i16::MAX)) as i16
}

/// A sample over its median, shifted down by `SHIFT`, through (1 + z⁻¹)⁶ / 8.
///
/// Its gain is 8 and its delay 3 ticks. Half way the sums are divided by 8: then any sample fits, and the rounding is a
/// small part of the noise.
pub(super) struct FinderFilter<L, const SHIFT: u32, const BIPOLAR: bool> {
    median: Frugal<L>,
    noise: Frugal<L>,
    inputs: [L; 6],
    threshold: L,
    factor: L,
    mirror: L,
}

/// `sample` through the additions of the filter; `inputs` is its state.
#[inline(always)]
fn smooth<L: Lanes, const SHIFT: u32>(sample: L, inputs: &mut [L; 6]) -> L {
    let mut value = if SHIFT == 0 { sample } else { sample.shift_right(SHIFT) };
    let [a, b, c, d, e, f] = inputs;
    value = stage(stage(stage(value, a), b), c);
    // Half a unit of this shift is 4. The shift of the sample cuts off 3/8 on average, which three additions make 3.
    let half = if SHIFT == 0 { 4 } else { 7 };
    value = value.add(L::splat(half)).shift_right(3);
    stage(stage(stage(value, d), e), f)
}

/// 1 + z⁻¹.
#[inline(always)]
fn stage<L: Lanes>(value: L, input: &mut L) -> L {
    let sum = value.add(*input);
    *input = value;
    sum
}

/// The same for the samples of one channel, beginning with zeros.
pub(super) fn smooth_plain<const TICKS: usize>(samples: [i16; TICKS], shift: u32) -> [i16; TICKS] {
    use crate::lanes::Portable;
    let mut inputs = [Portable::splat(0); 6];
    samples.map(|sample| {
        let sample = Portable::splat(sample);
        let value = match shift {
            0 => smooth::<Portable, 0>(sample, &mut inputs),
            _ => smooth::<Portable, 2>(sample, &mut inputs),
        };
        let mut lanes = [0; Portable::COUNT];
        value.store(&mut lanes);
        lanes[0]
    })
}

impl<L: Lanes, const SHIFT: u32, const BIPOLAR: bool> Filter<L> for FinderFilter<L, SHIFT, BIPOLAR> {
    type Block = FilterBlock;
    type Setup = FilterSetup<L>;

    #[inline(always)]
    fn load(block: &FilterBlock, lane: usize, setup: &FilterSetup<L>) -> Self {
        let inputs = &block.inputs;
        FinderFilter {
            median: Frugal::load(&block.median, &block.median_steps, lane, &setup.limit),
            noise: Frugal::load(&block.noise, &block.noise_steps, lane, &setup.limit),
            inputs: [
                inputs[0].load(lane),
                inputs[1].load(lane),
                inputs[2].load(lane),
                inputs[3].load(lane),
                inputs[4].load(lane),
                inputs[5].load(lane),
            ],
            threshold: block.threshold.load(lane),
            factor: block.factor.load(lane),
            mirror: block.mirror.load(lane),
        }
    }

    #[inline(always)]
    fn store(&self, block: &mut FilterBlock, lane: usize, setup: &FilterSetup<L>) {
        self.median.store(&mut block.median, &mut block.median_steps, lane, &setup.limit);
        self.noise.store(&mut block.noise, &mut block.noise_steps, lane, &setup.limit);
        block.threshold.store(lane, self.threshold);
        for i in 0..6 {
            block.inputs[i].store(lane, self.inputs[i]);
        }
    }

    #[inline(always)]
    fn filter(&mut self, sample: L, count: u64, setup: &FilterSetup<L>) -> Filtered<L> {
        let smooth = smooth::<L, SHIFT>(sample.sub(self.median.value), &mut self.inputs);
        // The mirror −1 gives the absolute value; 0 makes all below 0 to 0.
        let value = if BIPOLAR { smooth.max(smooth.mul_low(self.mirror)) } else { smooth };
        let found = Filtered {
            value,
            begins: value.greater(self.threshold),
            stays: value.greater(self.threshold.shift_right(1)),
        };
        if count % EVERY == EVERY - 1 {
            self.median.step(sample, &setup.limit);
            self.noise.step(smooth.abs(), &setup.limit);
            let scaled = self.noise.value.min(L::splat(LOUDEST)).mul_low(L::splat(SCALE));
            self.threshold = scaled.mul_high(self.factor).max(setup.floor);
        }
        found
    }
}
