//! Requests of one message that one turn does not finish: long lists of names, many written texts, and channels with
//! many operations.
//!
//! A message of 4 MiB can hold 65,535 names, and opening as many channels takes some 60 ms, in which the thread would
//! serve no other client. So names are handled one by one, each at its price, and so are the operations of a closed
//! channel.

use bytes::Bytes;

use super::channel::ServedChannel;
use crate::data::{Dynamic, Part, Value};
use crate::proto::RequestHead;
use crate::server::account::Charge;
use crate::wire::{BitSet, Kept, Order};

/// Something that is done in part.
pub(super) enum Rest {
    /// The names of a message.
    Names(Listed),
    /// The content of a request.
    Reading(Box<Reading>),
    /// A channel that takes no messages any more, while its operations end one by one.
    Closing(ServedChannel),
    /// A channel to be closed because its PV is gone.
    Expelled(u32),
}

/// Names that are left of a message.
pub(super) struct Listed {
    pub(super) wish: Wish,
    pub(super) bytes: Bytes,
    /// Where in `bytes` the next of `count` names begins. The bytes stay where they are: to move them at each turn would
    /// cost more than the names.
    pub(super) at: usize,
    pub(super) count: u16,
    pub(super) order: Order,
    /// For `bytes`, which the client makes the server keep.
    pub(super) _charge: Charge,
}

/// The work on names.
pub(super) enum Wish {
    Create,
    Search(Searched),
}

/// A search, and the client's numbers of the channels that were found so far.
pub(super) struct Searched {
    pub(super) sequence: u32,
    pub(super) must_reply: bool,
    pub(super) speaks: bool,
    pub(super) ids: Vec<u32>,
}

/// The content of a request, as far as it is read.
pub(super) enum Brought {
    /// Fields of a value, and which.
    Changes(Value, BitSet),
    Arguments(Option<Box<Dynamic>>),
}

/// A request that is read in part.
pub(super) struct Reading {
    pub(super) head: RequestHead,
    pub(super) brought: Brought,
    pub(super) parts: Vec<Part>,
    pub(super) rest: Kept,
    /// Of the whole body.
    pub(super) bytes: usize,
    /// For `rest`, which the client makes the server keep.
    pub(super) _charge: Charge,
}
