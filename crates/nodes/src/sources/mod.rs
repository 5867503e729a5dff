//! Nodes that bring frames into the graph.

mod acquisition;
pub mod felix_blocks;
pub mod image_files;
pub mod pva_source;
mod raw_readings;
mod recording;
mod schedule;
pub mod sim_detector;
pub mod subscribe;
pub mod wib_file;
pub mod wib_simulator;
pub mod wibeth_udp;
pub mod xtc;
pub mod xtc2;

pub use acquisition::{DetectorState, ImageMode};
pub use recording::{Playback, Timing};
