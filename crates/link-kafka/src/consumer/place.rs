//! Where a group is: an offset, and beside it which frame comes next.

use std::fmt;
use std::str::FromStr;

/// The metadata of a committed offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The sender's incarnation.
    pub(super) epoch: u64,
    /// All frames before it are completed.
    pub(super) position: u64,
    /// The reader takes no frame from here on before its next commit: so much at most was handled when it is killed.
    pub(super) limit: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "livetime1 {:x} {} {}", self.epoch, self.position, self.limit)
    }
}

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Place, ()> {
        let mut words = text.split(' ');
        let mut word = || words.next().ok_or(());
        if word()? != "livetime1" {
            return Err(());
        }
        let epoch = u64::from_str_radix(word()?, 16).map_err(|_| ())?;
        let (position, limit) = (word()?.parse().map_err(|_| ())?, word()?.parse().map_err(|_| ())?);
        (position <= limit).then_some(Place { epoch, position, limit }).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_as_it_was_written() {
        let place = Place { epoch: u64::MAX, position: 5, limit: 9 };
        assert_eq!(place.to_string().parse(), Ok(place));
        for other in ["", "livetime1", "livetime1 x 1 2", "livetime1 7 3 2", "other 7 1 2"] {
            assert_eq!(other.parse::<Place>(), Err(()), "{other}");
        }
    }
}
