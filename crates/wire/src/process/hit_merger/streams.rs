//! How far each stream of hits has come.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::slowest::Slowest;

/// Which stream: the hits of a link that one finder has found.
pub(super) type Key = (u16, Arc<str>);

/// The planes of a link, as bits: two induction planes and the collection plane.
pub(super) const ALL_PLANES: u64 = 0b111;

/// The state of a stream.
#[derive(Clone, Debug)]
struct State {
    key: Key,
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
    /// In the order of their first tables.
    states: Vec<State>,
    /// Places in `states`, in the order of the keys.
    places: Vec<usize>,
    /// Live streams, by their watermarks.
    slowest: Slowest,
    /// Live streams, and those of them in the epoch that is being merged.
    live: usize,
    in_epoch: usize,
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
            let from = self.places.partition_point(|place| self.states[*place].key.0 < link);
            let own = self.places[from..].iter().map(|place| &self.states[*place]);
            own.take_while(|state| state.key.0 == link).fold(0, |all, state| all | state.planes)
        };
        let (mut links, mut count) = (links, 0);
        links.all(|link| {
            count += 1;
            planes(link) == ALL_PLANES
        }) && count > 0
    }

    /// A table has come. `merged` is how far the output has gone in its epoch.
    pub(super) fn table(&mut self, key: &Key, planes: u64, watermark: u64, merged: u64, now_ns: u64) -> News {
        let place = self.place(key, now_ns);
        let state = &mut self.states[place];
        state.seen_ns = now_ns;
        state.planes |= planes;
        let before = state.watermark.replace(watermark);
        if let Some(since) = state.dead_since {
            // Hits before the merged time would be out of order, so the stream stays dead until it has caught up.
            if watermark < merged {
                return News::Dead;
            }
            (state.dead_since, state.epoch) = (None, 0);
            self.recount();
            return News::Back(since, watermark);
        }
        if before.is_some_and(|before| watermark < before) {
            // The first step back of this epoch starts the time limit for the others.
            if state.epoch == 0 {
                state.set_back_ns = now_ns;
                self.in_epoch -= 1;
            }
            state.epoch += 1;
        }
        News::Of(state.epoch)
    }

    /// The place of a stream in `states`; a new one is entered.
    fn place(&mut self, key: &Key, now_ns: u64) -> usize {
        if let Ok(at) = self.find(key) {
            return self.places[at];
        }
        self.expected.remove(&key.0);
        // The name of a stream is unknown before its first table, so an overdue link is dead under an empty name.
        if let Ok(at) = self.find(&(key.0, Arc::from(""))) {
            let place = self.places[at];
            let dead_since = self.states[place].dead_since;
            self.states[place] = State { dead_since, ..State::new(key.clone(), now_ns) };
            self.recount();
            return place;
        }
        let place = self.enter(State::new(key.clone(), now_ns));
        self.slowest.add(place, 0);
        (self.live, self.in_epoch) = (self.live + 1, self.in_epoch + 1);
        place
    }

    fn enter(&mut self, state: State) -> usize {
        let place = self.states.len();
        let at = self.find(&state.key).unwrap_or_else(|at| at);
        self.states.push(state);
        self.places.insert(at, place);
        place
    }

    fn find(&self, key: &Key) -> Result<usize, usize> {
        self.places.binary_search_by(|place| {
            let own = &self.states[*place].key;
            // Names of one stream mostly are one text.
            let by_name = || if Arc::ptr_eq(&own.1, &key.1) { Ordering::Equal } else { own.1.cmp(&key.1) };
            own.0.cmp(&key.0).then_with(by_name)
        })
    }

    /// Counts the live streams anew, after one has died, come back, or begun an epoch.
    fn recount(&mut self) {
        let live = || self.states.iter().enumerate().filter(|(_, state)| state.dead_since.is_none());
        self.slowest.reset(live().map(|(place, state)| (place, state.reached().unwrap_or(0))));
        (self.live, self.in_epoch) = (live().count(), live().filter(|(_, state)| state.epoch == 0).count());
    }

    /// Declares streams dead that have been silent for `after_ns`, or whose clock alone was set back longer ago than
    /// that. When all streams are silent none is dead, because the source has stopped.
    pub(super) fn bury(&mut self, now_ns: u64, after_ns: u64, merged: u64, mut dead: impl FnMut(u16, Cause)) {
        let is_long = |since_ns: u64| now_ns.saturating_sub(since_ns) >= after_ns;
        // When all streams are silent the source has stopped, and no stream is to blame.
        if self.states.iter().all(|state| is_long(state.seen_ns)) {
            return;
        }
        let overdue: Vec<u16> =
            self.expected.extract_if(.., |_, since| is_long(*since)).map(|(l, _)| l).collect();
        for link in overdue {
            self.enter(State { dead_since: Some(merged), ..State::new((link, Arc::from("")), 0) });
            dead(link, Cause::Silent);
        }
        // A stream alone in a later epoch can only be wrong if others still run in this one.
        let has_others = self.in_epoch > 0;
        for place in &self.places {
            let Some(state) = self.states.get_mut(*place).filter(|state| state.dead_since.is_none()) else {
                continue;
            };
            let cause = match state.epoch {
                _ if is_long(state.seen_ns) => Cause::Silent,
                1.. if has_others && is_long(state.set_back_ns) => Cause::SetBack,
                _ => continue,
            };
            state.dead_since = Some(state.watermark.unwrap_or(merged));
            dead(state.key.0, cause);
        }
        self.recount();
    }

    /// Whether all live streams have gone on to the next epoch.
    pub(super) fn have_left_epoch(&self) -> bool {
        self.expected.is_empty() && self.live > 0 && self.in_epoch == 0
    }

    /// The next epoch is merged.
    pub(super) fn begin_epoch(&mut self) {
        self.states.iter_mut().for_each(|state| state.epoch = state.epoch.saturating_sub(1));
        self.recount();
    }

    /// The time before which no hit of a live stream will come any more; `None` as long as one of them has not begun, or none is left.
    pub(super) fn watermark(&mut self) -> Option<u64> {
        // A link that is still expected may have hits of any time.
        if !self.expected.is_empty() {
            return None;
        }
        let states = &self.states;
        self.slowest.least(|place| {
            let state = states.get(place).filter(|state| state.dead_since.is_none())?;
            Some(state.reached().unwrap_or(0))
        })
    }

    /// The link that holds up the others.
    pub(super) fn slowest(&self) -> Option<u16> {
        let slowest = self.live().min_by_key(|state| state.reached()).map(|state| state.key.0);
        self.expected.first_key_value().map(|(link, _)| *link).or(slowest)
    }

    /// The difference between the furthest and the slowest live stream of the epoch, ticks of the clock.
    pub(super) fn skew(&self) -> u64 {
        let of_epoch = || self.live().filter(|state| state.epoch == 0).filter_map(|state| state.watermark);
        of_epoch().max().zip(of_epoch().min()).map_or(0, |(most, least)| most - least)
    }

    /// Links with a dead stream, with the time of its death.
    pub(super) fn dead(&self) -> impl Iterator<Item = (u16, u64)> {
        self.in_order().filter_map(|state| Some((state.key.0, state.dead_since?)))
    }

    /// Number of links.
    pub(super) fn links(&self) -> usize {
        let mut links: Vec<u16> = self.states.iter().map(|state| state.key.0).collect();
        links.extend(self.expected.keys());
        links.sort_unstable();
        links.dedup();
        links.len()
    }

    fn live(&self) -> impl Iterator<Item = &State> {
        self.in_order().filter(|state| state.dead_since.is_none())
    }

    /// By their keys.
    fn in_order(&self) -> impl Iterator<Item = &State> {
        self.places.iter().filter_map(|place| self.states.get(*place))
    }
}

impl State {
    fn new(key: Key, seen_ns: u64) -> State {
        State { key, watermark: None, seen_ns, planes: 0, epoch: 0, set_back_ns: 0, dead_since: None }
    }

    /// How far it has come in the epoch that is being merged.
    fn reached(&self) -> Option<u64> {
        // A stream in a later epoch has no further hits of this one, and holds nothing up.
        if self.epoch > 0 { Some(u64::MAX) } else { self.watermark }
    }
}
