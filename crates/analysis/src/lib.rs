//! Parallel analysis of recorded runs: the pictures of one detector, event by event, on all cores, or by many processes.
//!
//! Three types come first. A [`Recording`] (of `livetime_recording`) is a run. A [`Reducer`] makes partial results of pictures and merges
//! them. [`Work`] is the analysis as steps: the events of the run are cut into blocks, and blocks into leaves; each worker reads and
//! decompresses the pictures of a leaf and gives them to the reducers; a fixed tree merges the partial results. The tree is the same for
//! any number of workers, processes and machines, and so is every bit of the results. Broken events are counted and named.
//!
//! The analysis returns the error of a reducer that fails, or the message of its panic. The caller can stop an analysis at any time,
//! between two events.
//!
//! Reducers that look at each pixel alone get large pictures in strips of a few events ([`Strip`]), which stay in the cache of the processor
//! from the file to the sum.
//!
//! Memory: each worker has the events of one block (at most [`BLOCK_BYTES`], at least one event), or 1 MiB of strips, and one partial
//! result of each reducer. Where the order of the events matters, further partial results wait to be merged: about the logarithm of the
//! number of leaves.
//!
//! ```no_run
//! use livetime_analysis::{GoOn, Options, PixelStatistics, Recording, Reducers, analyze, detector};
//!
//! let recording = Recording::open(&["e236-r0003-s04-c00.xtc"])?;
//! let detector = detector(&recording, None)?;
//! let reducers = Reducers::default().with(PixelStatistics::all());
//! let found = analyze(&recording, &detector, &Options::default(), &reducers, &mut |_| GoOn::Yes)?;
//! for named in &found.results {
//!     println!("{}", named.name);
//! }
//! # Ok::<(), livetime_analysis::Error>(())
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod account;
mod analyze;
mod block;
mod corrected;
mod cut;
mod detector;
mod error;
mod fault;
mod layout;
mod leaves;
mod part_file;
mod partial;
mod parts;
mod pictures;
mod plan;
mod progress;
mod reduce;
mod reducer;
mod reducers;
mod results;
mod save;
mod strip;
mod strips;
mod tree;
mod whole_file;
mod work;
mod worker;

pub use account::{Account, MOST_NAMED};
pub use analyze::{Found, analyze};
pub use block::Block;
pub use corrected::{ConstantsFile, Corrected, CorrectedPartial, Corrections, UNKNOWN_GAIN};
pub use detector::{detector, detectors};
pub use error::{Error, ReduceError, Result, Step};
pub use fault::{BrokenEvent, Fault, FaultKind};
pub use layout::{Layout, Panel};
pub use livetime_recording::{Detector, Recording};
pub use partial::Partial;
pub use parts::{Merged, Part, WrittenPart};
pub use pictures::{EventPictures, Picture, Recorded};
pub use plan::Plan;
pub use progress::{GoOn, Progress};
pub use reducer::{Reducer, Reducers};
pub use reducers::{Histogram, Hits, NoiseMask, Peaks, PixelStatistics};
pub use results::{Array, Column, Named, Table, Value};
pub use save::{Loader, Saver};
pub use strip::Strip;
pub use work::{BLOCK_BYTES, Options, REDUCTION, Work};
