//! The steps for one frame, and their precision.

use livetime_frame::DType;
use livetime_kernels::{Clip, Coefficients, OffsetScale, Real, ResetCoefficients};

use super::params::{FilterState, ProcessParams};

/// The steps for one frame.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    pub(super) background: bool,
    /// Scale of the flat field.
    pub(super) flat_field: Option<f64>,
    pub(super) offset_scale: Option<OffsetScale<f64>>,
    pub(super) high_clip: Option<Clip<f64>>,
    pub(super) low_clip: Option<Clip<f64>>,
    pub(super) filter: Option<FilterStep>,
}

/// The filter's step for one frame.
#[derive(Clone, Copy)]
pub(super) struct FilterStep {
    /// The state begins as a copy of the frame.
    pub(super) is_new: bool,
    /// The state starts again.
    pub(super) reset: Option<ResetCoefficients<f64>>,
    pub(super) coefficients: Coefficients<f64>,
}

impl Steps {
    /// The corrections that are switched on and possible, without the filter.
    pub(super) fn corrections(p: &ProcessParams) -> Steps {
        let clip = |threshold, value| Clip { threshold, value };
        Steps {
            background: p.enable_background && p.valid_background,
            // A flat field that does not fit the frame is not valid, and then the step is left out as in
            // areaDetector.
            flat_field: (p.enable_flat_field && p.valid_flat_field).then_some(p.scale_flat_field),
            offset_scale: p.enable_offset_scale.then_some(OffsetScale { offset: p.offset, scale: p.scale }),
            high_clip: p.enable_high_clip.then(|| clip(p.high_clip_thresh, p.high_clip_value)),
            low_clip: p.enable_low_clip.then(|| clip(p.low_clip_thresh, p.low_clip_value)),
            filter: None,
        }
    }

    /// Whether the values stay as they are.
    pub(super) fn is_nothing(&self) -> bool {
        !self.background
            && self.flat_field.is_none()
            && self.offset_scale.is_none()
            && self.high_clip.is_none()
            && self.low_clip.is_none()
            && self.filter.is_none()
    }

    /// Whether no correction rounds when it is made in `f32` on integers of 16 bits: differences and
    /// comparisons do not, quotients and products do.
    fn is_exact_in_single(&self) -> bool {
        let holds = |v: f64| f64::from(v as f32) == v;
        let clips = [self.high_clip, self.low_clip];
        // A division and a scale give fractions, which `f32` would round.
        self.flat_field.is_none()
            && self.offset_scale.is_none()
            && clips.iter().flatten().all(|c| holds(c.threshold) && holds(c.value))
    }
}

/// Rounded to the type that is calculated in.
pub(super) fn rounded_clip<S: Real>(clip: Option<Clip<f64>>) -> Option<Clip<S>> {
    clip.map(|c| Clip { threshold: S::from_f64(c.threshold), value: S::from_f64(c.value) })
}

/// `f32` holds whole numbers up to this exactly.
const EXACT: f64 = 16_777_216.0;

/// Whether `f32` is used for input of type `dtype`; see the [module of the node](super) for the reasons.
pub(super) fn is_single(p: &ProcessParams, dtype: DType) -> bool {
    match p.filter_state {
        FilterState::Single => true,
        FilterState::Double => false,
        FilterState::Auto => largest(dtype).is_some_and(|largest| single_suffices(p, largest)),
    }
}

/// The largest magnitude of integers of this type; `None` for integers that `f32` cannot hold.
fn largest(dtype: DType) -> Option<f64> {
    match dtype {
        DType::I8 => Some(128.0),
        DType::U8 => Some(255.0),
        DType::I16 => Some(32768.0),
        DType::U16 => Some(65535.0),
        // `f32` does not hold all integers of 32 bits, and sums of floats round in it.
        _ => None,
    }
}

fn single_suffices(p: &ProcessParams, largest: f64) -> bool {
    let steps = Steps::corrections(p);
    // A background may have the opposite sign, so the difference can be twice as large.
    let largest = if steps.background { 2.0 * largest } else { largest };
    steps.is_exact_in_single() && (!p.enable_filter || filter_suffices(p, largest))
}

fn filter_suffices(p: &ProcessParams, largest: f64) -> bool {
    let c = p.setup().coefficients(p.num_filter);
    // A factor of 1 makes the filter a sum, whose error does not fade.
    if c.f1 == 1.0 {
        // Sums of whole numbers are exact as long as they stay whole and small.
        let whole = c.f2.fract() == 0.0 && c.f_offset.fract() == 0.0;
        let step = c.f2.abs() * largest + c.f_offset.abs();
        // Without a reset the sum grows without a bound.
        return whole && p.auto_reset_filter && f64::from(p.num_filter) * step <= EXACT;
    }
    // Each frame rounds a state of this magnitude, and the recursion adds up the rounding errors of this many
    // frames. Their sum stays below a tenth of a count when the product is at most a sixteenth of the largest
    // integer that f32 holds exactly.
    let memory = 1.0 / (1.0 - c.f1.abs());
    let state = memory * (c.f2.abs() * largest + c.f_offset.abs());
    c.f1.abs() < 1.0 && memory * state <= EXACT / 16.0
}
