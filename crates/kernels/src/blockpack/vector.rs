//! Vectors of words, for the loops over the rows of a group.

use super::{ROW, Word};

/// A vector of words; each operation is told which ones. Arithmetic wraps round.
///
/// The implementations for levels above portable may be used only in functions that `per_level!` has compiled for that level.
pub(super) trait Vector: Copy {
    /// Its size, which divides [`ROW`].
    const BYTES: usize;

    /// Part `part` of a row.
    fn load(row: &[u8; ROW], part: usize) -> Self;
    fn store(self, row: &mut [u8; ROW], part: usize);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn splat<T: Word>(value: T) -> Self;
    fn plus<T: Word>(self, other: Self) -> Self;
    fn minus<T: Word>(self, other: Self) -> Self;
    /// Each word by so many bits, fewer than it has.
    fn left<T: Word>(self, bits: u32) -> Self;
    /// Each word by so many bits, fewer than it has.
    fn right<T: Word>(self, bits: u32) -> Self;
}
