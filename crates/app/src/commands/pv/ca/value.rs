//! Readings of Channel Access as the values that pvAccess has for them, so that both look the same.

use livetime_ca::dbr::{About, Reading, Values};
use livetime_pva::data::{Array, Field, ScalarType, Value};
use livetime_pva::nt;

/// Names of alarms, and the class that pvAccess has each of them in, by number.
const ALARMS: [(&str, i32); 22] = [
    ("NO_ALARM", 0),
    ("READ", 1),
    ("WRITE", 1),
    ("HIHI", 1),
    ("HIGH", 1),
    ("LOLO", 1),
    ("LOW", 1),
    ("STATE", 1),
    ("COS", 1),
    ("COMM", 2),
    ("TIMEOUT", 2),
    ("HWLIMIT", 1),
    ("CALC", 3),
    ("SCAN", 3),
    ("LINK", 3),
    ("SOFT", 3),
    ("BAD_SUB", 3),
    ("UDF", 2),
    ("DISABLE", 4),
    ("SIMM", 4),
    ("READ_ACCESS", 4),
    ("WRITE_ACCESS", 4),
];

/// A reading of a channel of at most `count` values as a value of pvAccess. `is_text`: its characters are one text.
pub(super) fn as_value(reading: &Reading, about: &About, count: u32, is_text: bool) -> Value {
    let mut value = match (&reading.values, count) {
        // The count of the channel decides and not the number of values: an array may have one element by chance.
        (Values::Enum(indices), 0..=1) => choice(indices.first().copied().unwrap_or(0), about),
        (Values::Char(_), _) if is_text => text(&reading.values.text().unwrap_or_default()),
        (Values::Text(texts), 0..=1) => text(texts.first().map_or("", String::as_str)),
        (values, 0..=1) => number(values),
        (values, _) => array(values),
    };
    set_facts(&mut value, reading, about);
    value
}

fn choice(index: u16, about: &About) -> Value {
    let mut value = Value::new(&nt::enumerated());
    set(&mut value, "value.choices", about.choices.clone());
    set(&mut value, "value.index", i32::from(index));
    value
}

fn text(text: &str) -> Value {
    let mut value = Value::new(&nt::scalar(ScalarType::Str));
    set(&mut value, "value", text);
    value
}

fn number(values: &Values) -> Value {
    // A reading without values keeps the default of its type.
    let (kind, field): (ScalarType, Option<Field>) = match values {
        Values::Short(v) => (ScalarType::I16, v.first().map(|&v| v.into())),
        Values::Enum(v) => (ScalarType::U16, v.first().map(|&v| v.into())),
        Values::Char(v) => (ScalarType::U8, v.first().map(|&v| v.into())),
        Values::Long(v) => (ScalarType::I32, v.first().map(|&v| v.into())),
        Values::Float(v) => (ScalarType::F32, v.first().map(|&v| v.into())),
        Values::Double(v) => (ScalarType::F64, v.first().map(|&v| v.into())),
        Values::Text(v) => (ScalarType::Str, v.first().map(|v| v.as_str().into())),
    };
    let mut value = Value::new(&nt::scalar(kind));
    if let Some(field) = field {
        set(&mut value, "value", field);
    }
    value
}

fn array(values: &Values) -> Value {
    let (kind, field): (ScalarType, Field) = match values {
        Values::Short(v) => (ScalarType::I16, v.clone().into()),
        Values::Enum(v) => (ScalarType::U16, v.clone().into()),
        Values::Char(v) => (ScalarType::U8, Array::from(v.to_vec()).into()),
        Values::Long(v) => (ScalarType::I32, v.clone().into()),
        Values::Float(v) => (ScalarType::F32, v.clone().into()),
        Values::Double(v) => (ScalarType::F64, v.clone().into()),
        Values::Text(v) => (ScalarType::Str, v.clone().into()),
    };
    let mut value = Value::new(&nt::scalar_array(kind));
    set(&mut value, "value", field);
    value
}

/// Alarm and time; units, precision and limits where the type has a place for them.
fn set_facts(value: &mut Value, reading: &Reading, about: &About) {
    const SEVERITIES: [nt::Severity; 4] =
        [nt::Severity::None, nt::Severity::Minor, nt::Severity::Major, nt::Severity::Invalid];
    // A server may send numbers beyond the known ones.
    let severity = SEVERITIES.get(usize::from(reading.alarm.severity)).copied();
    let (name, status) = ALARMS.get(usize::from(reading.alarm.status)).copied().unwrap_or(("UNDEFINED", 6));
    let message = if reading.alarm.status == 0 { "" } else { name };
    let severity = severity.unwrap_or(nt::Severity::Undefined);
    let _ = nt::set_alarm(value, &nt::Alarm { severity, status, message: message.into() });
    // The Euclidean division keeps the nanoseconds above 0 for times before 1970.
    let ns = reading.stamp.ns();
    let seconds = ns.div_euclid(1_000_000_000);
    let time = nt::Time { seconds, nanoseconds: ns.rem_euclid(1_000_000_000) as i32, tag: 0 };
    // A record that was never processed has the first time that there is.
    if reading.stamp.seconds != 0 {
        let _ = nt::set_time(value, "timeStamp", time);
    }
    set(value, "display.units", about.units.as_str());
    set(value, "display.precision", i32::from(about.precision));
    let limits = &about.limits;
    for (path, (low, high)) in [
        (["display.limitLow", "display.limitHigh"], limits.display),
        (["control.limitLow", "control.limitHigh"], limits.control),
        (["valueAlarm.lowAlarmLimit", "valueAlarm.highAlarmLimit"], limits.alarm),
        (["valueAlarm.lowWarningLimit", "valueAlarm.highWarningLimit"], limits.warning),
    ] {
        set(value, path[0], low);
        set(value, path[1], high);
    }
}

/// A type without this field, as a text without limits, stays without it.
fn set(value: &mut Value, path: &str, field: impl Into<Field>) {
    let _ = value.set(path, field);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use livetime_ca::dbr::{Alarm, Limits, Stamp};

    use super::*;
    use crate::commands::pv::text::{Clock, line};

    fn reading(values: Values) -> Reading {
        let stamp = Stamp::from_ns(1_795_164_220_005_000_000);
        Reading { values, alarm: Alarm { status: 4, severity: 1 }, stamp, about: Arc::default() }
    }

    #[test]
    fn readings_look_like_values_of_pv_access() {
        let about = About {
            units: "mm".into(),
            precision: 3,
            limits: Limits { display: (1.0, 9.0), ..Limits::default() },
            choices: vec!["Off".into(), "On".into()],
            ..About::default()
        };
        let shown = |values, count, is_text| {
            line("X", &as_value(&reading(values), &about, count, is_text), Clock::Utc)
        };
        let time = "X 2026-11-20 08:43:40.005Z";
        let alarm = "MINOR DEVICE HIGH";
        assert_eq!(shown(Values::Double(vec![1.5]), 1, false), format!("{time} 1.5 {alarm}"));
        assert_eq!(shown(Values::Enum(vec![1]), 1, false), format!("{time} (1) On {alarm}"));
        assert_eq!(shown(Values::Short(vec![3]), 5, false), format!("{time} [3] {alarm}"));
        assert_eq!(shown(Values::long_text("/data"), 256, true), format!("{time} /data {alarm}"));
        assert_eq!(shown(Values::Text(vec!["a".into()]), 1, false), format!("{time} a {alarm}"));
        let value = as_value(&reading(Values::Double(vec![1.5])), &about, 1, false);
        assert_eq!(value.get("display.limitHigh").and_then(Field::as_f64), Some(9.0));
        assert_eq!(value.get("display.units").and_then(Field::as_str), Some("mm"));
    }
}
