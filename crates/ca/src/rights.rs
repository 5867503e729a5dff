//! Which requests a client is allowed.

/// A client's rights at a channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rights {
    /// Get and monitor.
    pub read: bool,
    /// Put.
    pub write: bool,
}

impl Rights {
    /// As they travel.
    #[cfg(feature = "server")]
    pub(crate) fn bits(self) -> u32 {
        u32::from(self.read) | u32::from(self.write) << 1
    }

    /// The rights that travelled like this.
    #[cfg(feature = "client")]
    pub(crate) fn from_bits(bits: u32) -> Rights {
        Rights { read: bits & 1 != 0, write: bits & 2 != 0 }
    }
}
