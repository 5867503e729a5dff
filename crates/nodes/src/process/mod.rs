//! Nodes that turn frames into frames or values.

pub mod attributes;
pub mod bad_pixels;
pub mod circular_buffer;
pub mod color_convert;
pub mod compress;
pub mod corrections;
pub mod decompress;
pub mod fft;
pub mod find_peaks;
pub mod gather;
pub mod image;
pub mod in_order;
pub mod overlay;
pub mod positions;
#[allow(clippy::module_inception, reason = "the node is called `process`, as areaDetector's is")]
pub mod process;
pub mod rate_monitor;
pub mod resize;
pub mod roi;
pub mod roi_statistics;
pub mod scatter;
pub mod statistics;
pub mod time_series;
pub mod transform;
