//! File formats of detector data.
//!
//! Three types come first: a [`Datagram`](xtc1::Datagram) is an event or transition of XTC, read in place; a
//! [`Builder`](xtc1::Builder) writes one; a [`GrowingFile`](file::GrowingFile) is a file that gets its name when it is whole.
//!
//! - [`xtc1`]: XTC of LCLS-I, read and written, with leaves of any type.
//! - [`xtc2`]: XTC of LCLS-II, read.
//! - [`mod@file`]: the common part of both: names of files, large reads, scans that skip the data, files that are still
//!   being written.
//! - `parquet`: tables whose pages and index have checksums (feature `parquet`).
//! - [`wib`], [`felix`], [`channel_map`], [`trigger`]: the wire readout of ProtoDUNE and DUNE, from frames to records.
//!
//! All sizes in a file are claims: they are checked against the bytes that are there before anything is read or
//! allocated. Nothing here panics on any input. Formats in words: `docs/formats/xtc.md`.
//!
//! ```
//! use livetime_formats::xtc1::{Builder, Datagram, DatagramHeader, Src, Transition, TypeId, XtcHeader};
//!
//! // One event with one leaf of an unknown type, written and read again.
//! let mut out = Vec::new();
//! let header = DatagramHeader::event(1_365_000_002_008_333_333, 512);
//! let mut builder = Builder::new(&mut out, &header);
//! builder.leaf(XtcHeader::new(Src::detector(32, 0, 10, 0), TypeId::new(1234, 1)), &[&[1, 2, 3, 4]])?;
//! builder.finish()?;
//!
//! let datagram = Datagram::parse(&out)?;
//! assert_eq!(datagram.header.transition(), Transition::L1Accept);
//! let leaf = datagram.leaves().next().unwrap();
//! assert_eq!((leaf.header.src.to_string().as_str(), leaf.payload), ("CxiDs1-0|Cspad-0", &[1, 2, 3, 4][..]));
//! # Ok::<(), livetime_formats::Error>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod channel_map;
pub mod clock;
mod datagrams;
mod error;
pub mod felix;
mod fields;
pub mod file;
pub mod geometry;
pub mod hdf5;
mod look_ahead;
pub mod netcdf;
pub mod npy;
#[cfg(feature = "parquet")]
pub mod parquet;
mod run;
pub mod trigger;
pub mod wib;
pub mod xtc1;
pub mod xtc2;

pub use datagrams::Datagrams;
pub use error::{Error, Result};
