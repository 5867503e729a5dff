//! The content of leaves, as far as their layouts are published.
//!
//! - [`PictureReader`], [`panels()`]: the pictures of CSPad, CSPad 2x2, cameras, pnCCD and Timepix, and recorded arrays.
//! - [`pictures_of`], [`picture_leaves`]: which leaf is the picture, and what damage means.
//! - [`ArrayLeaf`], [`Recorded`]: frames of a running graph, written and read.
//! - [`scalars()`]: named numbers of intensity monitors and beam-line data.
//! - [`evr`], [`epics`], [`control`]: event codes, process variables, what a scan sets.
//!
//! All but [`PictureReader`] look at payloads that are not compressed.

mod array;
mod choice;
pub mod control;
mod cspad;
pub mod epics;
pub mod evr;
mod panels;
mod pictures;
mod recorded;
mod scalars;

pub use crate::xtc1::panel::Panel;
pub use array::ArrayLeaf;
pub use choice::{
    Candidate, are_twins, damage_of_event, first_readable, is_same_sender, picture_leaves, pictures_of,
};
pub use cspad::{ASIC_COLUMNS, CspadConfig, SECTION_ROWS};
pub use panels::{holds_panels, panels};
pub use pictures::PictureReader;
pub use recorded::{Recorded, RecordedAttributes, RecordedValue, write_recorded};
pub use scalars::{Scalar, scalars};
