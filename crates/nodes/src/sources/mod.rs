//! Sources: nodes that send frames into the graph.

mod acquisition;
pub mod array_source;
pub mod image_files;
pub mod pva_source;
pub mod recording;
mod schedule;
pub mod sim_detector;
pub mod subscribe;

pub use acquisition::{ACQUIRING, COMPLETE, DetectorState, ImageMode, STOPPED};
pub use recording::{Playback, Timing};
