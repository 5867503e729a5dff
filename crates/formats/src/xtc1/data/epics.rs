//! Process variables of EPICS (Epics, version 1): one value, with its limits in Configure and its time afterwards.

use crate::fields::Fields;
use crate::{Error, Result};

/// Seconds from 1970 to 1990, where the time of EPICS begins.
const EPOCH: u64 = 631_152_000;
const NAME: usize = 64;
const STRING: usize = 40;

/// A process variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Pv {
    /// Its number in this run. Configure gives the name of each number.
    pub id: i16,
    /// Its name, if this is from Configure.
    pub name: Option<String>,
    /// Its alarm status.
    pub status: i16,
    /// Severity of the alarm: 0 none, 1 minor, 2 major, 3 invalid.
    pub severity: i16,
    /// When it was set, in ns since 1970, if this is from an event.
    pub time_ns: Option<u64>,
    /// Its value or values.
    pub values: Values,
}

/// The values of a process variable.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Numbers; the numbers of an enumeration are positions in its list.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(Vec<String>),
}

/// Type of the values: the last of the seven kinds of a DBR type.
#[derive(Clone, Copy, PartialEq)]
enum ChannelType {
    String,
    Short,
    Float,
    Enum,
    Char,
    Long,
    Double,
}

const KINDS: [ChannelType; 7] = [
    ChannelType::String,
    ChannelType::Short,
    ChannelType::Float,
    ChannelType::Enum,
    ChannelType::Char,
    ChannelType::Long,
    ChannelType::Double,
];
/// The first of the DBR types with the time, and the first with limits and units.
const TIME: i16 = 14;
const CONTROL: i16 = 28;

impl Pv {
    /// Reads the payload of an Epics leaf.
    ///
    /// ```
    /// use livetime_formats::xtc1::data::epics::{Pv, Values};
    ///
    /// // Number 7, DBR_TIME_DOUBLE, one value.
    /// let mut payload = [7i16, 20, 1, 0, 0, 0].map(i16::to_le_bytes).concat();
    /// payload.extend([10u32, 0, 0].map(u32::to_le_bytes).concat());
    /// payload.extend(2.5f64.to_le_bytes());
    /// let pv = Pv::parse(&payload)?;
    /// assert_eq!((pv.id, pv.values), (7, Values::Numbers(vec![2.5])));
    /// assert_eq!(pv.time_ns, Some(631_152_010_000_000_000));
    /// # Ok::<(), livetime_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// If its DBR type is none that recorders write, or there are fewer values than it says.
    pub fn parse(payload: &[u8]) -> Result<Pv> {
        let mut fields = Fields::new(payload);
        let (id, dbr, count) = (fields.i16()?, fields.i16()?, fields.i16()?);
        let is_control = dbr >= CONTROL;
        let kind = usize::try_from(dbr.saturating_sub(if is_control { CONTROL } else { TIME })).ok();
        let Some(kind) = kind.and_then(|k| KINDS.get(k)).copied() else {
            return Err(Error::new("a DBR type from 14 to 20 or 28 to 34", dbr.to_string()).at(2));
        };
        let name = if is_control { Some(fields.text(NAME)?) } else { None };
        // Padding: C aligns the fields behind.
        if !is_control || matches!(kind, ChannelType::Float | ChannelType::Long | ChannelType::Double) {
            fields.take(2)?;
        }
        let (status, severity) = (fields.i16()?, fields.i16()?);
        let time_ns = if is_control {
            fields.take(limits_len(kind))?;
            None
        } else {
            let (seconds, nanoseconds) = (u64::from(fields.u32()?), u64::from(fields.u32()?));
            fields.take(time_padding(kind))?;
            Some((seconds + EPOCH) * 1_000_000_000 + nanoseconds)
        };
        // A negative count is no count.
        let values = values(&mut fields, kind, usize::try_from(count).unwrap_or(0))?;
        Ok(Pv { id, name, status, severity, time_ns, values })
    }
}

/// Bytes from the severity to the values: units, precision, limits, the states of an enumeration.
fn limits_len(kind: ChannelType) -> usize {
    match kind {
        ChannelType::String => 0,
        ChannelType::Short => 8 + 8 * 2,
        ChannelType::Float => 4 + 8 + 8 * 4,
        ChannelType::Enum => 2 + 16 * 26,
        ChannelType::Char => 8 + 8 + 1,
        ChannelType::Long => 8 + 8 * 4,
        ChannelType::Double => 4 + 8 + 8 * 8,
    }
}

/// Bytes from the time to the values.
fn time_padding(kind: ChannelType) -> usize {
    match kind {
        ChannelType::Short | ChannelType::Enum => 2,
        ChannelType::Char => 3,
        ChannelType::Double => 4,
        ChannelType::String | ChannelType::Float | ChannelType::Long => 0,
    }
}

fn values(fields: &mut Fields<'_>, kind: ChannelType, count: usize) -> Result<Values> {
    let size = match kind {
        ChannelType::String => STRING,
        ChannelType::Char => 1,
        ChannelType::Short | ChannelType::Enum => 2,
        ChannelType::Float | ChannelType::Long => 4,
        ChannelType::Double => 8,
    };
    // The bytes are taken first, so that a wrong count costs no memory.
    let mut fields = Fields::new(fields.take(count * size)?);
    if kind == ChannelType::String {
        return (0..count).map(|_| fields.text(STRING)).collect::<Result<_>>().map(Values::Texts);
    }
    let number = |_| match kind {
        ChannelType::Short => fields.i16().map(f64::from),
        ChannelType::Enum => fields.u16().map(f64::from),
        ChannelType::Char => fields.u8().map(f64::from),
        ChannelType::Long => fields.i32().map(f64::from),
        ChannelType::Float => fields.f32().map(f64::from),
        // Texts were read above.
        ChannelType::Double | ChannelType::String => fields.f64(),
    };
    (0..count).map(number).collect::<Result<_>>().map(Values::Numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layouts of all fourteen DBR types: bytes before the values, by the sizes of the published structures.
    #[test]
    fn values_are_found_behind_every_header() {
        let cases = [
            (14, 20),
            (15, 22),
            (16, 20),
            (17, 22),
            (18, 23),
            (19, 20),
            (20, 24),
            (28, 74),
            (29, 98),
            (30, 120),
            (31, 492),
            (32, 91),
            (33, 116),
            (34, 152),
        ];
        for (dbr, before) in cases {
            let mut payload = vec![0; before];
            payload[2] = dbr;
            payload[4] = 1;
            let expected = match dbr {
                14 | 28 => {
                    payload.extend(b"on");
                    payload.resize(before + STRING, 0);
                    Values::Texts(vec!["on".into()])
                }
                16 | 30 => {
                    payload.extend(3f32.to_le_bytes());
                    Values::Numbers(vec![3.0])
                }
                20 | 34 => {
                    payload.extend(3f64.to_le_bytes());
                    Values::Numbers(vec![3.0])
                }
                18 | 32 => {
                    payload.push(3);
                    Values::Numbers(vec![3.0])
                }
                19 | 33 => {
                    payload.extend(3i32.to_le_bytes());
                    Values::Numbers(vec![3.0])
                }
                _ => {
                    payload.extend(3i16.to_le_bytes());
                    Values::Numbers(vec![3.0])
                }
            };
            assert_eq!(Pv::parse(&payload).unwrap().values, expected, "DBR type {dbr}");
            payload.pop();
            assert!(Pv::parse(&payload).is_err(), "DBR type {dbr}, cut");
        }
        assert!(Pv::parse(&[0, 0, 21, 0, 1, 0, 0, 0]).is_err());
        // The least number there is: found by fuzzing.
        assert!(Pv::parse(&[0, 0, 0, 0x80, 1, 0, 0, 0]).is_err());
    }
}
