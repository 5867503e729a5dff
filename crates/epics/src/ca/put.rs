//! Values of a put over Channel Access as a value of pvAccess.

use livetime_ca::dbr::{About, Native, Values};
use livetime_ca::{Error, Result};
use livetime_pva::data::{Field, Value};

use super::reading::native;

/// `value` with the put's values instead of its own.
///
/// # Errors
/// When they cannot be converted.
pub(super) fn written(mut value: Value, values: Values) -> Result<Value> {
    let kind = native(&value, false).ok_or_else(|| Error::new("a PV of numbers or texts", "a structure"))?;
    let choices = value.get("value.choices").and_then(Field::as_strings).unwrap_or_default().to_vec();
    let field = field(&value, values, kind, &About { choices, ..About::default() })?;
    let path = if kind == Native::Enum { "value.index" } else { "value" };
    value.clear_changed();
    value.set(path, field).map_err(|error| Error::new("a value of the PV's type", error.to_string()))?;
    Ok(value)
}

fn field(value: &Value, values: Values, kind: Native, about: &About) -> Result<Field> {
    let old = value.get("value");
    if let Some(Field::Str(_)) = old {
        let text = values.text().or_else(|| values.clone().converted(Native::Text, about).ok()?.text());
        return text.map(Field::Str).ok_or_else(|| Error::new("a text", "none"));
    }
    if let (Some(Field::Strings(_)), Values::Text(texts)) = (old, &values) {
        return Ok(Field::from(texts.clone()));
    }
    if let Some(Field::Array(_)) = old {
        return numbers(values, about).map(|numbers| Field::from(&numbers[..]));
    }
    let wanted = if kind == Native::Enum { Native::Enum } else { Native::Double };
    match values.converted(wanted, about)? {
        Values::Enum(index) => index.first().map(|&index| Field::I32(index.into())),
        Values::Double(numbers) => numbers.first().map(|&number| scalar(old, number)),
        _ => None,
    }
    .ok_or_else(|| Error::new("a value", "none"))
}

/// A number in the type of the field that it replaces.
fn scalar(old: Option<&Field>, number: f64) -> Field {
    match old {
        Some(Field::F64(_) | Field::F32(_)) => Field::F64(number),
        _ => Field::I64(number as i64),
    }
}

fn numbers(values: Values, about: &About) -> Result<Vec<f64>> {
    match values.converted(Native::Double, about)? {
        Values::Double(numbers) => Ok(numbers),
        _ => Err(Error::new("numbers", "texts")),
    }
}

#[cfg(test)]
mod tests {
    use livetime_pva::data::ScalarType;
    use livetime_pva::nt;
    use proptest::prelude::*;

    use super::super::reading::{Way, read};
    use super::*;
    use crate::fields::Class;

    fn scalar(kind: ScalarType) -> Value {
        Value::new(&nt::scalar(kind))
    }

    fn values(value: &Value, native: Native) -> Values {
        let way = Way { native, characters: Some(256), class: Class::Ai };
        read(value, way).unwrap().values
    }

    proptest! {
        /// A text of any length comes back, also when a client sends more zeros behind it.
        #[test]
        fn texts_come_back(text in "[^\\x00]{0,400}", zeros in 0usize..9) {
            let sent = [text.as_bytes(), &vec![0; zeros]].concat();
            let value = written(scalar(ScalarType::Str), Values::Char(sent.into())).unwrap();
            prop_assert_eq!(value.str("value"), Some(&*text));
            prop_assert_eq!(values(&value, Native::Char), Values::long_text(&text));
            prop_assert_eq!(values(&value, Native::Text), Values::Text(vec![text]));
        }

        /// A number comes back in the type of its PV, or is refused.
        #[test]
        fn numbers_come_back(number in -1e12..1e12f64) {
            let value = written(scalar(ScalarType::F64), Values::Double(vec![number])).unwrap();
            prop_assert_eq!(values(&value, Native::Double), Values::Double(vec![number]));
            let whole = number.trunc();
            let value = written(scalar(ScalarType::I64), Values::Double(vec![number])).unwrap();
            prop_assert_eq!(values(&value, Native::Double), Values::Double(vec![whole]));
            match written(scalar(ScalarType::I32), Values::Double(vec![number])) {
                Ok(value) => prop_assert_eq!(values(&value, Native::Long), Values::Long(vec![whole as i32])),
                Err(_) => prop_assert!(i32::try_from(whole as i64).is_err()),
            }
        }
    }
}
