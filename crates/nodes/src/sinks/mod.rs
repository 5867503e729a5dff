//! Nodes that take frames out of the graph.

mod file_name;
#[cfg(feature = "parquet")]
pub mod hits_parquet;
pub mod link_ledger;
mod next_file;
pub mod null;
pub mod publish;
pub mod pva_image;
pub mod tiff_files;
pub mod trigger_records;
mod write_status;
pub mod xtc_recorder;

pub use write_status::WriteStatus;
