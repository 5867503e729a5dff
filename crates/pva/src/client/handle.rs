//! The parts that handles of users share: a client and its thread, which end with the last handle, and the channels.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, Weak};
use std::thread::JoinHandle;
use std::time::Instant;

use super::config::ClientConfig;
use super::driver::{ClientParts, Driver};
use super::lock::lock;
use super::parts::ChannelParts;
use super::{Error, Result};

/// The thread of a client, and the channels that users have of it.
pub(super) struct ClientThread {
    shared: Arc<ClientParts>,
    thread: Option<JoinHandle<()>>,
    channels: Mutex<HashMap<ChannelKey, Weak<Handle>>>,
}

type ChannelKey = (String, Option<SocketAddr>);

/// The shared state of all clones of a channel; the last one closes it.
pub(super) struct Handle {
    pub(super) inner: Arc<ChannelParts>,
    pub(super) client: Arc<ClientThread>,
}

impl ClientThread {
    /// Starts the thread of a new client.
    pub(super) fn start(config: ClientConfig) -> Result<ClientThread> {
        let driver = Driver::new(config)?;
        let shared = Arc::clone(driver.shared());
        let thread = std::thread::Builder::new().name("pva client".into()).spawn(move || driver.run());
        let thread = thread.map_err(|error| Error::System(format!("cannot start a thread: {error}")))?;
        Ok(ClientThread { shared, thread: Some(thread), channels: Mutex::default() })
    }

    pub(super) fn shared(&self) -> &Arc<ClientParts> {
        &self.shared
    }

    /// The channel `name`, of this server if one is given: the one that users have already, or a new one.
    pub(super) fn open(self: &Arc<Self>, name: &str, server: Option<SocketAddr>) -> Arc<Handle> {
        let key = (name.to_string(), server);
        let mut channels = lock(&self.channels);
        if let Some(handle) = channels.get(&key).and_then(Weak::upgrade) {
            return handle;
        }
        let inner = ChannelParts::new(name, server);
        let handle = Arc::new(Handle { inner, client: Arc::clone(self) });
        channels.insert(key, Arc::downgrade(&handle));
        drop(channels);
        lock(&self.shared.directory).add(&handle.inner, Instant::now());
        // The thread takes the directory's lock when it is woken.
        self.shared.wake();
        handle
    }

    /// No user has a handle of `channel` any more.
    fn forget(&self, channel: &Arc<ChannelParts>) {
        let key = (channel.name.clone(), channel.server);
        let mut channels = lock(&self.channels);
        // A user may have opened it anew meanwhile.
        if channels.get(&key).is_some_and(|handle| handle.strong_count() == 0) {
            channels.remove(&key);
        }
        drop(channels);
        self.shared.forget(channel);
    }
}

impl Drop for ClientThread {
    fn drop(&mut self) {
        self.shared.stop();
        // The last handle may go in a callback, which the thread itself runs.
        let thread = self.thread.take().filter(|thread| thread.thread().id() != std::thread::current().id());
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut state = lock(&self.inner.state);
        state.closed = true;
        let link = state.link.take();
        let waiting = std::mem::take(&mut state.waiting);
        // Operations that end here may lock the channel.
        drop(state);
        drop(waiting);
        if let Some((conn, cid)) = link {
            conn.with(|core| core.connection.destroy_channel(cid));
        }
        self.client.forget(&self.inner);
    }
}
