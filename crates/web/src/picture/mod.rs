//! Pictures and tables for clients: edges of the run, views of their frames, and messages made of these.
//!
//! ```text
//! output of a node --edge, `latest`, at most 30/s--> Source (newest frame) --on request--> Maker (crop, bin) --> bytes
//! ```
//!
//! An output is subscribed to while a view of it is asked for; nothing is offered to the program otherwise. A frame that came is
//! kept until a newer one comes, so that a view can be chosen anew while the source pauses; of an output without a
//! client a copy of it is kept. Pictures are made when a client asks, and clients that want the same one share it.

mod budget;
mod left;
mod make;
mod maker;
mod message;
mod newest;
mod not_shown;
mod npy;
mod place;
mod png;
mod sample;
mod source;
mod spec;
mod views;

pub(crate) use make::value_at;
#[cfg(test)]
pub(crate) use make::{Made, make};
pub(crate) use maker::{Maker, Shared};
pub(crate) use message::Header;
pub(crate) use newest::Newest;
pub(crate) use npy::npy;
pub(crate) use png::png;
pub(crate) use source::Sources;
pub(crate) use spec::{Spec, range_of};
pub(crate) use views::{Account, Refused, Views, header};
