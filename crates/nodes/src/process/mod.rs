//! Nodes that turn frames into frames or values.

pub mod compress;
pub mod decompress;
pub mod image;
#[allow(clippy::module_inception, reason = "the node is called `process`, as areaDetector's is")]
pub mod process;
pub mod rate_monitor;
pub mod resize;
pub mod roi;
pub mod statistics;
pub mod transform;
