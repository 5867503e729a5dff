//! How far each link has come.

use std::collections::BTreeMap;

/// What is known of a link.
#[derive(Clone, Copy, Debug)]
struct State {
    /// No hit with an earlier start will come; `None` before the first table.
    watermark: Option<u64>,
    /// When the last table came.
    seen_ns: u64,
    /// When dead: the watermark at which it was declared so.
    dead_since: Option<u64>,
}

/// What a table means for its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// As it should be.
    Goes,
    /// The link was dead from the first to the second time, and is back.
    Back(u64, u64),
    /// The link is dead still: it is behind the others.
    Dead,
}

/// All links.
#[derive(Debug, Default)]
pub(super) struct Links(BTreeMap<u16, State>);

impl Links {
    /// A link that must come: others wait for it.
    pub(super) fn expect(&mut self, link: u16, now_ns: u64) {
        self.0.entry(link).or_insert(State { watermark: None, seen_ns: now_ns, dead_since: None });
    }

    /// A table has come. `merged` is how far the output has gone.
    pub(super) fn table(&mut self, link: u16, watermark: u64, merged: u64, now_ns: u64) -> News {
        self.expect(link, now_ns);
        let Some(state) = self.0.get_mut(&link) else { return News::Goes };
        state.seen_ns = now_ns;
        // A watermark that goes back is a new beginning, which the output does not follow.
        state.watermark = Some(watermark);
        match state.dead_since {
            Some(since) if watermark >= merged => {
                state.dead_since = None;
                News::Back(since, watermark)
            }
            Some(_) => News::Dead,
            None => News::Goes,
        }
    }

    /// Declares links dead of which nothing has come for `after_ns`, or for that long has stayed behind; gives each with the time since
    /// which. When all are silent none is dead: then the source has stopped.
    pub(super) fn bury(&mut self, now_ns: u64, after_ns: u64, merged: u64, mut dead: impl FnMut(u16, u64)) {
        let is_silent = |state: &State| now_ns.saturating_sub(state.seen_ns) >= after_ns;
        if self.0.values().all(is_silent) {
            return;
        }
        for (link, state) in &mut self.0 {
            if state.dead_since.is_none() && is_silent(state) {
                let since = state.watermark.unwrap_or(merged);
                state.dead_since = Some(since);
                dead(*link, since);
            }
        }
    }

    /// The time before which no hit of a live link will come any more; `None` as long as one of them has not begun, or none is left.
    pub(super) fn watermark(&self) -> Option<u64> {
        let live = self.0.values().filter(|state| state.dead_since.is_none());
        live.map(|state| state.watermark).min().flatten()
    }

    /// The link that holds up the others.
    pub(super) fn slowest(&self) -> Option<u16> {
        let live = self.0.iter().filter(|(_, state)| state.dead_since.is_none());
        live.min_by_key(|(_, state)| state.watermark).map(|(link, _)| *link)
    }

    /// The difference between the furthest and the slowest live link, ticks of the clock.
    pub(super) fn skew(&self) -> u64 {
        let live = || self.0.values().filter(|s| s.dead_since.is_none()).filter_map(|s| s.watermark);
        live().max().zip(live().min()).map_or(0, |(most, least)| most - least)
    }

    /// Links that are dead, with the time since which.
    pub(super) fn dead(&self) -> impl Iterator<Item = (u16, u64)> {
        self.0.iter().filter_map(|(link, state)| Some((*link, state.dead_since?)))
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}
