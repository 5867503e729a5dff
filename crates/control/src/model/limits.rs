//! Limits beyond which a value of a node is an alarm, as the database of EPICS has them.

use std::fmt;

use super::counter::Counter;

/// A number of a node that may have limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// The parameter or readback of this name.
    Param(&'static str),
    /// A count, as faces show it.
    Count(Counter),
    /// Frames per second over the last second.
    Rate,
    /// Frames that wait in front of the node.
    Queued,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Param(name) => name,
            Quantity::Count(Counter::Frames) => "frames",
            Quantity::Count(Counter::LostBefore) => "frames lost before it",
            Quantity::Count(Counter::LostInside) => "frames lost inside it",
            Quantity::Rate => "frames per second",
            Quantity::Queued => "queued frames",
        })
    }
}

/// One of the four limits of a quantity. A value at the limit is beyond it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Much too low.
    LoLo,
    /// Too low.
    Low,
    /// Too high.
    High,
    /// Much too high.
    HiHi,
}

impl Bound {
    /// All bounds, from low to high.
    pub const ALL: [Bound; 4] = [Bound::LoLo, Bound::Low, Bound::High, Bound::HiHi];

    /// The name of the field of a record, and of the alarm.
    pub fn name(self) -> &'static str {
        ["LOLO", "LOW", "HIGH", "HIHI"][self as usize]
    }

    fn is_upper(self) -> bool {
        matches!(self, Bound::High | Bound::HiHi)
    }
}

/// How bad an alarm is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Severity {
    /// No alarm.
    #[default]
    None,
    /// A minor alarm.
    Minor,
    /// Something must be done.
    Major,
    /// The value cannot be trusted.
    Invalid,
}

impl Severity {
    /// All severities, by their numbers.
    pub const ALL: [Severity; 4] = [Severity::None, Severity::Minor, Severity::Major, Severity::Invalid];

    /// The name that EPICS has for it.
    pub fn name(self) -> &'static str {
        ["NO_ALARM", "MINOR", "MAJOR", "INVALID"][self as usize]
    }
}

/// The limits of a quantity. A limit without a severity has no effect.
///
/// ```
/// use livetime_control::model::{Bound, Limit, Limits, Severity};
///
/// let mut limits = Limits::default();
/// limits.set(Limit::At(Bound::High, 10.0));
/// assert_eq!(limits.judge(11.0, 0.0), None);
/// limits.set(Limit::Severity(Bound::High, Severity::Minor));
/// assert_eq!(limits.judge(11.0, 0.0), Some(Bound::High));
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Limits {
    at: [f64; 4],
    severity: [Severity; 4],
    hysteresis: f64,
}

/// A change of limits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Limit {
    /// Where a bound is.
    At(Bound, f64),
    /// How bad a value beyond a bound is.
    Severity(Bound, Severity),
    /// How far a value must come back before its alarm ends.
    Hysteresis(f64),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::At(bound, at) => write!(f, "{} at {at}", bound.name()),
            Limit::Severity(bound, severity) => write!(f, "{} is {}", bound.name(), severity.name()),
            Limit::Hysteresis(hysteresis) => write!(f, "hysteresis {hysteresis}"),
        }
    }
}

impl Limits {
    /// Where a bound is; 0 where it was never set.
    pub fn at(&self, bound: Bound) -> f64 {
        self.at[bound as usize]
    }

    /// How bad a value beyond a bound is.
    pub fn severity(&self, bound: Bound) -> Severity {
        self.severity[bound as usize]
    }

    /// How far a value must come back before its alarm ends.
    pub fn hysteresis(&self) -> f64 {
        self.hysteresis
    }

    /// Changes them.
    pub fn set(&mut self, limit: Limit) {
        match limit {
            Limit::At(bound, at) => self.at[bound as usize] = at,
            Limit::Severity(bound, severity) => self.severity[bound as usize] = severity,
            Limit::Hysteresis(hysteresis) => self.hysteresis = hysteresis,
        }
    }

    /// The bound that `value` is beyond, if one is: of several the outer one, and of both sides the upper one. `last` is the limit that
    /// the value was beyond until now, or the value without an alarm; the hysteresis applies to that limit alone, as in EPICS base.
    pub fn judge(&self, value: f64, last: f64) -> Option<Bound> {
        let is_beyond = |bound: &Bound| {
            let at = self.at(*bound);
            // The hysteresis holds only the alarm that is there already.
            let slack = if last == at { self.hysteresis } else { 0.0 };
            // Of a value that is no number all comparisons are false, so that it has no alarm.
            if bound.is_upper() {
                value >= at || value >= at - slack
            } else {
                value <= at || value <= at + slack
            }
        };
        // The outer limits come first; of both sides the upper one, as EPICS' records have it.
        let order = [Bound::HiHi, Bound::LoLo, Bound::High, Bound::Low];
        order.into_iter().filter(|bound| self.severity(*bound) != Severity::None).find(is_beyond)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limits() -> Limits {
        let mut limits = Limits { hysteresis: 2.0, ..Limits::default() };
        for (bound, at) in Bound::ALL.into_iter().zip([-20.0, -10.0, 10.0, 20.0]) {
            limits.set(Limit::At(bound, at));
            limits.set(Limit::Severity(bound, Severity::Minor));
        }
        limits
    }

    #[test]
    fn a_value_at_a_limit_is_beyond_it_and_the_outer_one_wins() {
        let limits = limits();
        let judged =
            [-21.0, -20.0, -10.0, -9.9, 9.9, 10.0, 20.0, f64::NAN].map(|value| limits.judge(value, 0.0));
        use Bound::{HiHi, High, LoLo, Low};
        assert_eq!(judged, [Some(LoLo), Some(LoLo), Some(Low), None, None, Some(High), Some(HiHi), None]);
    }

    #[test]
    fn an_alarm_ends_when_the_value_has_come_back_by_the_hysteresis() {
        let limits = limits();
        assert_eq!(limits.judge(8.5, 0.0), None);
        assert_eq!(limits.judge(8.5, 10.0), Some(Bound::High));
        assert_eq!(limits.judge(7.9, 10.0), None);
        assert_eq!(limits.judge(18.5, 20.0), Some(Bound::HiHi));
        assert_eq!(limits.judge(-8.5, -10.0), Some(Bound::Low));
    }

    proptest! {
        /// Without a hysteresis the past does not matter, and a bound without a severity never acts.
        #[test]
        fn what_is_judged_is_beyond(value: f64, at: [f64; 4], severity in proptest::array::uniform4(0usize..4), last: f64) {
            let limits = Limits { at, severity: severity.map(|number| Severity::ALL[number]), hysteresis: 0.0 };
            let judged = limits.judge(value, last);
            prop_assert_eq!(judged, limits.judge(value, f64::NAN));
            if let Some(bound) = judged {
                prop_assert!(limits.severity(bound) != Severity::None);
                let is_beyond = if bound.is_upper() { value >= limits.at(bound) } else { value <= limits.at(bound) };
                prop_assert!(is_beyond);
            }
        }
    }
}
