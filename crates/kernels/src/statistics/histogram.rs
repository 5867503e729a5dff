//! The histogram: bin numbers by vector arithmetic, then counting in interleaved tables.

use super::aligned::{Aligned, Block};
use super::results::Histogram;
use super::scratch::zeros;
use super::slots::{GROUP, Slots};
use super::wanted::{HistogramRange, Quirks};
use crate::Pixel;

/// Tables that take turns, so that equal neighbours do not wait for each other's count.
const TABLES: usize = 4;
/// Pixels after which a table may be full.
const PIECE: usize = 1 << 16;
/// Values of a byte.
const BYTES: usize = 256;

/// The counts of the latest call and the memory they are made in.
#[derive(Debug, Default)]
pub(super) struct Bins {
    plan: Option<Slots>,
    nan: u64,
    /// [`TABLES`] tables of one count per bin, then the count below and the count above the range
    /// (NaN counts as above, and is taken out at the end). For bytes: of one count per value.
    tables: Aligned<u32>,
    /// Pixels in `tables`.
    held: u32,
    /// The same, summed over the tables.
    counts: Vec<u64>,
    axis: Vec<f64>,
}

impl Bins {
    pub(super) fn counts(&self) -> &[u64] {
        let bins = self.plan.map_or(0, |plan| plan.range.bins);
        self.counts.get(..bins).unwrap_or_default()
    }

    pub(super) fn axis(&self) -> &[f64] {
        &self.axis
    }

    pub(super) fn start<T: Pixel>(&mut self, range: Option<HistogramRange>) {
        self.plan = range.map(|range| Slots::new(range.limited()));
        let slots = self.plan.map_or(0, |plan| plan.range.bins + 2);
        (self.nan, self.held) = (0, 0);
        let table_len = if slots > 0 && size_of::<T>() == 1 { BYTES } else { slots };
        self.tables.zeros(TABLES * table_len);
        zeros(&mut self.counts, slots);
        self.axis.clear();
    }

    #[inline(always)]
    pub(super) fn add_row<T: Pixel>(&mut self, row: &[T]) {
        let Some(plan) = self.plan else { return };
        for piece in row.chunks(PIECE) {
            if u32::MAX - self.held < PIECE as u32 {
                self.fold::<T>();
            }
            self.held += piece.len() as u32;
            if size_of::<T>() == 1 {
                count_bytes(piece, &mut self.tables);
                continue;
            }
            if T::FLOAT {
                self.nan += piece.iter().map(|v| u32::from(v.partial_cmp(v).is_none())).sum::<u32>() as u64;
            }
            let (groups, tail) = piece.as_chunks::<GROUP>();
            let mut slots = Block([0; GROUP]);
            for group in groups {
                plan.of_group(group, &mut slots.0);
                // SAFETY: slots are below `bins + 2`, the length of a table since `start`.
                unsafe { count(&slots.0, &mut self.tables) };
            }
            plan.of(tail, &mut slots.0);
            // SAFETY: as above.
            unsafe { count(&slots.0[..tail.len()], &mut self.tables) };
        }
    }

    /// Moves the tables to the counts.
    fn fold<T: Pixel>(&mut self) {
        let Some(plan) = self.plan else { return };
        let table_len = self.tables.len() / TABLES;
        for table in self.tables.chunks_mut(table_len) {
            for (slot, held) in table.iter_mut().enumerate() {
                let mut slot = [slot as u32];
                if size_of::<T>() == 1 {
                    plan.of(&[T::from_low_byte(slot[0] as u8)], &mut slot);
                }
                self.counts[slot[0] as usize] += u64::from(std::mem::take(held));
            }
        }
        self.held = 0;
    }

    pub(super) fn finish<T: Pixel>(&mut self, pixels: usize, quirks: Quirks) -> Option<Histogram> {
        let range = self.plan?.range;
        self.fold::<T>();
        self.axis.extend(axis(range, quirks));
        let entropy = entropy(self.counts(), pixels);
        let (below, above) = (self.counts[range.bins], self.counts[range.bins + 1]);
        Some(Histogram { below, above: above - self.nan, nan: self.nan, entropy })
    }
}

/// The tables one by one.
#[inline(always)]
fn split(tables: &mut [u32]) -> [&mut [u32]; TABLES] {
    let len = tables.len() / TABLES;
    let (first, rest) = tables.split_at_mut(len);
    let (second, rest) = rest.split_at_mut(len);
    let (third, fourth) = rest.split_at_mut(len);
    [first, second, third, fourth]
}

/// Counts `slots`.
///
/// # Safety
/// Every slot must be below `tables.len() / TABLES`.
#[inline(always)]
unsafe fn count(slots: &[u32], tables: &mut [u32]) {
    let tables = split(tables);
    let (groups, tail) = slots.as_chunks::<TABLES>();
    for group in groups {
        for lane in 0..TABLES {
            // SAFETY: the caller's promise.
            unsafe { *tables[lane].get_unchecked_mut(group[lane] as usize) += 1 };
        }
    }
    for &slot in tail {
        tables[0][slot as usize] += 1;
    }
}

/// Counts bytes in tables of 256.
#[inline(always)]
fn count_bytes<T: Pixel>(piece: &[T], tables: &mut [u32]) {
    let [first, second, third, fourth] = split(tables).map(|table| table.first_chunk_mut::<BYTES>());
    let (Some(first), Some(second), Some(third), Some(fourth)) = (first, second, third, fourth) else {
        return;
    };
    let (groups, tail) = piece.as_chunks::<TABLES>();
    for group in groups {
        let [a, b, c, d] = group.map(|v| usize::from(v.low_byte()));
        first[a] += 1;
        second[b] += 1;
        third[c] += 1;
        fourth[d] += 1;
    }
    for v in tail {
        first[usize::from(v.low_byte())] += 1;
    }
}

fn axis(range: HistogramRange, quirks: Quirks) -> impl Iterator<Item = f64> {
    let parts = if quirks.axis_of_edges { range.bins } else { (range.bins - 1).max(1) };
    let step = (range.max - range.min) / parts as f64;
    (0..range.bins).map(move |i| range.min + i as f64 * step)
}

fn entropy(counts: &[u64], pixels: usize) -> f64 {
    let terms = counts.iter().filter(|&&c| c > 0).map(|&c| c as f64 * (c as f64).ln());
    if pixels == 0 { 0.0 } else { -terms.sum::<f64>() / pixels as f64 }
}
