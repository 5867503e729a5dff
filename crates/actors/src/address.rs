//! Addresses: inputs that an agent hands out.

use std::sync::Arc;

use super::channel::{Channel, ToChannel};
use super::input::Input;
use super::sender::offer_and_wait;
use super::sink::Sink;

/// Where one agent takes messages of type `T`; made by [`Context::inbox`](super::Context::inbox).
///
/// Only one agent receives, so messages need not be `Clone`: they are handed over, and may be changed and sent on.
pub struct Address<T>(pub(crate) Arc<Input<T>>);

impl<T> Clone for Address<T> {
    fn clone(&self) -> Address<T> {
        Address(self.0.clone())
    }
}

impl<T: Send + 'static> Address<T> {
    /// Sends a message from a thread that is no agent; true if it was queued, else it is counted as lost. Waits while
    /// the input must not lose messages and has no room. An agent uses [`Context::send`](super::Context::send).
    pub fn send(&self, message: T) -> bool {
        offer_and_wait(&*self.0, message, 0)
    }

    /// True when the agent has ended.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

/// Something that messages can be sent to: an [`Address`], a [`Channel`] or a [`Chain`](super::Chain).
pub struct Target<T>(pub(crate) Arc<dyn Sink<T>>);

impl<T: Send + 'static> From<&Address<T>> for Target<T> {
    fn from(address: &Address<T>) -> Target<T> {
        Target(address.0.clone())
    }
}

impl<T: Clone + Send + 'static> From<&Channel<T>> for Target<T> {
    fn from(channel: &Channel<T>) -> Target<T> {
        Target(Arc::new(ToChannel(std::sync::Mutex::new(channel.publisher()))))
    }
}
