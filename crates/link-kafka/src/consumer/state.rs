//! What the halves of a connection of a reading end share.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use livetime_link::{Credit, Standing, Told};
use livetime_runtime::lock;

use super::place::Place;

/// A commit at least so often, if there is something to commit.
const COMMIT: Duration = Duration::from_millis(100);

/// The sender whose frames are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Current {
    pub(super) epoch: u64,
    pub(super) told: Told,
    /// How far the receiver is, as it said last.
    pub(super) standing: Standing,
}

/// A message that was read: all frames before `end` are in it or in those before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) end: u64,
    /// The first frame of the message.
    pub(super) begin: u64,
    /// Offset of its first record.
    pub(super) from: i64,
}

/// It stays over connections, as the group does.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) is_broken: bool,
    /// Number of the connection.
    pub(super) connection: u64,
    /// The group has given the partition to this process.
    pub(super) is_assigned: bool,
    /// The topic does not fit this link, or not any more: nothing is read.
    pub(super) refused: Option<String>,
    /// Number of this connection at the receiver; 0 before its hello.
    pub(super) peer: u64,
    /// The receiver has settled all.
    pub(super) has_finished: bool,
    pub(super) current: Option<Current>,
    /// Epochs that were replaced. Records that their senders have written since are not read.
    pub(super) past: Vec<u64>,
    /// Records before those of the newest sender were removed.
    pub(super) has_gap: bool,
    /// Room at the receiver from `current.standing.received` on.
    pub(super) credit: Credit,
    /// Bytes of each frame given to it from there on, and their sum.
    pub(super) given: VecDeque<u64>,
    pub(super) given_bytes: u64,
    /// Messages with frames that are not completed.
    pub(super) marks: VecDeque<Mark>,
    /// Offset behind the last whole message.
    pub(super) next_offset: i64,
    /// The last confirmed commit.
    pub(super) committed: Option<(i64, Place)>,
    /// A commit under way.
    pub(super) committing: Option<(i64, Place)>,
    pub(super) committed_at: Option<Instant>,
    /// The connection has ended in order, and the group has not been told yet where.
    pub(super) wants_last: bool,
    /// Threads that commit: one for each connection that has not ended.
    pub(super) committers: usize,
}

impl State {
    /// The position of the next frame for the receiver.
    pub(super) fn next(&self) -> u64 {
        self.current.map_or(0, |current| current.standing.received) + self.given.len() as u64
    }

    /// Takes over how far the receiver is.
    pub(super) fn advance(&mut self, standing: &Standing, credit: Credit) {
        let Some(current) = &mut self.current else { return };
        if standing.received < current.standing.received {
            return;
        }
        for _ in current.standing.received..standing.received {
            // A receiver that has more than it was given speaks of another connection.
            let Some(bytes) = self.given.pop_front() else { return };
            self.given_bytes -= bytes;
        }
        current.standing = *standing;
        self.credit = credit;
        while self.marks.front().is_some_and(|mark| mark.end <= standing.completed) {
            self.marks.pop_front();
        }
    }

    pub(super) fn give(&mut self, bytes: u64) {
        self.given.push_back(bytes);
        self.given_bytes += bytes;
    }

    /// How many frames the receiver may have now.
    pub(super) fn room(&self) -> u64 {
        let Some(current) = &self.current else { return 0 };
        let next = self.next();
        let credit = (current.standing.received.saturating_add(self.credit.frames)).saturating_sub(next);
        let limit = self.limit().saturating_sub(next);
        if self.given_bytes >= self.credit.bytes { 0 } else { credit.min(limit) }
    }

    /// The position from which on no frame is given before the next commit.
    fn limit(&self) -> u64 {
        let epoch = self.current.map(|current| current.epoch);
        let committed = self.committed.filter(|(_, place)| Some(place.epoch) == epoch);
        committed.map_or(0, |(_, place)| place.limit)
    }

    /// What to commit now, if it is time. One commit is under way at a time.
    pub(super) fn due(&mut self, window: u64, now: Instant) -> Option<(i64, Place)> {
        if self.committing.is_some() {
            return None;
        }
        let (offset, place) = self.place(window)?;
        let known = self.committed.filter(|(_, known)| known.epoch == place.epoch);
        let is_due = match known {
            None => true,
            Some(known) if known == (offset, place) => false,
            Some((_, known)) => {
                let is_late = self.committed_at.is_none_or(|at| now - at >= COMMIT);
                is_late || self.next() + window / 2 >= known.limit
            }
        };
        if !is_due {
            return None;
        }
        self.committing = Some((offset, place));
        self.committed_at = Some(now);
        self.committing
    }

    /// The commit at the end of a connection, once none is under way any more: an older one that comes later would
    /// take the group back.
    fn last(&mut self, window: u64) -> Option<(i64, Place)> {
        if self.committing.is_some() {
            return None;
        }
        self.wants_last = false;
        let (offset, place) = self.place(window)?;
        // No frame is given any more.
        let place = Place { limit: self.next().clamp(place.position, place.limit), ..place };
        self.committing = Some((offset, place)).filter(|last| self.committed != Some(*last));
        self.committing
    }

    /// Where the group is: behind all completed frames.
    pub(super) fn place(&self, window: u64) -> Option<(i64, Place)> {
        let current = self.current?;
        let position = current.standing.completed;
        let offset = self.marks.front().map_or(self.next_offset, |mark| mark.from);
        let limit =
            if self.has_finished { position } else { position.saturating_add(window.saturating_mul(2)) };
        Some((offset, Place { epoch: current.epoch, position, limit }))
    }

    /// The offset from which frames from `position` on are read.
    pub(super) fn offset_of(&self, position: u64) -> i64 {
        let mark = self.marks.iter().find(|mark| mark.end > position);
        mark.map_or(self.next_offset, |mark| mark.from)
    }

    /// A newer sender writes, from the record at `offset` on; records before it were removed or not.
    pub(super) fn replace(&mut self, offset: i64, has_gap: bool) {
        self.has_gap = has_gap;
        self.past.extend(self.current.take().map(|current| current.epoch));
        self.marks.clear();
        self.given.clear();
        self.given_bytes = 0;
        self.next_offset = offset;
    }
}

#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    news: Condvar,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Changes the state, and rings.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let result = work(&mut self.lock());
        self.news.notify_all();
        result
    }

    /// The commit that is due now, if there is one after at most `wait`; nothing when the connection has ended.
    pub(super) fn due(
        &self,
        connection: u64,
        window: u64,
        now: Instant,
        wait: Duration,
    ) -> Option<Option<(i64, Place)>> {
        let mut state = self.lock();
        if state.connection != connection || (state.is_broken && !state.wants_last) {
            return None;
        }
        let due = if state.is_broken { state.last(window) } else { state.due(window, now) };
        let has_ended = state.is_broken && !state.wants_last;
        if due.is_none() && !has_ended {
            // A poisoned lock is told by the next use.
            drop(self.news.wait_timeout(state, wait));
        }
        Some(due)
    }

    /// Waits at most `limit` until no thread commits any more.
    pub(super) fn await_commits(&self, limit: Duration) {
        let wait = self.news.wait_timeout_while(self.lock(), limit, |state| state.committers > 0);
        // A thread that panicked has said so.
        drop(wait);
    }

    pub(super) fn sleep(&self, limit: Duration) {
        // A thread that panicked with the lock has left a state that still counts, as `lock` says too.
        drop(self.news.wait_timeout(self.lock(), limit));
    }
}
