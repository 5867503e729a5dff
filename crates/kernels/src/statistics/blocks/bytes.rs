//! Blocks of bytes.

use super::super::projections::Projections;
use super::super::sums::ExactSums;
use super::byte_columns::Sums;
use super::{BlockSums, Blocks, Columns, ROWS};
use crate::level::LevelKind;
use crate::{Level, Plane};

/// The loops over blocks of `u8`.
pub struct Bytes;

/// Rows whose Σ y·v fits an `i32`: 255·4096²/2 < 2³¹.
const MOST_ROWS: usize = 4096;

impl Blocks<u8> for Bytes {
    type Sums = ExactSums;

    fn exist(level: Level) -> bool {
        level.kind() != LevelKind::Portable
    }

    fn start(level: Level, columns: &mut Columns, width: usize, least: Option<u8>) {
        let columns = &mut columns.bytes;
        columns.lanes = lanes(level);
        columns.passing = least.is_some();
        let len = width.next_multiple_of(columns.lanes);
        // Bytes below 1 add nothing, whether they pass or not.
        columns.clear(len, least.is_some_and(|least| least > 1), 0);
    }

    fn add(
        level: Level,
        _: usize,
        block: Plane<u8>,
        least: Option<u8>,
        sums: &mut ExactSums,
        columns: &mut Columns,
        projections: &mut Projections,
    ) -> BlockSums<u8> {
        let columns = &mut columns.bytes;
        if columns.end - columns.start + ROWS > MOST_ROWS {
            columns.empty(projections);
        }
        columns.end += block.height();
        let least = least.unwrap_or_default();
        let found = match level.kind() {
            // SAFETY: a `Level` of this kind is only made where detection found the features.
            #[cfg(target_arch = "x86_64")]
            LevelKind::Avx512 => unsafe { columns.add(super::byte_strips::avx512, block, least) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            LevelKind::Avx2 => unsafe { columns.add(super::byte_strips::avx2, block, least) },
            // Never called: `exist` says no for this level.
            LevelKind::Portable => Sums { min: 0, max: 0, squares: 0, all: [0; ROWS], passing: [0; ROWS] },
        };
        sums.add(found.all.iter().sum(), found.squares);
        found.found()
    }

    fn finish(columns: &mut Columns, projections: &mut Projections) {
        columns.bytes.empty(projections);
    }
}

/// Bytes in a vector.
fn lanes(level: Level) -> usize {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx512 => 64,
        _ => 32,
    }
}
