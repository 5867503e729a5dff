//! The standard nodes and the nodes of the example, for tests.

use livetime_engine::NodeType;

#[path = "../../app/examples/own_nodes/nodes.rs"]
mod own;

/// The standard nodes, `counter` and `slow`.
pub(crate) fn all() -> Vec<NodeType> {
    let own = [NodeType::of::<own::Counter>(), NodeType::of::<own::Slow>()];
    [livetime_nodes::ALL, livetime_wire::ALL, livetime_sim::ALL, &own].concat()
}
