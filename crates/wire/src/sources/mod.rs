//! Sources: nodes that send raw frames into the graph.

pub mod felix_blocks;
mod raw_readings;
pub mod wib_file;
pub mod wibeth_udp;

pub use raw_readings::{FrameReadings, tell_losses};
