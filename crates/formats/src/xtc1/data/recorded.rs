//! The header of a running graph's frame, in a leaf of our own ([`id::RECORDED`](crate::xtc1::id::RECORDED), version
//! 1).
//!
//! | bytes | field |
//! |---|---|
//! | 8 | sequence number |
//! | 4 | conditions: bit 0 data are missing or wrong, bit 1 last frame of its run, bit 2 the event's time is when it was recorded, because the detector gave none |
//! | 4 | how many attributes |
//!
//! Each attribute: `u16` length of the name, `u16` kind of the value (0 `i64`, 1 `u64`, 2 `f64`, 3 text), then the
//! name, then the value; a text has a `u32` length before it. Behind the last one zeros up to a multiple of 4. All
//! little-endian.

use livetime_frame::{AttributeValue, Flags, Header};

use crate::fields::Fields;
use crate::{Error, Result};

/// The conditions, from bit 0 on.
const CONDITIONS: [Flags; 3] = [Flags::DAMAGED, Flags::LAST_OF_RUN, Flags::ARRIVAL_TIME];

/// Appends `header` to a payload that begins at `out`'s end. Names and texts that are too long for the format are cut
/// off.
pub fn write_recorded(header: &Header, out: &mut Vec<u8>) {
    let start = out.len();
    let flag = |flag, bit: u32| u32::from(header.flags.contains(flag)) << bit;
    out.extend_from_slice(&header.sequence.to_le_bytes());
    let conditions =
        CONDITIONS.into_iter().zip(0..).fold(0, |all, (condition, bit)| all | flag(condition, bit));
    out.extend_from_slice(&conditions.to_le_bytes());
    out.extend_from_slice(&(header.attributes.len() as u32).to_le_bytes());
    for attribute in header.attributes.iter() {
        // The length has 16 bits.
        let name = cut(&attribute.name, u16::MAX.into());
        out.extend_from_slice(&(name.len() as u16).to_le_bytes());
        out.extend_from_slice(&kind_of(&attribute.value).to_le_bytes());
        out.extend_from_slice(name);
        match &attribute.value {
            AttributeValue::Int(v) => out.extend_from_slice(&v.to_le_bytes()),
            AttributeValue::Uint(v) => out.extend_from_slice(&v.to_le_bytes()),
            AttributeValue::Float(v) => out.extend_from_slice(&v.to_le_bytes()),
            AttributeValue::Text(text) => {
                let text = cut(text, u32::MAX as usize);
                out.extend_from_slice(&(text.len() as u32).to_le_bytes());
                out.extend_from_slice(text);
            }
        }
    }
    // Leaves of XTC end at a multiple of 4 bytes.
    let padded = (out.len() - start).next_multiple_of(4);
    out.resize(start + padded, 0);
}

fn kind_of(value: &AttributeValue) -> u16 {
    match value {
        AttributeValue::Int(_) => 0,
        AttributeValue::Uint(_) => 1,
        AttributeValue::Float(_) => 2,
        AttributeValue::Text(_) => 3,
    }
}

fn cut(text: &str, most: usize) -> &[u8] {
    &text.as_bytes()[..text.len().min(most)]
}

/// The recorded header of a frame.
///
/// ```
/// use livetime_formats::xtc1::data::{Recorded, RecordedValue, write_recorded};
/// use livetime_frame::{AttributeValue, Header};
///
/// let mut header = Header { sequence: 7, ..Header::default() };
/// header.attributes.set(&"Gain".into(), AttributeValue::Float(2.5));
/// let mut payload = Vec::new();
/// write_recorded(&header, &mut payload);
/// let mut recorded = Recorded::parse(&payload)?;
/// assert_eq!(recorded.sequence, 7);
/// let (name, value) = recorded.attributes.next().unwrap()?;
/// assert!(name == "Gain" && value == RecordedValue::Float(2.5));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recorded<'a> {
    /// The number that the source gave to the frame.
    pub sequence: u64,
    /// Conditions.
    pub flags: Flags,
    /// Names and values. After an error there are no more.
    pub attributes: RecordedAttributes<'a>,
}

/// The value of an attribute where it lies.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum RecordedValue<'a> {
    Int(i64),
    Uint(u64),
    Float(f64),
    Text(&'a str),
}

/// The attributes of a frame, one after another.
#[derive(Clone, Debug)]
pub struct RecordedAttributes<'a> {
    fields: Fields<'a>,
    left: u32,
}

impl<'a> Recorded<'a> {
    /// Reads the payload of such a leaf.
    ///
    /// # Errors
    /// If it is too short.
    pub fn parse(payload: &'a [u8]) -> Result<Recorded<'a>> {
        let mut fields = Fields::new(payload);
        let (sequence, conditions, left) = (fields.u64()?, fields.u32()?, fields.u32()?);
        let mut flags = Flags::default();
        for (bit, flag) in CONDITIONS.into_iter().enumerate() {
            if conditions >> bit & 1 == 1 {
                flags = flags.with(flag);
            }
        }
        Ok(Recorded { sequence, flags, attributes: RecordedAttributes { fields, left } })
    }
}

impl<'a> Iterator for RecordedAttributes<'a> {
    type Item = Result<(&'a str, RecordedValue<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let attribute = next_attribute(&mut self.fields);
        if attribute.is_err() {
            // The place of the next attribute is unknown behind a broken one.
            self.left = 0;
        }
        Some(attribute)
    }
}

fn next_attribute<'a>(fields: &mut Fields<'a>) -> Result<(&'a str, RecordedValue<'a>)> {
    let (name_len, kind) = (fields.u16()?, fields.u16()?);
    let name = utf8(fields.take(name_len.into())?)?;
    let value = match kind {
        0 => RecordedValue::Int(fields.i64()?),
        1 => RecordedValue::Uint(fields.u64()?),
        2 => RecordedValue::Float(fields.f64()?),
        3 => {
            let len = fields.u32()? as usize;
            RecordedValue::Text(utf8(fields.take(len)?)?)
        }
        other => return Err(Error::new("a kind of value from 0 to 3", other.to_string())),
    };
    Ok((name, value))
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|e| Error::new("a text in UTF-8", e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let mut header = Header { sequence: 1 << 40, flags: Flags::DAMAGED, ..Header::default() };
        let values = [
            AttributeValue::Int(-5),
            AttributeValue::Uint(u64::MAX),
            AttributeValue::Float(0.1),
            AttributeValue::Text("grün".into()),
        ];
        for (i, value) in values.into_iter().enumerate() {
            header.attributes.set(&format!("Name{i}").into(), value);
        }
        header
    }

    #[test]
    fn all_kinds_of_values_come_back() {
        let mut payload = Vec::new();
        write_recorded(&header(), &mut payload);
        assert_eq!(payload.len() % 4, 0);
        let recorded = Recorded::parse(&payload).unwrap();
        assert_eq!((recorded.sequence, recorded.flags), (1 << 40, Flags::DAMAGED));
        let all: Vec<_> = recorded.attributes.map(Result::unwrap).collect();
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["Name0", "Name1", "Name2", "Name3"]);
        let values: Vec<RecordedValue> = all.iter().map(|(_, value)| *value).collect();
        use RecordedValue::{Float, Int, Text, Uint};
        assert_eq!(values, [Int(-5), Uint(u64::MAX), Float(0.1), Text("grün")]);
    }

    #[test]
    fn any_prefix_and_any_wrong_byte_is_read_without_a_panic() {
        let mut payload = Vec::new();
        write_recorded(&header(), &mut payload);
        for len in 0..payload.len() - 3 {
            let read = Recorded::parse(&payload[..len]).map(|r| r.attributes.filter(Result::is_ok).count());
            assert!(read.map_or(true, |count| count < 4), "{len}");
        }
        for at in 0..payload.len() {
            let mut wrong = payload.clone();
            wrong[at] ^= 0xFF;
            if let Ok(recorded) = Recorded::parse(&wrong) {
                assert!(recorded.attributes.count() <= payload.len());
            }
        }
    }
}
