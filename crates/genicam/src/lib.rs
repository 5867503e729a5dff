//! `genicam`: cameras that speak GenICam (GigE Vision, USB3 Vision) as a source, through libaravis.
//!
//! Out: arrays `[height, width]` of 8 or 16 bits, or RGB, packed, numbered from 1. Packed pixel formats are unpacked,
//! a mosaic has the colour mode `bayer` and its pattern as the attribute `BayerPattern`. Event time is the camera's.
//!
//! What did not come is counted: a number that the camera left out is a frame that the source lost, and a frame of
//! which packets are missing is lost as unreadable, with the reason. A camera that is not there is looked for until it
//! is, and gets back what it was set to.
//!
//! libaravis is loaded when a pipeline has a camera, so that a program with this source needs it only then
//! (`docs/decisions/014-genicam.md`). What a user sees is in `docs/genicam.md`.

#![deny(missing_docs)]
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "the interface of a C library")]
mod aravis;
mod clock;
mod control;
mod error;
mod factory;
mod features;
mod node;
mod numbers;
mod params;
mod pixels;
mod settings;

pub use aravis::version;
pub use error::CameraError;
pub use factory::all;
pub use params::{GenicamParams, TimeSource, TriggerMode};
