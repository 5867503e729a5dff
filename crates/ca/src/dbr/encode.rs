//! Values as they travel.

use std::borrow::Cow;

use super::convert::{Rules, convert, integer};
use super::{About, Dbr, Form, Native, Reading, TEXT_LEN, Values};
use crate::Result;

/// Units as they travel, their end included.
const UNITS_LEN: usize = 8;
/// A choice as it travels, its end included.
pub(super) const CHOICE_LEN: usize = 26;
/// Choices that travel.
pub(super) const MOST_CHOICES: usize = 16;

/// Appends `reading` to `out` as `count` values of type `dbr`, and returns the count. A count beyond the values of the reading is filled up with
/// zeros; a count of 0 means all values of the reading.
///
/// # Errors
/// When the values cannot be converted, or `dbr` is only for puts.
#[inline]
pub fn encode(out: &mut Vec<u8>, reading: &Reading, dbr: Dbr, count: usize) -> Result<usize> {
    // The usual request, for values as they are, need not look at the facts about them.
    if reading.values.native() == dbr.native() && dbr != Dbr::ClassName {
        return Ok(encode_all(out, reading, &reading.values, dbr, count));
    }
    let about = &*reading.about;
    let class = || Values::Text(vec![about.class.clone()]);
    let values = match dbr {
        Dbr::ClassName => Cow::Owned(class()),
        _ => convert(&reading.values, dbr.native(), &Rules::of(about))?,
    };
    Ok(encode_all(out, reading, &values, dbr, count))
}

/// Appends facts and values, filled up with zeros. Returns the count.
#[inline]
fn encode_all(out: &mut Vec<u8>, reading: &Reading, values: &Values, dbr: Dbr, count: usize) -> usize {
    let count = if count == 0 { values.len() } else { count };
    let (begin, size) = (out.len(), dbr.size(count));
    out.reserve(size);
    encode_facts(out, reading, dbr);
    append(out, values, count);
    out.resize(begin + size, 0);
    count
}

/// Appends the facts that travel in front of the values, with the padding behind them.
#[inline]
pub(crate) fn encode_facts(out: &mut Vec<u8>, reading: &Reading, dbr: Dbr) {
    let begin = out.len();
    facts(out, reading, dbr);
    out.resize(begin + dbr.offset(), 0);
}

fn facts(out: &mut Vec<u8>, reading: &Reading, dbr: Dbr) {
    let Dbr::Value(form, native) = dbr else {
        if dbr == Dbr::AlarmAckText {
            alarm(out, reading);
        }
        return;
    };
    if form != Form::Plain {
        alarm(out, reading);
    }
    match form {
        Form::Time => {
            out.extend(reading.stamp.seconds.to_be_bytes());
            out.extend(reading.stamp.nanoseconds.to_be_bytes());
        }
        Form::Graphic | Form::Control if native == Native::Enum => choices(out, &reading.about.choices),
        Form::Graphic | Form::Control if native != Native::Text => about(out, &reading.about, form, native),
        _ => {}
    }
}

fn alarm(out: &mut Vec<u8>, reading: &Reading) {
    out.extend(reading.alarm.status.to_be_bytes());
    out.extend(reading.alarm.severity.to_be_bytes());
}

fn choices(out: &mut Vec<u8>, choices: &[String]) {
    let count = choices.len().min(MOST_CHOICES);
    out.extend((count as u16).to_be_bytes());
    choices.iter().take(count).for_each(|choice| text(out, choice, CHOICE_LEN));
}

fn about(out: &mut Vec<u8>, about: &About, form: Form, native: Native) {
    if matches!(native, Native::Float | Native::Double) {
        out.extend(about.precision.to_be_bytes());
        out.extend([0, 0]);
    }
    text(out, &about.units, UNITS_LEN);
    let limits = about.limits.in_order();
    let wanted = if form == Form::Control { &limits[..] } else { &limits[..6] };
    wanted.iter().for_each(|&limit| number(out, limit, native));
}

/// A limit of a channel of this kind.
fn number(out: &mut Vec<u8>, value: f64, native: Native) {
    // A limit that is not set is no number; whole numbers have none such.
    let whole = if value.is_nan() { 0 } else { integer(value) };
    match native {
        Native::Short => out.extend((whole as i16).to_be_bytes()),
        Native::Char => out.push(whole as u8),
        Native::Long => out.extend(whole.to_be_bytes()),
        Native::Float => out.extend((value as f32).to_be_bytes()),
        Native::Double => out.extend(value.to_be_bytes()),
        // They have no limits.
        Native::Text | Native::Enum => {}
    }
}

/// A text in `len` bytes: the last byte is 0, and no letter is cut into halves.
pub(super) fn text(out: &mut Vec<u8>, text: &str, len: usize) {
    let end = text.floor_char_boundary(len - 1);
    let begin = out.len();
    out.extend(&text.as_bytes()[..end]);
    out.resize(begin + len, 0);
}

/// At most `count` of the values.
fn append(out: &mut Vec<u8>, values: &Values, count: usize) {
    let first = count.min(values.len());
    match values {
        Values::Text(texts) => texts[..first].iter().for_each(|one| text(out, one, TEXT_LEN)),
        Values::Char(bytes) => out.extend(&bytes[..first]),
        Values::Short(values) => swapped(out, &values[..first], |value| value.to_be_bytes()),
        Values::Enum(values) => swapped(out, &values[..first], |value| value.to_be_bytes()),
        Values::Float(values) => swapped(out, &values[..first], |value| value.to_be_bytes()),
        Values::Long(values) => swapped(out, &values[..first], |value| value.to_be_bytes()),
        Values::Double(values) => swapped(out, &values[..first], |value| value.to_be_bytes()),
    }
}

/// Numbers in the order of the network, into room that is made once: a loop over pairs of equal length swaps many at a time.
fn swapped<T: Copy, const N: usize>(out: &mut Vec<u8>, values: &[T], bytes: impl Fn(T) -> [u8; N]) {
    // Most channels have one number, whose room need not be cleared before.
    if let [value] = values {
        return out.extend(bytes(*value));
    }
    let begin = out.len();
    out.resize(begin + values.len() * N, 0);
    let (to, _) = out[begin..].as_chunks_mut::<N>();
    to.iter_mut().zip(values).for_each(|(to, value)| *to = bytes(*value));
}
