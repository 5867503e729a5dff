//! How far each stream of hits has come.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Which stream: the hits of a link that one finder has found.
pub(super) type Key = (u16, Arc<str>);

/// The planes of a link, as bits: two induction planes and the collection plane.
pub(super) const ALL_PLANES: u64 = 0b111;

/// The state of a stream.
#[derive(Clone, Debug)]
struct State {
    /// No hit with an earlier start will come in its epoch; `None` before the first table.
    watermark: Option<u64>,
    /// When the last table came.
    seen_ns: u64,
    /// Planes that it has hits of, as bits.
    planes: u64,
    /// Times that its clock has been set back since the epoch began that is being merged.
    epoch: usize,
    /// When the clock was set back, if others have not followed.
    set_back_ns: u64,
    /// When dead: the watermark at which it was declared so.
    dead_since: Option<u64>,
}

/// The effect of a table on its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// Hits of the table belong to the epoch with this number, counted from the epoch that is being merged.
    Of(usize),
    /// The stream was dead from the first to the second time, and is back.
    Back(u64, u64),
    /// The stream is still dead, because it is behind the others.
    Dead,
}

/// Why a stream was declared dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Silent,
    /// The stream's clock was set back, and the clocks of others were not.
    SetBack,
}

/// All streams.
#[derive(Debug, Default)]
pub(super) struct Streams {
    streams: BTreeMap<Key, State>,
    /// Links that must come and have sent nothing yet, and since when they are waited for.
    expected: BTreeMap<u16, u64>,
}

impl Streams {
    /// A link that must come: others wait for it.
    pub(super) fn expect(&mut self, link: u16, now_ns: u64) {
        self.expected.insert(link, now_ns);
    }

    /// Whether all links that must come have come with all their planes.
    pub(super) fn are_complete(&self, links: impl Iterator<Item = u16>) -> bool {
        let planes = |link: u16| {
            let own = self.streams.iter().filter(|((of, _), _)| *of == link);
            own.fold(0, |all, (_, state)| all | state.planes)
        };
        let (mut links, mut count) = (links, 0);
        links.all(|link| {
            count += 1;
            planes(link) == ALL_PLANES
        }) && count > 0
    }

    /// A table has come. `merged` is how far the output has gone in its epoch.
    pub(super) fn table(&mut self, key: &Key, planes: u64, watermark: u64, merged: u64, now_ns: u64) -> News {
        self.expected.remove(&key.0);
        if !self.streams.contains_key(key) {
            // One that was abandoned before it came.
            // The name of a stream is unknown before its first table, so an overdue link is dead under an empty name.
            let dead_since = self.streams.remove(&(key.0, Arc::from(""))).and_then(|state| state.dead_since);
            self.streams.insert(key.clone(), State { dead_since, ..State::new(now_ns) });
        }
        let Some(state) = self.streams.get_mut(key) else { return News::Of(0) };
        state.seen_ns = now_ns;
        state.planes |= planes;
        let before = state.watermark.replace(watermark);
        if let Some(since) = state.dead_since {
            // Hits before the merged time would be out of order, so the stream stays dead until it has caught up.
            if watermark < merged {
                return News::Dead;
            }
            (state.dead_since, state.epoch) = (None, 0);
            return News::Back(since, watermark);
        }
        if before.is_some_and(|before| watermark < before) {
            // The first step back of this epoch starts the time limit for the others.
            if state.epoch == 0 {
                state.set_back_ns = now_ns;
            }
            state.epoch += 1;
        }
        News::Of(state.epoch)
    }

    /// Declares streams dead that have been silent for `after_ns`, or whose clock alone was set back longer ago than
    /// that. When all streams are silent none is dead, because the source has stopped.
    pub(super) fn bury(&mut self, now_ns: u64, after_ns: u64, merged: u64, mut dead: impl FnMut(u16, Cause)) {
        let is_long = |since_ns: u64| now_ns.saturating_sub(since_ns) >= after_ns;
        // When all streams are silent the source has stopped, and no stream is to blame.
        if self.streams.values().all(|state| is_long(state.seen_ns)) {
            return;
        }
        let overdue: Vec<u16> =
            self.expected.extract_if(.., |_, since| is_long(*since)).map(|(l, _)| l).collect();
        for link in overdue {
            let state = State { dead_since: Some(merged), ..State::new(0) };
            self.streams.insert((link, Arc::from("")), state);
            dead(link, Cause::Silent);
        }
        // A stream alone in a later epoch can only be wrong if others still run in this one.
        let has_others = self.streams.values().any(|state| state.dead_since.is_none() && state.epoch == 0);
        for ((link, _), state) in self.streams.iter_mut().filter(|(_, state)| state.dead_since.is_none()) {
            let cause = match state.epoch {
                _ if is_long(state.seen_ns) => Cause::Silent,
                1.. if has_others && is_long(state.set_back_ns) => Cause::SetBack,
                _ => continue,
            };
            state.dead_since = Some(state.watermark.unwrap_or(merged));
            dead(*link, cause);
        }
    }

    /// Whether all live streams have gone on to the next epoch.
    pub(super) fn have_left_epoch(&self) -> bool {
        let mut live = self.live().peekable();
        self.expected.is_empty() && live.peek().is_some() && live.all(|state| state.epoch > 0)
    }

    /// The next epoch is merged.
    pub(super) fn begin_epoch(&mut self) {
        self.streams.values_mut().for_each(|state| state.epoch = state.epoch.saturating_sub(1));
    }

    /// The time before which no hit of a live stream will come any more; `None` as long as one of them has not begun, or none is left.
    pub(super) fn watermark(&self) -> Option<u64> {
        // A link that is still expected may have hits of any time.
        if !self.expected.is_empty() {
            return None;
        }
        self.live().map(State::reached).min().flatten()
    }

    /// The link that holds up the others.
    pub(super) fn slowest(&self) -> Option<u16> {
        let live = self.streams.iter().filter(|(_, state)| state.dead_since.is_none());
        let slowest = live.min_by_key(|(_, state)| state.reached()).map(|((link, _), _)| *link);
        self.expected.first_key_value().map(|(link, _)| *link).or(slowest)
    }

    /// The difference between the furthest and the slowest live stream of the epoch, ticks of the clock.
    pub(super) fn skew(&self) -> u64 {
        let of_epoch = || self.live().filter(|state| state.epoch == 0).filter_map(|state| state.watermark);
        of_epoch().max().zip(of_epoch().min()).map_or(0, |(most, least)| most - least)
    }

    /// Links with a dead stream, with the time of its death.
    pub(super) fn dead(&self) -> impl Iterator<Item = (u16, u64)> {
        self.streams.iter().filter_map(|((link, _), state)| Some((*link, state.dead_since?)))
    }

    /// Number of links.
    pub(super) fn links(&self) -> usize {
        let mut links: Vec<u16> = self.streams.keys().map(|(link, _)| *link).collect();
        links.extend(self.expected.keys());
        links.sort_unstable();
        links.dedup();
        links.len()
    }

    fn live(&self) -> impl Iterator<Item = &State> {
        self.streams.values().filter(|state| state.dead_since.is_none())
    }
}

impl State {
    fn new(seen_ns: u64) -> State {
        State { watermark: None, seen_ns, planes: 0, epoch: 0, set_back_ns: 0, dead_since: None }
    }

    /// How far it has come in the epoch that is being merged.
    fn reached(&self) -> Option<u64> {
        // A stream in a later epoch has no further hits of this one, and holds nothing up.
        if self.epoch > 0 { Some(u64::MAX) } else { self.watermark }
    }
}
