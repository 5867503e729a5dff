//! Threads that own sockets.

mod connection;
mod guests;
mod inbox;
mod listener;
mod shard;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use inbox::Inbox;
use livetime_guests::Guests;
use shard::Shard;

use super::udp::Responder;
use super::{Event, Provider, ServerConfig, Service, Statistics};
use crate::net::listening;
use crate::proto::Guid;

/// A server, which runs until it is dropped.
pub struct Server {
    service: Service,
    addresses: Vec<SocketAddr>,
    udp_port: Option<u16>,
    inboxes: Arc<[Arc<Inbox>]>,
    responder: Option<Responder>,
    threads: Vec<JoinHandle<()>>,
    moved: Option<String>,
}

impl Server {
    /// Serves the PVs of `provider`. Fails if no address can be listened at, or no thread started.
    pub fn start(mut config: ServerConfig, provider: impl Provider + 'static) -> io::Result<Server> {
        config.limits = config.limits.affordable();
        let service = Service::new(&config, provider);
        config.addresses = listening(&config.addresses, |text| service.0.problem(text));
        let (listeners, moved) = listener::bind(&config.addresses, config.tcp_port)?;
        let addresses =
            listeners.iter().map(|listener| listener.local_addr()).collect::<io::Result<Vec<_>>>()?;
        let first = addresses.first().copied().ok_or_else(|| io::Error::other("no address to listen at"))?;
        // Before the first search can be answered with it.
        service.0.port.store(first.port(), Relaxed);
        for &address in &addresses {
            service.0.tell(&Event::Listening { address, moved: moved.clone() });
        }
        let responder = Responder::start(&config, &service)?;
        let start = Instant::now();
        let mut shards = (0..config.shards.max(1))
            .map(|_| Shard::new(&config, &service, start))
            .collect::<io::Result<Vec<_>>>()?;
        let inboxes: Arc<[Arc<Inbox>]> = shards.iter().map(|shard| Arc::clone(&shard.inbox)).collect();
        if let Some(shard) = shards.first_mut() {
            shard.listen(listeners, &inboxes)?;
        }
        let udp_port = responder.as_ref().map(Responder::port);
        let mut server =
            Server { service, addresses, udp_port, inboxes, responder, threads: Vec::new(), moved };
        for (index, shard) in shards.into_iter().enumerate() {
            let name = format!("pva-server-{index}");
            server.threads.push(Builder::new().name(name).spawn(move || shard.run())?);
        }
        Ok(server)
    }

    /// Where it accepts connections; of several addresses the first.
    pub fn tcp_address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// Why the server listens at another port than the configured one, if it does.
    pub fn moved(&self) -> Option<&str> {
        self.moved.as_deref()
    }

    /// All addresses where it accepts connections.
    pub fn tcp_addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where it listens for searches.
    pub fn udp_port(&self) -> Option<u16> {
        self.udp_port
    }

    /// The server's identity for clients; differs from start to start.
    pub fn guid(&self) -> Guid {
        self.service.guid()
    }

    /// Its clients, whose bounds another server of this program may share.
    pub fn guests(&self) -> Guests {
        self.service.0.guests.clone()
    }

    /// Counts of the server.
    pub fn statistics(&self) -> Statistics {
        self.service.statistics()
    }
}

impl Drop for Server {
    /// Closes all connections and waits for the threads.
    fn drop(&mut self) {
        // Searches end first, so that no client is sent to a server that is going.
        self.responder.take();
        self.inboxes.iter().for_each(|inbox| inbox.stop());
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing more to say.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("addresses", &self.addresses).finish_non_exhaustive()
    }
}
