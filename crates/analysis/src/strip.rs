//! The same pixels of several events.

use std::ops::Range;

/// Events whose strips are reduced together.
pub(crate) const EVENTS: usize = 4;

/// Bytes of a strip. The strips of all events fill most of a second cache; shorter ones need more calls to the system.
pub(crate) const STRIP_BYTES: usize = 256 << 10;

/// Panels with fewer bytes are read as a whole: strips of them would cost more system calls than they save in the
/// cache.
pub(crate) const LEAST_BYTES: usize = 64 << 10;

/// The same pixels of one panel of several events that follow each other, for a [`Reducer`](crate::Reducer) that looks at pixels alone.
#[derive(Clone, Debug)]
pub struct Strip<'a> {
    /// Position of the panel in the [`Layout`](crate::Layout).
    pub position: usize,
    /// Range of the panel's pixels. All strips of some events come, in the order of pixels, before strips of other
    /// events.
    pub pixels: Range<usize>,
    /// Of each event that has the panel: little-endian elements, at any address.
    pub frames: &'a [&'a [u8]],
    /// Numbers of the first and the last event.
    pub events: (usize, usize),
}
