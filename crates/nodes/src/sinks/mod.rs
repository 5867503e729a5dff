//! Nodes that take frames out of the graph.

mod file_name;
pub mod link_ledger;
pub mod null;
pub mod publish;
pub mod pva_image;
pub mod tiff_files;
mod write_status;
pub mod xtc_recorder;

pub use write_status::WriteStatus;
