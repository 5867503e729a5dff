//! The statistics of the pixels of one panel.

use std::ops::Range;

use livetime_kernels::Pixel;

use super::extremes::Extremes;
use super::lengths::{Counted, Lengths};
use super::moments::Moments;
use super::statistics::PixelStatistics;
use super::sums::Sums;
use crate::{Loader, Panel, ReduceError, Saver};

/// Pixels that are taken at once: these pixels of all events of a block stay in a near cache for the next kernel.
const PIXELS: usize = 8 << 10;

/// Frames whose pixels are read at once. With all frames of a block side by side the processor waits for each line of
/// memory, even if it was prefetched; with few frames the sums, which stay in the second cache, are read and written
/// more often. Of 4, 8, 16 and 32, 8 was fastest.
const STREAMS: usize = 8;

/// The partial result of some events for a panel.
pub struct PanelPartial {
    /// Bytes of a pixel.
    size: usize,
    /// Pixels that there is room for.
    pixels: usize,
    /// Events by the number of pixels that they have.
    lengths: Lengths,
    sums: Option<Sums>,
    extremes: Option<Extremes>,
}

impl PanelPartial {
    /// The partial result of these statistics for no event.
    pub(super) fn new(panel: &Panel, wanted: &PixelStatistics) -> PanelPartial {
        let (dtype, pixels) = (panel.dtype, panel.pixels());
        PanelPartial {
            size: dtype.bytes(),
            pixels,
            lengths: Lengths::default(),
            sums: wanted.needs_sums().then(|| Sums::new(dtype, pixels, wanted.std)),
            extremes: wanted.needs_extremes().then(|| Extremes::new(dtype, pixels)),
        }
    }

    pub(super) fn map(&mut self, frames: &[&[u8]]) {
        let size = self.size;
        let mut new = Lengths::default();
        frames.iter().for_each(|frame| new.add(frame.len() / size));
        self.grow(new.longest());
        let mut cut = Vec::with_capacity(frames.len());
        for (piece, [before, more]) in self.lengths.pieces_with(&new) {
            // A piece that none of these frames has costs no pass.
            if more == 0 {
                continue;
            }
            for start in piece.clone().step_by(PIXELS) {
                let range = start..piece.end.min(start + PIXELS);
                cut.clear();
                // A frame that is shorter than the piece is left out of it.
                cut.extend(frames.iter().filter_map(|f| f.get(range.start * size..range.end * size)));
                self.add(&cut, range, before == 0);
            }
        }
        self.lengths.merge(&mut new);
    }

    /// Takes in the pixels `strip` of some events, in the order of pixels; the last strip counts the events.
    pub(super) fn map_strip(&mut self, frames: &[&[u8]], strip: Range<usize>) {
        let (size, is_first) = (self.size, self.lengths.events() == 0);
        for start in strip.clone().step_by(PIXELS) {
            let end = strip.end.min(start + PIXELS);
            let bytes = (start - strip.start) * size..(end - strip.start) * size;
            let cut: Vec<&[u8]> = frames.iter().filter_map(|frame| frame.get(bytes.clone())).collect();
            self.add(&cut, start..end, is_first);
        }
        // The last strip ends the events, so that each event counts once.
        if strip.end == self.pixels {
            frames.iter().for_each(|_| self.lengths.add(strip.end));
        }
    }

    /// Takes in the pixels `range` of some events, cut out of their frames; `is_first`: there were no events before.
    fn add(&mut self, cut: &[&[u8]], range: Range<usize>, is_first: bool) {
        for (number, frames) in cut.chunks(STREAMS).enumerate() {
            // Only the first group finds sums without a beginning.
            let is_first = is_first && number == 0;
            self.sums.iter_mut().for_each(|sums| sums.add(frames, range.clone(), is_first));
        }
        if let Some(extremes) = &mut self.extremes {
            extremes.add(cut, range);
        }
    }

    /// Saves the sums of the events, and nothing of pixels that no event has: these may be anything.
    pub(super) fn save(&self, out: &mut Saver) {
        self.lengths.save(out);
        let pixels = self.lengths.longest();
        self.sums.iter().for_each(|sums| sums.save(pixels, out));
        self.extremes.iter().for_each(|extremes| extremes.save(pixels, out));
    }

    /// Loads the saved bytes of the panel at `position`, into the partial result of no event.
    pub(super) fn load(
        &mut self,
        panel: &Panel,
        position: usize,
        from: &mut Loader<'_>,
    ) -> Result<(), ReduceError> {
        // The length of a waveform is bounded below, by the account.
        let most = if panel.has_any_length() { usize::MAX } else { panel.pixels() };
        self.lengths = Lengths::load(from, most)?;
        let pixels = self.lengths.longest();
        if pixels > from.longest(position) {
            return Err(format!("wanted up to {} pixels, found {pixels}", from.longest(position)).into());
        }
        // A panel of fixed shape has all its pixels in every event.
        let is_whole = panel.has_any_length() || pixels == panel.pixels() || self.lengths.events() == 0;
        if !is_whole {
            return Err(format!("wanted {} pixels, found {pixels}", panel.pixels()).into());
        }
        // Memory is taken only after the check that the file has this many numbers.
        from.has_numbers(pixels)?;
        self.grow(pixels);
        let events = self.lengths.events();
        self.sums.as_mut().map_or(Ok(()), |sums| sums.load(pixels, events, from))?;
        self.extremes.as_mut().map_or(Ok(()), |extremes| extremes.load(pixels, from))
    }

    /// Whether it has as many pixels as a panel of the results.
    pub(super) fn reaches(&self, panel: &Panel) -> bool {
        panel.pixels() <= self.pixels
    }

    fn grow(&mut self, pixels: usize) {
        self.pixels = self.pixels.max(pixels);
        self.sums.iter_mut().for_each(|sums| sums.grow(pixels));
        self.extremes.iter_mut().for_each(|extremes| extremes.grow(pixels));
    }

    pub(super) fn merge(&mut self, next: &mut PanelPartial) {
        // The lengths of the later events decide, because the sums must reach as far.
        self.grow(next.lengths.longest());
        let pieces = self.lengths.pieces_with(&next.lengths);
        if let (Some(sums), Some(next)) = (&mut self.sums, &next.sums) {
            sums.merge(&pieces, next);
        }
        if let (Some(extremes), Some(next)) = (&mut self.extremes, &mut next.extremes) {
            extremes.merge(next);
        }
        self.lengths.merge(&mut next.lengths);
    }
}

/// All that is known of a panel, cut into pieces that the same events have.
pub(super) struct Finished<'a> {
    partial: &'a PanelPartial,
    pixels: usize,
    pieces: Vec<Counted>,
}

impl Finished<'_> {
    pub(super) fn new<'a>((panel, partial): (&Panel, &'a PanelPartial)) -> Finished<'a> {
        Finished { partial, pixels: panel.pixels(), pieces: partial.lengths.pieces(panel.pixels()) }
    }

    pub(super) fn means(&self, out: &mut Vec<f64>) {
        self.partial.sums.iter().for_each(|sums| sums.means(&self.pieces, out));
    }

    pub(super) fn deviations(&self, out: &mut Vec<f64>) {
        self.partial.sums.iter().for_each(|sums| sums.deviations(&self.pieces, out));
    }

    pub(super) fn integer_sums(&self, out: &mut Vec<i64>) {
        self.partial.sums.iter().for_each(|sums| sums.integers(&self.pieces, out));
    }

    pub(super) fn sums(&self, out: &mut Vec<f64>) {
        self.partial.sums.iter().for_each(|sums| sums.numbers(&self.pieces, out));
    }

    pub(super) fn extremes<T: Pixel>(&self, is_highest: bool, out: &mut Vec<T>) {
        self.partial.extremes.iter().for_each(|extremes| extremes.append(is_highest, self.pixels, out));
    }

    pub(super) fn counts(&self, out: &mut Vec<u64>) {
        self.pieces.iter().for_each(|(piece, events)| out.extend(std::iter::repeat_n(*events, piece.len())));
    }

    /// How many values there are in all events.
    pub(super) fn values(&self) -> u64 {
        self.pieces.iter().map(|(piece, events)| piece.len() as u64 * events).sum()
    }

    pub(super) fn moments(&self) -> Moments {
        self.partial.sums.as_ref().map_or_else(Moments::default, |sums| sums.moments(&self.pieces))
    }

    /// Lowest and highest values, if they were wanted, and their number of pixels.
    pub(super) fn all_extremes(&self) -> Option<(&Extremes, usize)> {
        self.partial.extremes.as_ref().map(|extremes| (extremes, self.pixels))
    }
}
