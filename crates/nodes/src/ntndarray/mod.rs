//! Frames as NTNDArray, the images of pvAccess, and back.

mod from_frame;
mod to_frame;

pub use from_frame::{ImageWriter, Loans, UNIQUE_ID, kind_of, pixels};
pub use to_frame::{Names, layout_of, pixels_of};
