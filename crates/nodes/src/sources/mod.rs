//! Sources: nodes that send frames into the graph.

mod acquisition;
pub mod image_files;
pub mod pva_source;
pub mod recording;
mod schedule;
pub mod sim_detector;
pub mod subscribe;
pub mod xtc;
pub mod xtc2;

pub use acquisition::{DetectorState, ImageMode};
pub use recording::{Playback, Timing};
