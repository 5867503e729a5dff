//! The byte order of a message.

/// Least or most significant byte first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Order {
    /// The order of this machine, in which nothing needs swapping.
    pub const HOST: Order = if cfg!(target_endian = "big") { Order::Big } else { Order::Little };

    /// Whether elements of `bytes` bytes have to be swapped on this machine.
    pub fn swaps(self, bytes: usize) -> bool {
        bytes > 1 && self != Order::HOST
    }
}
