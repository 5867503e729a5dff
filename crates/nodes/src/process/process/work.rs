//! The planes that belong to a stream of frames, in one precision, and the work on one frame.

use std::ops::Range;

use livetime_engine::NodeError;
use livetime_frame::{ArrayRef, DType, Element, Frame, FrameMut, with_dtype};
use livetime_kernels::{
    Corrections, Filter, FlatField, LengthError, Level, OffsetScale, Pixel, Plane, Real, convert_slice,
    process, reset,
};

use super::steps::{Steps, rounded_clip};
use crate::planes::Planes;

/// Elements that are worked on at a time: their values stay in the L1 cache between the calculation and the
/// conversion to the output type. So one loop per input and precision serves all ten output types.
const PIECE: usize = 4096;

/// Background, flat field and filter state, packed, in precision `S`.
pub(super) struct Work<S> {
    pub(super) background: Vec<S>,
    pub(super) flat: Vec<S>,
    pub(super) state: Vec<S>,
    /// A piece of the output before its conversion.
    piece: Vec<S>,
}

impl<S> Default for Work<S> {
    fn default() -> Self {
        Work { background: Vec::new(), flat: Vec::new(), state: Vec::new(), piece: Vec::new() }
    }
}

impl<S: Real + Element> Work<S> {
    /// Takes over the planes of another precision, which is left empty.
    pub(super) fn take_over<T: Real>(&mut self, other: &mut Work<T>) -> Result<(), NodeError> {
        let Work { background, flat, state, .. } = std::mem::take(other);
        for (from, to) in
            [(background, &mut self.background), (flat, &mut self.flat), (state, &mut self.state)]
        {
            to.resize(from.len(), S::default());
            convert_slice(Level::best(), &from, to).map_err(NodeError::new)?;
        }
        Ok(())
    }

    /// Does `steps` to `input`. Without `output` only the state is brought forward.
    pub(super) fn run(
        &mut self,
        input: &ArrayRef,
        steps: &Steps,
        output: Option<(&mut FrameMut, DType)>,
    ) -> Result<(), NodeError> {
        if steps.filter.is_some() {
            self.state.resize(input.layout().len(), S::default());
        }
        let Some((output, dtype)) = output else { return self.any_input(input, steps, None) };
        with_dtype!(dtype, O => {
            let output = output.elements_mut::<O>()?;
            let mut emit = |piece: &[S], place: Range<usize>| {
                convert_slice(Level::best(), piece, output.get_mut(place).unwrap_or(&mut []))
            };
            self.any_input(input, steps, Some(&mut emit))
        })
    }

    fn any_input(&mut self, input: &ArrayRef, steps: &Steps, emit: Emit<S>) -> Result<(), NodeError> {
        with_dtype!(input.layout().dtype(), I => self.each(&Planes::<I>::in_order(input)?, steps, emit))
    }

    fn each<I: Pixel + Element>(
        &mut self,
        input: &Planes<I>,
        steps: &Steps,
        mut emit: Emit<S>,
    ) -> Result<(), NodeError> {
        self.piece.resize(PIECE, S::default());
        let mut start = 0;
        for piece in input.pieces(PIECE) {
            let piece = piece?;
            let place = start..start + piece.len();
            start = place.end;
            self.one(piece, steps, place, &mut emit).map_err(NodeError::new)?;
        }
        Ok(())
    }

    /// The elements that have their `place` in background, flat field, state and output.
    fn one<I: Pixel>(
        &mut self,
        input: Plane<I>,
        steps: &Steps,
        place: Range<usize>,
        emit: &mut Emit<S>,
    ) -> Result<(), LengthError> {
        let level = Level::best();
        let part = part_of::<S>(place.clone());
        let corrections = Corrections {
            background: steps.background.then(|| part(&self.background)),
            flat_field: steps
                .flat_field
                .map(|scale| FlatField { flat: part(&self.flat), scale: S::from_f64(scale) }),
            offset_scale: steps
                .offset_scale
                .map(|o| OffsetScale { offset: S::from_f64(o.offset), scale: S::from_f64(o.scale) }),
            high_clip: rounded_clip(steps.high_clip),
            low_clip: rounded_clip(steps.low_clip),
        };
        let mut filter = None;
        if let Some(step) = &steps.filter {
            let state = self.state.get_mut(place.clone()).unwrap_or(&mut []);
            if step.is_new {
                process(level, input, &corrections, None, Some(&mut *state))?;
            }
            if let Some(coefficients) = step.reset {
                reset(level, input, &corrections, state, coefficients.rounded())?;
            }
            filter = Some(Filter { state, coefficients: step.coefficients.rounded() });
        }
        let Some(emit) = emit else {
            return process::<I, S, S>(level, input, &corrections, filter, None);
        };
        let to = self.piece.get_mut(..input.len()).unwrap_or(&mut []);
        process(level, input, &corrections, filter, Some(&mut *to))?;
        emit(to, place)
    }
}

/// Finds the part of a plane that lies at `place`.
fn part_of<S>(place: Range<usize>) -> impl Fn(&[S]) -> &[S] {
    move |plane| plane.get(place.clone()).unwrap_or(&[])
}

/// Takes a piece of the output and its place; `None` where there is no output.
type Emit<'a, S> = Option<&'a mut dyn FnMut(&[S], Range<usize>) -> Result<(), LengthError>>;

/// The elements of an array, packed, in precision `S`.
pub(super) fn copy_of<S: Real>(frame: &Frame) -> Result<Vec<S>, NodeError> {
    let array = frame.array()?;
    let mut copy = vec![S::default(); array.layout().len()];
    with_dtype!(array.layout().dtype(), T => {
        let mut rest = copy.as_mut_slice();
        for row in array.rows::<T>()? {
            let (to, behind) = rest.split_at_mut(row.len().min(rest.len()));
            convert_slice(Level::best(), row, to).map_err(NodeError::new)?;
            rest = behind;
        }
    });
    Ok(copy)
}
