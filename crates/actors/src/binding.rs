//! Bindings: a channel forwarded to another, filtered or changed on the way, without an agent between.

use std::sync::Arc;

use livetime_runtime::LossReason;

use super::address::Target;
use super::channel::Channel;
use super::local::Local;
use super::outbox::offer_dyn;
use super::sender::offer_and_wait;
use super::sink::{Sink, Waiter};

/// A forwarding from a channel to another; dropping it ends it.
#[must_use = "dropping a binding ends it"]
pub struct Binding {
    unbind: Option<Box<dyn FnOnce() + Send>>,
}

impl Binding {
    /// Lets it stay for as long as the channel exists.
    pub fn keep(mut self) {
        self.unbind = None;
    }
}

impl Drop for Binding {
    fn drop(&mut self) {
        if let Some(unbind) = self.unbind.take() {
            unbind();
        }
    }
}

impl<T: Clone + Send + 'static> Channel<T> {
    /// Sends the result of `change` for each message to `to`; a message for which it returns `None` is left
    /// out. `change` runs on the sender's thread.
    ///
    /// ```
    /// use livetime_actors::{Chain, System};
    ///
    /// let system = System::default();
    /// let numbers = system.channel::<u32>("numbers")?;
    /// let words = Chain::new(4);
    /// let _binding = numbers.bind(&words, |n| (n > 1).then(|| format!("number {n}")));
    /// (1..=2).for_each(|n| _ = numbers.publish(n));
    /// assert_eq!(words.try_receive().as_deref(), Some("number 2"));
    /// # Ok::<(), livetime_actors::AgentError>(())
    /// ```
    pub fn bind<U: Send + 'static>(
        &self,
        to: impl Into<Target<U>>,
        change: impl Fn(T) -> Option<U> + Send + Sync + 'static,
    ) -> Binding {
        let forward: Arc<dyn Sink<T>> = Arc::new(Forward { to: to.into().0, change });
        self.add(forward.clone(), None);
        let channel = self.clone();
        Binding { unbind: Some(Box::new(move || channel.remove(&forward))) }
    }
}

struct Forward<U, F> {
    to: Arc<dyn Sink<U>>,
    change: F,
}

impl<T: Send + 'static, U: Send + 'static, F: Fn(T) -> Option<U> + Send + Sync> Sink<T> for Forward<U, F> {
    fn offer(&self, message: T, stamp_ns: u64, _: bool, local: Option<&mut Local>) -> Result<bool, T> {
        let Some(message) = (self.change)(message) else { return Ok(false) };
        Ok(match local {
            Some(local) => offer_dyn(&self.to, message, stamp_ns, local),
            None => offer_and_wait(&*self.to, message, stamp_ns),
        })
    }

    fn has_room(&self) -> bool {
        self.to.has_room()
    }

    fn give_up(&self, reason: LossReason) {
        self.to.give_up(reason);
    }

    fn wait_for_room(&self, waiter: Waiter) -> bool {
        self.to.wait_for_room(waiter)
    }

    fn is_closed(&self) -> bool {
        self.to.is_closed()
    }

    fn may_wait(&self) -> bool {
        self.to.may_wait()
    }
}
