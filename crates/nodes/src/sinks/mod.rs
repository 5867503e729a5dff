//! Nodes that take frames out of the graph.

mod file_name;
pub mod null;
pub mod tiff_files;
