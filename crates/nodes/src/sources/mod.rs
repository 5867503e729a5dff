//! Nodes that bring frames into the graph.

pub mod image_files;
mod schedule;
pub mod sim_detector;
