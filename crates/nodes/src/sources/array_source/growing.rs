//! A frame that is written in parts.

use livetime_engine::{Context, NodeError};
use livetime_frame::{FrameMut, Layout, with_dtype};
use livetime_kernels::Pixel;
use livetime_pva::data::Array;

/// A frame that is written in parts. The value keeps numbers rather than a frame, because a frame that was sent is
/// never written again.
pub(super) struct Growing {
    layout: Layout,
    values: Vec<f64>,
}

impl Growing {
    /// All elements are `fill`. The memory of the frame before serves again.
    ///
    /// # Errors
    /// [`NodeError`] when it would take more than `most_bytes`.
    pub(super) fn new(
        layout: Layout,
        fill: f64,
        most_bytes: usize,
        before: Option<Growing>,
    ) -> Result<Growing, NodeError> {
        let needed = layout.len().saturating_mul(size_of::<f64>());
        if needed > most_bytes {
            return Err(NodeError::new(format_args!(
                "wanted at most {most_bytes} bytes for `ArrayIn`, the memory of the run, found {needed} for {layout}"
            )));
        }
        let mut values = before.map_or_else(Vec::new, |before| before.values);
        values.clear();
        values.resize(layout.len(), fill);
        Ok(Growing { layout, values })
    }

    /// Writes `elements` from element `next` on, every `stride`-th one, and wraps at the end; elements without room
    /// behind `next` are left out. Returns the element after the last one, as if they lay side by side.
    pub(super) fn write(&mut self, elements: &Array, next: usize, stride: usize) -> usize {
        let total = self.values.len();
        let count = elements.len().min(total.saturating_sub(next));
        let mut at = next.min(total);
        for value in elements.iter_f64().take(count) {
            self.values[at] = value;
            at = (at + stride) % total;
        }
        next + count
    }

    /// The frame as it is.
    pub(super) fn frame(&self, ctx: &mut Context) -> Result<FrameMut, NodeError> {
        let mut frame = ctx.array(self.layout)?;
        with_dtype!(self.layout.dtype(), T => {
            let pairs = frame.elements_mut::<T>()?.iter_mut().zip(&self.values);
            pairs.for_each(|(element, value)| *element = <T as Pixel>::from_f64(*value));
        });
        Ok(frame)
    }
}
