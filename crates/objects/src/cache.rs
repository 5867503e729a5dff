//! Ranges of objects that are in memory, or on their way.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::error::{ObjectError, Result};

/// A range of an object: number of the object, first byte, length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    pub(crate) object: u64,
    pub(crate) start: u64,
    pub(crate) length: u64,
}

enum Slot {
    /// Asked for.
    Coming,
    Here {
        bytes: Bytes,
        /// When it was used last, in calls.
        used: u64,
        /// Whether a reader has taken bytes of it.
        was_read: bool,
    },
    Failed(ObjectError),
}

#[derive(Default)]
struct State {
    slots: HashMap<Key, Slot>,
    /// Bytes that are here or coming.
    bytes: u64,
    calls: u64,
}

/// Ranges that were read, at most so many bytes of them, and those asked for.
pub(crate) struct Cache {
    state: Mutex<State>,
    changed: Condvar,
    limit: u64,
}

/// Why a range is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    /// A reader waits for it.
    Now,
    /// A reader may want it: only if there is room without a range that no reader has seen.
    Ahead,
}

/// What has become of a wish for a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    /// The caller fetches it.
    New,
    /// It is here, coming, or failed.
    Known,
    /// There is no room, so that it is not fetched.
    NoRoom,
}

impl State {
    /// Makes room for `length` bytes, as far as ranges may go for it. Returns whether there is room.
    fn make_room(&mut self, length: u64, limit: u64, need: Need) -> bool {
        while self.bytes.saturating_add(length) > limit {
            let free = self.slots.iter().filter_map(|(key, slot)| match slot {
                Slot::Here { used, was_read, .. } if *was_read || need == Need::Now => {
                    // Ranges that were read go first.
                    Some((!*was_read, *used, *key))
                }
                _ => None,
            });
            let Some((_, _, oldest)) = free.min_by_key(|(unread, used, _)| (*unread, *used)) else {
                return false;
            };
            self.remove(oldest);
        }
        true
    }

    fn remove(&mut self, key: Key) {
        if let Some(Slot::Here { .. } | Slot::Coming) = self.slots.remove(&key) {
            self.bytes -= key.length;
        }
    }
}

impl Cache {
    pub(crate) fn new(limit: u64) -> Cache {
        Cache { state: Mutex::default(), changed: Condvar::new(), limit }
    }

    // A thread that panicked while it held the lock has changed one entry, which is whole.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the range is here, coming, or was asked for in vain.
    pub(crate) fn has(&self, key: Key) -> bool {
        self.state().slots.contains_key(&key)
    }

    /// Notes that a range will be fetched, unless it need not be, or may not for want of room. A range that is needed now is
    /// fetched whatever room there is: each reading thread has one.
    pub(crate) fn ask(&self, key: Key, need: Need) -> Asked {
        let mut state = self.state();
        if state.slots.contains_key(&key) {
            return Asked::Known;
        }
        if !state.make_room(key.length, self.limit, need) && need == Need::Ahead {
            return Asked::NoRoom;
        }
        state.bytes += key.length;
        state.slots.insert(key, Slot::Coming);
        Asked::New
    }

    /// Gives a range that was asked for.
    pub(crate) fn put(&self, key: Key, found: Result<Bytes>) {
        let mut state = self.state();
        state.calls += 1;
        let used = state.calls;
        match found {
            Ok(bytes) => {
                state.slots.insert(key, Slot::Here { bytes, used, was_read: false });
            }
            Err(error) => {
                state.remove(key);
                state.slots.insert(key, Slot::Failed(error));
            }
        }
        self.changed.notify_all();
    }

    /// The range, as soon as it is here; `None` if nobody has asked for it, or it had to go for others. An error is given once, so that a
    /// later reader asks again.
    pub(crate) fn take(&self, key: Key, limit: Duration) -> Result<Option<Bytes>> {
        let until = Instant::now() + limit;
        let mut state = self.state();
        loop {
            state.calls += 1;
            let now = state.calls;
            match state.slots.get_mut(&key) {
                None => return Ok(None),
                Some(Slot::Here { bytes, used, was_read }) => {
                    (*used, *was_read) = (now, true);
                    return Ok(Some(bytes.clone()));
                }
                Some(Slot::Failed(error)) => {
                    let error = error.clone();
                    state.slots.remove(&key);
                    return Err(error);
                }
                Some(Slot::Coming) => {}
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ObjectError::timed_out("the bytes of an object", limit));
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Bytes that are here or coming.
    #[cfg(test)]
    fn bytes(&self) -> u64 {
        self.state().bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    const SOON: Duration = Duration::from_secs(60);

    fn key(start: u64) -> Key {
        Key { object: 1, start, length: 10 }
    }

    #[test]
    fn ranges_go_when_others_need_their_room() {
        let cache = Cache::new(30);
        for start in [0, 10, 20] {
            assert_eq!(cache.ask(key(start), Need::Ahead), Asked::New);
            assert_eq!(cache.ask(key(start), Need::Now), Asked::Known);
        }
        assert_eq!(
            cache.ask(key(30), Need::Ahead),
            Asked::NoRoom,
            "all room is taken by ranges on their way"
        );
        for start in [0, 10, 20] {
            cache.put(key(start), Ok(Bytes::from_static(&[0; 10])));
        }
        assert_eq!(cache.ask(key(30), Need::Ahead), Asked::NoRoom, "no reader has seen the others");
        assert!(cache.take(key(10), SOON).unwrap().is_some());
        assert_eq!(cache.ask(key(30), Need::Ahead), Asked::New);
        assert!(!cache.has(key(10)) && cache.has(key(0)));
        assert_eq!(
            cache.ask(key(40), Need::Now),
            Asked::New,
            "what is needed may take the place of what is not read yet"
        );
        assert_eq!(cache.bytes(), 30);
        assert_eq!([50, 60].map(|start| cache.ask(key(start), Need::Now)), [Asked::New; 2]);
        assert_eq!(cache.bytes(), 40, "what readers wait for is fetched all the same");
    }

    #[test]
    fn an_error_is_told_once_and_takes_no_room() {
        let cache = Cache::new(30);
        assert_eq!(cache.ask(key(0), Need::Now), Asked::New);
        cache.put(key(0), Err(ObjectError::new(Kind::Failed, "bytes", "none")));
        assert_eq!(cache.bytes(), 0);
        assert_eq!(cache.take(key(0), SOON).unwrap_err().kind, Kind::Failed);
        assert!(cache.take(key(0), SOON).unwrap().is_none());
        assert_eq!(cache.ask(key(0), Need::Now), Asked::New);
        assert_eq!(cache.take(key(0), Duration::ZERO).unwrap_err().kind, Kind::TimedOut);
    }
}
