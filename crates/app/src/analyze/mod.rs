//! Parallel analysis of recorded runs: the pictures of one detector, event by event, on all cores.
//!
//! A [`Recording`] is cut into blocks of events. Each worker reads a block, decompresses its pictures and gives them to
//! [`Reducer`]s, each of which makes a partial result of them; partial results are merged in the order of the events. The blocks are the same for
//! any number of workers, and so is every bit of the results. Broken events are counted and named.
//!
//! A pipeline file can be the work too: [`GraphAnalysis`].
//!
//! Memory: each worker has the events of one block (at most [`BLOCK_BYTES`], at least one event) and for each reducer
//! one partial result, and there is one more partial result of each.
//!
//! ```no_run
//! use livetime::analyze::{Options, PixelStatistics, Recording, Reducers, analyze};
//!
//! let recording = Recording::open(&["e236-r0003-s04-c00.xtc"])?;
//! let detector = recording.detector(None)?;
//! let reducers = Reducers::default().with(PixelStatistics::all());
//! let found = analyze(&recording, &detector, &Options::default(), &reducers, &mut |_| {})?;
//! for named in &found.results {
//!     println!("{}", named.name);
//! }
//! # Ok::<(), livetime_formats::Error>(())
//! ```

mod account;
mod block;
mod detector;
mod driver;
mod graph;
mod layout;
mod picture;
mod read_ahead;
mod recording;
mod reducer;
mod reducers;
mod results;
#[cfg(test)]
mod tests;
mod turn;

pub use account::{Account, BrokenEvent, Fault, FaultKind, MOST_NAMED};
pub use block::BLOCK_BYTES;
pub use detector::Detector;
pub use driver::{Found, Options, Progress, analyze};
pub use graph::{GoOn, GraphAnalysis, GraphFound, GraphOptions};
pub use layout::{Layout, Panel};
pub use picture::{EventPictures, Picture};
pub use recording::Recording;
pub use reducer::{Reducer, Reducers};
pub use reducers::{Histogram, Hits, PixelStatistics};
pub use results::{Array, Column, Named, Table, Value};
