//! What becomes of a request, as clients of Channel Access know it.

/// The end of a request. Numbers are the protocol's (`ECA_…`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Status {
    /// Done.
    Normal = 1,
    /// The answer would be larger than somebody allows.
    TooLarge = 9 << 3,
    /// No such type, or none that can be converted.
    BadType = (14 << 3) | 2,
    /// The server has a fault.
    Internal = (17 << 3) | 6,
    /// The value could not be read.
    GetFailed = 19 << 3,
    /// The value could not be written.
    PutFailed = 20 << 3,
    /// No such number of values.
    BadCount = 22 << 3,
    /// A text is none that the channel takes.
    BadText = (23 << 3) | 2,
    /// The channel is gone.
    Disconnected = 24 << 3,
    /// A monitor of nothing.
    BadMask = (41 << 3) | 2,
    /// This client may not read.
    NoReadAccess = 46 << 3,
    /// This client may not write.
    NoWriteAccess = 47 << 3,
    /// A value cannot be converted.
    NoConversion = 50 << 3,
    /// No such channel of this client.
    BadChannel = (51 << 3) | 2,
    /// The server has no room.
    NoMemory = 6 << 3,
}
