//! Serving channels.
//!
//! A [`Server`] has the channels of a [`Provider`], most simply a [`PvMap`] of names and [`Pv`]s. Any thread posts new values; one
//! thread of the server answers all clients.
//!
//! ```
//! use livetime_ca::dbr::{About, Values};
//! use livetime_ca::server::{Pv, PvMap, Server, ServerConfig};
//!
//! let counter = Pv::new(Values::Long(vec![0]), About::default());
//! let pvs = PvMap::new();
//! pvs.add("demo:counter", counter.clone());
//! let server = Server::start(ServerConfig::loopback(), pvs)?;
//! for count in 0..10 {
//!     counter.post(Values::Long(vec![count]));
//! }
//! println!("ask {} for it", server.tcp_address());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod beacon;
mod config;
mod connection;
mod events;
mod mailbox;
mod peer;
mod provider;
mod pv;
mod pv_map;
mod reactor;
mod refusal;
mod search;
mod searches;
mod service;
mod session;
mod watcher;

pub use config::{Limits, ServerConfig};
pub use events::{Event, Log};
pub use livetime_guests::Version;
pub use mailbox::Done;
pub use peer::Peer;
pub use provider::{Channel, Provider, Put};
pub use pv::{Pv, PvBuilder};
pub use pv_map::PvMap;
pub use reactor::Server;
pub use refusal::Refusal;
pub use service::Service;
pub use session::Session;
pub(crate) use watcher::Update;
pub use watcher::Watcher;

pub use crate::{Changes, Rights};
