//! The third dimension: cut, binned or put in reverse order, where the picture kernel cannot do it.

use livetime_frame::{DType, Dim, Layout};
use livetime_kernels::Pixel;

use super::region::Span;

/// The type in which elements of type `dtype` are added up: exact for integers up to 32 bits.
///
/// Sums of 64-bit integers wrap round beyond 64 bits.
pub(super) fn sum_type(dtype: DType, span: &Span) -> DType {
    match dtype {
        dtype if span.bin == 1 => dtype,
        DType::F32 | DType::F64 => DType::F64,
        // Sums of integers need 64 bits: narrower sums would overflow before the division.
        DType::U64 => DType::U64,
        _ => DType::I64,
    }
}

/// Writes the elements of `from`, which lie as `layout` says, to `to`, which lies as `packed` says: along
/// dimension `z`, `span.bin` neighbours are added up and the result is put in reverse order if wished.
///
/// Both layouts have the same dimensions but for the size along `z`; x is dimension `x`.
pub(super) fn gather<I: Pixel, W: Pixel>(
    from: &[I],
    layout: &Layout,
    to: &mut [W],
    packed: &Layout,
    (x, z): (usize, usize),
    span: &Span,
) {
    let step = |layout: &Layout, axis: usize| layout.dims()[axis].stride / layout.dtype().bytes();
    let bins = packed.dims()[z].size;
    let width = layout.dims()[x].size;
    for index in 0..packed.len().checked_div(width).unwrap_or(0) {
        let bin = position(packed.dims(), x, index, z);
        let source = if span.reverse { bins - 1 - bin } else { bin } * span.bin;
        let start = |layout: &Layout| offset(packed.dims(), layout, (x, z), index);
        let first = start(layout) + source * step(layout, z);
        let row = start(packed) + bin * step(packed, z);
        for k in 0..span.bin {
            let parts = along(from.get(first + k * step(layout, z)..), step(layout, x));
            let sums = to.get_mut(row..).unwrap_or_default().iter_mut().step_by(step(packed, x).max(1));
            for (sum, part) in sums.zip(parts).take(width) {
                let part = part.cast::<W>();
                *sum = if k == 0 { part } else { sum.add_wrapping(part) };
            }
        }
    }
}

/// Every `step`-th element.
fn along<I>(from: Option<&[I]>, step: usize) -> impl Iterator<Item = &I> {
    from.unwrap_or_default().iter().step_by(step.max(1))
}

/// The place along dimension `wanted` of row number `index`, where rows run along dimension `x`.
fn position(dims: &[Dim], x: usize, index: usize, wanted: usize) -> usize {
    let inner: usize = (wanted + 1..dims.len()).filter(|d| *d != x).map(|d| dims[d].size).product();
    index / inner.max(1) % dims[wanted].size.max(1)
}

/// Elements before row number `index` in an array that lies as `layout` says, z left out.
fn offset(dims: &[Dim], layout: &Layout, (x, z): (usize, usize), index: usize) -> usize {
    let outer = (0..dims.len()).filter(|d| *d != x && *d != z);
    outer.map(|d| position(dims, x, index, d) * (layout.dims()[d].stride / layout.dtype().bytes())).sum()
}
