//! A datagram: an event or a change of state with all its data.

use super::DatagramHeader;
use crate::file;

/// A datagram in memory.
pub type Datagram<'a> = file::Datagram<'a, DatagramHeader>;
