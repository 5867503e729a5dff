//! Where the window lies.

use livetime_kernels::{Level, hist};

/// What a frame looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Sum of the pixels modulo 2^32.
    pub(crate) sum: u32,
    /// The largest pixel.
    pub(crate) highest: u16,
    /// First of the two neighbouring blocks (of 256 values, or of one for bytes) that hold most pixels, the last such pair;
    /// `None` if they hold less than half.
    pub(crate) pair: Option<usize>,
}

/// Finds the pair of blocks of little-endian `u16`.
///
/// The kernel counts four blocks around the pair that a sample suggests. If that pair holds more than half of the pixels,
/// no pair apart from it can hold as many, and its two neighbours are counted. Else all blocks are.
pub(crate) fn find_pair(level: Level, bytes: &[u8]) -> Found {
    let pixels = bytes.len() / 2;
    let guess = last_best_pair(&sample(bytes));
    let survey = hist::survey(level, bytes, guess.0 as u8);
    let [before, first, second, behind] = survey.counts;
    let count = first + second;
    let certain = 2 * count > pixels
        && (guess.0 == 0 || before + first <= count)
        && (guess.0 == LAST_PAIR || second + behind < count);
    let (pair, count) =
        if certain { (guess.0, count) } else { last_best_pair(&hist::count_high_bytes(bytes)) };
    Found { sum: survey.sum, highest: survey.highest, pair: (count >= pixels / 2).then_some(pair) }
}

/// Finds the pair of neighbouring values of bytes, and counts all values.
pub(crate) fn find_pair_of_bytes(bytes: &[u8]) -> (Found, [usize; 256]) {
    let mut counts = [0; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let (pair, count) = last_best_pair(&counts);
    let sum = bytes.iter().fold(0u32, |sum, byte| sum.wrapping_add(u32::from(*byte)));
    let highest = bytes.iter().copied().max().unwrap_or(0).into();
    (Found { sum, highest, pair: (count >= bytes.len() / 2).then_some(pair) }, counts)
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

    #[test]
    fn of_equal_windows_the_first_is_taken() {
        let mut counts = [0; 512];
        (counts[10], counts[300]) = (5, 5);
        assert_eq!(find_window(&counts, 256), Window { base: 0, pixels: 5 });
        counts[301] = 1;
        assert_eq!(find_window(&counts, 256), Window { base: 46, pixels: 6 });
    }
}
