//! Faults while a container or leaf was recorded.

use std::fmt;

/// A word of reasons; zero: none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Damage(pub u32);

const REASONS: [(u32, &str); 7] = [
    (1, "dropped contribution"),
    (11, "uninitialised"),
    (12, "out of order"),
    (13, "out of synch"),
    (14, "user defined"),
    (15, "incomplete contribution"),
    (16, "contains incomplete"),
];

impl Damage {
    /// A contribution never came.
    pub const DROPPED: Damage = Damage(1 << 1);
    /// The payload is cut off; a container with it is not entered.
    pub const INCOMPLETE: Damage = Damage(1 << 15);

    /// Nothing went wrong.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether all reasons of `other` are given.
    pub fn contains(self, other: Damage) -> bool {
        self.0 & other.0 == other.0
    }

    /// The byte that detectors use for reasons of their own.
    pub fn user(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The reasons in words; a bit without a meaning appears by its number.
    pub fn reasons(self) -> impl Iterator<Item = String> {
        let bits = (0..24).filter(move |bit| self.0 >> bit & 1 == 1);
        bits.map(|bit| {
            let named = REASONS.iter().find(|(b, _)| *b == bit);
            named.map_or_else(|| format!("bit {bit}"), |(_, name)| (*name).to_owned())
        })
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        f.write_str(&self.reasons().collect::<Vec<_>>().join(", "))?;
        if self.user() != 0 { write!(f, " (user {:#04x})", self.user()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_told_in_words() {
        assert_eq!(Damage(0).to_string(), "none");
        assert_eq!(Damage(1 << 1 | 1 << 15).to_string(), "dropped contribution, incomplete contribution");
        assert_eq!(Damage(0x0700_4020).to_string(), "bit 5, user defined (user 0x07)");
    }
}
