//! What is inside leaves, as far as their layouts are published.
//!
//! - [`elements`]: the pictures of CSPad, CSPad 2x2, cameras, pnCCD and Timepix.
//! - [`scalars`]: named numbers of intensity monitors and beam-line data.
//! - [`evr`], [`epics`]: event codes, process variables.
//!
//! All of them look at payloads that are not compressed.

mod cspad;
mod elements;
pub mod epics;
pub mod evr;
mod scalars;

pub use cspad::{ASIC_COLUMNS, CspadConfig, SECTION_ROWS};
pub use elements::{Element, elements, holds_elements};
pub use scalars::{Scalar, scalars};
