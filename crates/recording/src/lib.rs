//! Recorded runs as events.
//!
//! **What.** A run is what one or more recorders wrote between its start and its end: streams, chunks, detectors. This crate opens
//! the files of a run, whatever their format, and gives what lies in them event by event: the data of one detector as frames
//! ([`Recording::frames`]) and what was recorded beside it ([`Recording::small_data`], [`Recording::configuration`]).
//!
//! **When.** Use it wherever recorded data come into a program: it is what the source `recording` and the analysis read with. To
//! look at the bytes of a file itself, or to write one, use `livetime_formats`; to rewrite whole files, [`mod@convert`].
//!
//! **How.** [`Recording::open`] takes the files, [`Recording::detectors`] lists what is in them, [`Recording::frames`] gives an
//! iterator: threads read and decompress ahead, the order of the events stays. A frame is aligned memory of a pool, which may be
//! kept as long as it is wanted.
//!
//! ```
//! use livetime_formats::xtc1::{Builder, DatagramHeader, Src, TypeId, XtcHeader, id};
//! use livetime_recording::{Options, Recording};
//!
//! // A run of two events with a picture of 3 x 2 pixels.
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("e1-r0001-s00-c00.xtc");
//! let mut bytes = Vec::new();
//! for number in 0..2u8 {
//!     let header = DatagramHeader::event(1_000_000_000 + u64::from(number), 3);
//!     let mut builder = Builder::new(&mut bytes, &header);
//!     let leaf = XtcHeader::new(Src::named("CxiEndstation-0|Opal1000-1")?, TypeId::new(id::FRAME, 1));
//!     builder.leaf(leaf, &[&[3u32, 2, 8, 0].map(u32::to_le_bytes).concat(), &[number; 6]])?;
//!     builder.finish()?;
//! }
//! std::fs::write(&file, bytes)?;
//!
//! let recording = Recording::open(&[&file])?;
//! let detector = recording.detector("Opal1000")?;
//! for event in recording.frames(&detector, Options::default()) {
//!     let event = event?;
//!     assert_eq!(event.frame.array()?.elements::<u8>()?, [event.event as u8; 6]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Damage
//!
//! Recorders note what went wrong, files break off, disks fail. What that means for an event is judged in one place, by
//! [`Recording::read`], and everything that reads a run uses its word: there is a picture, whole or not ([`Condition`]), or there is
//! none, for one of the reasons of [`FaultKind`]. What becomes of a picture that is not whole is for the reader to say:
//! [`OnDamage`]. Whatever happens to an event is counted ([`Account`]). Something broken in an event beside what is read of it is a place
//! that cannot be read ([`Recording::problems`]). What it all comes to is one judgement ([`Findings::judgement`]).

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod convert;

// What the signatures here show of the crate below, and what belongs to a run beside its files.
pub use livetime_formats::xtc1::Src;
pub use livetime_formats::xtc1::run::Piece;
pub use livetime_formats::{Error, Result};
pub use livetime_formats::{clock, geometry};
pub use livetime_runtime::{MemoryLimit, TooMuchMemory};

mod breaks;
mod constants;
mod damage;
mod detector;
mod format;
mod formats;
mod frames;
mod guess;
mod judgement;
mod order;
mod picture;
mod places;
mod prefetch;
mod problem;
mod range;
mod read_ahead;
mod reader;
mod recording;
pub mod records;
mod run;
pub mod select;
mod small_data;
mod straight;
mod strips;
mod transition;

pub use constants::Constants;
pub use damage::{Account, Condition, Fault, FaultKind, OnDamage};
pub use detector::{Detector, Part, Wanted};
pub use format::RunFormat;
pub use frames::{EventFrame, Frames, Options, Step};
pub use judgement::{Findings, Judgement};
pub use order::{Memory, Ordered, ReadError};
pub use picture::{Panel, Picture};
pub use places::{EventPlaces, FileEnds, FileRange};
pub use prefetch::Prefetch;
pub use problem::Problem;
pub use range::{RangeError, parse_range};
pub use read_ahead::{BATCH_BYTES, batches_under_way, events_in_batch};
pub use reader::Reader;
pub use recording::{FindError, OpenRun, Recording};
pub use small_data::SmallValue;
pub use transition::{Change, Transition};
