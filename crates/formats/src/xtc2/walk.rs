//! The way through a datagram in memory.

use super::XtcHeader;
use crate::file;

/// Walks through a datagram in memory.
pub type Walk<'a> = file::Walk<'a, XtcHeader>;
/// A step of a walk.
pub type Step<'a> = file::Step<'a, XtcHeader>;
