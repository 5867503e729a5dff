//! Aligned memory and its size classes.

/// Cache line, and the alignment of every buffer.
pub(super) const LINE: usize = 64;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

// SAFETY: 64 bytes without padding; any bit pattern is valid.
unsafe impl bytemuck::Zeroable for Line {}
// SAFETY: as above, and `Copy + 'static`.
unsafe impl bytemuck::Pod for Line {}

/// 64-byte aligned bytes, zero when made.
pub(super) struct Buffer(Box<[Line]>);

impl Buffer {
    pub(super) fn zeroed(bytes: usize) -> Buffer {
        Buffer(bytemuck::allocation::zeroed_slice_box(bytes.div_ceil(LINE)))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len() * LINE
    }

    pub(super) fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.0)
    }

    /// Writes every page once, so that the first frame does not pay for it.
    pub(super) fn touch(&mut self) {
        self.bytes_mut().iter_mut().step_by(4096).for_each(|b| *b = std::hint::black_box(0));
    }
}

/// Number of size classes.
pub(super) const CLASSES: usize = 236;

/// Class of a buffer of `bytes` and the size that the class stands for.
///
/// Four classes to the octave: a buffer is at most a quarter larger than asked for.
pub(super) fn class_of(bytes: usize) -> (usize, usize) {
    let units = bytes.div_ceil(LINE);
    if units <= 4 {
        return (units, units * LINE);
    }
    let octave = (units - 1).ilog2() as usize;
    let step = 1 << (octave - 2);
    let quarter = (units - 1) / step;
    (4 * (octave - 1) + quarter - 3, (quarter + 1) * step * LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ordered_and_waste_at_most_a_quarter() {
        let mut last = (0, 0);
        for bytes in (0..200_000).chain((20..62).map(|bit| (1usize << bit) + 1)) {
            let (class, size) = class_of(bytes);
            assert!(size >= bytes && size <= bytes + bytes / 4 + LINE, "{bytes} got {size}");
            assert!(class < CLASSES);
            assert!(class == last.0 && size == last.1 || class > last.0 && size > last.1, "{bytes}");
            last = (class, size);
        }
        assert_eq!(class_of(1 << 20).1, 1 << 20);
    }

    #[test]
    fn buffers_are_aligned() {
        for bytes in [1, 64, 65, 5000] {
            let buffer = Buffer::zeroed(bytes);
            assert_eq!(buffer.bytes().as_ptr() as usize % 64, 0);
            assert!(buffer.len() >= bytes);
        }
    }
}
