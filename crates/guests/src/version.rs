//! The number of changes of a value, for readers that keep a copy of it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use crate::lock;

/// How many versions lie together. A value that outlives all others of its row keeps 1 KiB, about as much as it takes itself.
const ROW: usize = 256;

/// The number of changes of one value. A clone is the same number.
///
/// The numbers of values that are made one after the other lie side by side. A server that asks ten thousand of them whether they have
/// changed reads 40 kB, which stay in the cache; each number beside its value would be a miss of the cache and of the table of pages.
///
/// ```
/// let version = livetime_guests::Version::new();
/// let (copy, before) = (version.clone(), version.get());
/// version.set(before + 1);
/// assert_eq!(copy.get(), before + 1);
/// ```
#[derive(Clone, Debug)]
pub struct Version {
    row: Arc<[AtomicU32; ROW]>,
    place: usize,
}

/// The row with places that no value has had, and the first of these. A place is given once, so that nothing has to come back.
static NEXT: Mutex<Option<(Arc<[AtomicU32; ROW]>, usize)>> = Mutex::new(None);

impl Version {
    /// A number of its own, 0.
    #[must_use]
    #[expect(
        clippy::new_without_default,
        reason = "each call takes a place, which a default does not suggest"
    )]
    pub fn new() -> Version {
        let mut next = lock(&NEXT);
        let fresh = || (Arc::new([const { AtomicU32::new(0) }; ROW]), 0);
        let (row, place) = next.take().filter(|(_, place)| *place < ROW).unwrap_or_else(fresh);
        *next = Some((Arc::clone(&row), place + 1));
        Version { row, place }
    }

    /// The number of now. A reader that sees a number sees all that its writer did before.
    #[inline]
    #[must_use]
    pub fn get(&self) -> u32 {
        self.row[self.place % ROW].load(Ordering::Acquire)
    }

    /// Changes the number. Writers of one value exclude each other; the value is written where readers of the number look for it.
    #[inline]
    pub fn set(&self, number: u32) {
        self.row[self.place % ROW].store(number, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_has_a_number_of_its_own() {
        let versions: Vec<Version> = (0..3 * ROW).map(|_| Version::new()).collect();
        versions.iter().zip(1..).for_each(|(version, number)| version.set(number));
        assert!(versions.iter().zip(1..).all(|(version, number)| version.clone().get() == number));
        assert_eq!(Version::new().get(), 0);
    }
}
