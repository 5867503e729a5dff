//! Values that have travelled.

use std::sync::Arc;

use bytes::Bytes;

use super::encode::{CHOICE_LEN, MOST_CHOICES};
use super::{About, Alarm, Dbr, Form, Limits, Native, Reading, Stamp, TEXT_LEN, Values};
use crate::{Error, Result};

/// The `count` values of type `dbr` in `payload`, with the facts in front of them. A single text may be shorter than 40 bytes.
///
/// # Errors
/// When the payload is too short.
pub fn decode(payload: &Bytes, dbr: Dbr, count: usize) -> Result<Reading> {
    let offset = dbr.offset();
    let is_short_text = dbr.native() == Native::Text && count == 1 && payload.len() > offset;
    // A count from outside may be anything.
    let wanted = count.checked_mul(dbr.native().size()).and_then(|size| size.checked_add(offset));
    if !is_short_text && wanted.is_none_or(|wanted| wanted > payload.len()) {
        let wanted = wanted.map_or("fewer values".into(), |wanted| format!("{wanted} bytes"));
        return Err(Error::new(format!("{wanted} for {count} values"), format!("{} bytes", payload.len())));
    }
    let mut reading = Reading {
        values: values(payload.slice(offset..), dbr.native(), count),
        alarm: Alarm::default(),
        stamp: Stamp::default(),
        about: Arc::default(),
    };
    if let Dbr::Value(form, native) = dbr {
        facts(payload, form, native, &mut reading);
    }
    Ok(reading)
}

fn facts(payload: &[u8], form: Form, native: Native, reading: &mut Reading) {
    if form == Form::Plain {
        return;
    }
    let half = |at: usize| u16::from_be_bytes([payload[at], payload[at + 1]]);
    let word =
        |at: usize| u32::from_be_bytes([payload[at], payload[at + 1], payload[at + 2], payload[at + 3]]);
    reading.alarm = Alarm { status: half(0), severity: half(2) };
    match form {
        Form::Time => reading.stamp = Stamp { seconds: word(4), nanoseconds: word(8) },
        Form::Graphic | Form::Control if native == Native::Enum => {
            let count = usize::from(half(4)).min(MOST_CHOICES);
            let choices = payload[6..].chunks(CHOICE_LEN).take(count).map(text).collect();
            reading.about = Arc::new(About { choices, ..About::default() });
        }
        Form::Graphic | Form::Control if native != Native::Text => {
            reading.about = Arc::new(about(payload, form, native));
        }
        _ => {}
    }
}

fn about(payload: &[u8], form: Form, native: Native) -> About {
    let has_precision = matches!(native, Native::Float | Native::Double);
    let units = if has_precision { 8 } else { 4 };
    let precision = if has_precision { i16::from_be_bytes([payload[4], payload[5]]) } else { 0 };
    let (size, begin) = (native.size(), units + 8);
    let count = if form == Form::Control { 8 } else { 6 };
    let mut limits = [0.0; 8];
    for (limit, bytes) in limits.iter_mut().zip(payload[begin..].chunks_exact(size)).take(count) {
        *limit = number(bytes, native);
    }
    let units = text(&payload[units..units + 8]);
    About { units, precision, limits: Limits::from_order(limits), ..About::default() }
}

fn number(bytes: &[u8], native: Native) -> f64 {
    match (native, bytes) {
        (Native::Short, &[a, b]) => i16::from_be_bytes([a, b]).into(),
        (Native::Char, &[a]) => a.into(),
        (Native::Long, &[a, b, c, d]) => i32::from_be_bytes([a, b, c, d]).into(),
        (Native::Float, &[a, b, c, d]) => f32::from_be_bytes([a, b, c, d]).into(),
        (Native::Double, &[a, b, c, d, e, f, g, h]) => f64::from_be_bytes([a, b, c, d, e, f, g, h]),
        _ => 0.0,
    }
}

/// The text up to the first 0.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn values(bytes: Bytes, native: Native, count: usize) -> Values {
    match native {
        Native::Text => Values::Text(bytes.chunks(TEXT_LEN).take(count).map(text).collect()),
        Native::Char => Values::Char(bytes.slice(..count)),
        Native::Short => Values::Short(wide(&bytes, count, i16::from_be_bytes)),
        Native::Enum => Values::Enum(wide(&bytes, count, u16::from_be_bytes)),
        Native::Float => Values::Float(wide(&bytes, count, f32::from_be_bytes)),
        Native::Long => Values::Long(wide(&bytes, count, i32::from_be_bytes)),
        Native::Double => Values::Double(wide(&bytes, count, f64::from_be_bytes)),
    }
}

fn wide<const N: usize, T>(bytes: &[u8], count: usize, from: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().take(count).map(|&chunk| from(chunk)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::encode;
    use super::*;

    fn reading(values: Values) -> Reading {
        let about = About {
            units: "mm".into(),
            precision: 3,
            limits: Limits {
                display: (1.0, 9.0),
                alarm: (2.0, 8.0),
                warning: (3.0, 7.0),
                control: (4.0, 6.0),
            },
            choices: vec!["Done".into(), "Acquire".into()],
            class: "ao".into(),
        };
        let (alarm, stamp) = (Alarm { status: 17, severity: 3 }, Stamp { seconds: 5, nanoseconds: 6 });
        Reading { values, alarm, stamp, about: Arc::new(about) }
    }

    /// An encoded value comes back in every type, as far as the type carries it.
    #[test]
    fn all_types_come_back() {
        for number in 0..35 {
            let dbr = Dbr::from_number(number).unwrap();
            let sent = reading(Values::Double(vec![1.0, 0.0]));
            let mut bytes = Vec::new();
            assert_eq!(encode(&mut bytes, &sent, dbr, 0).unwrap(), 2);
            assert_eq!(bytes.len(), dbr.size(2), "{dbr:?}");
            let found = decode(&bytes.into(), dbr, 2).unwrap();
            let mut wanted = sent.clone();
            wanted.values = sent.values.converted(dbr.native(), &sent.about).unwrap();
            assert_eq!(found.values, wanted.values, "{dbr:?}");
            let Dbr::Value(form, native) = dbr else { continue };
            assert_eq!(found.alarm == sent.alarm, form != Form::Plain, "{dbr:?}");
            assert_eq!(found.stamp == sent.stamp, form == Form::Time, "{dbr:?}");
            if matches!(form, Form::Graphic | Form::Control) && native == Native::Double {
                let limits = Limits { control: found.about.limits.control, ..sent.about.limits };
                assert_eq!(
                    (&found.about.units[..], found.about.precision, found.about.limits),
                    ("mm", 3, limits)
                );
                assert_eq!(limits.control == (4.0, 6.0), form == Form::Control);
            }
            if matches!(form, Form::Graphic | Form::Control) && native == Native::Enum {
                assert_eq!(found.about.choices, sent.about.choices);
            }
        }
    }

    #[test]
    fn more_values_than_there_are_is_an_error() {
        let dbr = Dbr::Value(Form::Time, Native::Double);
        let error = decode(&vec![0; 24].into(), dbr, usize::MAX).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("wanted fewer values for {} values, found 24 bytes", usize::MAX)
        );
        assert!(decode(&vec![0; 24].into(), dbr, 2).is_err());
    }

    proptest! {
        /// Any bytes: nothing panics.
        #[test]
        fn anything_is_read_or_refused(payload in prop::collection::vec(any::<u8>(), 0..600), number in 0_u16..39, count in 0_usize..70) {
            let _ = decode(&payload.into(), Dbr::from_number(number).unwrap(), count);
        }
    }
}
