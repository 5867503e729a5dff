//! One PV of a node, as data.

use super::base::Item;
use super::point::About;

/// One PV of a node.
#[derive(Clone)]
pub(super) struct ServedPv {
    /// Comes after the instance and its colon.
    pub(super) name: String,
    pub(super) about: About,
    pub(super) is_writable: bool,
    pub(super) shows: Shows,
}

/// The value that a PV of a node shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shows {
    /// The parameter or readback of this number.
    Param(usize),
    /// A value of the engine's account of the node.
    Item(Item),
    /// The name of the PV that the parameter of this number follows.
    Link(usize),
    /// Frames that the node hands over, see [`picture_pvs`](super::picture_pvs).
    Picture,
}
