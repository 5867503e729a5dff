//! Values of one kind as values of another, as the database of EPICS converts them.

use std::borrow::Cow;

use super::{About, Native, Values};
use crate::{Error, Result};

/// How values of a channel become texts, and texts values.
pub(super) struct Rules<'a> {
    precision: usize,
    choices: &'a [String],
    /// For a get, where an empty text is 0.
    is_get: bool,
}

impl<'a> Rules<'a> {
    /// For a get.
    pub(super) fn of(about: &'a About) -> Rules<'a> {
        // More digits than this say nothing about 64 bits.
        let precision = about.precision.clamp(0, 17) as usize;
        Rules { precision, choices: &about.choices, is_get: true }
    }
}

/// `values` as values of kind `to`; values of that kind already are not copied.
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
        Native::Long => Values::Long(numbers.iter().map(|&value| integer(value)).collect()),
        Native::Float => Values::Float(numbers.iter().map(|&value| value as f32).collect()),
        Native::Double | Native::Text => Values::Double(numbers),
    }))
}

/// A number without its fraction, which narrower types then cut to their lowest bits, as the database does on x86-64: numbers beyond 32 bits,
/// and no numbers, are the least one.
pub(super) fn integer(value: f64) -> i32 {
    let range = f64::from(i32::MIN) - 1.0..f64::from(i32::MAX) + 1.0;
    if range.contains(&value) { value as i32 } else { i32::MIN }
}

fn texts(values: &Values, rules: &Rules<'_>) -> Vec<String> {
    match values {
        Values::Text(texts) => texts.clone(),
        Values::Enum(indices) => indices.iter().map(|&index| choice(index, rules)).collect(),
        Values::Short(values) => values.iter().map(ToString::to_string).collect(),
        Values::Long(values) => values.iter().map(ToString::to_string).collect(),
        Values::Char(values) => values.iter().map(ToString::to_string).collect(),
        Values::Float(values) => values.iter().map(|&value| decimal(value.into(), rules, FLOAT)).collect(),
        Values::Double(values) => values.iter().map(|&value| decimal(value, rules, DOUBLE)).collect(),
    }
}

/// The name of a choice; its index where it has no name.
fn choice(index: u16, rules: &Rules<'_>) -> String {
    rules.choices.get(usize::from(index)).cloned().unwrap_or_else(|| index.to_string())
}

/// The most digits behind the point, and the largest number, that are written without an exponent.
const FLOAT: (usize, f64) = (6, 1e8);
const DOUBLE: (usize, f64) = (8, 1e16);

/// A number with the digits of the channel, and with an exponent where it is too large for them or they are many.
fn decimal(value: f64, rules: &Rules<'_>, (digits, most): (usize, f64)) -> String {
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
    match value.abs() {
        _ if precision > digits => exponential(value, precision, digits),
        ..=1e7 => format!("{value:.precision$}"),
        // More digits would say nothing.
        found if found <= most => format!("{value:.0$}", precision.min(3)),
        _ => exponential(value, precision, digits),
    }
}

/// As `%e` of C writes it: at least two digits in the exponent, with its sign.
fn exponential(value: f64, precision: usize, digits_of_kind: usize) -> String {
    let text = format!("{value:.precision$e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    let text = format!("{digits}e{sign}{exponent:0>2}");
    let width = precision + if digits_of_kind > FLOAT.0 { 7 } else { 6 };
    format!("{text:>width$}")
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

/// The number in a text: of a choice its index, else the number that the text begins with, as C reads it; what follows is its unit, which a
/// get as a narrow number does not admit.
fn parsed(text: &str, to: Native, rules: &Rules<'_>) -> Result<f64> {
    if to == Native::Enum
        && let Some(index) = rules.choices.iter().position(|choice| choice == text)
    {
        return Ok(index as f64);
    }
    if text.is_empty() && rules.is_get {
        return Ok(0.0);
    }
    // 8 bits are written without sign, -1 as 255, and read with it; a choice needs a name.
    let range = match to {
        Native::Char if rules.is_get => -128.0..=127.0,
        Native::Short => -32_768.0..=32_767.0,
        Native::Char => -255.0..=255.0,
        Native::Enum if !rules.choices.is_empty() => 0.0..=(rules.choices.len() - 1) as f64,
        Native::Enum => -65_535.0..=65_535.0,
        Native::Long => -2_147_483_648.0..=2_147_483_647.0,
        Native::Float | Native::Double | Native::Text => {
            return float(text.trim_start()).ok_or_else(|| refused(text, to, rules));
        }
    };
    let is_narrow = rules.is_get && to != Native::Long;
    let admits = |rest: &str| !is_narrow || rest.trim_end().is_empty();
    let found = whole(text.trim_start()).filter(|(value, rest)| range.contains(value) && admits(rest));
    found.map(|(value, _)| value).ok_or_else(|| refused(text, to, rules))
}

/// The whole number at the beginning of a text, and what follows.
fn whole(text: &str) -> Option<(f64, &str)> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let (digits, base) = hexadecimal.map_or((digits, 10), |digits| (digits, 16));
    let end = digits.find(|c: char| !c.is_digit(base)).unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], base).ok().map(|value| (sign * value as f64, &digits[end..]))
}

/// The number at the beginning of a text, the longest part that is one.
fn float(text: &str) -> Option<f64> {
    if text.contains("0x") || text.contains("0X") {
        return whole(text).map(|(value, _)| value);
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    // Numbers are short; a long text is none, and is not tried at each length.
    (1..=end.min(LONGEST_NUMBER)).rev().find_map(|end| text[..end].parse().ok())
}

/// Digits of a number that are tried.
const LONGEST_NUMBER: usize = 64;

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
        match convert(&self, to, &Rules { is_get: false, ..Rules::of(about) })? {
            Cow::Owned(values) => Ok(values),
            Cow::Borrowed(_) => Ok(self),
        }
    }
}
