//! Numbers of the model that may have limits, by the PVs that show them.

use livetime_control::model::{Counter, Quantity};

use super::base::Item;

impl Item {
    /// The number that it shows, if that may have limits.
    pub(super) fn quantity(self) -> Option<Quantity> {
        match self {
            Item::ArrayCounter => Some(Quantity::Count(Counter::Frames)),
            Item::Dropped => Some(Quantity::Count(Counter::LostBefore)),
            Item::DroppedOutput => Some(Quantity::Count(Counter::LostInside)),
            Item::ArrayRate => Some(Quantity::Rate),
            Item::QueueUse => Some(Quantity::Queued),
            _ => None,
        }
    }
}
