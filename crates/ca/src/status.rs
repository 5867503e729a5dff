//! The outcome of a request, as clients of Channel Access know it.

use std::fmt;

/// The end of a request. Numbers are the protocol's (`ECA_…`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Status {
    /// Done.
    Normal = 1,
    /// The answer would be larger than the client or the server allows.
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
    /// Another put to the channel is not done yet.
    Busy = (45 << 3) | 2,
}

const ALL: [(Status, &str); 16] = [
    (Status::Normal, "done"),
    (Status::TooLarge, "the answer would be too large"),
    (Status::BadType, "no such type of values"),
    (Status::Internal, "a fault of the server"),
    (Status::GetFailed, "the value could not be read"),
    (Status::PutFailed, "the value could not be written"),
    (Status::BadCount, "a wrong number of values"),
    (Status::BadText, "not a text that the channel takes"),
    (Status::Disconnected, "the channel is gone"),
    (Status::BadMask, "a monitor of nothing"),
    (Status::NoReadAccess, "this client may not read it"),
    (Status::NoWriteAccess, "this client may not write it"),
    (Status::NoConversion, "the value cannot be converted"),
    (Status::BadChannel, "no such channel"),
    (Status::NoMemory, "the server has no room"),
    (Status::Busy, "another put is not done yet"),
];

impl Status {
    /// The status with this number; `None` for one that no request of ours ends with.
    pub fn from_number(number: u32) -> Option<Status> {
        ALL.iter().map(|(status, _)| *status).find(|&status| status as u32 == number)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ALL.iter().find(|(status, _)| status == self).map_or("refused", |(_, text)| text))
    }
}
