//! The histogram: bin numbers by vector arithmetic, then counting in interleaved tables.

use super::aligned::{Aligned, Block};
use super::compare::Compare;
use super::results::Histogram;
use super::slots::{OTHERS, Slots};
use super::wanted::{HistogramRange, Quirks};

/// Tables that take turns, so that equal neighbours do not wait for each other's count.
const TABLES: usize = 8;
/// Slots up to which [`TABLES`] tables fit a near cache; with more there is one table.
const NEAR: usize = 1 << 14;
/// Pixels whose slots are found before they are counted.
const GROUP: usize = 128;
/// Pixels after which a table may be full.
const PIECE: usize = 1 << 16;
/// Values of a byte.
const BYTES: usize = 256;

/// The counts of the latest call and the memory they are made in.
#[derive(Debug, Default)]
pub(super) struct Bins {
    plan: Option<Slots>,
    /// For bytes: [`TABLES`] tables of one count per value. Else one table, or [`TABLES`] of them
    /// interleaved, of one count per slot.
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

    pub(super) fn start<T: Compare>(&mut self, range: Option<HistogramRange>) {
        self.plan = range.map(|range| Slots::new(range.limited()));
        let slots = self.plan.map_or(0, |plan| plan.range.bins + OTHERS);
        let len = if slots == 0 { 0 } else { table_len::<T>(slots) };
        self.tables.zeros(len);
        self.held = 0;
        zeros(&mut self.counts, slots);
        self.axis.clear();
    }

    #[inline(always)]
    pub(super) fn add_row<T: Compare>(&mut self, row: &[T]) {
        let Some(plan) = self.plan else { return };
        for piece in row.chunks(PIECE) {
            // A single count may be as large as `held`.
            if u32::MAX - self.held < PIECE as u32 {
                self.fold::<T>();
            }
            self.held += piece.len() as u32;
            match self.counts.len() {
                _ if size_of::<T>() == 1 => count_bytes(piece, &mut self.tables),
                // SAFETY: the tables are as many since `start`.
                ..=NEAR => unsafe { count::<T, TABLES>(plan, piece, &mut self.tables) },
                // SAFETY: as above.
                _ => unsafe { count::<T, 1>(plan, piece, &mut self.tables) },
            }
        }
    }

    /// Moves the tables to the counts.
    fn fold<T: Compare>(&mut self) {
        let Some(plan) = self.plan else { return };
        self.held = 0;
        if size_of::<T>() == 1 {
            for (i, held) in self.tables.iter_mut().enumerate() {
                let mut slot = [0];
                plan.of(&[T::from_low_byte(i as u8)], &mut slot, 1);
                self.counts[slot[0] as usize] += u64::from(std::mem::take(held));
            }
            return;
        }
        let tables = self.tables.len() / self.counts.len();
        for (count, held) in self.counts.iter_mut().zip(self.tables.chunks_mut(tables)) {
            *count += held.iter_mut().map(|held| u64::from(std::mem::take(held))).sum::<u64>();
        }
    }

    pub(super) fn finish<T: Compare>(&mut self, pixels: usize, quirks: Quirks) -> Option<Histogram> {
        let range = self.plan?.range;
        self.fold::<T>();
        self.axis.extend(axis(range, quirks));
        let entropy = entropy(self.counts(), pixels);
        let [below, above, nan] = [0, 1, 2].map(|other| self.counts[range.bins + other]);
        Some(Histogram { below, above, nan, entropy })
    }
}

/// Counts in all tables together.
fn table_len<T: Compare>(slots: usize) -> usize {
    match slots {
        _ if size_of::<T>() == 1 => TABLES * BYTES,
        ..=NEAR => TABLES * slots,
        _ => slots,
    }
}

/// Counts pixels of more than a byte in `N` interleaved tables.
///
/// # Safety
/// `tables` must hold `N` counts for each slot of `plan`.
#[inline(always)]
unsafe fn count<T: Compare, const N: usize>(plan: Slots, piece: &[T], tables: &mut [u32]) {
    let mut slots = Block([0; GROUP]);
    let (groups, tail) = piece.as_chunks::<GROUP>();
    for group in groups {
        plan.of(group, &mut slots.0, N as u32);
        // SAFETY: the caller's promise, and slots are below `bins + OTHERS`.
        unsafe { count_slots::<N>(&slots.0, tables) };
    }
    plan.of(tail, &mut slots.0, N as u32);
    // SAFETY: as above.
    unsafe { count_slots::<N>(&slots.0[..tail.len()], tables) };
}

/// Counts `slots`, which come multiplied by `N`.
///
/// # Safety
/// `tables` must hold `N` counts for each slot.
#[inline(always)]
unsafe fn count_slots<const N: usize>(slots: &[u32], tables: &mut [u32]) {
    let (groups, tail) = slots.as_chunks::<TABLES>();
    for group in groups {
        for (lane, &slot) in group.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { *tables.get_unchecked_mut(slot as usize + lane % N) += 1 };
        }
    }
    for &slot in tail {
        tables[slot as usize] += 1;
    }
}

/// Counts bytes in tables of 256.
#[inline(always)]
fn count_bytes<T: Compare>(piece: &[T], tables: &mut [u32]) {
    let (tables, _) = tables.as_chunks_mut::<BYTES>();
    let Some(tables) = tables.first_chunk_mut::<TABLES>() else { return };
    let (groups, tail) = piece.as_chunks::<TABLES>();
    for group in groups {
        for lane in 0..TABLES {
            tables[lane][usize::from(group[lane].low_byte())] += 1;
        }
    }
    for v in tail {
        tables[0][usize::from(v.low_byte())] += 1;
    }
}

fn axis(range: HistogramRange, quirks: Quirks) -> impl Iterator<Item = f64> {
    let parts = if quirks.axis_of_edges { range.bins } else { (range.bins - 1).max(1) };
    let step = (range.max - range.min) / parts as f64;
    (0..range.bins).map(move |i| range.min + i as f64 * step)
}

fn entropy(counts: &[u64], pixels: usize) -> f64 {
    // An empty bin adds nothing, because c·ln c goes to 0.
    let terms = counts.iter().filter(|&&c| c > 0).map(|&c| c as f64 * (c as f64).ln());
    if pixels == 0 { 0.0 } else { -terms.sum::<f64>() / pixels as f64 }
}

/// Makes `buffer` `len` zeros, within its capacity if that suffices.
fn zeros<T: Copy + Default>(buffer: &mut Vec<T>, len: usize) {
    buffer.clear();
    buffer.resize(len, T::default());
}
