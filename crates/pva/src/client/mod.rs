//! Channels of servers in the network.
//!
//! A [`Client`] searches channels, connects, and reconnects after a server was away; a [`Channel`] is one
//! channel. Each operation can be waited for ([`Pending::wait`]) or awaited in any runtime; dropped, it
//! is cancelled.
//!
//! ```no_run
//! use std::time::Duration;
//! use livetime_pva::client::{Client, Event};
//!
//! let client = Client::from_env()?;
//! let second = Duration::from_secs(1);
//! let temperature = client.channel("T:1");
//! println!("{}", temperature.get().wait(second)?);
//! client.channel("T:1:Setpoint").put(("value", 21.5)).wait(second)?;
//! let mut monitor = temperature.monitor("field(value,alarm)")?;
//! while let Some(event) = monitor.next(10 * second)? {
//!     if let Event::Update(update) = event {
//!         println!("{:?}", update.value.f64("value"));
//!     }
//! }
//! # Ok::<(), livetime_pva::client::Error>(())
//! ```
//!
//! A thread that waits reads from the connection itself; the one thread that a client has does the rest.

mod channel;
mod config;
mod conn;
mod directory;
mod discovery;
mod driver;
mod error;
mod events;
mod get;
mod handle;
mod lock;
mod monitor;
mod op;
mod parts;
mod queue;
mod reader;
mod socket;
mod tokens;
mod udp;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

pub use channel::{Channel, Pending};
pub use config::ClientConfig;
pub use directory::Server;
pub use error::{Error, Result};
pub use get::{GetRequest, get_many};
pub use monitor::Monitor;
pub use queue::{Event, Update};

pub use crate::proto::client::Put;

use driver::ClientParts;
use handle::ClientThread;

/// A client. A clone is the same one; it ends with the last clone, channel and operation.
#[derive(Clone)]
pub struct Client(Arc<ClientThread>);

impl Client {
    /// A client. It takes a few sockets and one thread.
    pub fn new(config: ClientConfig) -> Result<Client> {
        Ok(Client(Arc::new(ClientThread::start(config)?)))
    }

    /// A client that is set up by the `EPICS_PVA_*` variables.
    pub fn from_env() -> Result<Client> {
        Client::new(ClientConfig::from_env()?)
    }

    /// The channel `name`, which is searched from now on.
    pub fn channel(&self, name: &str) -> Channel {
        Channel::from_handle(self.0.open(name, None))
    }

    /// The channel `name` of this server, without a search.
    pub fn channel_at(&self, server: SocketAddr, name: &str) -> Channel {
        Channel::from_handle(self.0.open(name, Some(server)))
    }

    fn shared(&self) -> &Arc<ClientParts> {
        self.0.shared()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({:?})", self.shared().config)
    }
}
