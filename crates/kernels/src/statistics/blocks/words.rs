//! Blocks of `u16`.

use super::super::projections::Projections;
use super::super::sums::ExactSums;
use super::word_task::{Strips, Sums, Task};
use super::{BlockSums, Blocks, Columns, ROWS};
use crate::level::LevelKind;
use crate::{Level, Plane};

/// The loops over blocks of `u16`.
pub struct Words;

type Kernel<const N: usize> = unsafe fn(&Task<N>, Strips<N>) -> Sums;

/// Takes in a block from row `y` on.
///
/// # Safety
/// The processor must have the instructions of `kernel`.
#[inline(always)]
unsafe fn add<const N: usize>(
    kernel: Kernel<N>,
    block: Plane<u16>,
    y: usize,
    least: u16,
    to: &mut Projections,
) -> Sums {
    let count = block.height().min(ROWS);
    let rows: [&[[u16; N]]; ROWS] =
        std::array::from_fn(|y| if y < count { block.row(y).as_chunks().0 } else { &[] });
    let [sum, moment, all] =
        [&mut to.columns, &mut to.moment, &mut to.all_columns].map(|sums| sums.as_chunks_mut().0);
    let task = Task { rows: &rows[..count], least, end: (y + count) as f64 };
    // SAFETY: the caller's promise.
    let mut sums = unsafe { kernel(&task, Strips { sum, moment, all }) };
    sums.add_tail(block, y, least, block.width() / N * N, to);
    sums
}

impl Blocks<u16> for Words {
    type Sums = ExactSums;

    fn exist(level: Level) -> bool {
        level.kind() != LevelKind::Portable
    }

    fn start(level: Level, columns: &mut Columns, _: usize, least: Option<u16>) {
        columns.strip = lanes(level);
        columns.passing = least.is_some();
    }

    #[inline(always)]
    fn add(
        level: Level,
        y: usize,
        block: Plane<u16>,
        least: Option<u16>,
        sums: &mut ExactSums,
        _: &mut Columns,
        to: &mut Projections,
    ) -> BlockSums<u16> {
        let least = least.unwrap_or_default();
        let found = match level.kind() {
            // SAFETY: a `Level` of this kind is only made where detection found the features.
            #[cfg(target_arch = "x86_64")]
            LevelKind::Avx512 => unsafe { add(super::word_strips::avx512, block, y, least, to) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            LevelKind::Avx2 => unsafe { add(super::word_strips::avx2, block, y, least, to) },
            LevelKind::Portable => Sums::NONE,
        };
        let total = found.all.iter().sum::<u64>();
        // v² = (v − 2¹⁵)² + 2¹⁶·v − 2³⁰.
        sums.add(total, found.squares.wrapping_add(total << 16).wrapping_sub((block.len() as u64) << 30));
        let [all, passing] = [found.all, found.passing].map(|sums| sums.map(|sum| sum as f64));
        BlockSums { min: found.min, max: found.max, all, passing }
    }

    fn finish(columns: &mut Columns, to: &mut Projections) {
        for sums in [&mut to.columns, &mut to.moment, &mut to.all_columns] {
            for strip in sums.chunks_exact_mut(columns.strip.max(1)) {
                let mut ordered = [0.0; 32];
                for (i, &sum) in strip.iter().enumerate() {
                    // The even columns come first.
                    ordered[i % (columns.strip / 2) * 2 + i / (columns.strip / 2)] = sum;
                }
                strip.copy_from_slice(&ordered[..columns.strip]);
            }
        }
        // Where no value can pass the loops took 0 as the least, which all pixels reach.
        if !columns.passing {
            to.columns.fill(0.0);
            to.moment.fill(0.0);
        }
    }
}

/// Pixels in a vector.
fn lanes(level: Level) -> usize {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx512 => 32,
        _ => 16,
    }
}
