//! `genicam`: cameras that speak GenICam (GigE Vision, USB3 Vision) as a source, through libaravis.
//!
//! Out: arrays `[height, width]` of 8 or 16 bits, or RGB, packed, numbered from 1. Packed pixel formats are unpacked,
//! a mosaic has the colour mode `bayer` and its pattern as the attribute `BayerPattern`. Event time is the camera's.
//!
//! Missing frames are counted: a number that the camera left out is a frame that the source lost, and a frame with
//! missing packets is lost as unreadable, with the reason. The source looks for an absent camera until it is found, and
//! restores its settings.
//!
//! libaravis is loaded when a pipeline has a camera, so that a program with this source needs it only then
//! (`docs/decisions/014-genicam.md`). `docs/genicam.md` is the page for users.
//!
//! Three items come first: [`all`] gives the type of node to a program, [`GenicamParams`] has the parameters that every
//! camera has, and [`version`] says which libaravis was found.
//!
//! ```
//! let camera = livetime_genicam::all().remove(0);
//! assert_eq!(camera.spec.name, "genicam");
//!
//! // A pipeline that names a camera is checked without libaravis and without the camera.
//! let nodes = [livetime_nodes::ALL, &[camera]].concat();
//! let text = "nodes:\n  cam: {type: genicam}\n  end: {type: null, from: cam}\n";
//! assert!(livetime_control::config::parse("camera.yaml", text, &nodes, &[]).is_ok());
//! ```

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
