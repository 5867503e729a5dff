//! Alarms as PVs show them.

use livetime_control::model::{self, Limited};
use livetime_pva::data::Value;
use livetime_pva::nt::Severity;

/// The kinds of alarms by their numbers, as the field STAT of a record has them (`menuAlarmStat` of EPICS base).
pub(super) const KINDS: &[&str] = &[
    "NO_ALARM",
    "READ",
    "WRITE",
    "HIHI",
    "HIGH",
    "LOLO",
    "LOW",
    "STATE",
    "COS",
    "COMM",
    "TIMEOUT",
    "HWLIMIT",
    "CALC",
    "SCAN",
    "LINK",
    "SOFT",
    "BAD_SUB",
    "UDF",
    "DISABLE",
    "SIMM",
    "READ_ACCESS",
    "WRITE_ACCESS",
];

/// The severities by their numbers (`menuAlarmSevr`).
pub(super) const SEVERITIES: &[&str] = &["NO_ALARM", "MINOR", "MAJOR", "INVALID"];

/// Where a value has its limits and their severities, from low to high.
pub(super) const LIMITS: [(&str, &str); 4] = [
    ("valueAlarm.lowAlarmLimit", "valueAlarm.lowAlarmSeverity"),
    ("valueAlarm.lowWarningLimit", "valueAlarm.lowWarningSeverity"),
    ("valueAlarm.highWarningLimit", "valueAlarm.highWarningSeverity"),
    ("valueAlarm.highAlarmLimit", "valueAlarm.highAlarmSeverity"),
];

const STATE: u8 = 7;

/// The alarm of a PV.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Alarm {
    pub(super) severity: Severity,
    /// A number of [`KINDS`].
    kind: u8,
}

impl Alarm {
    /// The text of its kind for clients; empty without an alarm.
    pub(super) fn message(self) -> &'static str {
        if self.severity == Severity::None { "" } else { KINDS[usize::from(self.kind)] }
    }

    /// The one that is worse.
    pub(super) fn or(self, other: Alarm) -> Alarm {
        // Of two equal ones the first stays, so that the alarm of the run comes before a limit's.
        if other.severity > self.severity { other } else { self }
    }
}

/// An alarm of the state of the run.
impl From<Severity> for Alarm {
    fn from(severity: Severity) -> Alarm {
        Alarm { severity, kind: if severity == Severity::None { 0 } else { STATE } }
    }
}

/// An alarm of a value that is beyond a limit.
impl From<&Limited> for Alarm {
    fn from(limited: &Limited) -> Alarm {
        let severity = match limited.severity() {
            model::Severity::None => Severity::None,
            model::Severity::Minor => Severity::Minor,
            model::Severity::Major => Severity::Major,
            model::Severity::Invalid => Severity::Invalid,
        };
        let kind = limited.beyond.and_then(|bound| number(bound.name())).unwrap_or(0);
        Alarm { severity, kind: kind as u8 }
    }
}

/// The number of a kind of alarms.
pub(super) fn number(kind: &str) -> Option<u16> {
    KINDS.iter().position(|known| *known == kind).map(|number| number as u16)
}

/// The kind of the alarm of a value by its number: the message names it, and an alarm with another message is one of the state.
pub(super) fn kind_of(value: &Value) -> u16 {
    let is_well = value.i64("alarm.severity").unwrap_or(0) == 0;
    // `NO_ALARM` as the text of an alarm says nothing.
    let named = value.str("alarm.message").and_then(number).filter(|kind| *kind != 0);
    // An unknown text still has a severity, so its kind is STATE, and not none.
    if is_well { 0 } else { named.or_else(|| number("STATE")).unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_numbers_of_epics_base() {
        let numbers = ["NO_ALARM", "HIHI", "HIGH", "LOLO", "LOW", "STATE", "UDF", "WRITE_ACCESS"].map(number);
        assert_eq!(numbers.map(Option::unwrap), [0, 3, 4, 5, 6, 7, 17, 21]);
        assert_eq!(
            (Alarm::from(Severity::Major).message(), Alarm::from(Severity::None).message()),
            ("STATE", "")
        );
    }
}
