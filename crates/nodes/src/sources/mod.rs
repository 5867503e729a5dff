//! Nodes that bring frames into the graph.

mod schedule;
pub mod sim_detector;
