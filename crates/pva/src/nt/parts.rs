//! The parts that Normative Types are made of.

use std::sync::Arc;

use super::cache::{TypeKey, cached};
use crate::Result;
use crate::data::{Builder, ScalarType, Structure, Value};

/// How a number can be shown: the choices of `display.form`.
pub const FORMS: [&str; 7] = ["Default", "String", "Binary", "Decimal", "Hex", "Exponential", "Engineering"];

/// `alarm_t`: whether all is well.
pub fn alarm() -> Arc<Structure> {
    cached(TypeKey::Alarm, || {
        let numbers =
            Builder::new("alarm_t").member("severity", ScalarType::I32).member("status", ScalarType::I32);
        numbers.member("message", ScalarType::Str)
    })
}

/// `time_t`: when.
pub fn time() -> Arc<Structure> {
    cached(TypeKey::Time, || {
        let since = Builder::new("time_t").member("secondsPastEpoch", ScalarType::I64);
        since.member("nanoseconds", ScalarType::I32).member("userTag", ScalarType::I32)
    })
}

/// `enum_t`: one of several texts.
pub fn enumeration() -> Arc<Structure> {
    cached(TypeKey::Enum, || {
        Builder::new("enum_t").member("index", ScalarType::I32).array("choices", ScalarType::Str)
    })
}

/// `display`: how a value of `kind` is shown. Limits only for numbers.
pub fn display(kind: ScalarType) -> Arc<Structure> {
    cached(TypeKey::Display(kind), || {
        let texts = |b: Builder| b.member("description", ScalarType::Str).member("units", ScalarType::Str);
        if !is_number(kind) {
            return texts(Builder::new(""));
        }
        let limits = Builder::new("").member("limitLow", kind).member("limitHigh", kind);
        texts(limits).member("precision", ScalarType::I32).member("form", enumeration())
    })
}

/// `control`: the range of values of `kind` that may be set.
pub fn control(kind: ScalarType) -> Arc<Structure> {
    cached(TypeKey::Control(kind), || {
        let limits = Builder::new("").member("limitLow", kind).member("limitHigh", kind);
        limits.member("minStep", kind)
    })
}

/// `valueAlarm`: when a value of `kind` is an alarm.
pub fn value_alarm(kind: ScalarType) -> Arc<Structure> {
    cached(TypeKey::ValueAlarm(kind), || {
        let limits = ["lowAlarmLimit", "lowWarningLimit", "highWarningLimit", "highAlarmLimit"];
        let severities =
            ["lowAlarmSeverity", "lowWarningSeverity", "highWarningSeverity", "highAlarmSeverity"];
        let active = Builder::new("").member("active", ScalarType::Bool);
        let limits = limits.into_iter().fold(active, |b, name| b.member(name, kind));
        let severities = severities.into_iter().fold(limits, |b, name| b.member(name, ScalarType::I32));
        severities.member("hysteresis", ScalarType::F64)
    })
}

pub(super) fn is_number(kind: ScalarType) -> bool {
    !matches!(kind, ScalarType::Bool | ScalarType::Str)
}

/// How bad an alarm is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Severity {
    /// All is well.
    #[default]
    None,
    /// A minor alarm.
    Minor,
    /// Something must be done.
    Major,
    /// The value cannot be trusted.
    Invalid,
    /// The state is not known.
    Undefined,
}

/// Whether all is well.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Alarm {
    /// How bad it is.
    pub severity: Severity,
    /// Where it comes from: 0 nowhere, 1 device, 2 driver, 3 record, 4 database, 5 configuration, 6 unknown,
    /// 7 client.
    pub status: i32,
    /// Its kind.
    pub message: String,
}

/// Seconds and nanoseconds since 1970, and a number that each site may use as it likes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Time {
    /// Seconds since 1970-01-01 00:00 UTC.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanoseconds: i32,
    /// The user's tag.
    pub tag: i32,
}

/// Sets `alarm` of `value`.
pub fn set_alarm(value: &mut Value, alarm: &Alarm) -> Result<()> {
    set_alarm_text(value, alarm.severity, alarm.status, &alarm.message)
}

/// As [`set_alarm`], without an [`Alarm`].
pub fn set_alarm_text(value: &mut Value, severity: Severity, status: i32, message: &str) -> Result<()> {
    let missing = || crate::Error::new("a field that is an alarm", "none");
    let bit = value.bit("alarm").ok_or_else(missing)?;
    value.set_bit(bit + 1, severity as i32)?;
    value.set_bit(bit + 2, status)?;
    value.set_str(bit + 3, message)
}

/// `alarm` of `value`.
pub fn alarm_of(value: &Value) -> Option<Alarm> {
    let severity = match value.i64("alarm.severity")? {
        0 => Severity::None,
        1 => Severity::Minor,
        2 => Severity::Major,
        3 => Severity::Invalid,
        _ => Severity::Undefined,
    };
    let status = value.i64("alarm.status").and_then(|status| status.try_into().ok()).unwrap_or(0);
    Some(Alarm { severity, status, message: value.str("alarm.message").unwrap_or_default().into() })
}

/// Sets the time `path` of `value`: `timeStamp`, or `dataTimeStamp` of an image.
pub fn set_time(value: &mut Value, path: &str, time: Time) -> Result<()> {
    let missing = || crate::Error::new("a field that is a time", format!("`{path}`"));
    let bit = value.bit(path).ok_or_else(missing)?;
    value.set_bit(bit + 1, time.seconds)?;
    value.set_bit(bit + 2, time.nanoseconds)?;
    value.set_bit(bit + 3, time.tag)
}

/// The time `path` of `value`.
pub fn time_of(value: &Value, path: &str) -> Option<Time> {
    let part = |name: &str| value.i64(&format!("{path}.{name}"));
    let small = |name| part(name).and_then(|v| v.try_into().ok()).unwrap_or(0);
    Some(Time {
        seconds: part("secondsPastEpoch")?,
        nanoseconds: small("nanoseconds"),
        tag: small("userTag"),
    })
}
