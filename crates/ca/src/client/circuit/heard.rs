//! Statements of a server.

use std::net::SocketAddr;

use crate::Rights;
use crate::client::Refusal;
use crate::dbr::{Native, Reading};

/// A statement of a server. Channels are named by the client's numbers, requests by the caller's.
#[derive(Clone, PartialEq, Debug)]
pub enum Heard {
    /// The channel is open; its facts are known.
    Opened(u32),
    /// The client's rights at an open channel have changed.
    Rights(u32),
    /// The server does not open the channel.
    Refused(u32),
    /// The server has closed the channel, with all requests of it.
    Closed(u32),
    /// A get has ended.
    Read(u64, Result<Reading, Refusal>),
    /// A put has ended.
    Written(u64, Result<(), Refusal>),
    /// A monitor has an update, or cannot have any.
    Update(u64, Result<Reading, Refusal>),
    /// A put whose writer does not wait was refused.
    Complaint(u32, Refusal),
    /// A name server knows the server of the channel.
    Found(u32, SocketAddr),
}

/// The facts about an open channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The kind of its values.
    pub native: Native,
    /// The most values that it has.
    pub count: u32,
    /// The requests that the server allows this client.
    pub rights: Rights,
}
