//! The elements of an array one after another, whatever its strides.

use livetime_frame::{ArrayRef, Dim};

/// The elements in order: where they lie if nothing lies between them, else copied to `scratch`.
pub(crate) fn packed<'a>(array: &ArrayRef<'a>, scratch: &'a mut Vec<u8>) -> &'a [u8] {
    if array.layout().is_packed() {
        return array.bytes();
    }
    scratch.clear();
    gather(array, scratch);
    scratch
}

/// Appends the elements of an uncompressed array in order.
pub(crate) fn gather(array: &ArrayRef<'_>, to: &mut Vec<u8>) {
    let layout = array.layout();
    gather_dims(array.bytes(), layout.dtype().bytes(), layout.dims(), 0, to);
}

/// Appends the elements of the dimensions `dims`, of which the first begins at byte `start`.
fn gather_dims(from: &[u8], element: usize, dims: &[Dim], start: usize, to: &mut Vec<u8>) {
    match dims {
        [] => to.extend_from_slice(&from[start..start + element]),
        [last] if last.stride == element => to.extend_from_slice(&from[start..start + last.size * element]),
        [first, rest @ ..] => {
            for index in 0..first.size {
                gather_dims(from, element, rest, start + index * first.stride, to);
            }
        }
    }
}
