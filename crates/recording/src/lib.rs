//! Recorded runs as events.
//!
//! **Content.** A run is the data of one or more recorders between its start and its end: streams, chunks, detectors.
//! This crate opens the files of a run, whatever their format, and gives their data event by event: the arrays of one
//! detector as frames ([`Recording::frames`]) and the values recorded beside them ([`Recording::small_data`],
//! [`Recording::configuration`]).
//!
//! **Use.** Use this crate wherever recorded data enter a program: the source `recording` and the analysis do. To
//! inspect the bytes of a file, or to write one, use `livetime_formats`; to rewrite whole files, [`mod@convert`].
//!
//! **Start.** [`Recording::open`] takes the files, [`Recording::detectors`] lists the detectors, [`Recording::frames`]
//! gives an iterator: threads read and decompress ahead, the order of the events stays. A frame is aligned memory of a
//! pool, which callers may keep as long as they need it.
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
//! Recorders note faults, files break off, disks fail. [`Recording::read`] alone judges the consequences for an event,
//! and every reader of a run uses its words: the event has a picture, whole or not ([`Condition`]), or has none, for
//! one of the reasons of [`FaultKind`]. The reader chooses the policy for a damaged picture: [`OnDamage`]. Every event
//! is counted, whatever its condition ([`Account`]). A broken part of an event beside the wanted picture is a place
//! that cannot be read ([`Recording::problems`]). All findings together give one judgement ([`Findings::judgement`]).

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod convert;

// Types of `livetime_formats` in signatures of this crate are exported again, so that callers need only this crate.
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
mod index;
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
pub use formats::join;
pub use frames::{EventFrame, Frames, Options, Step};
pub use index::{index, index_in};
pub use judgement::{Findings, Judgement};
pub use livetime_formats::file::{FileEnds, Store, Stores, absolute, address};
pub use order::{Memory, Ordered, ReadError};
pub use picture::{Panel, Picture};
pub use places::{EventPlaces, FileRange};
pub use prefetch::Prefetch;
pub use problem::Problem;
pub use range::{RangeError, parse_range};
pub use read_ahead::{BATCH_BYTES, batches_under_way, events_in_batch};
pub use reader::Reader;
pub use recording::{FindError, OpenRun, Recording, files_given};
pub use small_data::SmallValue;
pub use transition::{Change, Transition};
