//! What is inside leaves, as far as their layouts are published.
//!
//! - [`PictureReader`], [`panels()`]: the pictures of CSPad, CSPad 2x2, cameras, pnCCD and Timepix, and recorded arrays.
//! - [`ArrayLeaf`], [`Recorded`]: frames of a running graph, written and read.
//! - [`scalars()`]: named numbers of intensity monitors and beam-line data.
//! - [`evr`], [`epics`]: event codes, process variables.
//!
//! All but [`PictureReader`] look at payloads that are not compressed.

mod array;
mod cspad;
pub mod epics;
pub mod evr;
mod panels;
mod pictures;
mod recorded;
mod scalars;

pub use array::ArrayLeaf;
pub use cspad::{ASIC_COLUMNS, CspadConfig, SECTION_ROWS};
pub use panels::{Panel, holds_panels, panels};
pub use pictures::{PictureReader, picture_leaves};
pub use recorded::{Recorded, RecordedAttributes, RecordedValue, write_recorded};
pub use scalars::{Scalar, scalars};
