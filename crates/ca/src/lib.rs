//! Channel Access, the older network protocol of EPICS: messages, types of values, conversions.
//!
//! Three types come first: a [`Message`](wire::Message) is a header with its payload, a [`Dbr`](dbr::Dbr) the type in which values
//! travel, and a [`Reading`](dbr::Reading) values with alarm, time, units, limits and choices.
//!
//! Nothing but `client` and `server` opens a socket, starts a thread or asks for the time.
//!
//! ```
//! use livetime_ca::dbr::{self, Dbr, Form, Native, Reading, Values};
//!
//! let reading = Reading {
//!     values: Values::Double(vec![21.5]),
//!     alarm: dbr::Alarm::default(),
//!     stamp: dbr::Stamp::from_ns(1_700_000_000_000_000_000),
//!     about: std::sync::Arc::default(),
//! };
//! let wanted = Dbr::Value(Form::Time, Native::Double);
//! let mut payload = Vec::new();
//! let count = dbr::encode(&mut payload, &reading, wanted, 0)?;
//! assert_eq!((count, payload.len()), (1, 24));
//! assert_eq!(dbr::decode(&payload.into(), wanted, count)?, reading);
//! # Ok::<(), livetime_ca::Error>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod changes;
#[cfg(feature = "client")]
pub mod client;
pub mod dbr;
mod error;
mod rights;
#[cfg(feature = "server")]
pub mod server;
mod status;
pub mod wire;

pub use changes::Changes;
pub use error::{Error, Result};
pub use rights::Rights;
pub use status::Status;
