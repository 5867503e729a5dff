//! pvAccess, the network protocol of EPICS: wire format, data model, messages, client and server.
//!
//! Three types come first: a [`Value`](data::Value) is a structure with its numbers and texts, `client::Client` gets, puts
//! and monitors PVs, and `server::Server` serves them.
//!
//! The layers, each usable without the ones after it:
//!
//! - [`wire`]: bytes. Checked reading, writing into chunks, message headers, segments, bit sets.
//! - [`data`]: types, values and their encoding, whole or only the changed fields.
//! - [`nt`]: the Normative Types, the structures that EPICS clients know.
//! - [`request`]: the fields and options of an operation that a client opens ("pvRequest").
//! - [`proto`]: the messages.
//! - `server`, a feature that is on by default: PVs served from threads and sockets of its own.
//! - `client`, likewise: channels of servers in the network, with `net`: variables, address lists and interfaces.
//!
//! Nothing but `client`, `net` and `server` opens a socket, starts a thread or asks for the time.
//!
//! ```
//! use livetime_pva::{data::{ScalarType, TypeCache, Value}, nt, wire::{Order, Reader, Writer}};
//!
//! let mut value = Value::new(&nt::scalar(ScalarType::F64));
//! value.set("value", 4.2)?;
//! let mut writer = Writer::new(Order::HOST);
//! value.encode_changed(&mut writer);
//! let update = writer.take();
//!
//! let mut copy = Value::new(&nt::scalar(ScalarType::F64));
//! let bytes = update.to_bytes();
//! let changed = copy.decode_changed(&mut Reader::new(&bytes, Order::HOST), &mut TypeCache::new())?;
//! assert_eq!(copy.f64("value"), Some(4.2));
//! assert_eq!(changed.iter().collect::<Vec<_>>(), [1]);
//! # Ok::<(), livetime_pva::Error>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "client")]
pub mod client;
pub mod data;
mod error;
mod lock;
#[cfg(any(feature = "client", feature = "server"))]
pub mod net;
pub mod nt;
pub mod proto;
pub mod request;
#[cfg(feature = "server")]
pub mod server;
pub mod wire;

pub use error::{Error, Result};

#[cfg(all(doctest, feature = "server"))]
#[doc = include_str!("../README.md")]
struct Readme;
