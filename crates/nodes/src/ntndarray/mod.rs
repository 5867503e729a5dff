//! Frames as NTNDArray, the images of pvAccess, and back.

mod from_frame;

pub use from_frame::{ImageWriter, kind_of, pixels};
