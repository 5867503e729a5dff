//! The work of an analysis: reducing, merging and finishing, by one process or by many.

use std::ops::Range;
use std::sync::Arc;

use livetime_recording::select::{Selected, Verdict};

use crate::cut::{Cut, MOST_EVENTS};
use crate::error::Result;
use crate::reducer::{AnyPartial, AnyReducer};
use crate::strip;
use crate::{Detector, Layout, Panel, Recording, Reducers};

/// So many bytes of events and of their pictures are in a block, or one event.
pub const BLOCK_BYTES: usize = 32 << 20;

/// Events whose sizes are read to estimate the memory of an analysis.
const LOOK: usize = 1000;

/// How results are merged, as `analysis.json` tells it: 2 is leaves in a fixed binary tree; 1 was one block after the other.
pub const REDUCTION: u32 = 2;

/// Which events, by how many workers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Threads that decompress and reduce, from 1 on.
    pub workers: usize,
    /// Numbers of the events, from 0 on; numbers beyond the end of the run do not matter.
    pub events: Range<usize>,
    /// Takes one event in `every`, beginning with the first.
    pub every: usize,
    /// How many bytes of events and of their pictures are in a block, at least one event. Results of floats may have other last bits with
    /// another number.
    pub block_bytes: usize,
    /// Which of these events are given to the reducers; the others are counted.
    pub select: Option<Arc<Selected>>,
}

/// All events, by as many workers as there are cores.
impl Default for Options {
    fn default() -> Options {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        Options { workers, events: 0..usize::MAX, every: 1, block_bytes: BLOCK_BYTES, select: None }
    }
}

/// An analysis in steps, for programs that divide it: [`reduce`](Work::reduce) some leaves, [`merge`](Work::merge) the
/// results, in any order, and [`finish`](Work::finish) when all leaves are there.
///
/// Events are cut into blocks of about 32 MiB, and blocks into leaves of a power of two of them, so that there are many leaves (at most 2 GiB
/// each). Within a leaf events are taken in one after the other; above the leaves partial results are merged in a fixed binary tree. Both
/// depend on the run alone, and so do all bits of the results. Reducers that take any order are merged as it comes.
///
/// ```no_run
/// use livetime_analysis::{GoOn, Options, PixelStatistics, Recording, Reducers, Work, detector};
///
/// let recording = Recording::open(&["e236-r0003-s04-c00.xtc"])?;
/// let detector = detector(&recording, None)?;
/// let reducers = Reducers::default().with(PixelStatistics::all());
/// let work = Work::new(&recording, &detector, &Options::default(), &reducers)?;
/// let half = work.leaves() / 2;
/// let mut all = work.reduce(&recording, half..work.leaves(), 1, &mut |_| GoOn::Yes)?;
/// let first = work.reduce(&recording, 0..half, 1, &mut |_| GoOn::Yes)?;
/// // What was saved can be loaded by another process that has the same work.
/// work.merge(&mut all, work.load(&work.save(&first)?)?)?;
/// println!("{} events used", work.finish(all)?.account.used);
/// # Ok::<(), livetime_analysis::Error>(())
/// ```
pub struct Work<'r> {
    pub(crate) detector: Detector,
    pub(crate) layout: Layout,
    pub(crate) cut: Cut,
    pub(crate) select: Option<Arc<Selected>>,
    pub(crate) reducers: &'r Reducers,
    /// Of each reducer: whether all its partial results can be merged in any order.
    pub(crate) is_any_order: Vec<bool>,
}

impl<'r> Work<'r> {
    /// Looks at the first events of the run and cuts it.
    ///
    /// # Errors
    /// If none of the first events has pictures of the detector.
    pub fn new(
        recording: &Recording,
        detector: &Detector,
        options: &Options,
        reducers: &'r Reducers,
    ) -> Result<Work<'r>> {
        let end = options.events.end.min(recording.events());
        // A range beyond the run is empty, and no error.
        let range = options.events.start.min(end)..end;
        let mut cut = Cut { range, every: options.every.max(1), block: 1 };
        let layout = Layout::find(recording, detector, &mut cut.iter())?;
        let largest = cut.iter().map(|event| recording.event_bytes(event)).max().unwrap_or(0);
        let largest = usize::try_from(largest).unwrap_or(usize::MAX);
        // By the largest event, or one block could need far more memory than the others.
        cut.block = (options.block_bytes / layout.bytes().max(largest).max(1)).clamp(1, MOST_EVENTS);
        let select = options.select.clone();
        Ok(Work { select, ..Work::of(detector.clone(), layout, cut, reducers) })
    }

    /// The work without a check of the run.
    pub(crate) fn of(detector: Detector, layout: Layout, cut: Cut, reducers: &'r Reducers) -> Work<'r> {
        let is_any_order = reducers.iter().map(|r| r.takes_any_order(&layout)).collect();
        Work { detector, layout, cut, select: None, reducers, is_any_order }
    }

    /// Type and shape of the pictures.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How many events are wanted.
    pub fn events(&self) -> usize {
        self.cut.events()
    }

    /// The verdict on an event, from its small data alone.
    pub(crate) fn verdict(&self, event: usize) -> Verdict {
        self.select.as_ref().map_or(Verdict::Selected, |select| select.verdict(event))
    }

    /// How many events of some blocks are selected.
    pub(crate) fn selected(&self, blocks: Range<usize>) -> u64 {
        let events = self.cut.events_of_blocks(blocks);
        match &self.select {
            None => events.len() as u64,
            Some(select) => events.filter(|event| select.has(*event)).count() as u64,
        }
    }

    /// How many blocks they are cut into.
    pub fn blocks(&self) -> usize {
        self.cut.blocks()
    }

    /// How many leaves these make.
    pub fn leaves(&self) -> usize {
        self.cut.leaves()
    }

    /// An estimate of the bytes that `workers` workers need. Each worker holds the pictures of a block, recorded and decoded,
    /// and its partial results. Further partial results wait to be merged. The results are no larger than a partial one.
    pub fn memory(&self, recording: &Recording, workers: usize) -> u64 {
        let [any_order, ordered] = self.partial_bytes();
        let read = recording.read_memory(&self.detector, self.cut.iter().take(LOOK));
        let slots = self.slots(recording, self.takes_strips());
        let pictures = (self.layout.bytes() as u64).saturating_mul(slots as u64);
        let worker = pictures.saturating_add(read).saturating_add(any_order).saturating_add(ordered);
        worker.saturating_mul(workers as u64).saturating_add(self.merging_bytes(u64::MAX))
    }

    /// An estimate of the bytes that merging takes beside the two merged results: waiting partial results, at most
    /// `most_waiting`, and the final results.
    pub(crate) fn merging_bytes(&self, most_waiting: u64) -> u64 {
        let [any_order, ordered] = self.partial_bytes();
        // In a binary tree about this many results wait at once.
        let waiting = ordered.saturating_mul(most_waiting.min(self.leaves().max(1).ilog2().into()));
        waiting.saturating_add(any_order).saturating_add(ordered)
    }

    /// An estimate of the bytes of a partial result: of reducers that take any order, and of the others.
    pub(crate) fn partial_bytes(&self) -> [u64; 2] {
        [true, false].map(|is_any_order| {
            self.reducers(is_any_order).map(|r| r.memory(&self.layout)).fold(0, u64::saturating_add)
        })
    }

    /// Whether all is such that pictures can be read and reduced strip by strip.
    // Small panels gain nothing from strips, and lengths that change make their places unknown.
    pub(crate) fn takes_strips(&self) -> bool {
        let is_large = |panel: &Panel| !panel.has_any_length() && panel.bytes() >= strip::LEAST_BYTES;
        self.reducers.iter().all(|reducer| reducer.takes_strips()) && self.layout.panels.iter().all(is_large)
    }

    /// Whether the reducers judge the pictures.
    pub(crate) fn takes_recorded(&self) -> bool {
        !self.reducers.is_empty() && self.reducers.iter().all(|reducer| reducer.takes_recorded())
    }

    /// Events that a worker has in memory at once. Where no pixels stay in the files, strips are cut from whole pictures,
    /// and a block must have room for these.
    pub(crate) fn slots(&self, recording: &Recording, by_strips: bool) -> usize {
        let stay = recording.format().leaves_pixels();
        match by_strips {
            true if stay => strip::EVENTS,
            true => strip::EVENTS.min(self.cut.block),
            false => self.cut.block,
        }
    }

    /// How the reducers describe themselves.
    pub(crate) fn describe(&self) -> Vec<String> {
        self.reducers.describe()
    }

    /// The reducers that take any order, or the others.
    pub(crate) fn reducers(&self, is_any_order: bool) -> impl Iterator<Item = &'r dyn AnyReducer> {
        let wanted = self.is_any_order.iter().map(move |is| *is == is_any_order);
        self.reducers.iter().zip(wanted).filter(|(_, is_wanted)| *is_wanted).map(|(reducer, _)| reducer)
    }

    /// Partial results of no event.
    pub(crate) fn partials(&self, is_any_order: bool) -> Vec<AnyPartial> {
        self.reducers(is_any_order).map(|reducer| reducer.partial(&self.layout)).collect()
    }

    /// Merges partial results one by one; afterwards `next` are the partial results of no event.
    pub(crate) fn merge_all(
        &self,
        is_any_order: bool,
        into: &mut [AnyPartial],
        next: &mut [AnyPartial],
    ) -> Result<()> {
        let both = into.iter_mut().zip(next);
        self.reducers(is_any_order).zip(both).try_for_each(|(reducer, (a, b))| reducer.merge(a, b))
    }
}
