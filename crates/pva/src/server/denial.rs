//! The reasons for refusing a request of a client.

use std::fmt;

use crate::wire::Status;

/// The reason for refusing a request of a client. The texts are sent to clients, and some of them compare these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Denial {
    /// A name of a channel is empty or too long.
    Name,
    /// There is no PV of this name.
    UnknownChannel,
    /// The number of a channel that is not open.
    ChannelId,
    /// The number of a request that was not begun.
    RequestId,
    /// As many channels as one connection may have.
    Channels,
    /// As many requests as one connection may have.
    Requests,
    /// As many monitors of one PV as a host may have.
    Monitors(usize),
    /// As many selections of fields as a PV encodes.
    Selections,
    /// Memory of the connection, its host, or all clients is used up.
    Memory,
    /// Memory is used up for one request with many bytes; the connection goes on.
    MemoryNow,
    /// The PV has no value, or the channel belongs to the server itself.
    NoValue,
    /// The type has no such field.
    NoField,
    /// The PV cannot be called.
    NoCall,
    /// The operation is not known here.
    NotSupported,
    /// The request is being executed.
    Pending,
    /// The owner of the PV let the request go.
    Dropped,
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Denial::Name => "a channel name has 1 to 500 bytes",
            Denial::UnknownChannel => "no such channel",
            Denial::ChannelId => "bad channel id",
            Denial::RequestId => "bad request id",
            Denial::Channels => "too many channels on this connection",
            Denial::Requests => "too many requests on this connection",
            Denial::Monitors(limit) => {
                return write!(f, "{limit} monitors of this channel from this host already");
            }
            Denial::Selections => "too many different selections of fields",
            Denial::Memory => {
                "this connection, its host, or all clients together take too much memory already"
            }
            Denial::MemoryNow => "no memory for this while others wait",
            Denial::NoValue => "channel has no value",
            Denial::NoField => "no such field",
            Denial::NoCall => "channel cannot be called",
            Denial::NotSupported => "this operation is not supported",
            Denial::Pending => "other request pending",
            Denial::Dropped => "the request was dropped without an answer",
        })
    }
}

impl From<Denial> for Status {
    fn from(denial: Denial) -> Status {
        Status::error(denial.to_string())
    }
}
