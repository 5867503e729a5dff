//! Frames as NTNDArray, the images of pvAccess, and back.

mod from_frame;
mod to_frame;

pub(crate) use from_frame::number_of;
pub use from_frame::{ImageWriter, Loans, UNIQUE_ID, kind_of, pixels};
pub(crate) use to_frame::frame_of;
pub use to_frame::{Names, layout_of, pixels_of};
