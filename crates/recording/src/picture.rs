//! A detector's data at one event, before they are a frame.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use livetime_formats::xtc1::run::EventBytes;
use livetime_formats::{Error, Result};
use livetime_frame::{AttributeValue, ColorMode, DType, Flags, FrameMut, Layout, MAX_DIMS};
use livetime_runtime::MemoryLimit;

use crate::damage::{Condition, DamageWords, Fault, FaultKind, Outcome};

/// A detector's data at one event, decompressed, in the recorded panels. Keep the value for the next event: its memory
/// is reused.
///
/// The pixels stay in the memory into which they were read or decompressed: a reader that reduces them at once needs no
/// copy. [`Picture::fill`] copies them into a frame.
#[derive(Default)]
pub struct Picture {
    event: usize,
    pub(crate) time_ns: u64,
    /// The meaning of the bits of damage in the run's format.
    words: DamageWords,
    /// The memory that reading the picture may take.
    pub(crate) memory: MemoryLimit,
    pub(crate) condition: Condition,
    /// All damage of its panels.
    pub(crate) damage: u32,
    pub(crate) flags: Flags,
    pub(crate) attributes: Vec<(Arc<str>, AttributeValue)>,
    /// As read; of another event if everything was decompressed.
    pub(crate) bytes: EventBytes,
    /// Decompressed bytes, and remains of earlier events behind them.
    pub(crate) plain: Vec<u8>,
    pub(crate) places: Vec<Place>,
    /// The pixels were read into a frame and are not here.
    pub(crate) is_elsewhere: bool,
    /// The recording begins or ends in the middle of the event, and nothing else is wrong.
    pub(crate) is_cut_short: bool,
    /// A broken part of the event beside the picture.
    pub(crate) broken_beside: Option<String>,
    pub(crate) file_bytes: u64,
}

/// A quadrant of a CSPad, a link of a pnCCD, a segment of a detector of LCLS-II, or all of a camera, at one event.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// Number of the panel; 0 if there is only one.
    pub number: u32,
    /// Type of a pixel.
    pub dtype: DType,
    /// How colours lie.
    pub color: ColorMode,
    /// Shape, slowest axis first.
    pub shape: &'a [usize],
    /// The pixels, row after row, little-endian, at any alignment.
    pub bytes: &'a [u8],
    /// Damage that the recorder noted about the panel; 0: none.
    pub damage: u32,
}

/// Where a panel is.
pub(crate) struct Place {
    number: u32,
    dtype: DType,
    color: ColorMode,
    shape: [usize; MAX_DIMS],
    ndim: usize,
    damage: u32,
    /// The piece of the event with the panel's bytes; `None`: the decompressed bytes.
    pub(crate) piece: Option<usize>,
    pub(crate) bytes: Range<usize>,
}

impl Picture {
    /// Number of the event in the run.
    pub fn event(&self) -> usize {
        self.event
    }

    /// When it happened, ns since 1970.
    pub fn time_ns(&self) -> u64 {
        self.time_ns
    }

    /// How good it is.
    pub fn condition(&self) -> Condition {
        self.condition
    }

    /// How many bytes were read from files for it.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// The panels in the order of their numbers.
    pub fn panels(&self) -> impl Iterator<Item = Panel<'_>> {
        self.places.iter().map(|place| Panel {
            number: place.number,
            dtype: place.dtype,
            color: place.color,
            shape: place.shape(),
            bytes: self.pixels(place),
            damage: place.damage,
        })
    }

    /// The undamaged panels, in the order of their numbers, for means and sums.
    ///
    /// # Errors
    /// [`FaultKind::Damaged`] if there is none; [`FaultKind::Missing`] if the only reason is that the recording begins
    /// or ends in the middle of the event.
    pub fn good_panels(&self) -> Outcome<impl Iterator<Item = Panel<'_>>> {
        // Panels of a cut event may be missing without a sign of damage, so the whole picture counts as missing.
        if self.is_cut_short {
            return Err(Fault::missing("a whole event, and the recording begins or ends in it"));
        }
        let has_good = self.places.iter().any(|place| place.damage == 0);
        if let Some(place) = self.places.first().filter(|_| !has_good) {
            let what = self.words.what;
            let damage = self.damage_in_words(place.damage);
            let why = format!("wanted an undamaged {what}, found only one with damage: {damage}");
            return Err(Fault::new(FaultKind::Damaged, why));
        }
        Ok(self.panels().filter(|panel| panel.damage == 0))
    }

    /// The damage that the recorder noted about a panel, in the words of the run's format.
    pub fn damage_in_words(&self, damage: u32) -> String {
        (self.words.in_words)(damage)
    }

    /// How its panels lie as one array: one alone as it is, several of one shape with an axis before their own, others behind each
    /// other along their first axis.
    ///
    /// # Errors
    /// [`FaultKind::Broken`] if they do not fit together.
    pub fn layout(&self) -> Outcome<Layout> {
        let shapes: Vec<&[usize]> = self.places.iter().map(Place::shape).collect();
        let Some(first) = self.places.first() else {
            return Err(Fault::new(FaultKind::Broken, "wanted panels, found none"));
        };
        if let Some(other) = self.places.iter().find(|place| place.dtype != first.dtype) {
            let why = format!("wanted panels of one type, found {} and {}", first.dtype, other.dtype);
            return Err(Fault::new(FaultKind::Broken, why));
        }
        stack(first.dtype, first.color, &shapes)
    }

    /// Writes it into a frame of its layout, with its time, flags and attributes.
    pub fn fill(&self, frame: &mut FrameMut) {
        let mut rest = frame.bytes_mut();
        for panel in self.panels() {
            let (place, behind) = rest.split_at_mut(panel.bytes.len().min(rest.len()));
            place.copy_from_slice(&panel.bytes[..place.len()]);
            rest = behind;
        }
        self.describe(frame);
    }

    /// Writes its time, flags and attributes into the header of a frame.
    pub(crate) fn describe(&self, frame: &mut FrameMut) {
        let header = frame.header_mut();
        header.event_time_ns = i64::try_from(self.time_ns).unwrap_or(i64::MAX);
        header.flags = if self.condition.is_damaged() { self.flags.with(Flags::DAMAGED) } else { self.flags };
        self.attributes.iter().for_each(|(name, value)| header.attributes.set(name, value.clone()));
    }

    /// Forgets the event before.
    pub(crate) fn begin(&mut self, event: usize, words: DamageWords, memory: MemoryLimit) {
        (self.event, self.time_ns, self.words, self.file_bytes) = (event, 0, words, 0);
        self.memory = memory;
        (self.condition, self.damage, self.flags) = (Condition::Whole, 0, Flags::default());
        (self.is_elsewhere, self.is_cut_short, self.broken_beside) = (false, false, None);
        self.places.clear();
        self.attributes.clear();
    }

    /// Room for decompressed data, or for data read from several places.
    ///
    /// # Errors
    /// If the picture needs more memory than reading may take.
    pub(crate) fn plain(&mut self, bytes: usize) -> Outcome<&mut [u8]> {
        // Memory only grows: the next picture is likely to need it, too.
        if self.plain.len() < bytes {
            self.memory.check(bytes as u64, "a picture")?;
            self.plain.resize(bytes, 0);
        }
        Ok(&mut self.plain[..bytes])
    }

    pub(crate) fn forget_panels(&mut self) {
        self.damage = 0;
        self.places.clear();
    }

    /// Notes where a panel is: `bytes` of `piece`, or of the decompressed bytes.
    pub(crate) fn add(&mut self, panel: &Panel<'_>, piece: Option<usize>, bytes: Range<usize>) -> Result<()> {
        let &Panel { number, dtype, color, damage, .. } = panel;
        let ndim = panel.shape.len();
        let mut shape = [0; MAX_DIMS];
        let Some(sizes) = shape.get_mut(..ndim) else {
            return Err(Error::new(format!("at most {MAX_DIMS} axes"), ndim.to_string()));
        };
        sizes.copy_from_slice(panel.shape);
        self.damage |= damage;
        self.places.push(Place { number, dtype, color, shape, ndim, damage, piece, bytes });
        Ok(())
    }

    pub(crate) fn sort_panels(&mut self) {
        self.places.sort_by_key(|place| place.number);
    }

    /// None where [`Recording::read_frame`](crate::Recording::read_frame) has read them into a frame.
    fn pixels(&self, place: &Place) -> &[u8] {
        if self.is_elsewhere {
            return &[];
        }
        self.whole(place.piece).get(place.bytes.clone()).unwrap_or_default()
    }

    fn whole(&self, piece: Option<usize>) -> &[u8] {
        piece.map_or(&self.plain[..], |piece| self.bytes.pieces().nth(piece).unwrap_or_default())
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let panels = self.places.len();
        write!(f, "event {}, {:?}, {panels} panels", self.event, self.condition)
    }
}

impl Place {
    fn shape(&self) -> &[usize] {
        &self.shape[..self.ndim]
    }
}

/// The range of `part` in `whole`. `part` must be a slice of `whole`.
pub(crate) fn place_in(whole: &[u8], part: &[u8]) -> Range<usize> {
    // A slice of other memory gives a range that `get` refuses.
    let start = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    start..start.saturating_add(part.len())
}

/// The layout of pieces with these shapes as one array: a single piece keeps its layout, pieces of one shape get a new
/// first axis, others are joined along their first axis.
///
/// # Errors
/// [`FaultKind::Broken`] if they do not fit together.
fn stack(dtype: DType, color: ColorMode, shapes: &[&[usize]]) -> Outcome<Layout> {
    let refuse = || {
        let why = format_args!("wanted pieces of a detector that fit together, found the shapes {shapes:?}");
        Fault::new(FaultKind::Broken, why)
    };
    let first = *shapes.first().ok_or_else(refuse)?;
    let mut shape = Vec::with_capacity(first.len() + 1);
    if shapes.iter().all(|s| *s == first) {
        shape.extend((shapes.len() > 1).then_some(shapes.len()));
        shape.extend_from_slice(first);
    } else if shapes.iter().all(|s| !s.is_empty() && s[1..] == first[1..]) {
        shape.extend_from_slice(first);
        shape[0] = shapes.iter().map(|s| s[0]).sum();
    } else {
        return Err(refuse());
    }
    // A single value without axes is a picture of one pixel.
    if shape.is_empty() {
        shape.push(1);
    }
    let color = if shapes.len() > 1 { ColorMode::Mono } else { color };
    Layout::packed(dtype, color, &shape).map_err(|e| Fault::new(FaultKind::Broken, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_put_together() {
        let stack = |shapes: &[&[usize]]| stack(DType::U16, ColorMode::Mono, shapes).map(|l| l.to_string());
        assert_eq!(stack(&[&[3, 4]]).unwrap(), "3x4 u16 mono");
        assert_eq!(stack(&[&[3, 4], &[3, 4]]).unwrap(), "2x3x4 u16 mono");
        assert_eq!(stack(&[&[8, 3, 4], &[7, 3, 4]]).unwrap(), "15x3x4 u16 mono");
        assert_eq!(stack(&[&[]]).unwrap(), "1 u16 mono");
        assert!(stack(&[&[3, 4], &[4, 3]]).unwrap_err().why.contains("[[3, 4], [4, 3]]"));
        assert!(stack(&[&[3, 4], &[]]).is_err() && stack(&[]).is_err());
    }
}
