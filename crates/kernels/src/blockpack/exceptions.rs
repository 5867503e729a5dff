//! Remainders that do not fit the width of their group.

use super::width::Outside;
use super::{BLOCK, GROUP, HIGH_PARTS, POSITION_BITS, Word};
use crate::bits::Bits;

/// The exceptions of a block.
#[derive(Debug)]
pub(super) struct Exceptions<T: Word> {
    known: Notes<[u8; 2]>,
    positions: Notes<[u8; 2]>,
    escapes: Notes<T::Bytes>,
}

impl<T: Word> Exceptions<T> {
    pub(super) fn new() -> Exceptions<T> {
        Exceptions { known: Notes::new(), positions: Notes::new(), escapes: Notes::new() }
    }

    pub(super) fn clear(&mut self) {
        self.forget_since((0, 0));
    }

    /// The numbers of exceptions and of escapes.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.known.count, self.escapes.count)
    }

    pub(super) fn bytes_since(&self, counts: (usize, usize)) -> usize {
        2 * (self.known.count - counts.0) + (2 + size_of::<T>()) * (self.escapes.count - counts.1)
    }

    pub(super) fn forget_since(&mut self, (known, escapes): (usize, usize)) {
        self.known.count = known;
        self.positions.count = escapes;
        self.escapes.count = escapes;
    }

    /// Writes all to the start of `output`, and gives their size.
    #[inline(always)]
    pub(super) fn write(&self, output: &mut [u8]) -> usize {
        let mut at = 0;
        for bytes in [
            self.known.noted().as_flattened(),
            self.positions.noted().as_flattened(),
            T::join(self.escapes.noted()),
        ] {
            output[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        }
        at
    }
}

/// A list as long as a block with room for one more, so that a candidate that turns out not to belong to it can be written too.
#[derive(Debug)]
struct Notes<E> {
    all: Vec<E>,
    count: usize,
}

impl<E: Copy + Default> Notes<E> {
    fn new() -> Notes<E> {
        Notes { all: vec![E::default(); BLOCK + 1], count: 0 }
    }

    /// The next exception is written here; it counts when [`Cursor::put`] says so.
    #[inline(always)]
    fn cursor(&mut self) -> Cursor<'_, E> {
        Cursor { all: &mut self.all, count: self.count }
    }

    fn noted(&self) -> &[E] {
        &self.all[..self.count]
    }
}

/// The end of a list, in registers while a group is looked through.
struct Cursor<'a, E> {
    all: &'a mut [E],
    count: usize,
}

impl<E> Cursor<'_, E> {
    /// Without a branch on `wanted`, which cannot be foretold.
    #[inline(always)]
    fn put(&mut self, entry: E, wanted: bool) {
        if let Some(to) = self.all.get_mut(self.count) {
            *to = entry;
        }
        self.count += usize::from(wanted);
    }
}

/// Notes the differences of a group that a width does not fit.
#[inline(always)]
pub(super) fn find_exceptions<B: Bits, T: Word>(
    differences: &[T; GROUP],
    test: Outside<T>,
    width: u32,
    group: usize,
    found: &mut Exceptions<T>,
) {
    // Every number fits all bits of its type.
    if width == T::BITS {
        return;
    }
    // Flags are bytes, so that vectors compare, and the search goes over 64 elements at a time.
    let mut flags = [0u8; GROUP];
    for (flag, d) in flags.iter_mut().zip(differences) {
        *flag = if test.of(*d) { 0xff } else { 0 };
    }
    let mut known = found.known.cursor();
    let mut positions = found.positions.cursor();
    let mut escapes = found.escapes.cursor();
    for (word, flags) in flags.as_chunks::<64>().0.iter().enumerate() {
        let mut outside = B::highest(flags);
        while outside != 0 {
            let position = word * 64 + outside.trailing_zeros() as usize;
            outside &= outside - 1;
            let high = test.number(differences[position]).signed() >> width;
            let fits = HIGH_PARTS.contains(&high);
            let exception = position as i16 | (high as i16) << POSITION_BITS;
            known.put(exception.to_le_bytes(), fits);
            positions.put(((group * GROUP + position) as u16).to_le_bytes(), !fits);
            // The value of an escape is added to its element, whose lower bits are in the payload.
            escapes.put(T::from_low(high << width).to_le(), !fits);
        }
    }
    // The cursors counted in copies of their own.
    let (known, escaped) = (known.count, escapes.count);
    found.forget_since((known, escaped));
}
