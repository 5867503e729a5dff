//! From wishes to a region that lies inside the array.

use livetime_engine::NodeError;
use livetime_frame::{Axes, ColorMode, DType, Layout, LayoutError, MAX_DIMS};

/// The size that stands for "all that is left" (areaDetector's default).
const ALL: i64 = 1_000_000;

/// The requested region along one dimension.
#[derive(Clone, Copy)]
pub(super) struct Wish {
    pub(super) enable: bool,
    pub(super) min: i64,
    pub(super) size: i64,
    pub(super) auto_size: bool,
    pub(super) bin: i64,
    pub(super) reverse: bool,
}

/// The actual region along one dimension; it lies inside the array.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Span {
    pub(super) min: usize,
    pub(super) size: usize,
    pub(super) bin: usize,
    pub(super) reverse: bool,
}

impl Span {
    /// Everything, unchanged.
    fn whole(size: usize) -> Span {
        Span { min: 0, size, bin: 1, reverse: false }
    }

    /// Elements of the output. Elements after the last whole bin are not used.
    pub(super) fn bins(&self) -> usize {
        self.size / self.bin
    }

    fn changes_order(&self) -> bool {
        self.bin > 1 || self.reverse
    }
}

impl Wish {
    /// The request limited as in areaDetector: min to 0 .. room - 1, size to the remaining elements, bin to 1
    /// .. size.
    pub(super) fn limited(&self, room: usize) -> Span {
        if !self.enable || room == 0 {
            return Span::whole(room);
        }
        let min = at_least(self.min, 0).min(room - 1);
        // A place outside the array moves to the last pixel, as in NDPluginROI.
        let left = room - min;
        let size = if self.auto_size { left } else { at_least(self.size, 1).min(left) };
        // A bin larger than the region would leave no pixel.
        Span { min, size, bin: at_least(self.bin, 1).min(size), reverse: self.reverse }
    }

    /// Refuses a region that does not lie inside, if its size was set explicitly.
    pub(super) fn check(&self, axis: &str, room: usize) -> Result<(), NodeError> {
        let (min, size) = (at_least(self.min, 0), at_least(self.size, 1));
        // The default size means everything that is left, so only a size that the user gave can be too large.
        let explicit = !self.auto_size && self.size != ALL;
        let end = min.saturating_add(if explicit { size } else { 1 });
        if self.enable && end > room {
            let to =
                if explicit { format!("{min} to {}", end - 1) } else { format!("{min} and what follows") };
            // Of a place that is inside, the size is too large.
            let param = match (axis, explicit && min < room) {
                ("x", true) => "size_x",
                ("x", false) => "min_x",
                ("y", true) => "size_y",
                ("y", false) => "min_y",
                (_, true) => "size_z",
                (_, false) => "min_z",
            };
            let message =
                format_args!("wanted elements {to} along {axis}, found {room} elements along {axis}");
            return Err(NodeError::new(message).of_param(param));
        }
        Ok(())
    }
}

fn at_least(value: i64, low: i64) -> usize {
    usize::try_from(value.max(low)).unwrap_or(usize::MAX)
}

/// A region of an array along x, y and z. `None` where the array has no such dimension.
pub(super) struct Region {
    pub(super) x: Option<Span>,
    pub(super) y: Option<Span>,
    pub(super) z: Option<Span>,
}

impl Region {
    /// The region nearest to the request.
    pub(super) fn limited(wishes: &[Wish; 3], layout: &Layout) -> Region {
        let axes = layout.axes();
        let span = |wish: &Wish, axis: Option<usize>| axis.map(|a| wish.limited(layout.dims()[a].size));
        let [x, y, z] = wishes;
        Region { x: span(x, axes.x), y: span(y, axes.y), z: span(z, axes.color) }
    }

    /// Whether every element keeps its place beside its neighbours.
    pub(super) fn is_crop(&self) -> bool {
        ![self.x, self.y, self.z].iter().flatten().any(Span::changes_order)
    }

    /// Where the elements that take part lie: a layout with the strides of `layout`, and its first byte.
    pub(super) fn cut(&self, layout: &Layout) -> Result<(Layout, usize), LayoutError> {
        let (mut cut, mut start) = (*layout, 0);
        for (axis, span) in self.spans(layout.axes()) {
            // Pixels that do not fill a bin are left out.
            let (next, skipped) = cut.crop(axis, span.min, span.bins() * span.bin)?;
            (cut, start) = (next, start + skipped);
        }
        Ok((cut, start))
    }

    /// The layout of the result in memory of its own, with the axes of `cut`, which comes from [`Region::cut`].
    pub(super) fn packed(&self, cut: &Layout, dtype: DType) -> Result<Layout, LayoutError> {
        let mut shape = [0; MAX_DIMS];
        let mut origin = [(0, 1, false); MAX_DIMS];
        for (i, dim) in cut.dims().iter().enumerate() {
            (shape[i], origin[i]) = (dim.size, (dim.offset, dim.binning, dim.reverse));
        }
        for (axis, span) in self.spans(cut.axes()) {
            shape[axis] = span.bins();
            let (_, binning, reverse) = &mut origin[axis];
            *binning = binning.saturating_mul(span.bin);
            *reverse ^= span.reverse;
        }
        let plain = Layout::packed(dtype, ColorMode::Mono, &shape[..cut.dims().len()])?;
        Ok(plain.with_origin(origin).with_color(cut.color()))
    }

    fn spans(&self, axes: Axes) -> impl Iterator<Item = (usize, Span)> {
        let pairs = [(axes.x, self.x), (axes.y, self.y), (axes.color, self.z)];
        pairs.into_iter().filter_map(|(axis, span)| axis.zip(span))
    }
}

/// The layout as it is shown to others: a picture that lost one of its three colours is mono, as in
/// areaDetector.
pub(super) fn finished(layout: Layout, collapse: bool) -> Layout {
    let colors = layout.axes().color.map(|c| layout.dims()[c].size);
    // Modes with colours need exactly three of them.
    let lost = layout.color().is_rgb() && colors != Some(3);
    let layout = if lost { layout.with_color(ColorMode::Mono) } else { layout };
    if collapse { layout.collapsed() } else { layout }
}

/// Whether the elements of the innermost dimension lie side by side, as every layout must have it.
pub(super) fn is_contiguous_inside(layout: &Layout) -> bool {
    layout.dims().last().is_none_or(|d| d.size <= 1 || d.stride == layout.dtype().bytes())
}
