//! How far each stream of activities has come.

use crate::slowest::Slowest;

/// Which stream: the input, and the node and the output that send to it.
pub(super) type Key = (usize, (usize, usize));

/// All streams of activities: one for each edge. Fields of one stream have one place in all lists.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// In rising order, with the place.
    places: Vec<(Key, usize)>,
    watermarks: Vec<u64>,
    /// How many epochs of time a stream is ahead of the one that is decided on.
    ahead: Vec<usize>,
    /// When the last table came.
    seen_ns: Vec<u64>,
    /// Not waited for, because it was silent for too long.
    is_dead: Vec<bool>,
    /// Live streams.
    live: usize,
    slowest: Slowest,
}

/// The effect of a table on its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Followed {
    /// The stream's watermark before.
    pub(super) known: u64,
    /// How many epochs the table is ahead.
    pub(super) ahead: usize,
    /// A dead stream that has caught up.
    pub(super) is_back: bool,
}

impl Inputs {
    /// Streams that have been heard of.
    pub(super) fn heard(&self) -> usize {
        self.watermarks.len()
    }

    /// The place of a stream that has been heard of.
    pub(super) fn find(&self, key: Key) -> Option<usize> {
        self.places.binary_search_by_key(&key, |(key, _)| *key).ok().map(|at| self.places[at].1)
    }

    /// A table has come of the stream at `place`. A dead stream is waited for again when it has come to `decided`, and stays in the epoch that is decided on.
    pub(super) fn follow(&mut self, place: usize, watermark: u64, decided: u64, now_ns: u64) -> Followed {
        self.seen_ns[place] = now_ns;
        let known = std::mem::replace(&mut self.watermarks[place], watermark);
        if self.is_dead[place] {
            let is_back = watermark >= decided;
            if is_back {
                (self.is_dead[place], self.ahead[place]) = (false, 0);
                self.recount();
            }
            // The decisions have gone on without it.
            return Followed { known: decided, ahead: 0, is_back };
        }
        if watermark < known {
            self.ahead[place] += 1;
        }
        Followed { known, ahead: self.ahead[place], is_back: false }
    }

    /// Enters a new stream. When decisions have begun without it, it is dead until it has come to them.
    pub(super) fn enter(&mut self, key: Key, decided: u64) -> usize {
        let at = self.places.partition_point(|(other, _)| *other < key);
        let place = self.watermarks.len();
        self.places.insert(at, (key, place));
        self.watermarks.push(0);
        self.ahead.push(0);
        self.seen_ns.push(0);
        self.is_dead.push(decided > 0);
        self.recount();
        place
    }

    /// The smallest watermark of the live streams; `u64::MAX` when all of them are ahead.
    pub(super) fn known(&mut self) -> Option<u64> {
        let (watermarks, ahead, is_dead) = (&self.watermarks, &self.ahead, &self.is_dead);
        self.slowest.least(|place| {
            let reached = if ahead[place] > 0 { u64::MAX } else { watermarks[place] };
            (!is_dead[place]).then_some(reached)
        })
    }

    /// The next epoch is decided on; returns the latest watermark in it, ignoring `u64::MAX`.
    pub(super) fn begin_epoch(&mut self) -> u64 {
        self.ahead.iter_mut().for_each(|ahead| *ahead = ahead.saturating_sub(1));
        self.recount();
        let of_epoch = self.watermarks.iter().zip(&self.ahead).filter(|(_, ahead)| **ahead == 0);
        of_epoch.map(|(watermark, _)| *watermark).filter(|watermark| *watermark < u64::MAX).max().unwrap_or(0)
    }

    /// Streams that have been silent for `after_ns` while others have not are not waited for any more; returns their keys.
    pub(super) fn bury(&mut self, now_ns: u64, after_ns: u64) -> Vec<Key> {
        let is_silent = |seen_ns: &u64| now_ns.saturating_sub(*seen_ns) >= after_ns;
        // When all are silent the source has stopped, and no stream is to blame.
        if self.seen_ns.iter().all(is_silent) {
            return Vec::new();
        }
        let mut dead = Vec::new();
        for (key, place) in &self.places {
            if !self.is_dead[*place] && is_silent(&self.seen_ns[*place]) {
                self.is_dead[*place] = true;
                dead.push(*key);
            }
        }
        if !dead.is_empty() {
            self.recount();
        }
        dead
    }

    /// Dead streams.
    pub(super) fn dead(&self) -> usize {
        self.heard() - self.live
    }

    fn recount(&mut self) {
        let live = || (0..self.watermarks.len()).filter(|place| !self.is_dead[*place]);
        let reached = |place: usize| if self.ahead[place] > 0 { u64::MAX } else { self.watermarks[place] };
        self.slowest.reset(live().map(|place| (place, reached(place))));
        self.live = live().count();
    }
}
