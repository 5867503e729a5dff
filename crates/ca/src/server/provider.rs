//! Channels of a server.

use std::sync::Arc;

use super::{Done, Peer, Refusal, Version, Watcher};
use crate::Rights;
use crate::dbr::{Native, Reading, Values};

/// Channels by name. A clone of the `Arc` that a server holds may be asked from any thread.
pub trait Provider: Send + Sync {
    /// Whether there is a channel of this name. Asked for every search in the network.
    fn has(&self, name: &str) -> bool;

    /// The channel of this name.
    fn open(&self, name: &str) -> Option<Arc<dyn Channel>>;
}

/// A value that clients read, watch and perhaps write. It is called from the thread of the server and must not wait.
pub trait Channel: Send + Sync {
    /// The kind of its values.
    fn native(&self) -> Native;

    /// The most values that it has.
    fn count(&self) -> usize;

    /// The client's rights at this channel.
    fn rights(&self, peer: &Peer) -> Rights;

    /// A number that is another one after each change of the channel; `None` for a channel that does not count its changes. It is asked
    /// for once. A get of the same type as the one before is answered with the same bytes as long as the number is the same.
    fn version(&self) -> Option<Version> {
        None
    }

    /// The values of now.
    ///
    /// # Errors
    /// When there are none.
    fn read(&self) -> Result<Arc<Reading>, Refusal>;

    /// A client puts values; it is told when they are written.
    fn write(&self, put: Put);

    /// Pushes changes to this watcher from now on, until the watcher is [closed](Watcher::is_closed).
    fn watch(&self, watcher: Arc<Watcher>);
}

/// A put of a client. Answer it at once, or keep it and answer later from any thread.
pub struct Put {
    /// The values, as the client sent them.
    pub values: Values,
    /// The client that puts.
    pub peer: Arc<Peer>,
    /// Whether the client waits until all that the put begins has ended.
    pub waits: bool,
    /// The way of the answer.
    pub done: Done,
}
