//! Nodes that take frames out of the graph.

pub mod null;
