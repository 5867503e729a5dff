//! Blocks of `f32`.

use super::super::projections::Projections;
use super::super::sums::PivotSums;
use super::single_task::{LANES, Strips, Sums, Task};
use super::{BlockSums, Blocks, Columns, ROWS};
use crate::level::LevelKind;
use crate::{Level, Plane};

/// The loops over blocks of `f32`.
pub struct Singles;

impl Blocks<f32> for Singles {
    type Sums = PivotSums;

    fn exist(level: Level) -> bool {
        !matches!(level.kind(), LevelKind::Portable | LevelKind::Avx2)
    }

    fn start(_: Level, _: &mut Columns, _: usize, _: Option<f32>) {}

    #[inline(always)]
    fn add(
        level: Level,
        y: usize,
        block: Plane<f32>,
        least: Option<f32>,
        sums: &mut PivotSums,
        _: &mut Columns,
        to: &mut Projections,
    ) -> BlockSums<f32> {
        let count = block.height().min(ROWS);
        let rows: [&[[f32; LANES]]; ROWS] =
            std::array::from_fn(|y| if y < count { block.row(y).as_chunks().0 } else { &[] });
        let pivot = if count > 0 { sums.pivot(block.row(0)) } else { 0.0 };
        // No pixel is at least NaN, so none passes.
        let task = Task { rows: &rows[..count], least: least.unwrap_or(f32::NAN), pivot, y };
        let [sum, moment, all] =
            [&mut to.columns, &mut to.moment, &mut to.all_columns].map(|sums| sums.as_chunks_mut().0);
        let columns = Strips { sum, moment, all };
        let mut found = match level.kind() {
            // SAFETY: a `Level` of this kind is only made where detection found the features.
            #[cfg(target_arch = "x86_64")]
            LevelKind::Avx512 => unsafe { super::singles_avx512::add(&task, columns) },
            _ => Sums::NONE,
        };
        found.add_tail(block, &task, block.width() / LANES * LANES, to);
        sums.add_about_pivot(block.len(), found.all.iter().sum(), found.squares);
        BlockSums { min: found.min, max: found.max, all: found.all, passing: found.passing }
    }

    fn finish(_: &mut Columns, _: &mut Projections) {}
}
