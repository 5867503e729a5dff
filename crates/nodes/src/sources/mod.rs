//! Nodes that bring frames into the graph.
