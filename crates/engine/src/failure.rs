//! The failure of a node, as a program takes it.

use std::fmt;

/// A node failed in a call of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeFailure {
    /// Name of the node.
    pub node: String,
    /// Its error with all causes, or `panicked: ` and the message of the panic.
    pub message: String,
    /// Whether the node panicked.
    pub is_panic: bool,
}

/// `node: message`.
impl fmt::Display for NodeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.node, self.message)
    }
}
