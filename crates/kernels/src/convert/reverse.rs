//! Pixels in reverse order, whatever their type: only their size counts.

per_level! {
    /// Copies pixels of `size` bytes in reverse order.
    #[inline(never)]
    pub(super) fn reverse(from: &[u8], to: &mut [u8], size: usize) = body;
}

#[inline(always)]
fn body(from: &[u8], to: &mut [u8], size: usize) {
    match size {
        1 => fixed::<1>(from, to),
        2 => fixed::<2>(from, to),
        // Three samples of 1, 2, 4 or 8 bytes are a pixel in colour.
        3 => colours::<1>(from, to),
        4 => fixed::<4>(from, to),
        6 => colours::<2>(from, to),
        8 => fixed::<8>(from, to),
        12 => colours::<4>(from, to),
        24 => colours::<8>(from, to),
        _ => {
            for (to, from) in to.chunks_exact_mut(size).zip(from.chunks_exact(size).rev()) {
                to.copy_from_slice(from);
            }
        }
    }
}

#[inline(always)]
fn fixed<const SIZE: usize>(from: &[u8], to: &mut [u8]) {
    for (to, from) in to.as_chunks_mut::<SIZE>().0.iter_mut().zip(from.as_chunks::<SIZE>().0.iter().rev()) {
        *to = *from;
    }
}

/// Pixels of three samples. Taken apart, because whole ones are moved one by one.
#[inline(always)]
fn colours<const SIZE: usize>(from: &[u8], to: &mut [u8]) {
    let (from, to) = (from.as_chunks::<SIZE>().0, to.as_chunks_mut::<SIZE>().0);
    for (to, &[a, b, c]) in to.as_chunks_mut::<3>().0.iter_mut().zip(from.as_chunks::<3>().0.iter().rev()) {
        *to = [a, b, c];
    }
}
