//! Where the window lies.

use std::ops::Range;

use livetime_kernels::{Level, hist};

/// The distribution of a frame's pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Sum of the pixels modulo 2^32.
    pub(crate) sum: u32,
    /// The largest pixel.
    pub(crate) highest: u16,
    /// First of the two neighbouring blocks (of 256 values, or of one for bytes) that hold most pixels, the last such pair;
    /// `None` if they hold less than half.
    pub(crate) pair: Option<usize>,
    /// The pixels in it, or in the best pair.
    pub(crate) inside: usize,
}

/// Finds the pair of blocks of little-endian `u16`.
///
/// The kernel counts four blocks around the pair that a sample suggests. If that pair holds more than half of the pixels,
/// no pair apart from it can hold as many, and its two neighbours are counted: where one of them is better, it is the next to be looked
/// at. (Where nearly all pixels lie in one block, a sample cannot tell its two pairs apart.) Else all blocks are counted.
pub(crate) fn find_pair(level: Level, bytes: &[u8]) -> Found {
    let pixels = bytes.len() / 2;
    let mut guess = last_best_pair(&sample(bytes)).0;
    // Each pair is at least as good as the one before, so this ends.
    loop {
        let survey = hist::survey(level, bytes, guess as u8);
        let found = |pair, count| Found {
            sum: survey.sum,
            highest: survey.highest,
            pair: (count >= pixels / 2).then_some(pair),
            inside: count,
        };
        let [before, first, second, behind] = survey.counts;
        let count = first + second;
        if 2 * count <= pixels {
            let (pair, count) = last_best_pair(&hist::count_high_bytes(bytes));
            return found(pair, count);
        } else if guess > 0 && before + first > count {
            guess -= 1;
        } else if guess < LAST_PAIR && second + behind >= count {
            guess += 1;
        } else {
            return found(guess, count);
        }
    }
}

/// Finds the pair of neighbouring values of bytes, and counts all values.
pub(crate) fn find_pair_of_bytes(bytes: &[u8]) -> (Found, [usize; 256]) {
    let mut counts = [0; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let (pair, count) = last_best_pair(&counts);
    let sum = bytes.iter().fold(0u32, |sum, byte| sum.wrapping_add(u32::from(*byte)));
    let highest = bytes.iter().copied().max().unwrap_or(0).into();
    let pair = (count >= bytes.len() / 2).then_some(pair);
    (Found { sum, highest, pair, inside: count }, counts)
}

const LAST_PAIR: usize = 254;

/// Counts the high bytes of some 500 pixels.
fn sample(bytes: &[u8]) -> [usize; 256] {
    let pixels = bytes.as_chunks::<2>().0;
    let mut counts = [0; 256];
    for pixel in pixels.iter().step_by((pixels.len() / 500).max(1)) {
        counts[usize::from(pixel[1])] += 1;
    }
    counts
}

/// The last pair with the most pixels, and those.
fn last_best_pair(counts: &[usize; 256]) -> (usize, usize) {
    let pairs = counts.windows(2).map(|pair| pair[0] + pair[1]).enumerate();
    pairs.fold((0, 0), |best, (i, count)| if count >= best.1 { (i, count) } else { best })
}

/// A window and the pixels in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Its first value, counted from the first of `counts`.
    pub(crate) base: usize,
    pub(crate) pixels: usize,
}

/// The first window of `width` values that holds most pixels.
pub(crate) fn find_window(counts: &[u32], width: usize) -> Window {
    let count = |c: &u32| *c as usize;
    let mut now = counts[..width].iter().map(count).sum::<usize>();
    let mut best = Window { base: 0, pixels: now };
    for (base, (enter, leave)) in counts[width..].iter().zip(counts).enumerate() {
        now = now + count(enter) - count(leave);
        if now > best.pixels {
            best = Window { base: base + 1, pixels: now };
        }
    }
    best
}

/// The window of 256 values in the pair of blocks from `start` on, which hold `inside` pixels, that [`find_window`] would find among the
/// counts of all values.
///
/// Nearly all pixels lie close together, in the core, and the few others decide between windows that hold the whole
/// core: only these are counted. A window that lacks part of the core also lacks all pixels on that side of the core,
/// and can gain at most all pixels on the other side; where this bound does not exclude it, all values are counted.
pub(crate) fn find_wide_window(level: Level, bytes: &[u8], start: u16, inside: usize) -> Window {
    let mut counts = [0; 2 * WIDE];
    // Without vector instructions the core is no quicker.
    let core = find_core(bytes, start).filter(|_| level != Level::PORTABLE);
    if let Some(core) = core {
        hist::count_edges(level, bytes, start, core.start as u16..core.end as u16, &mut counts);
        if let Some(window) = window_around(&core, &counts, inside) {
            return window;
        }
    }
    hist::count_values(level, bytes, start, &mut counts);
    find_window(&counts, WIDE)
}

/// Values in a wide window.
const WIDE: usize = 256;

/// The values between which all but about 3 % of the pixels in the pair lie, by a sample; `None` if no window holds them.
fn find_core(bytes: &[u8], start: u16) -> Option<Range<usize>> {
    const SAMPLES: usize = 2048;
    const BEYOND: usize = 64;
    let pixels = bytes.as_chunks::<2>().0;
    let (mut counts, mut all) = ([0; 2 * WIDE], 0);
    for pixel in pixels.iter().step_by((pixels.len() / SAMPLES).max(1)) {
        if let Some(count) = counts.get_mut(usize::from(u16::from_le_bytes(*pixel).wrapping_sub(start))) {
            *count += 1;
            all += 1;
        }
    }
    let below = counts.iter().scan(0, |seen, count| Some(*seen + count).inspect(|sum| *seen = *sum));
    let first = below.clone().position(|seen| seen * BEYOND > all)?;
    let end = below.clone().position(|seen| seen * BEYOND + all >= all * BEYOND)? + 1;
    let core = first..end;
    (core.len() <= WIDE).then_some(core)
}

/// The best window if it is certain that it holds the core, whose counts are zeros.
fn window_around(core: &Range<usize>, edges: &[u32; 2 * WIDE], inside: usize) -> Option<Window> {
    let sum = |range: Range<usize>| edges[range].iter().map(|count| *count as usize).sum::<usize>();
    let core_pixels = inside.checked_sub(sum(0..2 * WIDE))?;
    let (first, last) = (core.end.saturating_sub(WIDE), core.start.min(WIDE));
    let around = find_window(&edges[first..last + WIDE], WIDE);
    let best = Window { base: first + around.base, pixels: core_pixels + around.pixels };
    let of = |base: usize| core_pixels + sum(base..base + WIDE);
    // Among equal windows the first is taken: one before must have fewer pixels, one behind may have as many.
    let none_before = first == 0 || of(first) + sum(0..first) < best.pixels;
    let none_behind = last == WIDE || of(last) + sum(last + WIDE..2 * WIDE) <= best.pixels;
    (none_before && none_behind).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(pixels: &[u16]) -> Option<usize> {
        let mut counts = [0; 256];
        pixels.iter().for_each(|v| counts[usize::from(*v >> 8)] += 1);
        let (pair, count) = last_best_pair(&counts);
        (count >= pixels.len() / 2).then_some(pair)
    }

    proptest! {
        #[test]
        fn the_short_way_finds_what_the_long_way_finds(
            blocks in prop::collection::vec((0u16..6, 0u16..256), 1..2000),
            first in prop::sample::select(vec![0u16, 3, 250]),
        ) {
            let pixels: Vec<u16> = blocks.iter().map(|(block, low)| (first + block) << 8 | low).collect();
            let bytes: Vec<u8> = pixels.iter().flat_map(|v| v.to_le_bytes()).collect();
            for level in Level::available() {
                prop_assert_eq!(find_pair(level, &bytes).pair, plain(&pixels));
            }
        }
    }

    proptest! {
        #[test]
        fn a_wide_window_is_the_one_that_all_counts_tell(
            core in (100u16..400, 1u16..60), others in prop::collection::vec(0u16..512, 0..400), many in 0usize..20_000,
        ) {
            let close = (0..many).map(|i| core.0 + (i * i % 7919 % usize::from(core.1)) as u16);
            let values: Vec<u16> = close.chain(others).collect();
            let bytes: Vec<u8> = values.iter().flat_map(|v| (v + 1024).to_le_bytes()).collect();
            let mut counts = [0; 512];
            values.iter().for_each(|v| counts[usize::from(*v)] += 1);
            for level in Level::available() {
                let found = find_wide_window(level, &bytes, 1024, values.len());
                prop_assert_eq!(found, find_window(&counts, 256));
            }
        }
    }

    #[test]
    fn of_equal_windows_the_first_is_taken() {
        let mut counts = [0; 512];
        (counts[10], counts[300]) = (5, 5);
        assert_eq!(find_window(&counts, 256), Window { base: 0, pixels: 5 });
        counts[301] = 1;
        assert_eq!(find_window(&counts, 256), Window { base: 46, pixels: 6 });
    }
}
