//! Nodes that bring frames into the graph.

pub mod image_files;
pub mod pva_source;
mod schedule;
pub mod sim_detector;
