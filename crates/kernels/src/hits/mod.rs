//! Hits on wires: pulses found in the samples of all channels of a link at once.
//!
//! A hit finder takes rows of 16-bit samples, one row per tick with all channels in the order of the frame (as
//! [`crate::wib`] unpacks them), in calls of any number of rows, keeps its state between calls and appends to a
//! [`HitBuffer`]. Channels are all treated alike; the wire of a channel is looked up for the few hits.
//!
//! | finder | algorithm |
//! |---|---|
//! | [`HitFinder`] | ours: the default, unless hits must be compared with hits of the others |
//! | [`SeedHits`] | ProtoDUNE-SP 2019, bit for bit |
//! | [`TpgHits`] | tpglibs of DUNE-DAQ, bit for bit |
//!
//! [`remove_coherent`] may be called before: it removes the common noise of the channels of a board.
//!
//! The hits, their order too, depend neither on the level nor on how a stream is cut into calls.

mod check;
mod coherent;
mod finder;
mod frugal;
mod hit;
mod rows;
mod seed;
#[cfg(test)]
mod tests;
mod tpg;
mod walk;

pub use coherent::remove_coherent;
pub use finder::{FinderSetup, HitFinder, SampleBits};
pub use hit::{Hit, HitBuffer};
pub use seed::SeedHits;
pub use tpg::{RunningSum, TpgHits, TpgSetup};
