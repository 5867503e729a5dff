//! Channels by name.

use std::any::{Any, type_name};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use livetime_runtime::lock;

use super::channel::{Channel, ChannelKind};
use super::failure::AgentError;

/// Channels by name. All clones are one list, owned by a [`System`](super::System), which the nodes `publish` and
/// `subscribe` of a graph share when the program hands it to the run as a service.
///
/// ```
/// use livetime_actors::{ChannelKind, Channels};
///
/// let channels = Channels::default();
/// let words = channels.channel::<String>("words", ChannelKind::Broadcast)?;
/// assert_eq!(words.name(), "words");
/// let error = channels.channel::<u32>("words", ChannelKind::Broadcast).err().unwrap();
/// assert_eq!(error.to_string(), "channel `words` is one of alloc::string::String, wanted one of u32");
/// # Ok::<(), livetime_actors::AgentError>(())
/// ```
#[derive(Clone, Default)]
pub struct Channels(Arc<Mutex<BTreeMap<String, NamedChannel>>>);

struct NamedChannel {
    channel: Box<dyn Any + Send>,
    type_name: &'static str,
}

impl Channels {
    /// The channel of this name, which is made if there is none.
    ///
    /// # Errors
    /// [`AgentError`] when the channel of this name carries other messages, or is of another kind and `kind` is not
    /// [`ChannelKind::Broadcast`].
    pub fn channel<T: Clone + Send + 'static>(
        &self,
        name: &str,
        kind: ChannelKind,
    ) -> Result<Channel<T>, AgentError> {
        let mut channels = lock(&self.0);
        let known = channels.entry(name.to_string()).or_insert_with(|| NamedChannel {
            channel: Box::new(Channel::<T>::new(name, kind)),
            type_name: type_name::<T>(),
        });
        let Some(channel) = known.channel.downcast_ref::<Channel<T>>() else {
            return Err(AgentError::new(format_args!(
                "channel `{name}` is one of {}, wanted one of {}",
                known.type_name,
                type_name::<T>()
            )));
        };
        if channel.kind() != kind && kind != ChannelKind::Broadcast {
            let is = channel.kind();
            return Err(AgentError::new(format_args!("channel `{name}` is of kind {is:?}, wanted {kind:?}")));
        }
        Ok(channel.clone())
    }
}

impl fmt::Debug for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(lock(&self.0).keys()).finish()
    }
}
