//! Sums of 16-bit integers with vectors: the elements of two frames lie side by side, so that one instruction multiplies both by
//! themselves and adds the squares.

/// How a level sums `L` elements of 16 bits, if it has vectors of as many.
pub(super) trait Words {
    /// For the `L` elements from `at` on, over all frames: the sums of their distances from the centre, and the sums of
    /// the squares. `centre` is 2^15 for elements without a sign, else 0.
    fn sums<const L: usize>(frames: &[&[u8]], at: usize, centre: u16) -> Option<([i32; L], [u64; L])>;
}

/// Without vectors.
pub(super) struct Portable;

impl Words for Portable {
    #[inline(always)]
    fn sums<const L: usize>(_: &[&[u8]], _: usize, _: u16) -> Option<([i32; L], [u64; L])> {
        None
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};
#[cfg(not(target_arch = "x86_64"))]
pub(super) use {Portable as Avx2, Portable as Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Words;
    use crate::accumulate::ahead::ask_ahead;
    use crate::vector::{self, Vector, to_array};

    /// 16 elements.
    pub(in crate::accumulate) struct Avx2;
    /// 32 elements.
    pub(in crate::accumulate) struct Avx512;

    impl Words for Avx2 {
        #[inline(always)]
        fn sums<const L: usize>(frames: &[&[u8]], at: usize, centre: u16) -> Option<([i32; L], [u64; L])> {
            if L == 16 { Some(sums::<vector::Avx2, L>(frames, at, centre)) } else { None }
        }
    }

    impl Words for Avx512 {
        #[inline(always)]
        fn sums<const L: usize>(frames: &[&[u8]], at: usize, centre: u16) -> Option<([i32; L], [u64; L])> {
            if L == 32 { Some(sums::<vector::Avx512, L>(frames, at, centre)) } else { None }
        }
    }

    /// Sums in the order of [`Vector::zip16`].
    struct Sums<V> {
        sum: [V; 2],
        /// For each sum: the squares of its even and of its odd lanes.
        squares: [[V; 2]; 2],
    }

    impl<V: Vector> Sums<V> {
        #[inline(always)]
        fn add(&mut self, one: V, other: V) {
            for ((sum, squares), pair) in self.sum.iter_mut().zip(&mut self.squares).zip(one.zip16(other)) {
                // With ones, the products are the elements of both frames, added in 32 bits.
                *sum = sum.add32(pair.dot16(V::splat16(1)));
                // At most 2^31, which is a number without sign.
                let square = pair.dot16(pair);
                *squares = [squares[0].add64(square.even32()), squares[1].add64(square.odd32())];
            }
        }
    }

    #[inline(always)]
    fn sums<V: Vector, const L: usize>(frames: &[&[u8]], at: usize, centre: u16) -> ([i32; L], [u64; L]) {
        let (centre, zero) = (V::splat16(centre), V::zero());
        let mut sums = Sums { sum: [zero; 2], squares: [[zero; 2]; 2] };
        let (pairs, rest) = frames.as_chunks::<2>();
        for [one, other] in pairs {
            let (one, other) = (load::<V, L>(one, at), load::<V, L>(other, at));
            // Counted from 2^15, a number without sign has the same bits but the highest. Others have the centre 0, and
            // stay.
            sums.add(one.xor(centre), other.xor(centre));
        }
        for frame in rest {
            // Zeros beside a frame without a partner are not counted from the centre, so that they add nothing.
            sums.add(load::<V, L>(frame, at).xor(centre), zero);
        }
        (to_array(V::in_order32(sums.sum)), to_array(V::in_order64(sums.squares)))
    }

    #[inline(always)]
    fn load<V: Vector, const L: usize>(frame: &[u8], at: usize) -> V {
        ask_ahead::<u16, L>(frame, at);
        vector::load(&frame[2 * at..2 * (at + L)])
    }
}
