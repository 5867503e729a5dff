//! Corrections and the recursive filter of areaDetector's NDPluginProcess, in one pass.

mod compiled;
mod corrections;
mod min_max;
mod real;
mod setup;
mod steps;
#[cfg(test)]
mod tests;

use std::any::TypeId;

use crate::{LengthError, Level, Pixel, Plane};
pub use corrections::{Clip, Corrections, FlatField, OffsetScale};
pub use min_max::min_max;
pub use real::{Filtered, Real};
pub use setup::{Coefficients, FilterSetup, ResetCoefficients};

/// The recursive filter: for input `I` and state `F`,
/// output = `o_offset + o1 * F + o2 * I` and new state = `f_offset + f1 * F + f2 * I`.
#[derive(Debug)]
pub struct Filter<'a, S> {
    /// F, packed, one value for each input pixel; read and written.
    pub state: &'a mut [S],
    /// The filter of this frame.
    pub coefficients: Coefficients<S>,
}

/// Corrects a frame, filters it and converts it to the output type, in one pass.
///
/// ```text
/// input (I) ─ background ─ flat field ─ offset, scale ─ clips ─ filter ─ output (O)
///   height × width, any stride          in S (f32, f64)   │ ▲     packed
///                                                        state (S), packed
/// ```
///
/// Without `filter` the corrected frame is the output. Without `output` only the state is
/// brought forward, as for "emit every N-th frame". Output values are cut towards zero and
/// limited to the range of `O`; NaN becomes 0 for integers. Without corrections and filter, `I`
/// is converted to `O` directly. Every level gives the same bits.
///
/// Steps and formulas follow ADCore `NDPluginProcess.cpp`, which calculates in `f64`.
///
/// # Errors
/// [`LengthError`] if an image among the corrections, the state or the output does not have
/// `width * height` elements; nothing has been written then.
///
/// ```
/// use livetime_kernels::{Corrections, Filter, FilterSetup, Level, Plane, process};
/// let (mut state, mut output) = ([0.0f32; 2], [0u8; 2]);
/// let setup = FilterSetup::recursive_average();
/// for (n, frame) in [(1, [10u8, 200]), (2, [20, 100])] {
///     let filter = Filter { state: &mut state, coefficients: setup.coefficients(n).rounded() };
///     let frame = Plane::packed(&frame, 2, 1)?;
///     process(Level::best(), frame, &Corrections::default(), Some(filter), Some(&mut output))?;
/// }
/// assert_eq!(output, [15, 150]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn process<I: Filtered, S: Real, O: Pixel>(
    level: Level,
    input: Plane<'_, I>,
    corrections: &Corrections<'_, S>,
    filter: Option<Filter<'_, S>>,
    output: Option<&mut [O]>,
) -> Result<(), LengthError> {
    let expected = input.len();
    let lengths = [
        ("background", corrections.background.map(<[S]>::len)),
        ("flat field", corrections.flat_field.map(|f| f.flat.len())),
        ("state", filter.as_ref().map(|f| f.state.len())),
        ("output", output.as_ref().map(|o| o.len())),
    ];
    for (what, len) in lengths {
        LengthError::check(what, len.unwrap_or(expected), expected)?;
    }
    run(level, input.joined(), corrections, filter, output);
    Ok(())
}

/// Starts the filter anew from a corrected frame `I`: `F = offset + state * F + input * I`.
///
/// # Errors
/// As [`process()`].
///
/// ```
/// use livetime_kernels::{Corrections, FilterSetup, Level, Plane, reset};
/// let mut state = [f64::NAN; 2];
/// let coefficients = FilterSetup::recursive_average().reset_coefficients();
/// let frame = Plane::packed(&[3u16, 4], 2, 1)?;
/// reset(Level::best(), frame, &Corrections::default(), &mut state, coefficients)?;
/// assert_eq!(state, [3.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reset<I: Filtered, S: Real>(
    level: Level,
    input: Plane<'_, I>,
    corrections: &Corrections<'_, S>,
    state: &mut [S],
    coefficients: ResetCoefficients<S>,
) -> Result<(), LengthError> {
    let ResetCoefficients { offset: f_offset, state: f1, input: f2 } = coefficients;
    let zero = S::default();
    let coefficients = Coefficients { o_offset: zero, o1: zero, o2: zero, f_offset, f1, f2 };
    process::<I, S, S>(level, input, corrections, Some(Filter { state, coefficients }), None)
}

/// Pixels that are worked on at a time; 4 KiB of `f64`, so that the steps meet in the L1 cache.
const BLOCK: usize = 512;

// Compiled for every triple of types, so it only walks over blocks: the loops over pixels belong
// to one type (`steps.rs`) or to two (`cast.rs`).
fn run<I: Filtered, S: Real, O: Pixel>(
    level: Level,
    input: Plane<'_, I>,
    corrections: &Corrections<'_, S>,
    mut filter: Option<Filter<'_, S>>,
    mut output: Option<&mut [O]>,
) {
    let corrected = corrections.any();
    let (mut before, mut after) = ([S::default(); BLOCK], [S::default(); BLOCK]);
    let mut start = 0;
    for row in input.rows() {
        for pixels in row.chunks(BLOCK) {
            let part = start..start + pixels.len();
            start = part.end;
            let output = output.as_deref_mut().map(|o| &mut o[part.clone()]);
            let before = &mut before[..pixels.len()];
            if corrected {
                I::cast_slice(level, pixels, before);
                S::correct(level, corrections, part.start, before);
            }
            let filter = filter.as_mut().map(|f| (&mut f.state[part], &f.coefficients));
            if corrected {
                finish(level, before, filter, &mut after, output);
            } else {
                finish(level, pixels, filter, &mut after, output);
            }
        }
    }
}

/// Filter and conversion of pixels that are already corrected.
fn finish<I: Filtered, S: Real, O: Pixel>(
    level: Level,
    pixels: &[I],
    filter: Option<(&mut [S], &Coefficients<S>)>,
    after: &mut [S],
    output: Option<&mut [O]>,
) {
    match (filter, output) {
        (Some((state, c)), Some(output)) if is_same::<S, O>() => {
            I::filter(level, c, pixels, state, same(output));
        }
        (Some((state, c)), Some(output)) if is_same::<I, O>() => {
            I::filter_in_kind(level, c, pixels, state, same(output).unwrap_or(&mut []));
        }
        (Some((state, c)), Some(output)) => {
            // Any other output goes by way of a block in the type of the state.
            let after = &mut after[..pixels.len()];
            I::filter(level, c, pixels, state, Some(&mut *after));
            S::cast_slice(level, after, output);
        }
        (Some((state, c)), None) => I::filter(level, c, pixels, state, None),
        (None, Some(output)) => I::cast_slice(level, pixels, output),
        (None, None) => {}
    }
}

fn is_same<A: 'static, B: 'static>() -> bool {
    TypeId::of::<A>() == TypeId::of::<B>()
}

/// The same slice under the name that its type has elsewhere; `None` if it is another type.
fn same<A: 'static, B: 'static>(slice: &mut [A]) -> Option<&mut [B]> {
    // SAFETY: `A` and `B` are the same type.
    is_same::<A, B>().then(|| unsafe { &mut *(std::ptr::from_mut(slice) as *mut [B]) })
}
