//! Values of one type become values of another.

use crate::cast::Wide;
use crate::{Level, Pixel};
use std::any::TypeId;

/// Samples that are worked on at a time, so that the steps meet in the L1 cache; 8 KiB at most.
pub(super) const BLOCK: usize = 512;

/// Values of one type become values of another.
#[inline(never)]
pub(super) fn convert_values<I: Pixel, O: Pixel>(level: Level, from: &[I], to: &mut [O], overflow: Overflow) {
    let same = TypeId::of::<I>() == TypeId::of::<O>();
    // Only integers of another type wrap round.
    if same || O::FLOAT || overflow == Overflow::Saturate {
        return I::cast_slice(level, from, to);
    }
    let mut wide = [I::Wide::default(); BLOCK];
    for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        let wide = &mut wide[..from.len()];
        I::widen(level, from, wide);
        I::Wide::wrap_slice(level, wide, to);
    }
}

/// The treatment of values that the output type cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Overflow {
    /// The nearest value that it can hold. Floats are cut towards zero, NaN becomes 0 for integers.
    #[default]
    Saturate,
    /// Modulo 2^bits for integers, as areaDetector does. Floats are first cut towards zero and
    /// limited to the range -2^63 .. 2^64.
    Wrap,
}
