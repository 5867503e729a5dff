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
    let kind = native(&value).ok_or_else(|| Error::new("a PV of numbers or texts", "a structure"))?;
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
