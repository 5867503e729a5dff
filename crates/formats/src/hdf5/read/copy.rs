//! Boxes of arrays.

/// Copies a box of `lengths` elements of `size` bytes from one array to another; each is given as its bytes, its
/// shape and where the box begins. Nothing is copied that is not in both.
pub(super) fn copy_box(
    (from, from_shape, from_at): (&[u8], &[u64], &[u64]),
    (into, into_shape, into_at): (&mut [u8], &[u64], &[u64]),
    lengths: &[u64],
    size: usize,
) {
    let Some((last, before)) = lengths.split_last() else {
        let bytes = size.min(from.len()).min(into.len());
        into[..bytes].copy_from_slice(&from[..bytes]);
        return;
    };
    let line = *last as usize * size;
    let lines: u64 = before.iter().product();
    let mut place = vec![0u64; before.len()];
    for _ in 0..lines {
        let (a, b) = (offset(from_shape, from_at, &place) * size, offset(into_shape, into_at, &place) * size);
        if let (Some(from), Some(into)) =
            (from.get(a..).and_then(|r| r.get(..line)), into.get_mut(b..).and_then(|r| r.get_mut(..line)))
        {
            into.copy_from_slice(from);
        }
        for axis in (0..before.len()).rev() {
            place[axis] += 1;
            if place[axis] < before[axis] {
                break;
            }
            place[axis] = 0;
        }
    }
}

/// The number of the element at `at`, moved by `place` on the first axes.
fn offset(shape: &[u64], at: &[u64], place: &[u64]) -> usize {
    let steps = place.iter().copied().chain(std::iter::repeat(0));
    let number = shape.iter().zip(at).zip(steps);
    number.fold(0u64, |all, ((size, at), step)| all.saturating_mul(*size).saturating_add(at + step)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_goes_where_it_should() {
        let from: Vec<u8> = (0..12).collect();
        let mut into = vec![99; 6];
        // Two by two of 3 x 4, into 2 x 3.
        copy_box((&from, &[3, 4], &[1, 2]), (&mut into, &[2, 3], &[0, 1]), &[2, 2], 1);
        assert_eq!(into, [99, 6, 7, 99, 10, 11]);
        let mut one = [0];
        copy_box((&[7], &[], &[]), (&mut one, &[], &[]), &[], 1);
        assert_eq!(one, [7]);
    }
}
