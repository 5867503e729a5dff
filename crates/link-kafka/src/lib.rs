//! Links over Apache Kafka: the broker stands between both ends, and stores.
//!
//! A topic with one partition is the log of what a sender says: each record has the bytes of a message of
//! [`livetime_link::wire`], or a part of them ([`record`]). Its two ends are carriers:
//!
//! - [`Producing`] answers a [`Sender`](livetime_link::Sender) as a receiver would: a frame is completed when the broker
//!   has it on all replicas. An idempotent producer leaves no gap and repeats nothing, also over a broker that was killed.
//! - [`Consuming`] answers a [`Receiver`](livetime_link::Receiver) as a sender would. It commits the offset of what the
//!   graph has completed, so that the next process of its group goes on there; one process of a group reads at a time.
//!
//! What the broker's retention has removed is a [`Notice`](livetime_link::Notice), and a count.

#![deny(missing_docs, unsafe_code)]

mod address;
mod client;
mod consumer;
mod producer;
mod properties;
pub mod record;

use livetime_frame::Codec;
use livetime_link::Cut;

pub use address::{Address, AddressError};
pub use consumer::Consuming;
pub use producer::Producing;
pub use properties::{PropertiesError, read_properties};

/// What an end of a link must know of it.
#[derive(Clone, Debug)]
pub struct Ends {
    /// The cut, the same at both ends.
    pub cut: Cut,
    /// Frames under way at most.
    pub window_frames: u64,
    /// Bytes of the largest frame.
    pub max_frame_bytes: u64,
    /// Codecs of compressed arrays that may come.
    pub codecs: Vec<Codec>,
}
