//! The events of a recorded run, and the pictures of one detector in them.

mod block;
mod detector;
mod facility;
mod layout;
mod picture;
mod places;
mod read_ahead;
mod recording;

pub use detector::Detector;
pub use facility::{Facility, facility};
pub use layout::{Layout, Panel};
pub use picture::{EventPictures, Picture};
pub use recording::Recording;

pub(crate) use block::{Reader, Slot};
pub(crate) use picture::values;
pub(crate) use places::{EventPlaces, FileEnds, PieceAt};
pub(crate) use read_ahead::read_ahead;
