//! Index files (`.xtc.idx`): where the events of one chunk are.

mod indexer;

pub use indexer::Indexer;

use super::{Src, TypeId, id};
use crate::fields::Fields;
use crate::{Error, Result};

/// The content of an index file.
///
/// ```
/// use livetime_formats::xtc1::index::{Event, Index};
///
/// let event = Event { seconds: 1_365_000_002, nanoseconds: 8, fiducial: 512, offset: 40, ..Event::default() };
/// let index = Index { file: "e1-r0001-s00-c00.xtc".into(), events: vec![event], ..Index::default() };
/// assert_eq!(Index::parse(&index.to_bytes()?)?, index);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    /// 1 (44-byte header) or 2 (60 bytes).
    pub version: u16,
    /// Name of the file that it is about, at most 31 bytes in UTF-8.
    pub file: String,
    /// Events that are not in the order of time; version 2 only, as the next two.
    pub out_of_order: i32,
    /// Events in common with the chunk before.
    pub overlap_before: i32,
    /// Events in common with the chunk behind.
    pub overlap_after: i32,
    /// The events, in the order of the file.
    pub events: Vec<Event>,
    /// The steps of a scan.
    pub steps: Vec<CalibCycle>,
    /// The event codes, in the order of the bits of [`Event::codes`].
    pub codes: Vec<u8>,
    /// The nodes, in the order of the bits of [`Event::damaged`] and [`Event::present`].
    pub segments: Vec<Segment>,
}

/// One event.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Event {
    /// Seconds since 1970.
    pub seconds: u32,
    /// Nanoseconds within the second.
    pub nanoseconds: u32,
    /// Number of the pulse.
    pub fiducial: u32,
    /// Where its datagram begins.
    pub offset: u64,
    /// Damage of its root.
    pub damage: u32,
    /// Which segments are damaged.
    pub damaged: u32,
    /// Which segments have data.
    pub present: u32,
    /// Which event codes it has.
    pub codes: u32,
}

/// A step of a scan.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CalibCycle {
    /// Where its BeginCalibCycle begins.
    pub offset: u64,
    /// Its first event, as a position in [`Index::events`].
    pub first_event: i32,
    /// Seconds since 1970.
    pub seconds: u32,
    /// Nanoseconds within the second.
    pub nanoseconds: u32,
}

/// A node that reads detectors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The node.
    pub node: Src,
    /// Its leaves: sender and type. At most 255.
    pub leaves: Vec<(Src, TypeId)>,
}

const NAME_LEN: usize = 32;

impl Default for Index {
    fn default() -> Index {
        Index {
            version: 2,
            file: String::new(),
            out_of_order: 0,
            overlap_before: 0,
            overlap_after: 0,
            events: Vec::new(),
            steps: Vec::new(),
            codes: Vec::new(),
            segments: Vec::new(),
        }
    }
}

impl Index {
    /// Reads an index file.
    ///
    /// # Errors
    /// If it is none, or of another version, or shorter than it says.
    pub fn parse(bytes: &[u8]) -> Result<Index> {
        let mut fields = Fields::new(bytes);
        let type_id = TypeId(fields.u32()?);
        let version = type_id.version();
        // Only these versions were ever written by the facility.
        if type_id.number() != id::INDEX || !(1..=2).contains(&version) {
            return Err(Error::new("an index of version 1 or 2", type_id.to_string()).at(0));
        }
        let mut index = Index { version, file: fields.text(NAME_LEN)?, ..Index::default() };
        let (steps, codes, segments, events) = if version == 2 {
            let steps = fields.i32()?;
            let (codes, segments) = (i32::from(fields.i16()?), i32::from(fields.i16()?));
            let events = fields.i32()?;
            index.out_of_order = fields.i32()?;
            index.overlap_before = fields.i32()?;
            index.overlap_after = fields.i32()?;
            (steps, codes, segments, events)
        } else {
            let steps = i32::from(fields.i16()?);
            // Counts of at most 32; read without a sign, because 8 bits more of it would be no less wrong.
            let (codes, segments) = (i32::from(fields.u8()?), i32::from(fields.u8()?));
            (steps, codes, segments, fields.i32()?)
        };
        index.events = list(&mut fields, events, "events", 36, Event::parse)?;
        index.steps = list(&mut fields, steps, "steps", 20, CalibCycle::parse)?;
        index.codes = list(&mut fields, codes, "event codes", 1, Fields::u8)?;
        index.segments = list(&mut fields, segments, "segments", 9, Segment::parse)?;
        match fields.left() {
            0 => Ok(index),
            left => Err(Error::new("the end", format!("{left} more bytes")).at(fields.position() as u64)),
        }
    }

    /// As it lies in a file.
    ///
    /// # Errors
    /// If the format cannot say it: too many of something, or a name that is too long.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = TypeId::new(id::INDEX, self.version).0.to_le_bytes().to_vec();
        let mut name = [0; NAME_LEN];
        // The name ends in a zero.
        let is_short = self.file.len() < NAME_LEN;
        if !is_short || !(1..=2).contains(&self.version) {
            let found = format!("`{}`, version {}", self.file, self.version);
            return Err(Error::new("a name of at most 31 bytes and version 1 or 2", found));
        }
        name[..self.file.len()].copy_from_slice(self.file.as_bytes());
        out.extend_from_slice(&name);
        self.put_counts(&mut out)?;
        self.events.iter().for_each(|e| e.put(&mut out));
        self.steps.iter().for_each(|s| s.put(&mut out));
        out.extend_from_slice(&self.codes);
        self.segments.iter().try_for_each(|s| s.put(&mut out))?;
        Ok(out)
    }

    fn put_counts(&self, out: &mut Vec<u8>) -> Result<()> {
        let events: i32 = count(self.events.len(), "events")?;
        if self.version == 2 {
            out.extend_from_slice(&count::<i32>(self.steps.len(), "steps")?.to_le_bytes());
            out.extend_from_slice(&count::<i16>(self.codes.len(), "event codes")?.to_le_bytes());
            out.extend_from_slice(&count::<i16>(self.segments.len(), "segments")?.to_le_bytes());
            let words = [events, self.out_of_order, self.overlap_before, self.overlap_after];
            words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        } else {
            out.extend_from_slice(&count::<i16>(self.steps.len(), "steps")?.to_le_bytes());
            out.push(count(self.codes.len(), "event codes")?);
            out.push(count(self.segments.len(), "segments")?);
            out.extend_from_slice(&events.to_le_bytes());
        }
        Ok(())
    }
}

fn count<T: TryFrom<usize>>(count: usize, what: &str) -> Result<T> {
    T::try_from(count).map_err(|_| Error::new(format!("fewer {what}"), count.to_string()))
}

/// Reads `count` things of at least `least` bytes; refuses a count for which there are not enough bytes.
fn list<'a, T>(
    fields: &mut Fields<'a>,
    count: i32,
    what: &str,
    least: usize,
    read: impl Fn(&mut Fields<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let at = fields.position() as u64;
    let most = fields.left() / least;
    match usize::try_from(count) {
        // The count is the file's claim, so the room for it is checked before memory is taken.
        Ok(count) if count <= most => (0..count).map(|_| read(fields)).collect(),
        _ => Err(Error::new(format!("{count} {what}"), format!("room for {most}")).at(at)),
    }
}

fn offset(fields: &mut Fields<'_>) -> Result<u64> {
    let offset = fields.i64()?;
    // The format has a sign, which no offset needs.
    u64::try_from(offset).map_err(|_| Error::new("an offset from 0 on", offset.to_string()))
}

impl Event {
    fn parse(fields: &mut Fields<'_>) -> Result<Event> {
        Ok(Event {
            seconds: fields.u32()?,
            nanoseconds: fields.u32()?,
            fiducial: fields.u32()?,
            offset: offset(fields)?,
            damage: fields.u32()?,
            damaged: fields.u32()?,
            present: fields.u32()?,
            codes: fields.u32()?,
        })
    }

    fn put(&self, out: &mut Vec<u8>) {
        [self.seconds, self.nanoseconds, self.fiducial]
            .iter()
            .for_each(|w| out.extend_from_slice(&w.to_le_bytes()));
        out.extend_from_slice(&self.offset.to_le_bytes());
        let masks = [self.damage, self.damaged, self.present, self.codes];
        masks.iter().for_each(|w| out.extend_from_slice(&w.to_le_bytes()));
    }
}

impl CalibCycle {
    fn parse(fields: &mut Fields<'_>) -> Result<CalibCycle> {
        Ok(CalibCycle {
            offset: offset(fields)?,
            first_event: fields.i32()?,
            seconds: fields.u32()?,
            nanoseconds: fields.u32()?,
        })
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.offset.to_le_bytes());
        out.extend_from_slice(&self.first_event.to_le_bytes());
        [self.seconds, self.nanoseconds].iter().for_each(|w| out.extend_from_slice(&w.to_le_bytes()));
    }
}

impl Segment {
    fn parse(fields: &mut Fields<'_>) -> Result<Segment> {
        let node = src(fields)?;
        let count = i32::from(fields.u8()?);
        // Each leaf has 8 bytes here and 4 in the next list.
        let sources = list(fields, count, "leaves", 12, src)?;
        let types = list(fields, count, "types", 4, |f| f.u32().map(TypeId))?;
        Ok(Segment { node, leaves: sources.into_iter().zip(types).collect() })
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        let leaves: u8 = count(self.leaves.len(), "leaves of a segment")?;
        put_src(out, self.node);
        out.push(leaves);
        self.leaves.iter().for_each(|(src, _)| put_src(out, *src));
        self.leaves.iter().for_each(|(_, type_id)| out.extend_from_slice(&type_id.0.to_le_bytes()));
        Ok(())
    }
}

fn src(fields: &mut Fields<'_>) -> Result<Src> {
    Ok(Src { log: fields.u32()?, phy: fields.u32()? })
}

fn put_src(out: &mut Vec<u8>, src: Src) {
    out.extend_from_slice(&src.log.to_le_bytes());
    out.extend_from_slice(&src.phy.to_le_bytes());
}
