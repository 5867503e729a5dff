//! From pixel values to the slots of a histogram table.

use super::compare::Compare;
use super::wanted::HistogramRange;

/// Pixels that are looked at together: once in doubt, all are found again in double precision.
const GROUP: usize = 64;

/// Slots of a table beside its bins: below, above, NaN, in this order.
pub(super) const OTHERS: usize = 3;

/// How values become slots: slot `b` for bin `b`, then one each for values below the range, above
/// it, and NaN.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    pub(super) range: HistogramRange,
    scale: f64,
    /// Neither the range nor the scale overflows, so the bin of a value within the range is below
    /// `bins` without further ado.
    plain: bool,
    single: Option<Single>,
}

/// The same in single precision, with a bound on the error of a bin number.
#[derive(Clone, Copy, Debug)]
struct Single {
    min: f32,
    scale: f32,
    /// The smallest and the largest `f32` within the range.
    within: [f32; 2],
    /// ½ less the bound, and ½ and the bound.
    half: [f32; 2],
}

impl Slots {
    pub(super) fn new(range: HistogramRange) -> Slots {
        let scale = (range.bins - 1) as f64 / (range.max - range.min);
        let plain = (range.max - range.min).is_finite() && scale.is_finite();
        Slots { range, scale, plain, single: Single::new(range, scale) }
    }

    /// The slots of `pixels`, one each, multiplied by `step`.
    #[inline(always)]
    pub(super) fn of<T: Compare>(&self, pixels: &[T], slots: &mut [u32], step: u32) {
        match self.single {
            Some(single) if T::FITS_SINGLE => {
                let (groups, tail) = pixels.as_chunks::<GROUP>();
                let (slot_groups, slot_tail) = slots[..pixels.len()].as_chunks_mut::<GROUP>();
                for (group, slots) in groups.iter().zip(slot_groups) {
                    if !single.find(group, slots, step, self.range.bins as u32) {
                        self.side_by_side(group, slots, step);
                    }
                }
                self.side_by_side(tail, slot_tail, step);
            }
            _ if self.plain => self.side_by_side(pixels, slots, step),
            _ => self.one_by_one(pixels, slots, step),
        }
    }

    /// The loop for vectors.
    #[inline(always)]
    fn side_by_side<T: Compare>(&self, pixels: &[T], slots: &mut [u32], step: u32) {
        let HistogramRange { min, max, bins } = self.range;
        let (below, above, nan) = (bins as f64, (bins + 1) as f64, (bins + 2) as f64);
        for (slot, v) in slots.iter_mut().zip(pixels) {
            let v = v.to_f64();
            let bin = (v - min) * self.scale + 0.5;
            // No comparison with NaN holds, so NaN stays NaN until it becomes its slot.
            let bin = if v > max { above } else { bin };
            let bin = if v < min { below } else { bin };
            let bin = if bin < nan { bin } else { nan };
            // SAFETY: a number from 0.5 to `bins + 2`, which fits an i32.
            *slot = step * unsafe { bin.to_int_unchecked::<i32>() } as u32;
        }
    }

    /// For ranges so wide or so narrow that the arithmetic overflows.
    #[cold]
    fn one_by_one<T: Compare>(&self, pixels: &[T], slots: &mut [u32], step: u32) {
        let HistogramRange { min, max, bins } = self.range;
        for (slot, v) in slots.iter_mut().zip(pixels) {
            let v = v.to_f64();
            let bin = ((v - min) * self.scale + 0.5).min((bins - 1) as f64) as u32;
            let other = u32::from(v > max) + 2 * u32::from(v.is_nan());
            *slot = step * if v >= min && v <= max { bin } else { bins as u32 + other };
        }
    }
}

impl Single {
    /// None where single precision could overflow or would often be in doubt.
    fn new(range: HistogramRange, scale: f64) -> Option<Single> {
        let HistogramRange { min, max, bins } = range;
        let near = min.abs().max(max.abs()) < 1e30 && min.abs() <= 2.0 * (max - min);
        if bins > 4096 || !near || !(1e-30..1e30).contains(&scale) {
            return None;
        }
        let (low, high) = (min as f32, max as f32);
        let low = if f64::from(low) < min { low.next_up() } else { low };
        let high = if f64::from(high) > max { high.next_down() } else { high };
        // `min` rounds by at most 2·2⁻²⁴ of the range; difference, scale, product and sum by 2⁻²⁴ of
        // at most `bins` each: six together. Eight, to be sure.
        let error = bins as f32 / (1 << 21) as f32;
        let half = [0.5 - error, 0.5 + error];
        let single = Single { min: min as f32, scale: scale as f32, within: [low, high], half };
        (low <= high).then_some(single)
    }

    /// Finds the slots, and tells whether all are the ones that double precision gives.
    #[inline(always)]
    fn find<T: Compare>(&self, pixels: &[T; GROUP], slots: &mut [u32; GROUP], step: u32, bins: u32) -> bool {
        let [low, high] = self.within;
        let (below, above) = (step * bins, step * (bins + 1));
        let mut doubts = 0;
        for (slot, v) in slots.iter_mut().zip(pixels) {
            let v = v.single();
            // NaN becomes `low`.
            let inside = if v > low { v } else { low };
            let inside = if inside < high { inside } else { high };
            let bin = (inside - self.min) * self.scale;
            // SAFETY: numbers from about 0.5 to `bins` − 0.5, which fit an i32.
            let [bin, other] = self.half.map(|half| unsafe { (bin + half).to_int_unchecked::<i32>() });
            doubts |= bin ^ if v.is_nan() { -1 } else { other };
            let bin = if v < low { below } else { step * bin as u32 };
            *slot = if v > high { above } else { bin };
        }
        doubts == 0
    }
}
