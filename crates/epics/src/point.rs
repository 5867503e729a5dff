//! One PV: its type, its present value, and how that becomes a Normative Type.

use std::borrow::Cow;
use std::sync::LazyLock;

use livetime_engine::{ParamKind, ParamSpec, Value, time_of_day_ns};
use livetime_pva::data::{self, Field, ScalarType, Strings};
use livetime_pva::nt;
use livetime_pva::server::{PvBuilder, SharedPv};

use livetime_control::model::{Bound, Limits};

use super::alarm::{Alarm, LIMITS};
use super::error::PutError;

/// The kind of a PV's value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shape {
    /// One of these texts.
    Enum(Cow<'static, [&'static str]>),
    I32,
    I64,
    F64,
    Text,
    I32s,
    F64s,
    Texts,
    /// Columns of texts under these names.
    Table(&'static [&'static str]),
    /// Numbers of the type that the pixels have.
    Pixels,
    /// A whole NTNDArray.
    Image,
}

impl Shape {
    pub(super) const fn choices(choices: &'static [&'static str]) -> Shape {
        Shape::Enum(Cow::Borrowed(choices))
    }

    /// The kind's name in the description of PVs.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Shape::Enum(_) => "enum",
            Shape::I32 => "int32",
            Shape::I64 => "int64",
            Shape::F64 => "double",
            Shape::Text => "string",
            Shape::I32s => "int32[]",
            Shape::F64s => "double[]",
            Shape::Texts => "string[]",
            Shape::Table(_) => "NTTable",
            Shape::Pixels => "pixels[]",
            Shape::Image => "NTNDArray",
        }
    }

    /// The texts of an enumeration.
    pub(super) fn texts(&self) -> Option<&[&'static str]> {
        if let Shape::Enum(choices) = self { Some(choices) } else { None }
    }
}

/// The value of a PV.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Index(i32),
    I32(i32),
    I64(i64),
    F64(f64),
    Text(String),
    I32s(Vec<i32>),
    F64s(Vec<f64>),
    Texts(Vec<String>),
    Table(Vec<Vec<String>>),
}

impl PartialEq for Content {
    /// A number that is none is equal to itself: else it would be sent again and again.
    fn eq(&self, other: &Content) -> bool {
        match (self, other) {
            (Content::Index(a), Content::Index(b)) | (Content::I32(a), Content::I32(b)) => a == b,
            (Content::I64(a), Content::I64(b)) => a == b,
            // The bits are compared, because NaN is not equal to itself.
            (Content::F64(a), Content::F64(b)) => a.to_bits() == b.to_bits(),
            (Content::Text(a), Content::Text(b)) => a == b,
            (Content::I32s(a), Content::I32s(b)) => a == b,
            (Content::F64s(a), Content::F64s(b)) => are_same(a, b),
            (Content::Texts(a), Content::Texts(b)) => a == b,
            (Content::Table(a), Content::Table(b)) => a == b,
            _ => false,
        }
    }
}

fn are_same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

impl Content {
    /// Counters and sizes are 32 bits wide in areaDetector and run over.
    pub(super) fn count(number: u64) -> Content {
        // The cast wraps, as the counter of the IOC does.
        Content::I32(number as i32)
    }

    /// A number in a PV of `shape`.
    pub(super) fn number(number: f64, shape: &Shape) -> Content {
        match shape {
            Shape::Enum(_) => Content::Index(number as i32),
            Shape::I32 => Content::I32(number as i32),
            Shape::I64 => Content::I64(number as i64),
            Shape::F64 => Content::F64(number),
            other => Content::zero(other),
        }
    }

    /// A client's write to a PV of `shape`.
    ///
    /// # Errors
    /// If the value is none of the choices or no number.
    pub(super) fn of_written(value: &Value, shape: &Shape) -> Result<Content, PutError> {
        let number = match (value, shape) {
            (Value::Text(text), Shape::Text) => return Ok(Content::Text(text.clone())),
            (Value::Text(text), Shape::Enum(choices)) => {
                // A client of Channel Access may write the word of a choice.
                choices.iter().position(|c| c == text).map(|i| i as f64)
            }
            (Value::Text(text), _) => text.trim().parse().ok(),
            (Value::Int(number), _) => Some(*number as f64),
            (Value::Float(number), _) => Some(*number),
            // A truth value and a list have no form in a number's PV.
            (Value::Bool(_) | Value::List(_), _) => None,
        };
        // A choice that does not exist is refused; a record would take it and show nothing.
        let fits = |number: &f64| shape.texts().is_none_or(|c| (0.0..c.len() as f64).contains(number));
        let refused = || match shape.texts() {
            Some(choices) => PutError::NoChoice { choices: choices.to_vec(), found: value.clone() },
            None => PutError::NoNumber(value.clone()),
        };
        number.filter(fits).map(|number| Content::number(number, shape)).ok_or_else(refused)
    }

    pub(super) fn flag(value: bool) -> Content {
        Content::Index(i32::from(value))
    }

    /// The first value of a PV of `shape`.
    fn zero(shape: &Shape) -> Content {
        match shape {
            Shape::Enum(_) => Content::Index(0),
            Shape::I32 => Content::I32(0),
            Shape::I64 => Content::I64(0),
            Shape::F64 => Content::F64(0.0),
            Shape::Text => Content::Text(String::new()),
            Shape::I32s => Content::I32s(Vec::new()),
            Shape::F64s => Content::F64s(Vec::new()),
            Shape::Texts => Content::Texts(Vec::new()),
            Shape::Table(_) => Content::Table(Vec::new()),
            // Both are filled by frames and not by this type, so the value is only a beginning.
            Shape::Pixels | Shape::Image => Content::F64s(Vec::new()),
        }
    }

    /// The value of a parameter in a PV of `shape`.
    pub(super) fn of_param(value: &Value, spec: &ParamSpec, shape: &Shape) -> Content {
        match (value, shape) {
            (Value::Bool(v), _) => Content::flag(*v),
            (Value::Int(v), Shape::I32) => Content::I32(*v as i32),
            (Value::Int(v), _) => Content::I64(*v),
            (Value::Float(v), _) => Content::F64(*v),
            (Value::List(v), _) => Content::F64s(v.clone()),
            (Value::Text(text), Shape::Enum(_)) => Content::Index(index_of(spec, text)),
            (Value::Text(text), _) => Content::Text(text.clone()),
        }
    }

    /// Whether it is [`Content::of_param`]; found without a copy of texts and lists.
    fn is_param(&self, value: &Value, spec: &ParamSpec, shape: &Shape) -> bool {
        match (self, value) {
            // Long lists are compared where they are, because a copy for each moment would cost more than the
            // sending.
            (Content::Text(now), Value::Text(value)) => now == value,
            (Content::F64s(now), Value::List(value)) => are_same(now, value),
            _ => *self == Content::of_param(value, spec, shape),
        }
    }

    /// Puts it into the field of this number of a value.
    fn put(&self, value: &mut data::Value, bit: usize) -> livetime_pva::Result<()> {
        let field = match self {
            Content::Index(v) | Content::I32(v) => Field::I32(*v),
            Content::I64(v) => Field::I64(*v),
            Content::F64(v) => Field::F64(*v),
            Content::Text(v) => Field::Str(v.clone()),
            Content::I32s(v) => Field::from(&v[..]),
            Content::F64s(v) => Field::from(&v[..]),
            Content::Texts(v) => Field::from(v.clone()),
            // The columns follow the structure that has them.
            Content::Table(v) => {
                let mut columns = (bit + 1..).zip(v);
                return columns.try_for_each(|(bit, column)| value.set_bit(bit, column.clone()));
            }
        };
        value.set_bit(bit, field)
    }
}

fn index_of(spec: &ParamSpec, name: &str) -> i32 {
    // A parameter without choices has no index.
    let ParamKind::Enum(choices) = spec.kind else { return 0 };
    choices.iter().position(|c| c.name == name).map_or(0, |index| index as i32)
}

/// The description of a PV besides its value.
#[derive(Clone, Debug)]
pub(super) struct About {
    pub(super) shape: Shape,
    pub(super) description: &'static str,
    pub(super) units: &'static str,
    pub(super) limits: Option<(f64, f64)>,
}

/// The choices of `display.form`, shared by all PVs.
static FORMS: LazyLock<Strings> =
    LazyLock::new(|| Strings::new(nt::FORMS.iter().map(|form| (*form).to_owned()).collect()));

impl About {
    /// Of a PV without units and limits.
    pub(super) fn plain(shape: Shape, description: &'static str) -> About {
        About { shape, description, units: "", limits: None }
    }

    /// A value that has the full structure of a record, with nothing in it yet. Copies of it share all lists of texts.
    pub(super) fn value(&self) -> livetime_pva::Result<data::Value> {
        let mut value = data::Value::new(&match self.shape {
            Shape::Enum(_) => nt::enumerated(),
            Shape::I32 => nt::scalar(ScalarType::I32),
            Shape::I64 => nt::scalar(ScalarType::I64),
            Shape::F64 => nt::scalar(ScalarType::F64),
            Shape::Text => nt::scalar(ScalarType::Str),
            Shape::I32s => nt::scalar_array(ScalarType::I32),
            Shape::F64s => nt::scalar_array(ScalarType::F64),
            Shape::Texts => nt::scalar_array(ScalarType::Str),
            Shape::Table(columns) => return self.table(columns),
            Shape::Pixels => nt::scalar_array(ScalarType::U8),
            Shape::Image => nt::ndarray(),
        });
        value.set("display.description", self.description)?;
        if let Shape::Enum(choices) = &self.shape {
            value.set("value.choices", &choices[..])?;
            return Ok(value);
        }
        value.set("display.units", self.units)?;
        // Only numbers have a form; the PVs of texts lack it.
        if value.bit("display.form").is_some() {
            value.set("display.precision", self.precision())?;
            value.set("display.form.choices", Field::Strings(Strings::clone(&FORMS)))?;
        }
        if let (Some((low, high)), Some(_)) = (self.limits, value.bit("control")) {
            for part in ["display", "control"] {
                // A limit that does not fit in the type of the value is no limit.
                let _ = value.set(&format!("{part}.limitLow"), low);
                let _ = value.set(&format!("{part}.limitHigh"), high);
            }
        }
        Ok(value)
    }

    /// A table without rows.
    fn table(&self, columns: &[&str]) -> livetime_pva::Result<data::Value> {
        let kinds: Vec<_> = columns.iter().map(|name| (*name, ScalarType::Str)).collect();
        let mut value = data::Value::new(&nt::table(&kinds)?);
        value.set("labels", columns)?;
        value.set("descriptor", self.description)?;
        Ok(value)
    }

    /// Times are often below a ms.
    fn precision(&self) -> i32 {
        match self.shape {
            Shape::F64 | Shape::F64s if self.units == "s" => 6,
            Shape::F64 | Shape::F64s => 3,
            _ => 0,
        }
    }
}

/// A PV with the value that it shows.
pub(super) struct Point {
    pub(super) pv: SharedPv,
    now: Content,
    alarm: Alarm,
    /// Number of the field that holds the value, or the index of the choice.
    bit: u16,
    /// Number of the field that holds the time.
    time_bit: u16,
}

impl Point {
    /// A PV without a shown value, with a copy of `value`, which is [`About::value`]. `build` adds the handler of its
    /// puts.
    pub(super) fn new(
        about: &About,
        value: &data::Value,
        build: impl FnOnce(PvBuilder) -> PvBuilder,
    ) -> livetime_pva::Result<Point> {
        let mut value = value.clone();
        nt::set_time(&mut value, TIME, now())?;
        // The number of the field is found once: each update needs it.
        let bit = if matches!(about.shape, Shape::Enum(_) | Shape::Table(_)) { 2 } else { 1 };
        // A structure without a time shows none.
        let time_bit = value.bit(TIME).and_then(|bit| u16::try_from(bit).ok()).unwrap_or(0);
        let pv = build(SharedPv::builder().value(value)).build();
        Ok(Point { pv, now: Content::zero(&about.shape), alarm: Alarm::default(), bit, time_bit })
    }

    /// The number that it shows; 0 if that is none.
    pub(super) fn number(&self) -> f64 {
        match self.now {
            Content::Index(v) | Content::I32(v) => f64::from(v),
            Content::I64(v) => v as f64,
            Content::F64(v) => v,
            _ => 0.0,
        }
    }

    /// Sends the value of a parameter if it is another than before, with the time `now`.
    pub(super) fn show_param(
        &mut self,
        value: &Value,
        spec: &ParamSpec,
        shape: &Shape,
        alarm: Alarm,
        now: nt::Time,
    ) {
        // The comparison comes first, because a text or a list would be copied for nothing.
        if self.alarm != alarm || !self.now.is_param(value, spec, shape) {
            self.show(Content::of_param(value, spec, shape), alarm, now);
        }
    }

    /// Sends the value if it is another than before, with the time `now`.
    pub(super) fn show(&mut self, content: Content, alarm: impl Into<Alarm>, now: nt::Time) {
        let alarm = alarm.into();
        // An equal value is not sent, so that monitors stay silent while nothing changes.
        if content == self.now && alarm == self.alarm {
            return;
        }
        let (bit, time_bit) = (usize::from(self.bit), usize::from(self.time_bit));
        let alarm_changed = alarm != self.alarm;
        // The update fails only for a value of another type, and then the old value stays.
        let _ = self.pv.update(|value| {
            content.put(value, bit)?;
            if alarm_changed {
                let is_alarm = alarm.severity != nt::Severity::None;
                nt::set_alarm_text(value, alarm.severity, is_alarm.into(), alarm.message())?;
            }
            value.set_bit(time_bit + 1, now.seconds)?;
            value.set_bit(time_bit + 2, now.nanoseconds)
        });
        // The shown value is noted also after a failed update, so that it is not tried again with each
        // moment.
        (self.now, self.alarm) = (content, alarm);
    }

    /// Sends the limits beyond which the value is an alarm.
    pub(super) fn show_limits(&self, limits: &Limits) {
        // As with the value, a limit of another type leaves the old one.
        let _ = self.pv.update(|value| {
            // Clients draw the limits only if one of them is active.
            let is_active = Bound::ALL.iter().any(|bound| limits.severity(*bound) as i32 > 0);
            value.set("valueAlarm.active", is_active)?;
            for (bound, (at, severity)) in Bound::ALL.into_iter().zip(LIMITS) {
                value.set(severity, limits.severity(bound) as i32)?;
                value.set(at, limits.at(bound))?;
            }
            value.set("valueAlarm.hysteresis", limits.hysteresis())
        });
    }
}

/// The field of the time.
const TIME: &str = "timeStamp";

/// The present time.
pub(super) fn now() -> nt::Time {
    time_of(time_of_day_ns())
}

/// Ns since 1970 as EPICS writes them.
pub(super) fn time_of(ns: i64) -> nt::Time {
    nt::Time {
        // Euclid's division keeps the nanoseconds positive for times before 1970.
        seconds: ns.div_euclid(1_000_000_000),
        nanoseconds: ns.rem_euclid(1_000_000_000) as i32,
        tag: 0,
    }
}

/// A client's value in the form of the engine.
pub(super) fn written(value: &data::Value) -> Option<Value> {
    // An enumeration is written by its index; its other fields are no values.
    let field = value.get("value.index").or_else(|| value.get("value"))?;
    Some(match field {
        Field::F64(v) => Value::Float(*v),
        Field::F32(v) => Value::Float(f64::from(*v)),
        Field::Str(v) => Value::Text(v.clone()),
        Field::Array(v) => Value::List(v.iter_f64().collect()),
        other => Value::Int(other.as_i64()?),
    })
}

/// The choices of a parameter as areaDetector writes them.
pub(super) fn choices_of(spec: &ParamSpec) -> Option<Vec<&'static str>> {
    let ParamKind::Enum(choices) = spec.kind else { return None };
    Some(choices.iter().map(|c| c.pv).collect())
}
