//! Channels of servers in the network.
//!
//! A [`Client`] searches channels, connects, and reconnects after a server was away; a [`Channel`] is one channel. Channels of one
//! server share a connection.
//!
//! ```no_run
//! use std::time::Duration;
//! use livetime_ca::Changes;
//! use livetime_ca::client::{Client, ClientConfig, Event};
//! use livetime_ca::dbr::{Form, Values};
//!
//! let client = Client::new(ClientConfig::from_env()?)?;
//! let second = Duration::from_secs(1);
//! let temperature = client.channel("T:1");
//! println!("{:?}", temperature.get(Form::Time).wait(second)?.values);
//! client.channel("T:1:Setpoint").put(Values::Double(vec![21.5])).wait(second)?;
//! let mut monitor = temperature.monitor(Form::Time, Changes::VALUE.and(Changes::ALARM));
//! while let Some(event) = monitor.next(10 * second) {
//!     if let Event::Update(reading) = event {
//!         println!("{:?}", reading.values);
//!     }
//! }
//! # Ok::<(), livetime_ca::client::Error>(())
//! ```
//!
//! One thread of a client has all its sockets. [`Circuit`] is the talk with a server without sockets.

mod ask;
mod beacons;
mod channel;
mod circuit;
mod config;
mod connection;
mod core;
mod error;
mod handle;
mod monitor;
mod op;
mod parts;
mod reactor;
mod search;
mod variables;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

pub use ask::Ask;
pub use beacons::Beacons;
pub use channel::{Channel, Pending};
pub use circuit::{Circuit, Facts, Heard};
pub use config::{ClientConfig, Log};
pub use error::{Error, Refusal, Result};
pub use monitor::{Monitor, Subscription};
pub use op::Event;
pub use search::{Searcher, datagram, found};
pub use variables::address;

use handle::ClientThread;
use parts::Command;

/// A client. A clone is the same one; it ends with the last clone, channel and operation.
#[derive(Clone)]
pub struct Client(Arc<ClientThread>);

impl Client {
    /// A client. It takes a few sockets and one thread.
    ///
    /// # Errors
    /// When the system gives no sockets or no thread.
    pub fn new(config: ClientConfig) -> Result<Client> {
        Ok(Client(Arc::new(ClientThread::start(config)?)))
    }

    /// The channel `name`, which is searched from now on.
    pub fn channel(&self, name: &str) -> Channel {
        Channel::from_handle(self.0.open(name, None))
    }

    /// The channel `name` of this server, without a search.
    pub fn channel_at(&self, server: SocketAddr, name: &str) -> Channel {
        Channel::from_handle(self.0.open(name, Some(server)))
    }

    /// The servers whose beacons come within `time`. A server announces itself every 15 s or so.
    ///
    /// # Errors
    /// When no repeater sends beacons.
    pub fn servers(&self, time: Duration) -> Result<Vec<SocketAddr>> {
        let (sender, receiver) = mpsc::channel();
        self.0.queue.push(Command::Servers(sender));
        let end = Instant::now() + time;
        let mut found: Vec<SocketAddr> = Vec::new();
        while let Ok(server) = receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
            found.push(server);
        }
        if found.is_empty() && !self.0.queue.is_confirmed() {
            let at = self.0.config.repeater.map_or("no address".into(), |repeater| repeater.to_string());
            return Err(Error::System(format!(
                "no repeater (`caRepeater`) answers at {at}, so that no beacons come"
            )));
        }
        found.sort();
        found.dedup();
        Ok(found)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({:?})", self.0.config)
    }
}
