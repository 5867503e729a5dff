//! The types of records that areaDetector has for values.

use livetime_pva::data::{Field, ScalarType, Value};

use super::long_text;

/// A type of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Ai,
    Ao,
    Longin,
    Longout,
    Int64in,
    Int64out,
    Bi,
    Bo,
    Busy,
    Mbbi,
    Mbbo,
    Stringin,
    Stringout,
    Waveform,
}

use Class::{
    Ai, Ao, Bi, Bo, Busy, Int64in, Int64out, Longin, Longout, Mbbi, Mbbo, Stringin, Stringout, Waveform,
};

/// Names after the last colon for which the templates of ADCore R3-14 have records of the module `busy`: their puts end
/// with the work that they begin.
const BUSY: &[&str] = &[
    "AcquireBusy",
    "AutoOffsetScale",
    "Capture",
    "FlushNow",
    "PreAllocBuffers",
    "ReadFile",
    "Running",
    "TSAcquire",
    "Trigger",
    "WriteFile",
];

impl Class {
    /// The type of the record `name`, which clients can write or not.
    pub(crate) fn of(name: &str, value: &Value, is_writable: bool) -> Class {
        let choices = value.get("value.choices").and_then(Field::as_strings).map(<[String]>::len);
        let [input, output] = match (value.get("value"), choices) {
            (_, Some(2)) if BUSY.contains(&name.rsplit(':').next().unwrap_or(name)) => [Busy; 2],
            (_, Some(2)) => [Bi, Bo],
            (_, Some(_)) => [Mbbi, Mbbo],
            (Some(Field::Str(_)), _) if long_text::characters(name).is_none() => [Stringin, Stringout],
            (Some(Field::Str(_) | Field::Array(_) | Field::Strings(_)), _) => [Waveform; 2],
            (Some(Field::F32(_) | Field::F64(_)), _) => [Ai, Ao],
            (Some(Field::I64(_) | Field::U64(_)), _) => [Int64in, Int64out],
            _ => [Longin, Longout],
        };
        if is_writable { output } else { input }
    }

    /// Its name, as RTYP has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Ai => "ai",
            Ao => "ao",
            Longin => "longin",
            Longout => "longout",
            Int64in => "int64in",
            Int64out => "int64out",
            Bi => "bi",
            Bo => "bo",
            Busy => "busy",
            Mbbi => "mbbi",
            Mbbo => "mbbo",
            Stringin => "stringin",
            Stringout => "stringout",
            Waveform => "waveform",
        }
    }

    /// Whether its value is one number.
    pub(super) fn is_number(self) -> bool {
        self.number() != ScalarType::Str
    }

    /// Whether its value is one number with a fraction.
    pub(super) fn is_float(self) -> bool {
        matches!(self, Ai | Ao)
    }

    /// Whether its value is one of several choices.
    pub(super) fn is_choice(self) -> bool {
        self.is_switch() || matches!(self, Mbbi | Mbbo)
    }

    /// Whether its value is one of two choices.
    pub(super) fn is_switch(self) -> bool {
        matches!(self, Bi | Bo | Busy)
    }

    /// Whether clients write its value.
    pub(super) fn is_output(self) -> bool {
        matches!(self, Ao | Longout | Int64out | Bo | Busy | Mbbo | Stringout)
    }

    /// The type of its limits; a text if it has none.
    pub(super) fn number(self) -> ScalarType {
        match self {
            Ai | Ao => ScalarType::F64,
            Longin | Longout => ScalarType::I32,
            Int64in | Int64out => ScalarType::I64,
            _ => ScalarType::Str,
        }
    }
}
