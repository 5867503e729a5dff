//! The coefficients of the recursive filter and how they follow from the operator's numbers.

use crate::Pixel;
use crate::cast::Cast;

/// The coefficients of the filter for one frame; see [`Filter`](super::Filter) for the formula.
///
/// A term whose coefficient is 0 is left out, so that a NaN in the state does not stay there for
/// ever when `f1` is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients<S> {
    /// Added to every output pixel.
    pub o_offset: S,
    /// How much of the state goes into the output.
    pub o1: S,
    /// How much of the input goes into the output.
    pub o2: S,
    /// Added to every pixel of the new state.
    pub f_offset: S,
    /// How much of the old state goes into the new one.
    pub f1: S,
    /// How much of the input goes into the new state.
    pub f2: S,
}

impl Coefficients<f64> {
    /// The same numbers, rounded to the type of the state.
    pub fn rounded<S: Pixel>(&self) -> Coefficients<S> {
        Coefficients {
            o_offset: self.o_offset.cast(),
            o1: self.o1.cast(),
            o2: self.o2.cast(),
            f_offset: self.f_offset.cast(),
            f1: self.f1.cast(),
            f2: self.f2.cast(),
        }
    }
}

/// The terms of the state after [`reset`](super::reset): `offset + state * F + input * I`.
///
/// A term whose coefficient is 0 is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResetCoefficients<S> {
    /// Added to every pixel of the new state.
    pub offset: S,
    /// How much of the old state goes into the new one.
    pub state: S,
    /// How much of the input goes into the new state.
    pub input: S,
}

impl ResetCoefficients<f64> {
    /// The same numbers, rounded to the type of the state.
    pub fn rounded<S: Pixel>(&self) -> ResetCoefficients<S> {
        ResetCoefficients { offset: self.offset.cast(), state: self.state.cast(), input: self.input.cast() }
    }
}

/// The numbers that an operator sets for the recursive filter, in areaDetector's terms.
///
/// The presets are the filter types of NDPluginProcess (`FilterType`).
///
/// ```
/// use livetime_kernels::FilterSetup;
/// let average = FilterSetup::recursive_average();
/// // The fourth frame counts a quarter, what came before counts the rest.
/// let c = average.coefficients(4);
/// assert_eq!((c.o1, c.o2, c.f1, c.f2), (0.75, 0.25, 0.75, 0.25));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterSetup {
    /// OC1 … OC4.
    pub oc: [f64; 4],
    /// FC1 … FC4.
    pub fc: [f64; 4],
    /// RC1, RC2.
    pub rc: [f64; 2],
    /// OOffset, in output units.
    pub o_offset: f64,
    /// OScale.
    pub o_scale: f64,
    /// FOffset.
    pub f_offset: f64,
    /// FScale.
    pub f_scale: f64,
    /// ROffset.
    pub r_offset: f64,
}

impl FilterSetup {
    /// The coefficients of frame number `n`, which counts from 1 and stays at the operator's
    /// `NumFilter` once it got there; 0 is taken as 1.
    ///
    /// `o1 = o_scale * (oc[0] + oc[1] / n)`, `o2 = o_scale * (oc[2] + oc[3] / n)`, and so `f1`, `f2`.
    pub fn coefficients(&self, n: u32) -> Coefficients<f64> {
        let n = f64::from(n.max(1));
        let pair = |scale: f64, c: [f64; 4]| (scale * (c[0] + c[1] / n), scale * (c[2] + c[3] / n));
        let (o1, o2) = pair(self.o_scale, self.oc);
        let (f1, f2) = pair(self.f_scale, self.fc);
        Coefficients { o_offset: self.o_offset, o1, o2, f_offset: self.f_offset, f1, f2 }
    }

    /// The coefficients of a reset.
    pub fn reset_coefficients(&self) -> ResetCoefficients<f64> {
        ResetCoefficients { offset: self.r_offset, state: self.rc[0], input: self.rc[1] }
    }

    /// RecursiveAve: the mean of all frames up to `NumFilter`, then an exponential average.
    pub fn recursive_average() -> FilterSetup {
        FilterSetup::plain([1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [0.0, 1.0])
    }

    /// Average: the sum of the frames divided by `num_filter` (0 is taken as 1): the mean once
    /// `num_filter` frames came in.
    pub fn average(num_filter: u32) -> FilterSetup {
        let part = 1.0 / f64::from(num_filter.max(1));
        FilterSetup::plain([1.0, 0.0, part, 0.0], [1.0, 0.0, part, 0.0], [0.0, 0.0])
    }

    /// Sum: all frames since the reset added up.
    pub fn sum() -> FilterSetup {
        FilterSetup::plain([1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0], [0.0, 0.0])
    }

    /// Difference: this frame less the one before.
    pub fn difference() -> FilterSetup {
        FilterSetup::plain([-1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 1.0])
    }

    /// RecursiveAveDiff: this frame less the recursive average of the frames before.
    pub fn recursive_average_difference() -> FilterSetup {
        FilterSetup::plain([-1.0, 0.0, 1.0, 0.0], [1.0, -1.0, 0.0, 1.0], [0.0, 1.0])
    }

    /// CopyToFilter: this frame, which also becomes the state.
    pub fn copy_to_filter() -> FilterSetup {
        FilterSetup::plain([0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 1.0])
    }

    /// The given coefficients with offsets 0 and scales 1.
    pub fn plain(oc: [f64; 4], fc: [f64; 4], rc: [f64; 2]) -> FilterSetup {
        FilterSetup { oc, fc, rc, o_offset: 0.0, o_scale: 1.0, f_offset: 0.0, f_scale: 1.0, r_offset: 0.0 }
    }
}
