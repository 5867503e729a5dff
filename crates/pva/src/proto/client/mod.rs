//! The client's side as state machines: they take messages and the time, and return bytes to send and events.
//!
//! [`Connection`] is one connection to a server, with its channels and requests; [`Searcher`] finds the servers of
//! channels.
//!
//! ```
//! use std::time::Instant;
//! use livetime_pva::proto::client::{Connection, Event, Identity};
//! use livetime_pva::wire::Assembler;
//!
//! let mut connection: Connection<&str, ()> = Connection::new(Identity::anonymous(), Instant::now());
//! let mut assembler = Assembler::new(1 << 20);
//! connection.create_channel("the temperature", "T:1");
//! // The first message of a server.
//! let mut bytes: &[u8] = &[
//!     0xCA, 2, 0x41, 2, 0, 0, 0, 0, 0xCA, 2, 0x40, 1, 7, 0, 0, 0, 0, 0, 1, 0, 0xFF, 0x7F, 0, 0xCA, 2, 0x40, 9, 1, 0,
//!     0, 0, 0xFF,
//! ];
//! let mut ready = false;
//! while let Some(message) = assembler.next(&mut bytes)? {
//!     connection.receive(&message, &mut |event| ready |= matches!(event, Event::Ready))?;
//! }
//! assert!(ready);
//! let sent = connection.output().to_vec();
//! assert!(sent.ends_with(b"\x78\x56\x34\x12\x03T:1"));
//! # Ok::<(), livetime_pva::Error>(())
//! ```

mod connection;
mod put;
mod request;
mod searcher;
mod slab;

pub use connection::{Connection, Identity};
pub use put::Put;
pub use request::{Answer, Event, Job, Refusal};
pub use searcher::{Found, MAX_DATAGRAM, Searcher};
