//! Wires and their planes.

/// A plane of wires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Plane {
    /// First induction plane.
    U,
    /// Second induction plane.
    V,
    /// Collection plane, called Z or X.
    Collection,
}

impl Plane {
    /// 0, 1 or 2, as hit finders and maps have it.
    pub fn number(self) -> u8 {
        self as u8
    }

    pub(super) fn of(number: usize) -> Option<Plane> {
        [Plane::U, Plane::V, Plane::Collection].get(number).copied()
    }

    /// The plane of channel `channel` in a repeated text of letters.
    pub(super) fn in_pattern(pattern: &[u8], channel: usize) -> Plane {
        match pattern[channel % pattern.len()] {
            b'U' => Plane::U,
            b'V' => Plane::V,
            _ => Plane::Collection,
        }
    }
}

/// A wire: its offline number, and its plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wire {
    /// Number in the experiment's analysis; 2560 for each anode plane, U then V then collection.
    pub offline: u32,
    /// Plane of the wire.
    pub plane: Plane,
}

/// Channels of an anode plane.
pub(super) const APA: u32 = 2560;
