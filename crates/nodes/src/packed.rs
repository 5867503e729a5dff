//! The elements of an array one after another, whatever its strides.

use livetime_engine::NodeError;
use livetime_frame::{ArrayRef, FrameMut};

/// As [`ArrayRef::packed`].
pub(crate) fn packed<'a>(array: &ArrayRef<'a>, scratch: &'a mut Vec<u8>) -> &'a [u8] {
    array.packed(scratch)
}

/// As [`ArrayRef::gather`].
pub(crate) fn gather(array: &ArrayRef<'_>, to: &mut Vec<u8>) {
    array.gather(to);
}

/// Writes the elements to `output`, an array of the same shape without gaps: one copy of an array without gaps between
/// its elements, else two copies, the first one into `scratch`.
pub(crate) fn copy(
    array: &ArrayRef<'_>,
    output: &mut FrameMut,
    scratch: &mut Vec<u8>,
) -> Result<(), NodeError> {
    let (from, to) = (array.packed(scratch), output.bytes_mut());
    if from.len() != to.len() {
        return Err(NodeError::new(format_args!("wanted {} bytes, found {}", to.len(), from.len())));
    }
    to.copy_from_slice(from);
    Ok(())
}
