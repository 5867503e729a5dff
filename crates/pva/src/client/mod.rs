//! Channels of servers in the network.
//!
//! A [`Client`] searches channels, connects, and reconnects after a server was away; a [`Channel`] is one
//! channel. Each operation can be waited for ([`Pending::wait`]) or awaited in whatever runtime; dropped, it
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
mod lock;
mod monitor;
mod op;
mod queue;
mod reader;
mod socket;
mod tokens;
mod udp;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

pub use channel::{Channel, Pending};
pub use config::ClientConfig;
pub use directory::Server;
pub use error::{Error, Result};
pub use get::{GetRequest, get_many};
pub use monitor::Monitor;
pub use queue::{Event, Update};

pub use crate::proto::client::Put;

use channel::ChannelParts;
use driver::{ClientParts, Driver};
use lock::lock;

/// A client. A clone is the same one; it ends with the last clone, channel and operation.
#[derive(Clone)]
pub struct Client(Arc<Thread>);

struct Thread {
    shared: Arc<ClientParts>,
    thread: Option<JoinHandle<()>>,
}

impl Client {
    /// A client. It takes a few sockets and one thread.
    pub fn new(config: ClientConfig) -> Result<Client> {
        let driver = Driver::new(config)?;
        let shared = Arc::clone(driver.shared());
        let thread = std::thread::Builder::new().name("pva client".into()).spawn(move || driver.run());
        let thread = thread.map_err(|error| Error::System(format!("cannot start a thread: {error}")))?;
        Ok(Client(Arc::new(Thread { shared, thread: Some(thread) })))
    }

    /// A client that is set up by the `EPICS_PVA_*` variables.
    pub fn from_env() -> Result<Client> {
        Client::new(ClientConfig::from_env()?)
    }

    /// The channel `name`, which is searched from now on.
    pub fn channel(&self, name: &str) -> Channel {
        self.open(name, None)
    }

    /// The channel `name` of this server, without a search.
    pub fn channel_at(&self, server: SocketAddr, name: &str) -> Channel {
        self.open(name, Some(server))
    }

    fn open(&self, name: &str, server: Option<SocketAddr>) -> Channel {
        let key = (name.to_string(), server);
        let mut directory = lock(&self.shared().directory);
        if let Some(handle) = directory.known(&key) {
            drop(directory);
            return Channel::from_handle(handle);
        }
        let channel = Channel::new(ChannelParts::new(name, server), self.clone());
        directory.add(key, channel.handle(), Instant::now());
        // The thread takes this lock when it is woken.
        drop(directory);
        self.shared().wake();
        channel
    }

    fn shared(&self) -> &Arc<ClientParts> {
        &self.0.shared
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({:?})", self.shared().config)
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.shared.stop();
        // The last handle may go in a callback, which the thread itself runs.
        let thread = self.thread.take().filter(|thread| thread.thread().id() != std::thread::current().id());
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}
