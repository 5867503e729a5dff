//! Values of pvAccess as readings of Channel Access.

use std::sync::Arc;

use livetime_ca::dbr::{About, Alarm, Limits, Native, Reading, Stamp, Values};
use livetime_pva::data::{Array, Field, ScalarType, Value};
use livetime_pva::nt;

use crate::alarm::{LIMITS, kind_of};
use crate::fields::Class;

/// The way in which a channel shows a PV.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) native: Native,
    /// The least characters of a text that is no string.
    pub(super) characters: Option<usize>,
    /// The type of the record.
    pub(super) class: Class,
}

/// The kind of a PV's values, of texts as characters or as strings; `None` for structures that Channel Access does not have.
pub(super) fn native(value: &Value, as_characters: bool) -> Option<Native> {
    if value.get("value.index").is_some() {
        return Some(Native::Enum);
    }
    Some(match value.get("value")? {
        Field::Str(_) if as_characters => Native::Char,
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
pub(super) fn most(value: &Value, way: Way) -> usize {
    match value.get("value") {
        Some(Field::Array(array)) => array.len().max(1),
        Some(Field::Strings(texts)) => texts.len().max(1),
        // A longer text has its final zero, too.
        Some(Field::Str(text)) => way.characters.map_or(1, |characters| characters.max(text.len() + 1)),
        _ => 1,
    }
}

/// The values of a PV with alarm, time and the facts about them.
pub(super) fn read(value: &Value, way: Way) -> Option<Reading> {
    let severity = value.i64("alarm.severity").map_or(0, |severity| severity.clamp(0, 3) as u16);
    let stamp = nt::time_of(value, "timeStamp");
    let ns =
        stamp.map(|time| time.seconds.saturating_mul(1_000_000_000).saturating_add(time.nanoseconds.into()));
    Some(Reading {
        values: values(value, way.native)?,
        alarm: Alarm { status: kind_of(value), severity },
        stamp: Stamp::from_ns(ns.unwrap_or(0)),
        about: Arc::new(about(value, way.class)),
    })
}

fn values(value: &Value, native: Native) -> Option<Values> {
    let field = value.get("value.index").or_else(|| value.get("value"))?;
    Some(match (field, native) {
        (Field::Str(text), Native::Char) => Values::long_text(text),
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

fn about(value: &Value, class: Class) -> About {
    let number = |path: &str| value.get(path).and_then(Field::as_f64);
    let pair = |low: &str, high: &str| (number(low).unwrap_or(0.0), number(high).unwrap_or(0.0));
    let [lolo, low, high, hihi] = alarm_limits(value, class);
    let text = |path: &str| value.get(path).and_then(Field::as_str).unwrap_or_default().to_owned();
    let choices = value.get("value.choices").and_then(Field::as_strings).unwrap_or_default();
    About {
        units: text("display.units"),
        precision: number("display.precision").unwrap_or(0.0) as i16,
        limits: Limits {
            display: pair("display.limitLow", "display.limitHigh"),
            control: pair("control.limitLow", "control.limitHigh"),
            alarm: (lolo, hihi),
            warning: (low, high),
        },
        choices: choices.to_vec(),
        class: class.name().to_owned(),
    }
}

/// The limits from low to high. As of records of EPICS base, a limit without a severity is no number, but for integers of 64 bits; values
/// that cannot have limits have zeros.
fn alarm_limits(value: &Value, class: Class) -> [f64; 4] {
    let number = |path: &str| value.get(path).and_then(Field::as_f64).unwrap_or(0.0);
    let is_always = matches!(class, Class::Int64in | Class::Int64out);
    let limit = |(at, severity): (&str, &str)| {
        if is_always || number(severity) != 0.0 { number(at) } else { f64::NAN }
    };
    match value.get("valueAlarm.active") {
        Some(Field::Bool(is_active)) if is_always || *is_active => LIMITS.map(limit),
        Some(_) => [f64::NAN; 4],
        None => [0.0; 4],
    }
}
