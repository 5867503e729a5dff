//! From pixel values to the slots of a histogram table.

use super::wanted::HistogramRange;
use crate::Pixel;

/// Pixels whose slots are found before they are counted: so few that the processor finds the next
/// ones while it still counts.
pub(super) const GROUP: usize = 64;

/// How values become slots: slot `b` for bin `b`, `bins` below and `bins + 1` above the range or at
/// NaN.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    pub(super) range: HistogramRange,
    scale: f64,
    single: Option<Single>,
}

/// The same in single precision, with a bound on the error of a bin number.
#[derive(Clone, Copy, Debug)]
struct Single {
    min: f32,
    max: f32,
    scale: f32,
    error: f32,
}

impl Slots {
    pub(super) fn new(range: HistogramRange) -> Slots {
        let scale = (range.bins - 1) as f64 / (range.max - range.min);
        Slots { range, scale, single: Single::new(range, scale) }
    }

    /// The slots of a full group.
    #[inline(always)]
    pub(super) fn of_group<T: Pixel>(&self, pixels: &[T; GROUP], slots: &mut [u32; GROUP]) {
        match &self.single {
            Some(single) if T::FITS_SINGLE && single.find(pixels, self.range.bins, slots) => {}
            _ => self.of(pixels, slots),
        }
    }

    /// The slots of any pixels.
    #[inline(always)]
    pub(super) fn of<T: Pixel>(&self, pixels: &[T], slots: &mut [u32]) {
        let HistogramRange { min, max, bins } = self.range;
        let (last, below, above) = ((bins - 1) as f64, bins as f64, (bins + 1) as f64);
        for (slot, v) in slots.iter_mut().zip(pixels) {
            let v = v.to_f64();
            let bin = (v - min) * self.scale + 0.5;
            // Holds where the product overflows, too.
            let bin = if bin < last { bin } else { last };
            let bin = if v >= min { bin } else { below };
            let bin = if v <= max { bin } else { above };
            // SAFETY: `bin` is a number from 0 to `bins + 1`, which fits an i32: a `v` within the
            // range gives at least 0.5, limited to `last`, and any other, NaN too, `below` or `above`.
            *slot = unsafe { bin.to_int_unchecked::<i32>() } as u32;
        }
    }
}

impl Single {
    /// None where single precision could overflow or would often be in doubt.
    fn new(range: HistogramRange, scale: f64) -> Option<Single> {
        let HistogramRange { min, max, bins } = range;
        let near = min.abs() < 1e30 && max.abs() < 1e30 && (1e-30..1e30).contains(&scale);
        if bins > 4096 || !near || f64::from(min as f32) != min {
            return None;
        }
        let nearest = max as f32;
        // No value lies between this and `max`.
        let max = if f64::from(nearest) > max { nearest.next_down() } else { nearest };
        // Difference, scale, product and sum each round by 2⁻²⁴ of at most `bins`; twice that.
        let error = bins as f32 / (1 << 21) as f32;
        Some(Single { min: min as f32, max, scale: scale as f32, error })
    }

    /// Finds the slots, and tells whether all are the ones that double precision gives.
    #[inline(always)]
    fn find<T: Pixel>(&self, pixels: &[T; GROUP], bins: usize, slots: &mut [u32; GROUP]) -> bool {
        let (below, above) = (bins as u32, bins as u32 + 1);
        let end = bins as f32 - 0.5;
        let sure = 0.5 - self.error;
        let mut doubts = 0;
        for (slot, v) in slots.iter_mut().zip(pixels) {
            let v = v.single();
            let bin = (v - self.min) * self.scale + 0.5;
            // Exactly the bins of the range; what lies outside, NaN too, comes to ends beyond doubt.
            let bin = if bin < end { bin } else { end };
            let bin = if bin > 0.5 { bin } else { 0.5 };
            // SAFETY: a number from 0.5 to `bins` − 0.5, which fits an i32.
            let whole = unsafe { bin.to_int_unchecked::<i32>() };
            doubts |= u32::from((bin - whole as f32 - 0.5).abs() > sure);
            let inside = if v >= self.min { whole as u32 } else { below };
            *slot = if v <= self.max { inside } else { above };
        }
        doubts == 0
    }
}
