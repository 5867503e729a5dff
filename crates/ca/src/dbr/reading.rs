//! A value as it is at one moment.

use std::sync::Arc;

use super::{About, Values};

/// Seconds from 1970 to 1990, where times of EPICS begin.
const EPOCH: i64 = 631_152_000;

/// Values with their alarm and time, and with what is known about them.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// The values.
    pub values: Values,
    /// Whether something is wrong with them.
    pub alarm: Alarm,
    /// When they were measured.
    pub stamp: Stamp,
    /// Units, limits and choices; shared by all readings between two changes.
    pub about: Arc<About>,
}

impl Reading {
    /// About how much memory it takes, with what is known about it.
    pub(crate) fn bytes(&self) -> usize {
        let texts =
            |texts: &[String]| texts.iter().map(|text| text.len() + size_of::<String>()).sum::<usize>();
        let values = match &self.values {
            Values::Text(values) => texts(values),
            values => values.len() * values.native().size(),
        };
        let About { units, choices, class, .. } = &*self.about;
        size_of::<Reading>() + size_of::<About>() + values + units.len() + class.len() + texts(choices)
    }
}

/// Whether something is wrong with a value. Numbers are from EPICS (`alarm.h`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Alarm {
    /// The kind of the alarm, 0 for none.
    pub status: u16,
    /// 0 none, 1 minor, 2 major, 3 invalid.
    pub severity: u16,
}

/// A time as it travels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamp {
    /// Since 1990.
    pub seconds: u32,
    /// Below 10^9.
    pub nanoseconds: u32,
}

impl Stamp {
    /// The time `ns` after 1970. The protocol has times from 1990 to 2126: an earlier time becomes the first of these, a later one the last.
    pub fn from_ns(ns: i64) -> Stamp {
        let seconds = ns.div_euclid(1_000_000_000) - EPOCH;
        match u32::try_from(seconds) {
            // Below 10^9.
            Ok(seconds) => Stamp { seconds, nanoseconds: ns.rem_euclid(1_000_000_000) as u32 },
            Err(_) if seconds < 0 => Stamp::default(),
            Err(_) => Stamp { seconds: u32::MAX, nanoseconds: 999_999_999 },
        }
    }

    /// ns after 1970.
    pub fn ns(self) -> i64 {
        (i64::from(self.seconds) + EPOCH) * 1_000_000_000 + i64::from(self.nanoseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_begin_in_1990() {
        assert_eq!(Stamp::from_ns(631_152_000_000_000_001), Stamp { seconds: 0, nanoseconds: 1 });
        assert_eq!(Stamp::from_ns(631_152_000_000_000_001).ns(), 631_152_000_000_000_001);
        assert_eq!((Stamp::from_ns(-1), Stamp::from_ns(0)), (Stamp::default(), Stamp::default()));
        assert_eq!(Stamp::from_ns(i64::MAX), Stamp { seconds: u32::MAX, nanoseconds: 999_999_999 });
    }
}
