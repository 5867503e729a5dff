//! Vectors with a word in each lane.

use super::Word;
use crate::vector::Vector;

/// `value` in every lane.
#[inline(always)]
pub(super) fn splat<V: Vector, T: Word>(value: T) -> V {
    let value = value.unsigned();
    match T::BITS {
        8 => V::splat8(value as u8),
        16 => V::splat16(value as u16),
        _ => V::splat32(value),
    }
}

/// Lane by lane; wraps round.
#[inline(always)]
pub(super) fn plus<V: Vector, T: Word>(a: V, b: V) -> V {
    match T::BITS {
        8 => a.add8(b),
        16 => a.add16(b),
        _ => a.add32(b),
    }
}

/// Lane by lane; wraps round.
#[inline(always)]
pub(super) fn minus<V: Vector, T: Word>(a: V, b: V) -> V {
    match T::BITS {
        8 => a.sub8(b),
        16 => a.sub16(b),
        _ => a.sub32(b),
    }
}

/// Each lane by `bits`, fewer than it has. Bytes are shifted in pairs; a mask removes the bits from the other byte.
#[inline(always)]
pub(super) fn left<V: Vector, T: Word>(v: V, bits: u32) -> V {
    match T::BITS {
        8 => v.left16(bits).and(V::splat8(0xff << bits)),
        16 => v.left16(bits),
        _ => v.left32(bits),
    }
}

/// As [`left`], to the right; zeros move in.
#[inline(always)]
pub(super) fn right<V: Vector, T: Word>(v: V, bits: u32) -> V {
    match T::BITS {
        8 => v.right16(bits).and(V::splat8(0xff >> bits)),
        16 => v.right16(bits),
        _ => v.right32(bits),
    }
}
