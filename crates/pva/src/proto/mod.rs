//! The messages.
//!
//! [`ClientMessage`] and [`ServerMessage`] are the meanings of a message's payload, by its sender. A request or
//! reply whose content depends on the operation keeps that content as a [`Reader`](crate::wire::Reader),
//! to be decoded by the owner of the operation. Each message also encodes itself, header included.

mod channel;
pub mod client;
mod command;
mod connection;
mod message;
mod operation;
mod search;

#[cfg(feature = "server")]
pub(crate) use channel::Names;
pub use channel::{AclChange, ChannelCreated, ChannelId, CreateChannel, GetField, RequestId};
pub use command::{Command, Control, sub};
pub use connection::{ClientValidation, ServerValidation, echo, validated};
pub use message::{ClientMessage, Log, LogKind, ServerMessage};
pub use operation::{Init, Reply, ReplyHead, Request, RequestHead, UPDATE_HEAD_LEN, Update, update_head};
pub use search::{Beacon, Guid, Search, SearchResponse, origin_tag};
