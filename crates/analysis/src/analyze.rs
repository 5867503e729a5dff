//! An analysis in steps: leaves are reduced, their results are merged, and the last result is finished.

use std::ops::Range;

use livetime_frame::ByteSize;

use crate::error::{Error, Result};
use crate::leaves::Leaves;
use crate::partial::Partial;
use crate::reduce::reduce;
use crate::reducer::AnyPartial;
use crate::tree::{Forest, Node};
use crate::{Account, Detector, GoOn, Layout, Named, Options, Progress, Recording, Reducers, Work};

/// Most workers, above the cores of any machine: each has a stack and a partial result.
const MOST_WORKERS: usize = 1024;

/// The results.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// Type and shape of the pictures; arrays with one axis as long as the longest that was used.
    pub layout: Layout,
    /// How many events were wanted.
    pub events: usize,
    /// The fate of the events.
    pub account: Account,
    /// The results of the reducers, in their order.
    pub results: Vec<Named>,
}

/// Gives the pictures of `detector` to `reducers` and returns their results, which do not depend on the number of
/// workers. `tell` is called after each block, and several times a second, by the calling thread; it returns whether to go on.
///
/// # Errors
/// If none of the first events has pictures of the detector, if the system refuses a thread, if a reducer fails or panics, or if `tell` wants
/// no more. Events that are broken are no error; they are in [`Found::account`].
pub fn analyze(
    recording: &Recording,
    detector: &Detector,
    options: &Options,
    reducers: &Reducers,
    tell: &mut dyn FnMut(Progress) -> GoOn,
) -> Result<Found> {
    let work = Work::new(recording, detector, options, reducers)?;
    let all = work.reduce(recording, 0..work.leaves(), options.workers, tell)?;
    work.finish(all)
}

impl Work<'_> {
    /// Gives the events of some leaves to the reducers, with `workers` threads. `tell` is called after each block, and several times a
    /// second, by the calling thread; it returns whether to go on.
    ///
    /// # Errors
    /// If there are no such leaves, if the system refuses a thread, if a reducer fails or panics, or if `tell` wants no more.
    pub fn reduce(
        &self,
        recording: &Recording,
        leaves: Range<usize>,
        workers: usize,
        tell: &mut dyn FnMut(Progress) -> GoOn,
    ) -> Result<Partial> {
        // A plan of other events would otherwise be read in parts that do not exist.
        if leaves.start > leaves.end || leaves.end > self.leaves() {
            let found = format!("{}..{}", leaves.start, leaves.end);
            return Err(Error::refused(format!("leaves in 0..{}", self.leaves()), found));
        }
        // A worker without a leaf would only cost memory.
        let workers = workers.clamp(1, MOST_WORKERS).min(leaves.len().max(1));
        // Refused before the first event is read: a job that runs out of memory hours later has lost all.
        self.check_memory(recording, workers)?;
        reduce(self, recording, leaves, workers, tell)
    }

    /// Refuses an analysis that needs more memory than jobs on the run may take.
    fn check_memory(&self, recording: &Recording, workers: usize) -> Result<()> {
        let picture = ByteSize(self.layout.bytes() as u64);
        let what = format!("an analysis of pictures of {picture} by {workers} workers");
        Ok(recording.memory().check(self.memory(recording, workers), what)?)
    }

    /// Takes in the results of other leaves, before or after these.
    ///
    /// # Errors
    /// If a leaf is there already, or a reducer fails or panics. Then `into` is good for nothing any more.
    pub fn merge(&self, into: &mut Partial, next: Partial) -> Result<()> {
        // The leaves come first: a leaf that is there already must not be counted twice.
        into.leaves.add(&next.leaves)?;
        into.account.merge(next.account);
        self.merge_all(true, &mut into.any_order, &mut { next.any_order })?;
        for (node, partial) in next.forest.into_iter() {
            self.put(&mut into.forest, node, partial)?;
        }
        Ok(())
    }

    /// The results, when all leaves are there.
    ///
    /// # Errors
    /// If leaves are missing (the error names the leaves), or a reducer fails or panics.
    pub fn finish(&self, partial: Partial) -> Result<Found> {
        let missing = partial.leaves.missing(self.leaves());
        if !missing.is_empty() {
            return Err(Error::MissingLeaves(missing));
        }
        let Partial { account, any_order, forest, .. } = partial;
        // The lengths are known only at the end, after the longest array.
        let layout = self.layout.finished(|panel| Some(*account.lengths(panel)?.end()));
        let mut any_order = any_order.into_iter();
        let mut ordered = forest.into_iter().flat_map(|(_, partials)| partials);
        let mut results = Vec::new();
        for (reducer, is_any_order) in self.reducers.iter().zip(&self.is_any_order) {
            let last = if *is_any_order { any_order.next() } else { ordered.next() };
            // Without events no node of the tree exists, and the reducer tells the result of none.
            let last = last.unwrap_or_else(|| reducer.partial(&self.layout));
            results.extend(reducer.finish(&layout, last)?);
        }
        Ok(Found { layout, events: self.events(), account, results })
    }

    /// The result of no leaf.
    pub(crate) fn nothing(&self) -> Partial {
        Partial {
            leaves: Leaves::default(),
            account: Account::default(),
            any_order: self.partials(true),
            forest: Forest::new(self.leaves()),
        }
    }

    /// Puts the partial results of a node into the tree and merges as far up as it goes.
    fn put(&self, forest: &mut Forest<Vec<AnyPartial>>, node: Node, partial: Vec<AnyPartial>) -> Result<()> {
        let mut next = forest.put(node, partial);
        // A merged node may be the missing half of a larger one.
        while let Some(mut pair) = next {
            if let Some(right) = &mut pair.right {
                self.merge_all(false, &mut pair.left, right)?;
            }
            next = forest.put(pair.node, pair.left);
        }
        Ok(())
    }
}
