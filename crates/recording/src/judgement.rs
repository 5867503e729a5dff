//! How good recorded data are: the one judgement with which every reader ends.

use std::fmt;

use crate::{Account, Recording};

/// Counts of a reader's findings that decide how the program ends.
///
/// ```
/// use livetime_recording::{Findings, Judgement};
///
/// let found = Findings { usable: 12, failures: 2, problems: 1 };
/// assert_eq!((found.judgement(), found.judgement().exit_code()), (Judgement::Lossy, 3));
/// assert_eq!(found.to_string(), "12 usable; lost: 2 that should be there, 1 place that cannot be read");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Findings {
    /// Usable items: events with a picture, datagrams, records, rows, frames.
    pub usable: u64,
    /// Items that should be there and cannot be used.
    pub failures: u64,
    /// Places that mean nothing or cannot be read: a file from there on, or a part of an event.
    pub problems: u64,
}

/// How good recorded data are. Damage that the recorder noted itself, of data that are there, does not lower the
/// judgement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Judgement {
    /// All that was recorded can be used.
    Whole,
    /// Something cannot be used, and something can.
    Lossy,
    /// Something cannot be used, and nothing can.
    Nothing,
}

impl Findings {
    /// Of the pictures of a detector, as every reader of frames counts them.
    pub fn of_pictures(account: &Account, recording: &Recording) -> Findings {
        Findings {
            usable: account.whole + account.not_whole(),
            failures: account.failures() + account.no_memory,
            problems: recording.problems().len() as u64,
        }
    }

    /// Of a file that could be followed to its end, or has one place from which on it cannot.
    pub fn of_file(usable: u64, is_whole: bool) -> Findings {
        Findings { usable, failures: 0, problems: u64::from(!is_whole) }
    }

    /// These findings together with the findings of another reader.
    #[must_use]
    pub fn and(self, other: Findings) -> Findings {
        Findings {
            usable: self.usable + other.usable,
            failures: self.failures + other.failures,
            problems: self.problems + other.problems,
        }
    }

    /// The judgement.
    pub fn judgement(self) -> Judgement {
        match (self.failures == 0 && self.problems == 0, self.usable) {
            (true, _) => Judgement::Whole,
            (false, 0) => Judgement::Nothing,
            (false, _) => Judgement::Lossy,
        }
    }
}

impl Judgement {
    /// With which a program ends: 0, 3 or 1.
    pub fn exit_code(self) -> u8 {
        match self {
            Judgement::Whole => 0,
            Judgement::Lossy => 3,
            Judgement::Nothing => 1,
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Findings { usable, failures, problems } = *self;
        write!(f, "{usable} usable; ")?;
        let places = if problems == 1 { "place" } else { "places" };
        match (failures, problems) {
            (0, 0) => f.write_str("nothing is lost"),
            (_, 0) => write!(f, "lost: {failures} that should be there"),
            (0, _) => write!(f, "lost: {problems} {places} that cannot be read"),
            _ => write!(f, "lost: {failures} that should be there, {problems} {places} that cannot be read"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_lost_is_a_loss_if_anything_is_left() {
        let judged =
            |usable, failures, problems| Findings { usable, failures, problems }.judgement().exit_code();
        assert_eq!([judged(0, 0, 0), judged(5, 0, 0)], [0, 0]);
        assert_eq!([judged(5, 1, 0), judged(5, 0, 1)], [3, 3]);
        assert_eq!([judged(0, 1, 0), judged(0, 0, 1)], [1, 1]);
    }
}
