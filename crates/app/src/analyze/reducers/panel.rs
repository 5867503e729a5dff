//! What is known of the pixels of one panel.

use livetime_kernels::Pixel;

use super::extremes::Extremes;
use super::lengths::{Counted, Lengths};
use super::moments::Moments;
use super::sums::Sums;
use crate::analyze::Panel;

/// Pixels that are taken at once: those of all events of a block stay in a near cache for the next kernel.
const PIXELS: usize = 16 << 10;

/// What some events hold of a panel.
pub struct PanelPartial {
    /// Bytes of a pixel.
    size: usize,
    /// Events by the number of pixels that they have.
    lengths: Lengths,
    sums: Option<Sums>,
    extremes: Option<Extremes>,
}

impl PanelPartial {
    pub(super) fn new(panel: &Panel, wants_sums: bool, wants_extremes: bool) -> PanelPartial {
        let (dtype, pixels) = (panel.dtype, panel.pixels());
        PanelPartial {
            size: dtype.bytes(),
            lengths: Lengths::default(),
            sums: wants_sums.then(|| Sums::new(dtype, pixels)),
            extremes: wants_extremes.then(|| Extremes::new(dtype, pixels)),
        }
    }

    pub(super) fn map(&mut self, frames: &[&[u8]]) {
        let size = self.size;
        let mut new = Lengths::default();
        frames.iter().for_each(|frame| new.add(frame.len() / size));
        self.grow(new.longest());
        let mut cut = Vec::with_capacity(frames.len());
        for (piece, [before, more]) in self.lengths.pieces_with(&new) {
            if more == 0 {
                continue;
            }
            for start in piece.clone().step_by(PIXELS) {
                let range = start..piece.end.min(start + PIXELS);
                cut.clear();
                cut.extend(frames.iter().filter_map(|f| f.get(range.start * size..range.end * size)));
                if let Some(sums) = &mut self.sums {
                    sums.add(&cut, range.clone(), before == 0);
                }
                if let Some(extremes) = &mut self.extremes {
                    extremes.add(&cut, range);
                }
            }
        }
        self.lengths.merge(&mut new);
    }

    fn grow(&mut self, pixels: usize) {
        self.sums.iter_mut().for_each(|sums| sums.grow(pixels));
        self.extremes.iter_mut().for_each(|extremes| extremes.grow(pixels));
    }

    pub(super) fn merge(&mut self, next: &mut PanelPartial) {
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

    /// Lowest and highest values, if they were wanted, of so many pixels.
    pub(super) fn all_extremes(&self) -> Option<(&Extremes, usize)> {
        self.partial.extremes.as_ref().map(|extremes| (extremes, self.pixels))
    }
}
