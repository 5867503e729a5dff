//! Sums, extremes and counts of pixels.

use std::ops::Range;

use super::pixels;
use crate::Level;
use crate::bits::{self, Bits};

/// The result of one pass over the pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Sum of all pixels modulo 2^32.
    pub sum: u32,
    /// The largest pixel, 0 if there is none.
    pub highest: u16,
    /// How many pixels have the high bytes `block - 1`, `block`, `block + 1`, `block + 2` (modulo 256).
    pub counts: [usize; 4],
}

/// Sums the pixels, finds the largest, and counts four neighbouring high bytes.
///
/// ```
/// use livetime_kernels::{Level, hist};
/// let found = hist::survey(Level::best(), &[0, 1, 5, 2], 1);
/// assert_eq!(found.sum, 256 + 517);
/// assert_eq!(found.counts, [0, 1, 1, 0]);
/// ```
pub fn survey(level: Level, bytes: &[u8], block: u8) -> Survey {
    survey_level(level, pixels(bytes), block)
}

/// The sum of the pixels modulo 2^32.
pub fn sum(level: Level, bytes: &[u8]) -> u32 {
    sum_level(level, pixels(bytes))
}

per_level! {
    fn survey_level(pixels: &[[u8; 2]], block: u8) -> Survey = body::<true>;
}

per_level! {
    fn sum_level(pixels: &[[u8; 2]]) -> u32 = sum_body;
}

#[inline(always)]
fn sum_body(pixels: &[[u8; 2]]) -> u32 {
    body::<false>(pixels, 0).sum
}

/// Pixels side by side: 16 bits each, they fill a register of AVX-512.
const LANES: usize = 32;
/// Rows of lanes after which 16-bit sums of bytes are emptied: 255·256 < 2¹⁶.
const MOST: usize = 256;

#[inline(always)]
fn body<const COUNT: bool>(pixels: &[[u8; 2]], block: u8) -> Survey {
    let blocks: [u16; 4] = std::array::from_fn(|i| u16::from(block.wrapping_add(i as u8).wrapping_sub(1)));
    let mut found = Survey::default();
    for chunk in pixels.chunks(LANES * MOST) {
        let (rows, rest) = chunk.as_chunks::<LANES>();
        let mut lanes = Lanes::default();
        for row in rows {
            lanes.add::<COUNT>(row, blocks);
        }
        if !rest.is_empty() {
            // Zeros add nothing but to the counts of block 0.
            let mut row = [[0; 2]; LANES];
            row[..rest.len()].copy_from_slice(rest);
            lanes.add::<COUNT>(&row, blocks);
            for (count, _) in lanes.counts.iter_mut().zip(blocks).filter(|(_, block)| *block == 0) {
                count[LANES - 1] = count[LANES - 1].wrapping_sub((LANES - rest.len()) as u16);
            }
        }
        lanes.empty_into(&mut found);
    }
    found
}

/// Accounts of 16 bits side by side.
struct Lanes {
    low: [u16; LANES],
    high: [u16; LANES],
    highest: [u16; LANES],
    counts: [[u16; LANES]; 4],
}

impl Default for Lanes {
    #[inline(always)]
    fn default() -> Lanes {
        Lanes { low: [0; LANES], high: [0; LANES], highest: [0; LANES], counts: [[0; LANES]; 4] }
    }
}

impl Lanes {
    #[inline(always)]
    fn add<const COUNT: bool>(&mut self, row: &[[u8; 2]; LANES], blocks: [u16; 4]) {
        for i in 0..LANES {
            let v = u16::from_le_bytes(row[i]);
            self.low[i] = self.low[i].wrapping_add(v & 0xff);
            self.high[i] = self.high[i].wrapping_add(v >> 8);
            if COUNT {
                self.highest[i] = self.highest[i].max(v);
                for (count, block) in self.counts.iter_mut().zip(blocks) {
                    count[i] = count[i].wrapping_add(u16::from(v >> 8 == block));
                }
            }
        }
    }

    #[inline(always)]
    fn empty_into(&self, found: &mut Survey) {
        let fold = |lanes: &[u16; LANES]| lanes.iter().map(|v| u32::from(*v)).sum::<u32>();
        let sum = fold(&self.low).wrapping_add(fold(&self.high) << 8);
        found.sum = found.sum.wrapping_add(sum);
        found.highest = self.highest.iter().fold(found.highest, |a, b| a.max(*b));
        for (total, counts) in found.counts.iter_mut().zip(&self.counts) {
            // A lane may have been taken below 0, the sum of the lanes cannot.
            *total += counts.iter().map(|v| *v as i16 as isize).sum::<isize>() as usize;
        }
    }
}

/// Counts the high bytes of all pixels.
pub fn count_high_bytes(bytes: &[u8]) -> [usize; 256] {
    let mut counts = [0; 256];
    for pixel in pixels(bytes) {
        counts[usize::from(pixel[1])] += 1;
    }
    counts
}

/// Values that [`count_values`] counts.
const VALUES: usize = 512;
/// The number of counters of each value, so that equal neighbours do not wait for each other. The counters of
/// one value are adjacent: in tables 4 KiB apart, loads would wait for stores to other addresses with the
/// same low bits.
const COUNTERS: usize = 8;

/// Counts the pixels of each value `start .. start + 512`.
///
/// ```
/// use livetime_kernels::{Level, hist};
/// let mut counts = [0; 512];
/// hist::count_values(Level::best(), &[7, 1, 8, 1, 7, 1, 0, 0], 256, &mut counts);
/// assert_eq!((counts[7], counts[8], counts.iter().sum::<u32>()), (2, 1, 3));
/// ```
pub fn count_values(level: Level, bytes: &[u8], start: u16, counts: &mut [u32; VALUES]) {
    count_level(level, pixels(bytes), start, counts);
}

/// As [`count_values`], but for values `start + core.start .. start + core.end`, which are not counted: quick if nearly all pixels
/// have these.
///
/// ```
/// use livetime_kernels::{Level, hist};
/// let mut counts = [0; 512];
/// hist::count_edges(Level::best(), &[7, 1, 8, 1, 7, 1, 9, 1], 256, 8..9, &mut counts);
/// assert_eq!((counts[7], counts[8], counts[9]), (2, 0, 1));
/// ```
pub fn count_edges(level: Level, bytes: &[u8], start: u16, core: Range<u16>, counts: &mut [u32; VALUES]) {
    *counts = [0; VALUES];
    edges_level(level, pixels(bytes), start, core, counts);
}

per_level! {
    fn edges_level(pixels: &[[u8; 2]], start: u16, core: Range<u16>, counts: &mut [u32; VALUES])
        = edges_body::<bits::Portable> | edges_body::<bits::Avx2> | edges_body::<bits::Avx512>;
}

#[inline(always)]
fn edges_body<B: Bits>(pixels: &[[u8; 2]], start: u16, core: Range<u16>, counts: &mut [u32; VALUES]) {
    const MOST: u16 = VALUES as u16 - 1;
    // It wraps round for an empty core, for which the test below asks.
    let widest = core.end.saturating_sub(core.start).wrapping_sub(1);
    let place = |pixel: &[u8; 2]| u16::from_le_bytes(*pixel).wrapping_sub(start);
    // Smaller or equal, as there is an instruction for that.
    // Without `&&`, so that there is no branch.
    let is_edge =
        |place: u16| (place <= MOST) & !((place.wrapping_sub(core.start) <= widest) & !core.is_empty());
    let (words, rest) = pixels.as_chunks::<64>();
    for word in words {
        let mut flags = [0; 64];
        for (flag, pixel) in flags.iter_mut().zip(word) {
            *flag = if is_edge(place(pixel)) { 0xff } else { 0 };
        }
        let mut edges = B::highest(&flags);
        while edges != 0 {
            let at = edges.trailing_zeros() as usize;
            edges &= edges - 1;
            // The remainder changes nothing, and shows the compiler that the index is in bounds.
            counts[usize::from(place(&word[at])) % VALUES] += 1;
        }
    }
    for place in rest.iter().map(place).filter(|place| is_edge(*place)) {
        counts[usize::from(place)] += 1;
    }
}

per_level! {
    fn count_level(pixels: &[[u8; 2]], start: u16, counts: &mut [u32; VALUES]) = count_body;
}

#[inline(always)]
fn count_body(pixels: &[[u8; 2]], start: u16, counts: &mut [u32; VALUES]) {
    // Twice as long as needed, so that a masked index needs no check.
    let mut table = [[0u32; COUNTERS]; 2 * VALUES];
    let (rows, rest) = pixels.as_chunks::<LANES>();
    for row in rows {
        let mut places = [0u16; LANES];
        for (place, pixel) in places.iter_mut().zip(row) {
            // Other values are counted behind the last one, and left out at the end.
            *place = u16::from_le_bytes(*pixel).wrapping_sub(start).min(VALUES as u16);
        }
        // From memory: loads are quicker than taking each out of a vector, which the compiler would prefer.
        let places = std::hint::black_box(&places);
        for places in places.as_chunks::<COUNTERS>().0 {
            for (counter, place) in places.iter().enumerate() {
                table[usize::from(*place) % (2 * VALUES)][counter] += 1;
            }
        }
    }
    for pixel in rest {
        let place = u16::from_le_bytes(*pixel).wrapping_sub(start).min(VALUES as u16);
        table[usize::from(place)][0] += 1;
    }
    for (count, counters) in counts.iter_mut().zip(&table) {
        *count = counters.iter().sum();
    }
}
