//! A client and its thread, which end with the last handle of a user.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use super::parts::{ChannelParts, Command, Queue};
use super::reactor::Reactor;
use super::{ClientConfig, Error, Result};

/// The thread of a client.
pub(super) struct ClientThread {
    pub(super) queue: Arc<Queue>,
    pub(super) config: ClientConfig,
    thread: Option<JoinHandle<()>>,
}

/// The shared state of all clones of a channel; the last one closes it.
pub(super) struct Handle {
    pub(super) parts: Arc<ChannelParts>,
    pub(super) client: Arc<ClientThread>,
}

impl ClientThread {
    pub(super) fn start(config: ClientConfig) -> Result<ClientThread> {
        let cannot = |error: std::io::Error| Error::System(format!("no client of Channel Access: {error}"));
        let reactor = Reactor::new(config.clone()).map_err(cannot)?;
        let queue = Arc::clone(reactor.queue());
        let thread = Builder::new().name("ca-client".into()).spawn(move || reactor.run()).map_err(cannot)?;
        Ok(ClientThread { queue, config, thread: Some(thread) })
    }

    pub(super) fn open(self: &Arc<Self>, name: &str, server: Option<SocketAddr>) -> Handle {
        Handle { parts: self.queue.open(name, server), client: Arc::clone(self) }
    }
}

impl Handle {
    pub(super) fn push(&self, command: Command) {
        self.client.queue.push(command);
    }

    /// Where the client looks for the channel, or found it.
    pub(super) fn tried(&self) -> String {
        let seen = *self.parts.seen();
        let list = |all: &[SocketAddr]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let config = &self.client.config;
        match (seen.server, seen.facts) {
            (Some(server), Some(_)) => format!("{server} has it and did not answer"),
            (Some(server), None) => format!("{server} did not open it"),
            (None, _) => {
                let udp = (!config.search.is_empty()).then(|| format!("by UDP at {}", list(&config.search)));
                let tcp = (!config.name_servers.is_empty())
                    .then(|| format!("by TCP at {}", list(&config.name_servers)));
                let tried: Vec<_> = udp.into_iter().chain(tcp).collect();
                let refused = seen.refused.map(|server| format!("; {server} did not open it"));
                format!("searched {}{}", tried.join(" and "), refused.unwrap_or_default())
            }
        }
    }
}

impl Drop for ClientThread {
    fn drop(&mut self) {
        self.queue.stop();
        // The last handle may go in a callback, which the thread itself runs.
        let thread = self.thread.take().filter(|thread| thread.thread().id() != std::thread::current().id());
        // A thread that panicked has nothing more to say.
        let _ = thread.map(JoinHandle::join);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.client.queue.close(self.parts.cid);
    }
}
