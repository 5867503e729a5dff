//! The elements of an array one after another, whatever its strides.

use livetime_frame::ArrayRef;

/// As [`ArrayRef::packed`].
pub(crate) fn packed<'a>(array: &ArrayRef<'a>, scratch: &'a mut Vec<u8>) -> &'a [u8] {
    array.packed(scratch)
}

/// As [`ArrayRef::gather`].
pub(crate) fn gather(array: &ArrayRef<'_>, to: &mut Vec<u8>) {
    array.gather(to);
}
