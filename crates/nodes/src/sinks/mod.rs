//! Nodes that take frames out of the graph.

mod event_time;
pub mod npy_files;
pub mod null;
pub mod publish;
pub mod pva_image;
pub mod table_csv;
pub mod tiff_files;
pub mod xtc_recorder;

pub use livetime_engine::files::WriteStatus;
