//! The count of the memory that clients take.

pub(crate) use livetime_guests::{Account, Charge};

/// Bytes counted for a channel besides its name: about its state and its entries in maps.
pub(crate) const CHANNEL: usize = 320;

/// Bytes counted for an operation of a channel: about its state and its entries in maps.
pub(crate) const OPERATION: usize = 512;

/// Bytes counted for a monitor besides the operation: about its queue and its entry at the PV.
pub(crate) const MONITOR: usize = 768;

/// Bytes counted for a field of a type that a client brings.
pub(crate) const FIELD: usize = 128;

/// This many bytes of any buffer that changes often are not counted, because most connections never need more.
pub(crate) const SMALL: usize = 16 << 10;
