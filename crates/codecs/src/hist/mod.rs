//! The common parts of Hist16 and HistN: which pixels are worth a window, the place of the window, and the map.
//!
//! Described in `docs/formats/xtc-compression.md`.

mod bitmap;
mod window;

pub(crate) use bitmap::{Pair, read_map, write_map};
pub(crate) use window::{Found, Window, find_pair, find_pair_of_bytes, find_wide_window, find_window};

/// How a stream holds its pixels: the first number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    Stored = 0,
    PlainMap = 1,
    RunLengthMap = 3,
}

impl Flag {
    pub(crate) fn of(number: u32) -> Option<Flag> {
        [Flag::Stored, Flag::PlainMap, Flag::RunLengthMap].into_iter().find(|flag| *flag as u32 == number)
    }
}

/// Bytes that a map with its length can take.
pub(crate) fn map_bound(pixels: usize) -> usize {
    4 + 2 * plain_words(pixels)
}

/// Words of a plain map: one more than needed where the pixels fill the last one. The original made it so.
fn plain_words(pixels: usize) -> usize {
    pixels / 16 + 1
}
