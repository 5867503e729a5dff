//! Nodes that take frames out of the graph.

mod file_name;
pub mod null;
pub mod publish;
pub mod pva_image;
pub mod tiff_files;
