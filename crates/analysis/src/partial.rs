//! The results of some leaves.

use std::ops::Range;

use crate::account::Account;
use crate::error::{Error, Result};
use crate::leaves::Leaves;
use crate::reducer::{AnyPartial, AnyReducer};
use crate::tree::{Forest, nodes_of};
use crate::{Loader, ReduceError, Saver, Work};

/// Bytes of the account and lengths of lists in a saved result, in most cases.
const BESIDE: usize = 64 << 10;

/// The results of some leaves of a [`Work`].
pub struct Partial {
    pub(crate) leaves: Leaves,
    pub(crate) account: Account,
    /// Of each reducer that takes any order.
    pub(crate) any_order: Vec<AnyPartial>,
    /// Of each reducer that does not.
    pub(crate) forest: Forest<Vec<AnyPartial>>,
}

impl Partial {
    /// The leaves, as ranges that neither overlap nor touch.
    pub fn leaves(&self) -> &[Range<usize>] {
        self.leaves.ranges()
    }

    /// The fate of their events.
    pub fn account(&self) -> &Account {
        &self.account
    }
}

impl Work<'_> {
    /// A partial result as bytes. The same leaves give the same bytes on every machine and for any number of workers.
    ///
    /// # Errors
    /// If a reducer cannot be saved.
    pub fn save(&self, partial: &Partial) -> Result<Vec<u8>> {
        self.save_behind(Vec::new(), partial)
    }

    /// The bytes of [`Work::save`] behind `head`.
    pub(crate) fn save_behind(&self, head: Vec<u8>, partial: &Partial) -> Result<Vec<u8>> {
        let mut out = Saver { bytes: head };
        // A list that grows while it is written would be copied, and be in memory twice for a moment.
        let [any_order, ordered] = self.partial_bytes();
        let expected = ordered.saturating_mul(partial.forest.iter().count() as u64).saturating_add(any_order);
        // Only an estimate: without this room the list grows as it is written.
        let _ =
            out.bytes.try_reserve(usize::try_from(expected).map_or(0, |room| room.saturating_add(BESIDE)));
        let ranges = partial.leaves();
        out.number(ranges.len() as u64);
        for range in ranges {
            out.number(range.start as u64);
            out.number(range.end as u64);
        }
        partial.account.save(&mut out);
        self.save_all(true, &partial.any_order, &mut out)?;
        for (_, partials) in partial.forest.iter() {
            self.save_all(false, partials, &mut out)?;
        }
        Ok(out.bytes)
    }

    /// Loads the bytes of [`Work::save`]; any other bytes are an error.
    ///
    /// # Errors
    /// If the bytes are no partial result of this work.
    pub fn load(&self, bytes: &[u8]) -> Result<Partial> {
        self.load_from(&mut Loader::new(&mut &bytes[..], bytes.len()))
    }

    /// Loads all bytes of `from`, which [`Work::save`] has written.
    pub(crate) fn load_from(&self, from: &mut Loader<'_>) -> Result<Partial> {
        let (leaves, account) = self.load_head(from).map_err(refused)?;
        let longest: Vec<usize> =
            // The account bounds the lengths that the saved reducers may claim.
            (0..self.layout.panels.len()).map(|p| account.lengths(p).map_or(0, |l| *l.end())).collect();
        let any_order = self.load_all(true, from, account.used, &longest)?;
        let mut forest = Forest::new(self.leaves());
        if self.reducers(false).next().is_some() {
            for node in nodes_of(leaves.ranges(), self.leaves()) {
                // Nodes of one partial result have no neighbours among themselves.
                forest.put(node, self.load_all(false, from, account.used, &longest)?);
            }
        }
        from.end().map_err(refused)?;
        Ok(Partial { leaves, account, any_order, forest })
    }

    fn save_all(&self, is_any_order: bool, partials: &[AnyPartial], out: &mut Saver) -> Result<()> {
        let mut all = self.reducers(is_any_order).zip(partials);
        all.try_for_each(|(reducer, partial)| out.sized(|out| reducer.save(partial, out)))
    }

    fn load_all(
        &self,
        is_any_order: bool,
        from: &mut Loader<'_>,
        events: u64,
        longest: &[usize],
    ) -> Result<Vec<AnyPartial>> {
        let load = |reducer: &dyn AnyReducer| {
            let mut own = from.sized(events, longest).map_err(refused)?;
            let partial = reducer.load(&self.layout, &mut own)?;
            own.end().map_err(refused)?;
            Ok(partial)
        };
        self.reducers(is_any_order).map(load).collect()
    }

    /// Leaves and account, which must have all events of these leaves.
    fn load_head(&self, from: &mut Loader<'_>) -> Result<(Leaves, Account), ReduceError> {
        let mut leaves = Leaves::default();
        for _ in 0..from.at_most(self.leaves() as u64)? {
            let end = self.leaves();
            let start = from.size_at_most(end)?;
            leaves.add(&Leaves::of(start..from.size_at_most(end)?))?;
        }
        // The account must fit the leaves: a file with other counts is no partial result of this work.
        let wanted: usize = leaves.ranges().iter().map(|range| self.cut.events_of_leaves(range)).sum();
        let account = Account::load(from, &self.layout)?;
        if account.events() != wanted as u64 {
            let found = format!("found {}", account.events());
            return Err(format!("wanted an account of {wanted} events, {found}").into());
        }
        Ok((leaves, account))
    }
}

fn refused(error: ReduceError) -> Error {
    Error::refused("a partial result of this analysis", format!("bytes that are none: {error}"))
}
