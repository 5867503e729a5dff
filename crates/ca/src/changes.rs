//! Kinds of changes that a monitor may wait for.

/// Kinds of changes: the kinds that a client asks for, or the kinds of an update. Bits are the protocol's (`DBE_…`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Changes(pub u16);

impl Changes {
    /// The value.
    pub const VALUE: Changes = Changes(1);
    /// The value, as far as it is archived.
    pub const LOG: Changes = Changes(2);
    /// The alarm.
    pub const ALARM: Changes = Changes(4);
    /// Units, limits, choices.
    pub const PROPERTY: Changes = Changes(8);

    /// Both.
    #[must_use]
    pub fn and(self, other: Changes) -> Changes {
        Changes(self.0 | other.0)
    }

    /// Whether they have a kind in common.
    pub fn meet(self, other: Changes) -> bool {
        self.0 & other.0 != 0
    }
}
