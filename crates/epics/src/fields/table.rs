//! The fields of records, and the value that each one shows. Types are as in the records of EPICS base 7.

use livetime_control::model::Bound;
use livetime_pva::data::{self, ScalarType, Value};

use super::class::Class;
use super::long_text;
use crate::alarm::{KINDS, LIMITS, SEVERITIES, kind_of};
use crate::base::SCANS;
use crate::record_file::CHOICES;

/// A record, as its fields see it.
pub(super) struct Record<'a> {
    pub(super) name: &'a str,
    pub(super) class: Class,
    pub(super) value: &'a Value,
}

/// The type of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Text,
    /// One of these texts.
    Menu(&'static [&'static str]),
    Of(ScalarType),
    /// The type that the record's value has; of an array a number with a fraction.
    Number,
}

/// A field of a record.
#[derive(Clone, Copy)]
pub(super) struct Field {
    name: &'static str,
    of: fn(Class) -> bool,
    pub(super) kind: Kind,
    show: fn(&Record<'_>, usize) -> data::Field,
    /// The number of the state or of the bound that it is about.
    number: usize,
}

/// The effect of a write to a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    At(Bound),
    Severity(Bound),
    Hysteresis,
    /// The record is processed.
    Process,
}

/// The value itself, over each protocol as the record's.
pub(super) const VALUE: &str = "VAL";

/// The field types of an array (`menuFtype`).
const ELEMENTS: &[&str] = &[
    "STRING", "CHAR", "UCHAR", "SHORT", "USHORT", "LONG", "ULONG", "INT64", "UINT64", "FLOAT", "DOUBLE",
    "ENUM",
];

const fn field(
    name: &'static str,
    of: fn(Class) -> bool,
    kind: Kind,
    show: fn(&Record<'_>, usize) -> data::Field,
) -> Field {
    Field { name, of, kind, show, number: 0 }
}

const BYTE: Kind = Kind::Of(ScalarType::U8);
const COUNT: Kind = Kind::Of(ScalarType::U32);
const SEVERITY: Kind = Kind::Menu(SEVERITIES);

/// Fields beside the fields of limits and of states, which [`Field::named`] finds.
const FIELDS: &[Field] = &[
    field("NAME", all, Kind::Text, |record, _| text(record.name)),
    field("DESC", all, Kind::Text, |record, _| record.text("display.description")),
    field("RTYP", all, Kind::Text, |record, _| text(record.class.name())),
    field("EGU", has_unit, Kind::Text, |record, _| record.text("display.units")),
    field("PREC", has_fraction, Kind::Of(ScalarType::I16), |record, _| record.number("display.precision")),
    field("HOPR", has_unit, Kind::Number, |record, _| record.number("display.limitHigh")),
    field("LOPR", has_unit, Kind::Number, |record, _| record.number("display.limitLow")),
    field("DRVH", is_driven, Kind::Number, |record, _| record.number("control.limitHigh")),
    field("DRVL", is_driven, Kind::Number, |record, _| record.number("control.limitLow")),
    field("HYST", Class::is_number, Kind::Number, |record, _| record.number("valueAlarm.hysteresis")),
    // Every change is sent, so the dead band is 0.
    field("ADEL", Class::is_number, Kind::Number, |_, _| data::Field::I32(0)),
    field("MDEL", Class::is_number, Kind::Number, |_, _| data::Field::I32(0)),
    field("SEVR", all, SEVERITY, |record, _| data::Field::I32(record.severity())),
    field("STAT", all, Kind::Menu(KINDS), |record, _| data::Field::I32(kind_of(record.value).into())),
    field("SCAN", all, Kind::Menu(SCANS), |record, _| data::Field::I32(record.scan())),
    field("NELM", is_array, COUNT, |record, _| data::Field::I64(record.most() as i64)),
    field("NORD", is_array, COUNT, |record, _| data::Field::I64(record.len() as i64)),
    field("FTVL", is_array, Kind::Menu(ELEMENTS), |record, _| data::Field::I32(record.element())),
    field("ZNAM", Class::is_switch, Kind::Text, |record, _| record.choice(0)),
    field("ONAM", Class::is_switch, Kind::Text, |record, _| record.choice(1)),
    // Of such a record the time of a pulse.
    field(
        "HIGH",
        |class| matches!(class, Class::Bo | Class::Busy),
        Kind::Of(ScalarType::F64),
        |_, _| data::Field::I32(0),
    ),
    field("PACT", all, BYTE, |_, _| data::Field::I32(0)),
    field("DISP", all, BYTE, |_, _| data::Field::I32(0)),
    field("DISA", all, Kind::Of(ScalarType::I16), |_, _| data::Field::I32(0)),
    field("PROC", all, BYTE, |_, _| data::Field::I32(0)),
    field("UDF", all, BYTE, |_, _| data::Field::I32(0)),
];

fn all(_: Class) -> bool {
    true
}

fn has_unit(class: Class) -> bool {
    class.is_number() || is_array(class)
}

fn has_fraction(class: Class) -> bool {
    class.is_float() || is_array(class)
}

fn is_driven(class: Class) -> bool {
    class.is_number() && class.is_output()
}

fn is_array(class: Class) -> bool {
    class == Class::Waveform
}

impl Field {
    /// The field of this name of records of a class.
    pub(super) fn named(name: &str, class: Class) -> Option<Field> {
        // A name may be another field of another class: `FTVL` of an array, and of a choice.
        let is_of = |field: &Field| (field.of)(class);
        let listed = || FIELDS.iter().find(|field| field.name == name && is_of(field)).copied();
        // Names of bounds and of states are made from parts, so they are looked for after the list.
        listed().or_else(|| of_bound(name).filter(is_of)).or_else(|| of_state(name).filter(is_of))
    }

    /// The value that it shows of a record.
    pub(super) fn of(&self, record: &Record<'_>) -> data::Field {
        (self.show)(record, self.number)
    }

    /// The effect of a write; `None` for a field that only shows something.
    pub(super) fn written(&self) -> Option<Written> {
        match self.name {
            "PROC" => Some(Written::Process),
            "HYST" => Some(Written::Hysteresis),
            AT => Some(Written::At(Bound::ALL[self.number])),
            HOW_BAD => Some(Written::Severity(Bound::ALL[self.number])),
            _ => None,
        }
    }
}

/// The names of fields of which there is one for each bound.
const AT: &str = "(limit)";
// No record has a field with brackets, so these names never meet one.
const HOW_BAD: &str = "(severity)";

/// The fields of limits, from low to high: `LOLO` and `LLSV`.
fn of_bound(name: &str) -> Option<Field> {
    const SEVERITIES: [&str; 4] = ["LLSV", "LSV", "HSV", "HHSV"];
    if let Some(number) = Bound::ALL.iter().position(|bound| bound.name() == name) {
        let show = |record: &Record<'_>, number: usize| record.number(LIMITS[number].0);
        return Some(Field { number, ..field(AT, Class::is_number, Kind::Number, show) });
    }
    let number = SEVERITIES.iter().position(|severity| *severity == name)?;
    let show = |record: &Record<'_>, number: usize| record.number(LIMITS[number].1);
    Some(Field { number, ..field(HOW_BAD, Class::is_number, SEVERITY, show) })
}

/// The fields of states: `ZRST` the text of the first one, `ZRVL` its number, `ZRSV` its severity. Records of two choices have them
/// beside `ZNAM` and `ONAM`, since it is not known which of both types areaDetector's record has.
fn of_state(name: &str) -> Option<Field> {
    let (state, part) = name.split_at_checked(2)?;
    let number = CHOICES.iter().position(|choice| *choice == state)?;
    let found = match part {
        "ST" => field("(text)", Class::is_choice, Kind::Text, |record, number| record.choice(number)),
        "VL" => field("(number)", Class::is_choice, COUNT, |record, number| record.number_of_choice(number)),
        "SV" => field("(no severity)", Class::is_choice, SEVERITY, |_, _| data::Field::I32(0)),
        _ => return None,
    };
    Some(Field { number, ..found })
}

fn text(text: &str) -> data::Field {
    data::Field::Str(text.to_owned())
}

impl Record<'_> {
    fn text(&self, path: &str) -> data::Field {
        text(self.value.str(path).unwrap_or_default())
    }

    /// A number of the value; 0 if it has none of this name.
    fn number(&self, path: &str) -> data::Field {
        // A missing part reads as 0, like a field that was never set.
        self.value.get(path).cloned().unwrap_or(data::Field::I32(0))
    }

    fn severity(&self) -> i32 {
        // A severity of pvAccess may be larger than the four of a record.
        self.value.i64("alarm.severity").map_or(0, |severity| severity.clamp(0, 3) as i32)
    }

    fn choices(&self) -> &[String] {
        self.value.get("value.choices").and_then(data::Field::as_strings).unwrap_or_default()
    }

    fn choice(&self, number: usize) -> data::Field {
        text(self.choices().get(number).map_or("", String::as_str))
    }

    /// Choices are numbered without gaps; a choice that there is not has the number 0.
    fn number_of_choice(&self, number: usize) -> data::Field {
        data::Field::I64(if number < self.choices().len() { number as i64 } else { 0 })
    }

    /// Values come from the run by themselves; a record that is written is passive.
    fn scan(&self) -> i32 {
        let wanted = if self.class.is_output() { "Passive" } else { "I/O Intr" };
        SCANS.iter().position(|scan| *scan == wanted).map_or(0, |scan| scan as i32)
    }

    fn len(&self) -> usize {
        match self.value.get("value") {
            Some(data::Field::Array(array)) => array.len(),
            Some(data::Field::Strings(texts)) => texts.len(),
            // The length counts the 0 at the end of a text.
            Some(data::Field::Str(text)) => text.len() + 1,
            _ => 1,
        }
    }

    /// The most elements: of an array its present number, because nothing bounds it.
    fn most(&self) -> usize {
        // A text that travels as characters is longer than its present value.
        long_text::characters(self.name).unwrap_or(1).max(self.len())
    }

    fn element(&self) -> i32 {
        let name = match self.value.get("value") {
            Some(data::Field::Array(array)) => match array.kind() {
                ScalarType::Bool | ScalarType::U8 => "UCHAR",
                ScalarType::I8 => "CHAR",
                ScalarType::I16 => "SHORT",
                ScalarType::U16 => "USHORT",
                ScalarType::I32 => "LONG",
                ScalarType::U32 => "ULONG",
                ScalarType::I64 => "INT64",
                ScalarType::U64 => "UINT64",
                ScalarType::F32 => "FLOAT",
                ScalarType::F64 => "DOUBLE",
                ScalarType::Str => "STRING",
            },
            Some(data::Field::Str(_)) => "CHAR",
            _ => "STRING",
        };
        ELEMENTS.iter().position(|element| *element == name).map_or(0, |element| element as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_the_fields_that_its_record_has() {
        let has = |class, names: &str| {
            names.split(' ').filter(|name| Field::named(name, class).is_some()).collect::<Vec<_>>().join(" ")
        };
        let asked = "EGU PREC HOPR DRVH HIHI HHSV NELM FTVL ZNAM ZRST FFVL RTYP NONE";
        assert_eq!(has(Class::Ai, asked), "EGU PREC HOPR HIHI HHSV RTYP");
        assert_eq!(has(Class::Longout, asked), "EGU HOPR DRVH HIHI HHSV RTYP");
        assert_eq!(has(Class::Mbbo, asked), "FTVL ZRST FFVL RTYP");
        assert_eq!(has(Class::Bi, asked), "FTVL ZNAM ZRST FFVL RTYP");
        assert_eq!(has(Class::Stringin, asked), "RTYP");
        assert_eq!(has(Class::Waveform, asked), "EGU PREC HOPR NELM FTVL RTYP");
    }

    #[test]
    fn limits_are_written_and_names_of_the_table_are_no_fields() {
        let written = |name: &str| Field::named(name, Class::Ao).and_then(|field| field.written());
        assert_eq!(written("HIGH"), Some(Written::At(Bound::High)));
        assert_eq!(written("LLSV"), Some(Written::Severity(Bound::LoLo)));
        assert_eq!((written("HYST"), written("EGU")), (Some(Written::Hysteresis), None));
        assert!([AT, HOW_BAD, "ZR", "é"].iter().all(|name| Field::named(name, Class::Ao).is_none()));
    }
}
