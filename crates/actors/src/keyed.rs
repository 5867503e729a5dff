//! A value that only the holder of one key reaches: shared by many threads, used by one, without a lock.
//!
//! Rules that the `unsafe` blocks rely on:
//!
//! 1. No two keys are equal, and a key cannot be copied. A strand has one; the thread that runs the strand
//!    holds it. 2. A reference to a value borrows the key for as long as it is used. No other thread can
//!    therefore reach the value meanwhile, and the holder can reach no other value.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Opens all values that were locked with it.
pub(crate) struct Key(u64);

impl Key {
    pub(crate) fn new() -> Key {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Key(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

/// A value locked with a key.
pub(crate) struct Keyed<T> {
    key: u64,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached by the holder of the key only (rule 2), so it goes from thread to thread with the key,
// and `T: Send` is enough.
unsafe impl<T: Send> Sync for Keyed<T> {}

impl<T> Keyed<T> {
    pub(crate) fn new(key: &Key, value: T) -> Keyed<T> {
        Keyed { key: key.0, value: UnsafeCell::new(value) }
    }

    /// The value; `None` with another key.
    #[inline(always)]
    pub(crate) fn open<'a>(&'a self, key: &'a mut Key) -> Option<&'a mut T> {
        // SAFETY: rules 1 and 2: this is the only key that opens the value, and it is borrowed as long as the result.
        (key.0 == self.key).then(|| unsafe { &mut *self.value.get() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_key_opens_a_value() {
        let (mut key, mut other) = (Key::new(), Key::new());
        let value = Keyed::new(&key, 1);
        *value.open(&mut key).unwrap() += 1;
        assert_eq!(value.open(&mut key), Some(&mut 2));
        assert!(value.open(&mut other).is_none());
    }

    #[test]
    fn the_value_goes_with_the_key() {
        let mut key = Key::new();
        let value = Keyed::new(&key, vec![1]);
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                value.open(&mut key).unwrap().push(2);
                key
            });
            let mut key = thread.join().unwrap();
            assert_eq!(value.open(&mut key).unwrap(), &[1, 2]);
        });
    }
}
