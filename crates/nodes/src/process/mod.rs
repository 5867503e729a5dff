//! Nodes that turn frames into frames or values.

pub mod image;
