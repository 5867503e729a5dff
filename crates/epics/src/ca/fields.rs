//! Fields of records, as clients of areaDetector ask for them: `NAME.EGU`.

use std::sync::Arc;

use livetime_ca::dbr::{About, Native, Reading, Values};

/// A field of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
    /// The value, `VAL`.
    Value,
    /// The value as a long text, `VAL$` or `$`.
    LongText,
    /// A field by its place in the list of [`FIELDS`].
    Other(usize),
}

type Shown = fn(&str, &Reading) -> Values;

/// Fields that every record has, or every record of a number.
const FIELDS: &[(&str, Shown)] = &[
    ("NAME", |record, _| text(record)),
    ("RTYP", |_, reading| text(&reading.about.class)),
    ("EGU", |_, reading| text(&reading.about.units)),
    ("PREC", |_, reading| Values::Short(vec![reading.about.precision])),
    ("HOPR", |_, reading| number(reading.about.limits.display.1)),
    ("LOPR", |_, reading| number(reading.about.limits.display.0)),
    ("DRVH", |_, reading| number(reading.about.limits.control.1)),
    ("DRVL", |_, reading| number(reading.about.limits.control.0)),
    ("HIHI", |_, reading| number(reading.about.limits.alarm.1)),
    ("LOLO", |_, reading| number(reading.about.limits.alarm.0)),
    ("HIGH", |_, reading| number(reading.about.limits.warning.1)),
    ("LOW", |_, reading| number(reading.about.limits.warning.0)),
    ("SEVR", |_, reading| choice(reading.alarm.severity)),
    ("STAT", |_, reading| choice(reading.alarm.status)),
    ("NELM", |_, reading| Values::Long(vec![reading.values.len() as i32])),
    ("NORD", |_, reading| Values::Long(vec![reading.values.len() as i32])),
    ("SCAN", |_, _| text("I/O Intr")),
    ("PACT", |_, _| Values::Char(vec![0].into())),
    ("DISP", |_, _| Values::Char(vec![0].into())),
    ("DISA", |_, _| Values::Short(vec![0])),
    ("ZNAM", |_, reading| named(reading, 0)),
    ("ONAM", |_, reading| named(reading, 1)),
];

impl Field {
    /// The field of this name.
    pub(super) fn named(name: &str) -> Option<Field> {
        match name {
            "VAL" => Some(Field::Value),
            "VAL$" | "$" => Some(Field::LongText),
            name => FIELDS.iter().position(|(known, _)| *known == name).map(Field::Other),
        }
    }

    /// Whether clients can write it.
    pub(super) fn is_written(self) -> bool {
        matches!(self, Field::Value | Field::LongText)
    }

    /// The reading of this field of the record; `None` for a value that has no text.
    pub(super) fn of(self, record: &str, reading: &Reading) -> Option<Reading> {
        let values = match self {
            Field::Value => return Some(reading.clone()),
            Field::LongText => Values::long_text(
                &reading.values.clone().converted(Native::Text, &reading.about).ok()?.text()?,
            ),
            Field::Other(index) => FIELDS.get(index)?.1(record, reading),
        };
        let choices = match FIELDS.get(if let Field::Other(index) = self { index } else { usize::MAX }) {
            Some(("SEVR", _)) => SEVERITIES.map(str::to_owned).to_vec(),
            _ => Vec::new(),
        };
        let about = About { choices, class: reading.about.class.clone(), ..About::default() };
        Some(Reading { values, about: Arc::new(about), ..*reading })
    }
}

const SEVERITIES: [&str; 4] = ["NO_ALARM", "MINOR", "MAJOR", "INVALID"];

fn text(text: &str) -> Values {
    Values::Text(vec![text.to_owned()])
}

fn number(number: f64) -> Values {
    Values::Double(vec![number])
}

fn choice(index: u16) -> Values {
    Values::Enum(vec![index])
}

fn named(reading: &Reading, index: usize) -> Values {
    text(reading.about.choices.get(index).map_or("", String::as_str))
}
