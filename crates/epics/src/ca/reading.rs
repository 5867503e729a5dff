//! Values of pvAccess as readings of Channel Access.

use std::sync::Arc;

use livetime_ca::dbr::{About, Alarm, Limits, Native, Reading, Stamp, Values};
use livetime_pva::data::{Array, Field, ScalarType, Value};
use livetime_pva::nt;

/// Bytes of a text that is longer than a text of Channel Access may be.
const LONG_TEXT: usize = 256;

/// The kind of a PV's values; `None` for structures that Channel Access does not have.
pub(super) fn native(value: &Value) -> Option<Native> {
    if value.get("value.index").is_some() {
        return Some(Native::Enum);
    }
    Some(match value.get("value")? {
        Field::Str(_) | Field::Strings(_) => Native::Text,
        Field::Bool(_) | Field::U8(_) => Native::Char,
        Field::I8(_) | Field::I16(_) => Native::Short,
        Field::U16(_) | Field::I32(_) => Native::Long,
        Field::F32(_) => Native::Float,
        Field::U32(_) | Field::I64(_) | Field::U64(_) | Field::F64(_) => Native::Double,
        Field::Array(array) => of_elements(array.kind()),
        _ => return None,
    })
}

/// Numbers without sign that do not fit become the next wider kind; Channel Access has none of 64 bits.
fn of_elements(kind: ScalarType) -> Native {
    match kind {
        ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => Native::Char,
        ScalarType::I16 => Native::Short,
        ScalarType::U16 | ScalarType::I32 => Native::Long,
        ScalarType::F32 => Native::Float,
        ScalarType::U32 | ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => Native::Double,
        ScalarType::Str => Native::Text,
    }
}

/// Whether the PV has an array.
pub(super) fn is_array(value: &Value) -> bool {
    matches!(value.get("value"), Some(Field::Array(_) | Field::Strings(_)))
}

/// The most values that a channel of the PV has.
pub(super) fn most(value: &Value, native: Native) -> usize {
    match value.get("value") {
        Some(Field::Array(array)) => array.len().max(1),
        Some(Field::Strings(texts)) => texts.len().max(1),
        Some(Field::Str(_)) if native == Native::Char => LONG_TEXT,
        _ => 1,
    }
}

/// The values of a PV with alarm, time and the facts about them.
pub(super) fn read(value: &Value, native: Native, is_writable: bool) -> Option<Reading> {
    let alarm = nt::alarm_of(value);
    let stamp = nt::time_of(value, "timeStamp");
    let ns =
        stamp.map(|time| time.seconds.saturating_mul(1_000_000_000).saturating_add(time.nanoseconds.into()));
    Some(Reading {
        values: values(value, native)?,
        alarm: alarm.map_or_else(Alarm::default, |alarm| as_alarm(&alarm)),
        stamp: Stamp::from_ns(ns.unwrap_or(0)),
        about: Arc::new(about(value, is_writable)),
    })
}

/// Alarms of the state of a record (7) and of invalid values (17, "UDF") are the ones that clients know.
fn as_alarm(alarm: &nt::Alarm) -> Alarm {
    const STATE: u16 = 7;
    let severity = alarm.severity as u16;
    Alarm { status: if severity == 0 { 0 } else { STATE }, severity: severity.min(3) }
}

fn values(value: &Value, native: Native) -> Option<Values> {
    let field = value.get("value.index").or_else(|| value.get("value"))?;
    Some(match (field, native) {
        (Field::Str(text), _) => Values::Text(vec![text.clone()]),
        (Field::Strings(texts), _) => Values::Text(texts.to_vec()),
        (Field::Array(array), _) => elements(array, native)?,
        (field, Native::Enum) => Values::Enum(vec![u16::try_from(field.as_i64()?).unwrap_or(u16::MAX)]),
        (field, Native::Char) => Values::Char(vec![field.as_i64()? as u8].into()),
        (field, Native::Short) => Values::Short(vec![field.as_i64()? as i16]),
        (field, Native::Long) => Values::Long(vec![field.as_i64()? as i32]),
        (field, Native::Float) => Values::Float(vec![field.as_f64()? as f32]),
        (field, _) => Values::Double(vec![field.as_f64()?]),
    })
}

fn elements(array: &Array, native: Native) -> Option<Values> {
    Some(match native {
        Native::Char => Values::Char(array.data().clone()),
        Native::Short => Values::Short(array.to_vec::<i16>()?),
        Native::Float => Values::Float(array.to_vec::<f32>()?),
        Native::Long if array.kind() == ScalarType::I32 => Values::Long(array.to_vec::<i32>()?),
        Native::Long => Values::Long(array.to_vec::<u16>()?.into_iter().map(i32::from).collect()),
        Native::Double if array.kind() == ScalarType::F64 => Values::Double(array.to_vec::<f64>()?),
        Native::Double => Values::Double(array.iter_f64().collect()),
        Native::Text | Native::Enum => return None,
    })
}

fn about(value: &Value, is_writable: bool) -> About {
    let number = |path: &str| value.get(path).and_then(Field::as_f64);
    let pair = |low: &str, high: &str| (number(low).unwrap_or(0.0), number(high).unwrap_or(0.0));
    let text = |path: &str| value.get(path).and_then(Field::as_str).unwrap_or_default().to_owned();
    let choices = value.get("value.choices").and_then(Field::as_strings).unwrap_or_default();
    About {
        units: text("display.units"),
        precision: number("display.precision").unwrap_or(0.0) as i16,
        limits: Limits {
            display: pair("display.limitLow", "display.limitHigh"),
            control: pair("control.limitLow", "control.limitHigh"),
            alarm: pair("valueAlarm.lowAlarmLimit", "valueAlarm.highAlarmLimit"),
            warning: pair("valueAlarm.lowWarningLimit", "valueAlarm.highWarningLimit"),
        },
        choices: choices.to_vec(),
        class: class(value, is_writable).to_owned(),
    }
}

/// The type of the record that areaDetector has for such a value.
fn class(value: &Value, is_writable: bool) -> &'static str {
    let [input, output] = match value.get("value") {
        _ if value.get("value.index").is_some() => ["mbbi", "mbbo"],
        Some(Field::Str(_)) => ["stringin", "stringout"],
        Some(Field::Array(_) | Field::Strings(_)) => ["waveform", "waveform"],
        Some(Field::F32(_) | Field::F64(_)) => ["ai", "ao"],
        _ => ["longin", "longout"],
    };
    if is_writable { output } else { input }
}
