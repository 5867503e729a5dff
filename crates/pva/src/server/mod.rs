//! Serving PVs.
//!
//! A [`Server`] has the PVs of a [`Provider`], most simply a [`PvMap`] of names and [`SharedPv`]s. Any thread posts
//! new values; threads of the server send them.
//!
//! ```
//! use livetime_pva::data::{ScalarType, Value};
//! use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};
//!
//! let counter = SharedPv::new(Value::new(&livetime_pva::nt::scalar(ScalarType::I32)));
//! let pvs = PvMap::new();
//! pvs.add("demo:counter", counter.clone());
//! let server = Server::start(ServerConfig::loopback(), pvs)?;
//! for count in 0..10 {
//!     counter.update(|value| value.set("value", count))?;
//! }
//! println!("ask {} for it", server.tcp_address());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod account;
mod config;
mod denial;
mod events;
mod peer;
mod provider;
mod pv;
mod reactor;
mod service;
mod session;
mod slots;
mod statistics;
mod udp;

pub use access::{Access, Host, Rule};
pub use config::{Limits, ServerConfig, TCP_PORT, Timeouts, UDP_PORT};
pub(crate) use denial::Denial;
pub use events::{Event, Log};
pub use livetime_guests::Version;
pub use peer::Peer;
pub use provider::{Provider, PvMap};
pub use pv::{Call, Put, PvBuilder, SharedPv, WeakPv};
pub use reactor::Server;
pub use service::Service;
pub use session::Session;
pub(crate) use session::{Leaving, TURN};
pub use statistics::Statistics;
pub use udp::{Answer, Arrival};

/// The time by this machine's clock, for `timeStamp`.
pub fn now() -> crate::nt::Time {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    // Nanoseconds of a second are below 10^9, so they fit.
    crate::nt::Time { seconds, nanoseconds: since.subsec_nanos() as i32, tag: 0 }
}
