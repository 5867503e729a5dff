//! Extremes, sums and projections of a block of rows at once.
//!
//! Where a level has such loops, they walk over a block in strips one vector wide, from top to
//! bottom. So the column sums of a strip stay in registers for a whole block: `S += v`, and beside
//! it `T += S`. After `K` rows from row `y0` on, `Σ y·v = (y0 + K)·S − T`.

#[cfg(target_arch = "x86_64")]
mod ahead;
mod block_sums;
mod byte_columns;
#[cfg(target_arch = "x86_64")]
mod byte_strips;
mod bytes;
mod single_task;
mod singles;
#[cfg(target_arch = "x86_64")]
mod singles_avx512;
#[cfg(target_arch = "x86_64")]
mod word_strips;
mod word_task;
mod words;

use super::compare::Compare;
use super::projections::Projections;
use crate::{Level, Plane};
pub(super) use block_sums::{BlockSums, ROWS};
use byte_columns::ByteColumns;
pub(super) use bytes::Bytes;
pub(super) use singles::Singles;
use std::marker::PhantomData;
pub(super) use words::Words;

/// Column sums, and the working memory for them.
#[derive(Debug, Default)]
pub struct Columns {
    bytes: ByteColumns,
    /// Columns in a strip of `u16`, and whether any value can pass.
    strip: usize,
    passing: bool,
}

/// The loops over blocks of a pixel type.
pub trait Blocks<T> {
    /// The type of sums of these pixels.
    type Sums;

    /// True when `level` has them.
    fn exist(level: Level) -> bool;

    /// Readies the working memory.
    fn start(level: Level, columns: &mut Columns, width: usize, least: Option<T>);

    /// Takes in the next at most [`ROWS`] rows, from row `y` on. Pixels of at least `least` pass.
    fn add(
        level: Level,
        y: usize,
        block: Plane<T>,
        least: Option<T>,
        sums: &mut Self::Sums,
        columns: &mut Columns,
        projections: &mut Projections,
    ) -> BlockSums<T>;

    /// Moves the rest of the column sums to the projections, as far as those are wanted.
    fn finish(columns: &mut Columns, projections: &mut Projections);
}

/// For pixel types without such loops, whose sums are made in `S`.
pub struct RowByRow<S>(PhantomData<S>);

impl<T: Compare, S> Blocks<T> for RowByRow<S> {
    type Sums = S;

    fn exist(_: Level) -> bool {
        false
    }

    fn start(_: Level, _: &mut Columns, _: usize, _: Option<T>) {}

    fn add(
        _: Level,
        _: usize,
        _: Plane<T>,
        _: Option<T>,
        _: &mut S,
        _: &mut Columns,
        _: &mut Projections,
    ) -> BlockSums<T> {
        // Not called, because no level has such loops; the values change no result.
        BlockSums { min: T::ABOVE_ALL, max: T::BELOW_ALL, all: [0.0; ROWS], passing: [0.0; ROWS] }
    }

    fn finish(_: &mut Columns, _: &mut Projections) {}
}
