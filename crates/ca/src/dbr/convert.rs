//! Values of one kind as values of another, as the database of EPICS converts them.

use std::borrow::Cow;

use super::{About, Native, Values};
use crate::{Error, Result};

/// How values of a channel become texts, and texts values.
pub(super) struct Rules<'a> {
    precision: usize,
    choices: &'a [String],
}

impl<'a> Rules<'a> {
    pub(super) fn of(about: &'a About) -> Rules<'a> {
        // More digits than this say nothing about 64 bits.
        Rules { precision: about.precision.clamp(0, 17) as usize, choices: &about.choices }
    }
}

/// `values` as values of kind `to`; those of that kind are not copied.
pub(super) fn convert<'a>(values: &'a Values, to: Native, rules: &Rules<'_>) -> Result<Cow<'a, Values>> {
    if values.native() == to {
        return Ok(Cow::Borrowed(values));
    }
    if to == Native::Text {
        return Ok(Cow::Owned(Values::Text(texts(values, rules))));
    }
    let numbers = numbers(values, to, rules)?;
    Ok(Cow::Owned(match to {
        Native::Short => Values::Short(numbers.iter().map(|&value| integer(value) as i16).collect()),
        Native::Enum => Values::Enum(numbers.iter().map(|&value| integer(value) as u16).collect()),
        Native::Char => Values::Char(numbers.iter().map(|&value| integer(value) as u8).collect()),
        Native::Long => Values::Long(numbers.iter().map(|&value| integer(value) as i32).collect()),
        Native::Float => Values::Float(numbers.iter().map(|&value| value as f32).collect()),
        Native::Double | Native::Text => Values::Double(numbers),
    }))
}

/// A number without its fraction, which narrower types then cut to their lowest bits, as the database does on x86-64.
pub(super) fn integer(value: f64) -> i64 {
    value as i64
}

fn texts(values: &Values, rules: &Rules<'_>) -> Vec<String> {
    match values {
        Values::Text(texts) => texts.clone(),
        Values::Enum(indices) => indices.iter().map(|&index| choice(index, rules)).collect(),
        Values::Short(values) => values.iter().map(ToString::to_string).collect(),
        Values::Long(values) => values.iter().map(ToString::to_string).collect(),
        Values::Char(values) => values.iter().map(ToString::to_string).collect(),
        Values::Float(values) => values.iter().map(|&value| decimal(value.into(), rules)).collect(),
        Values::Double(values) => values.iter().map(|&value| decimal(value, rules)).collect(),
    }
}

/// The name of a choice; its index where it has no name.
fn choice(index: u16, rules: &Rules<'_>) -> String {
    rules.choices.get(usize::from(index)).cloned().unwrap_or_else(|| index.to_string())
}

/// A number with the digits of the channel, and with an exponent where it is too large for them.
fn decimal(value: f64, rules: &Rules<'_>) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "nan".into()
        } else if value > 0.0 {
            "inf".into()
        } else {
            "-inf".into()
        };
    }
    let precision = rules.precision;
    if value.abs() < 1e8 { format!("{value:.precision$}") } else { exponential(value, precision) }
}

/// As `%e` of C writes it: at least two digits in the exponent, with its sign.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

fn numbers(values: &Values, to: Native, rules: &Rules<'_>) -> Result<Vec<f64>> {
    Ok(match values {
        Values::Text(texts) => return texts.iter().map(|text| parsed(text, to, rules)).collect(),
        Values::Short(values) => values.iter().map(|&value| value.into()).collect(),
        Values::Enum(values) => values.iter().map(|&value| value.into()).collect(),
        Values::Char(values) => values.iter().map(|&value| value.into()).collect(),
        Values::Long(values) => values.iter().map(|&value| value.into()).collect(),
        Values::Float(values) => values.iter().map(|&value| value.into()).collect(),
        Values::Double(values) => values.clone(),
    })
}

/// The number in a text: of a choice its index, else as C reads numbers, hexadecimal ones included.
fn parsed(text: &str, to: Native, rules: &Rules<'_>) -> Result<f64> {
    let trimmed = text.trim();
    if to == Native::Enum
        && let Some(index) = rules.choices.iter().position(|choice| choice == text)
    {
        return Ok(index as f64);
    }
    let digits = trimmed.strip_prefix("0x").or_else(|| trimmed.strip_prefix("0X"));
    let found = match digits {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|value| value as f64),
        None => trimmed.parse::<f64>().ok(),
    };
    let is_a_choice = |value: &f64| to != Native::Enum || (0.0..65536.0).contains(value);
    found.filter(is_a_choice).ok_or_else(|| refused(text, to, rules))
}

#[cold]
fn refused(text: &str, to: Native, rules: &Rules<'_>) -> Error {
    let wanted = match to {
        Native::Enum if !rules.choices.is_empty() => format!("one of {}", rules.choices.join(", ")),
        _ => "a number".to_owned(),
    };
    Error::new(wanted, format!("`{text}`"))
}

impl Values {
    /// The values as values of kind `to`, by the choices and the precision of a channel.
    ///
    /// # Errors
    /// When a text is no number and none of the choices.
    ///
    /// ```
    /// use livetime_ca::dbr::{About, Native, Values};
    ///
    /// let about = About { choices: vec!["Done".into(), "Acquire".into()], ..About::default() };
    /// let index = Values::Text(vec!["Acquire".into()]).converted(Native::Enum, &about)?;
    /// assert_eq!(index, Values::Enum(vec![1]));
    /// # Ok::<(), livetime_ca::Error>(())
    /// ```
    pub fn converted(self, to: Native, about: &About) -> Result<Values> {
        match convert(&self, to, &Rules::of(about))? {
            Cow::Owned(values) => Ok(values),
            Cow::Borrowed(_) => Ok(self),
        }
    }
}
