//! Counts of a node that faces show and users set.

/// A count that can be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// Frames sent or handled.
    Frames,
    /// Frames lost in front of the node.
    LostBefore,
    /// Frames lost inside it.
    LostInside,
}
