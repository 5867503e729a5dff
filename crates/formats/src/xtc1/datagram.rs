//! A datagram: an event or a change of state with all its data.

use super::{DatagramHeader, Xtc};
use crate::file;

/// A datagram in memory.
pub type Datagram<'a> = file::Datagram<'a, DatagramHeader>;

impl<'a> Datagram<'a> {
    /// All leaves that can be reached, in their order.
    pub fn leaves(&self) -> impl Iterator<Item = Xtc<'a>> + use<'a> {
        self.nodes().filter(|xtc| !xtc.is_container())
    }
}
