//! The planes that belong to a stream of frames, in one precision, and the work on one frame.

use std::ops::Range;

use livetime_engine::NodeError;
use livetime_frame::{ArrayRef, DType, Element, Frame, FrameMut, with_dtype};
use livetime_kernels::{
    Corrections, Filter, Filtered, FlatField, LengthError, Level, OffsetScale, Plane, Real, convert_slice,
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
        // The old work gives up its memory: both together would hold the largest arrays of the node twice.
        let Work { background, flat, state, .. } = std::mem::take(other);
        // The filter's state must go on when the precision changes, so it is converted and not begun again.
        for (from, to) in
            [(background, &mut self.background), (flat, &mut self.flat), (state, &mut self.state)]
        {
            to.resize(from.len(), S::default());
            convert_slice(Level::best(), &from, to).map_err(NodeError::new)?;
        }
        Ok(())
    }

    /// Does all jobs, which have the same layout, piece by piece: the state of a piece stays in the L1 cache while
    /// the frames pass. Outputs are of type `dtype`.
    pub(super) fn run(&mut self, jobs: &mut [Option<Job>], dtype: DType) -> Result<(), NodeError> {
        let Some(first) = jobs.iter().flatten().next() else { return Ok(()) };
        let layout = *first.input.layout();
        // Without a filter the state costs no memory.
        if first.steps.filter.is_some() {
            self.state.resize(layout.len(), S::default());
        }
        self.piece.resize(PIECE, S::default());
        with_dtype!(layout.dtype(), I => self.each::<I>(jobs, dtype))
    }

    fn each<I: Filtered + Element>(
        &mut self,
        jobs: &mut [Option<Job>],
        dtype: DType,
    ) -> Result<(), NodeError> {
        let Some(first) = jobs.iter().flatten().next() else { return Ok(()) };
        let mut start = 0;
        // All frames are worked on before the next piece, so that the piece of the state stays in the cache.
        for piece in Planes::<I>::in_order(&first.input)?.pieces(PIECE) {
            let place = start..start + piece.len();
            start = place.end;
            for job in jobs.iter_mut().flatten() {
                let input = Planes::<I>::in_order(&job.input)?.piece(&piece)?;
                match &mut job.output {
                    None => self.one(input, &job.steps, place.clone(), Emit::Nothing),
                    Some(output) if dtype == I::DTYPE => {
                        let to = output.elements_mut::<I>()?.get_mut(place.clone());
                        // A place outside the output gives no elements, which the kernel refuses with the
                        // lengths.
                        self.one(input, &job.steps, place.clone(), Emit::InKind(to.unwrap_or(&mut [])))
                    }
                    Some(output) => self.convert(input, &job.steps, place.clone(), output, dtype),
                }
                .map_err(NodeError::new)?;
            }
        }
        Ok(())
    }

    /// As [`Work::one`], with an output of another type than the input.
    fn convert<I: Filtered + Element>(
        &mut self,
        input: Plane<I>,
        steps: &Steps,
        place: Range<usize>,
        output: &mut FrameMut,
        dtype: DType,
    ) -> Result<(), LengthError> {
        // The memory is taken out, because `one` borrows the whole work.
        let mut values = std::mem::take(&mut self.piece);
        let to = values.get_mut(..input.len()).unwrap_or(&mut []);
        let result = self.one(input, steps, place.clone(), Emit::Values(to)).and_then(|()| {
            with_dtype!(dtype, O => {
                let output = output.elements_mut::<O>().ok().and_then(|o| o.get_mut(place));
                convert_slice(Level::best(), to, output.unwrap_or(&mut []))
            })
        });
        self.piece = values;
        result
    }

    /// The elements that have their `place` in background, flat field, state and output.
    fn one<I: Filtered + Element>(
        &mut self,
        input: Plane<I>,
        steps: &Steps,
        place: Range<usize>,
        emit: Emit<I, S>,
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
            // A new state begins with the corrected frame itself, and zero would pull the first averages down.
            if step.is_new {
                process(level, input, &corrections, None, Some(&mut *state))?;
            }
            // A reset mixes the old state with the frame, as the coefficients say, before the filter runs.
            if let Some(coefficients) = step.reset {
                reset(level, input, &corrections, state, coefficients.rounded())?;
            }
            filter = Some(Filter { state, coefficients: step.coefficients.rounded() });
        }
        match emit {
            Emit::Nothing => process::<I, S, S>(level, input, &corrections, filter, None),
            Emit::InKind(to) => process::<I, S, I>(level, input, &corrections, filter, Some(to)),
            Emit::Values(to) => process::<I, S, S>(level, input, &corrections, filter, Some(to)),
        }
    }
}

/// Finds the part of a plane that lies at `place`.
fn part_of<S>(place: Range<usize>) -> impl Fn(&[S]) -> &[S] {
    move |plane| plane.get(place.clone()).unwrap_or(&[])
}

/// Where the output goes.
enum Emit<'a, I, S> {
    /// There is none: only the state is brought forward.
    Nothing,
    /// Made in the input's type, in one go with the calculation.
    InKind(&'a mut [I]),
    /// Left in the precision of the calculation.
    Values(&'a mut [S]),
}

/// One frame to be worked on.
pub(super) struct Job<'a> {
    pub(super) input: ArrayRef<'a>,
    pub(super) steps: Steps,
    pub(super) output: Option<FrameMut>,
}

/// The elements of an array, packed, in precision `S`.
pub(super) fn copy_of<S: Real>(frame: &Frame) -> Result<Vec<S>, NodeError> {
    let array = frame.array()?;
    let mut copy = vec![S::default(); array.layout().len()];
    with_dtype!(array.layout().dtype(), T => {
        let mut rest = copy.as_mut_slice();
        for row in array.rows::<T>()? {
            // An array whose rows are longer than the memory cannot come from its own layout; the cut avoids
            // a panic.
            let (to, behind) = rest.split_at_mut(row.len().min(rest.len()));
            convert_slice(Level::best(), row, to).map_err(NodeError::new)?;
            rest = behind;
        }
    });
    Ok(copy)
}
