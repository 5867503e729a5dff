//! Sources: nodes that send frames into the graph.

mod acquisition;
pub mod array_source;
pub mod image_files;
pub mod link_in;
mod pixels;
pub mod pva_source;
pub mod recording;
mod schedule;
pub mod subscribe;

pub use acquisition::{ACQUIRING, COMPLETE, DetectorState, ImageMode, STOPPED};
pub use pixels::{Color, DataType};
pub use recording::{Playback, Timing};
pub use schedule::{Schedule, to_ns};
