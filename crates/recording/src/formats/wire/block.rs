//! The frames of a link in a window of time, as one array: a row for each channel, a column for each tick.

use livetime_formats::wib::{Faults, RawFormat};
use livetime_frame::{AttributeValue, ColorMode, DType};

use crate::damage::{DamageWords, Outcome};
use crate::reader::Names;
use crate::{Condition, Fault, FaultKind, Panel, Picture};

/// Damage are the faults of the frames.
pub(super) const DAMAGE: DamageWords =
    DamageWords { what: "picture", in_words: |damage| Faults::of_bits(damage).to_string() };

/// Ticks that are transposed at once from rows of ticks to rows of channels: 32 samples of 16 bits fill a line of the
/// cache in each row.
const TURN: usize = 32;

/// Memory that a thread keeps between events.
#[derive(Default)]
pub(super) struct Memory {
    /// Frames as they were read.
    pub(super) frames: Vec<u8>,
    pub(super) samples: Vec<i16>,
    /// Which ticks have samples.
    pub(super) filled: Vec<bool>,
}

/// The times of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) format: RawFormat,
    /// Ticks of the clock.
    pub(super) begin: u64,
    /// Columns.
    pub(super) ticks: usize,
}

/// The frames found in a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Found {
    /// Of all frames.
    pub(super) faults: Faults,
    /// Columns that have samples.
    pub(super) filled: usize,
    /// Columns without samples before the first and behind the last that has some.
    pub(super) ends: [usize; 2],
}

/// An array that is being filled.
pub(super) struct Block<'a> {
    window: Window,
    cells: &'a mut [[u8; 2]],
    samples: &'a mut Vec<i16>,
    filled: &'a mut Vec<bool>,
    faults: Faults,
}

impl Window {
    pub(super) fn bytes(&self) -> usize {
        self.format.channels() * self.ticks * size_of::<u16>()
    }
}

impl Found {
    /// Columns without samples between others.
    pub(super) fn gaps(&self, ticks: usize) -> usize {
        ticks - self.filled - self.ends[0] - self.ends[1]
    }
}

impl<'a> Block<'a> {
    /// In `target`, of [`Window::bytes`] bytes.
    pub(super) fn new(
        window: Window,
        target: &'a mut [u8],
        samples: &'a mut Vec<i16>,
        filled: &'a mut Vec<bool>,
    ) -> Block<'a> {
        // The memory of the event before must not show through.
        filled.clear();
        filled.resize(window.ticks, false);
        Block { window, cells: target.as_chunks_mut().0, samples, filled, faults: Faults::NONE }
    }

    /// Puts frames, one in every `stride` bytes, where their time is. Of frames that come again the last counts.
    pub(super) fn add(&mut self, frames: &[u8], stride: usize) -> Outcome {
        let format = self.window.format;
        let bytes = format.bytes();
        let (mut at, mut group) = (0, None::<(usize, u64, usize)>);
        while let Some(frame) = frames.get(at..at + bytes) {
            // Checksums would take longer than the unpacking.
            self.faults |= format.faults(frame, false);
            let stamp = format.head(frame, self.window.begin).map_or(0, |head| head.stamp);
            group = match group {
                Some((from, first, count)) if self.follows(stride, first, count, stamp) => {
                    Some((from, first, count + 1))
                }
                other => {
                    self.put_group(frames, other)?;
                    Some((at, stamp, 1))
                }
            };
            at += stride;
        }
        self.put_group(frames, group)
    }

    /// Whether a frame can be unpacked together with the `count` frames before it, of which the first has the time
    /// `first`.
    fn follows(&self, stride: usize, first: u64, count: usize, stamp: u64) -> bool {
        let format = self.window.format;
        let has_room = stride == format.bytes() && (count + 1) * format.samples() <= TURN;
        // The times must follow each other without a gap.
        has_room && stamp == first.wrapping_add(count as u64 * format.step())
    }

    fn put_group(&mut self, frames: &[u8], group: Option<(usize, u64, usize)>) -> Outcome {
        let (Some((from, stamp, count)), format) = (group, self.window.format) else { return Ok(()) };
        let frames = frames.get(from..from + count * format.bytes()).unwrap_or_default();
        let ticks = count * format.samples();
        self.samples.resize(ticks * format.channels(), 0);
        format.unpack(frames, self.samples)?;
        self.put(stamp, ticks);
        Ok(())
    }

    /// Turns the samples of ticks that follow each other into rows of channels.
    fn put(&mut self, stamp: u64, ticks: usize) {
        let Window { format, begin, ticks: all } = self.window;
        // Rounded down: before the window the difference is negative.
        let first = (stamp.wrapping_sub(begin) as i64).div_euclid(format.sample_step() as i64);
        // Ticks before the window are cut off, however far before it they are.
        let before = usize::try_from(first.saturating_neg().max(0)).unwrap_or(usize::MAX).min(ticks);
        let column = usize::try_from(first.max(0)).unwrap_or(usize::MAX);
        let count = (ticks - before).min(all.saturating_sub(column));
        if count == 0 {
            // A sample that was taken just before the window lasts into it; others should not be here.
            self.faults = self.faults.with(Faults::JUMP, first.saturating_add(ticks as i64) != 0);
            return;
        }
        let columns = column..column + count;
        // A column that is filled already gets the later samples, and the fault is noted.
        let again = self.filled[columns.clone()].iter().any(|filled| *filled);
        self.faults = self.faults.with(Faults::BACK, again);
        self.filled[columns.clone()].fill(true);
        let channels = format.channels();
        for (channel, row) in self.cells.chunks_exact_mut(all).enumerate() {
            let samples = self.samples.iter().skip(before * channels + channel).step_by(channels);
            for (cell, sample) in row[columns.clone()].iter_mut().zip(samples) {
                *cell = sample.to_le_bytes();
            }
        }
    }

    /// Writes 0 where no frame was.
    pub(super) fn finish(self) -> Found {
        let ticks = self.window.ticks;
        let count = self.filled.iter().filter(|filled| **filled).count();
        let first = self.filled.iter().position(|filled| *filled).unwrap_or(ticks);
        let last = self.filled.iter().rposition(|filled| *filled).unwrap_or(ticks);
        // The memory of the target may have held another picture.
        if count < ticks {
            for row in self.cells.chunks_exact_mut(ticks) {
                let empty = row.iter_mut().zip(self.filled.iter()).filter(|(_, filled)| !**filled);
                empty.for_each(|(cell, _)| *cell = [0; 2]);
            }
        }
        let ends = [first, ticks.saturating_sub(last + 1)];
        // Without any sample the whole array is one end.
        Found { faults: self.faults, filled: count, ends: if count == 0 { [ticks, 0] } else { ends } }
    }
}

/// The one panel of a picture: `found` in `window`.
pub(super) fn describe(window: Window, found: &Found, picture: &mut Picture) -> Outcome {
    let faults = found.faults.with(Faults::GAP, found.filled < window.ticks);
    let shape = [window.format.channels(), window.ticks];
    let (dtype, color, damage) = (DType::U16, ColorMode::Mono, faults.bits());
    let panel = Panel { number: 0, dtype, color, shape: &shape, bytes: &[], damage };
    picture.add(&panel, None, 0..window.bytes())?;
    picture.condition = match (faults.is_empty(), found.filled) {
        (true, _) => Condition::Whole,
        (false, 0) => Condition::Damaged,
        (false, _) => Condition::Partial,
    };
    Ok(())
}

/// The header of a frame: when it begins by the experiment's clock, and its faults.
pub(super) fn note(window: Window, names: &mut Names, picture: &mut Picture) {
    picture.attributes.push((names.of("ClockTicks"), AttributeValue::Uint(window.begin)));
    if picture.damage != 0 {
        picture.attributes.push((names.of("Damage"), AttributeValue::Uint(picture.damage.into())));
    }
}

/// That an array would be larger than one that is read at once.
pub(super) fn too_large(wanted: &str, found: impl std::fmt::Display) -> Fault {
    Fault::new(FaultKind::Broken, format_args!("wanted {wanted}, found {found}"))
}
