//! The standard nodes and the example's nodes, for tests.

use livetime_engine::NodeType;

#[path = "../examples/own_nodes/nodes.rs"]
mod own;

/// The standard nodes, `counter` and `slow`.
pub(crate) fn all() -> Vec<NodeType> {
    let own = [NodeType::of::<own::Counter>(), NodeType::of::<own::Slow>()];
    [&*crate::standard_nodes(), &own].concat()
}
