//! Workers that take blocks of events, and the merging of what they find.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};

use livetime_formats::{Error, Result};

use super::account::{Account, BrokenEvent, Outcome};
use super::block::{BLOCK_BYTES, Reader, Slot};
use super::read_ahead::read_ahead;
use super::reducer::AnyPartial;
use super::turn::Turn;
use super::{Detector, EventPictures, Fault, Layout, Named, Recording, Reducers};

/// Events in a block, at most.
const MOST_EVENTS: usize = 1024;

/// Which events, by how many workers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Threads that decompress and reduce, from 1 on.
    pub workers: usize,
    /// Numbers of the events, from 0 on; what is beyond the end of the run does not matter.
    pub events: Range<usize>,
    /// Only one event in so many, beginning with the first.
    pub every: usize,
}

/// All events, by as many workers as there are cores.
impl Default for Options {
    fn default() -> Options {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        Options { workers, events: 0..usize::MAX, every: 1 }
    }
}

/// How far an analysis is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Events that are done, whether they could be used or not.
    pub done: usize,
    /// Events in all.
    pub events: usize,
    /// Bytes of the pictures of these, uncompressed.
    pub raw_bytes: u64,
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// What they look like; arrays with one axis as long as the longest that was used.
    pub layout: Layout,
    /// How many events were wanted.
    pub events: usize,
    /// What became of them.
    pub account: Account,
    /// The results of the reducers, in their order.
    pub results: Vec<Named>,
}

/// Gives the pictures of `detector` to `reducers` and returns their results, which do not depend on the number of
/// workers. `tell` is called after each block, by the calling thread.
///
/// # Errors
/// If none of the first events has pictures of the detector, if the system refuses a thread, or a reducer panics. Events that are broken are
/// no error; they are in [`Found::account`].
pub fn analyze(
    recording: &Recording,
    detector: &Detector,
    options: &Options,
    reducers: &Reducers,
    tell: &mut dyn FnMut(Progress),
) -> Result<Found> {
    let mut positions = Positions::new(recording.events(), options);
    let layout = Layout::find(recording, detector, &positions)?;
    let largest = positions.iter().map(|event| recording.event_bytes(event)).max().unwrap_or(0);
    positions.block = (BLOCK_BYTES / layout.bytes().max(largest).max(1)).clamp(1, MOST_EVENTS);
    let is_any_order = reducers.list.iter().map(|r| r.takes_any_order(&layout)).collect();
    let work = Work { recording, detector, layout: &layout, positions, reducers, is_any_order };
    let (account, partials) = work.run(options.workers.max(1), tell)?;
    let events = work.positions.events();
    let layout = layout.finished(&account);
    let results = reducers.list.iter().zip(partials).flat_map(|(r, p)| r.finish(&layout, p)).collect();
    Ok(Found { layout, events, account, results })
}

/// The events that are wanted, cut into blocks.
pub(super) struct Positions {
    range: Range<usize>,
    every: usize,
    /// Events in a block.
    pub(super) block: usize,
}

impl Positions {
    fn new(events: usize, options: &Options) -> Positions {
        let end = options.events.end.min(events);
        let range = options.events.start.min(end)..end;
        Positions { range, every: options.every.max(1), block: 1 }
    }

    pub(super) fn events(&self) -> usize {
        self.range.len().div_ceil(self.every)
    }

    pub(super) fn blocks(&self) -> usize {
        self.events().div_ceil(self.block)
    }

    /// Numbers of all events.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        self.range.clone().step_by(self.every)
    }

    /// Numbers of the events of a block.
    pub(super) fn block(&self, block: usize) -> impl Iterator<Item = usize> + use<> {
        self.iter().skip(block * self.block).take(self.block)
    }
}

/// What all workers see.
struct Work<'a> {
    recording: &'a Recording,
    detector: &'a Detector,
    layout: &'a Layout,
    positions: Positions,
    reducers: &'a Reducers,
    /// Of each reducer: whether a worker has one partial result for all its events.
    is_any_order: Vec<bool>,
}

/// What a worker has found: its account, and those partial results that it had for all its events.
type Share = (Account, Vec<AnyPartial>);

impl Work<'_> {
    fn run(&self, workers: usize, tell: &mut dyn FnMut(Progress)) -> Result<Share> {
        let (taken, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let turn = Turn::new(self.partials());
        let (sender, done) = channel();
        let shares = std::thread::scope(|scope| -> Result<Vec<Share>> {
            let ahead = std::thread::Builder::new().name("read ahead".into());
            let (recording, positions) = (self.recording, &self.positions);
            let (taken, is_over, turn) = (&taken, &is_over, &turn);
            ahead
                .spawn_scoped(scope, move || read_ahead(recording, positions, taken, is_over))
                .map_err(|e| Error::io("to start a thread", e))?;
            let threads = (0..workers.min(self.positions.blocks()).max(1)).map(|number| {
                let sender = sender.clone();
                spawn(scope, number, move || self.worker(taken, turn, &sender))
            });
            let threads = threads.collect::<Result<Vec<_>>>().inspect_err(|_| turn.give_up());
            drop(sender);
            self.tell_all(&done, tell);
            is_over.store(true, Ordering::Relaxed);
            // All of them, whatever some have come to: the scope panics for those that nobody has joined.
            let joined: Vec<_> = threads?.into_iter().map(ScopedJoinHandle::join).collect();
            if joined.iter().any(std::result::Result::is_err) {
                return Err(Error::new("a reducer that returns", "one that panicked"));
            }
            joined.into_iter().flatten().collect()
        });
        let mut all = (Account::default(), turn.into_totals());
        for (number, share) in shares?.into_iter().enumerate() {
            self.merge_share(&mut all, share, number == 0);
        }
        Ok(all)
    }

    fn tell_all(&self, done: &Receiver<(usize, u64)>, tell: &mut dyn FnMut(Progress)) {
        let mut progress = Progress { done: 0, events: self.positions.events(), raw_bytes: 0 };
        for (events, bytes) in done {
            progress.done += events;
            progress.raw_bytes += bytes;
            tell(progress);
        }
    }

    fn partials(&self) -> Vec<AnyPartial> {
        self.reducers.list.iter().map(|reducer| reducer.partial(self.layout)).collect()
    }

    /// Takes blocks until there are no more.
    fn worker(&self, taken: &AtomicUsize, turn: &Turn, sender: &Sender<(usize, u64)>) -> Result<Share> {
        let _guard = turn.guard();
        let mut share = (Account::default(), self.partials());
        let (mut reader, mut slots) = (Reader::default(), Vec::new());
        slots.resize_with(self.positions.block, Slot::default);
        let has_order = self.is_any_order.contains(&false);
        loop {
            let block = taken.fetch_add(1, Ordering::Relaxed);
            if block >= self.positions.blocks() {
                return Ok(share);
            }
            let raw_before = share.0.raw_bytes;
            let events = self.map_block(block, &mut reader, &mut slots, &mut share);
            if has_order {
                turn.take(block, |totals| self.merge_block(totals, &mut share.1))?;
            }
            let _ = sender.send((events, share.0.raw_bytes - raw_before));
        }
    }

    /// Reads the events of a block and gives them to the reducers. Returns how many there are.
    fn map_block(
        &self,
        block: usize,
        reader: &mut Reader,
        slots: &mut [Slot],
        (account, partials): &mut Share,
    ) -> usize {
        let panels = self.layout.panels.len();
        let mut read = Vec::with_capacity(slots.len());
        let mut events = 0;
        for (event, slot) in self.positions.block(block).zip(slots) {
            events += 1;
            match slot.read(reader, self.recording, self.detector, event) {
                Ok(()) => read.push((event, &*slot)),
                Err(fault) => self.refuse(event, fault, account),
            }
            account.file_bytes += slot.file_bytes();
        }
        let mut pictures = vec![None; read.len() * panels];
        let mut whole = Vec::with_capacity(read.len());
        for ((event, slot), pictures) in read.into_iter().zip(pictures.chunks_mut(panels)) {
            match self.place(slot, pictures) {
                Ok(()) => whole.push((event, &*pictures)),
                Err(fault) => self.refuse(event, fault, account),
            }
        }
        let seen: Vec<EventPictures<'_>> = whole.into_iter().map(|(e, p)| self.pictures(e, p)).collect();
        for (reducer, partial) in self.reducers.list.iter().zip(partials) {
            reducer.map_block(partial, &seen);
        }
        seen.iter().for_each(|event| count(event, account));
        events
    }

    /// Puts the pictures of an event where the layout has their panels.
    fn place<'s>(&'s self, slot: &'s Slot, pictures: &mut [Option<&'s [u8]>]) -> Outcome {
        slot.visit(self.recording, self.detector, &mut |number, dtype, shape, bytes| {
            let position = self.layout.position(number, dtype, shape)?;
            pictures[position] = Some(bytes);
            Ok(())
        })
    }

    fn pictures<'s>(&'s self, event: usize, pictures: &'s [Option<&'s [u8]>]) -> EventPictures<'s> {
        let time_ns = self.recording.time_ns(event);
        EventPictures { event, time_ns, panels: &self.layout.panels, pictures }
    }

    fn refuse(&self, event: usize, fault: Fault, account: &mut Account) {
        account.add(BrokenEvent { event, time_ns: self.recording.time_ns(event), fault });
    }

    /// Merges the partial results of a block, in its turn.
    fn merge_block(&self, totals: &mut [AnyPartial], partials: &mut [AnyPartial]) {
        let both = totals.iter_mut().zip(partials);
        for ((reducer, is_any_order), (total, partial)) in
            self.reducers.list.iter().zip(&self.is_any_order).zip(both)
        {
            if !is_any_order {
                reducer.merge(total, partial);
            }
        }
    }

    /// Merges what a worker has found at its end.
    fn merge_share(&self, all: &mut Share, (account, mut partials): Share, is_first: bool) {
        all.0.merge(account);
        for ((reducer, is_any_order), (total, partial)) in
            self.reducers.list.iter().zip(&self.is_any_order).zip(all.1.iter_mut().zip(&mut partials))
        {
            match (is_any_order, is_first) {
                (false, _) => {}
                // Nothing is in the total yet.
                (true, true) => std::mem::swap(total, partial),
                (true, false) => reducer.merge(total, partial),
            }
        }
    }
}

fn count(event: &EventPictures<'_>, account: &mut Account) {
    account.used += 1;
    account.incomplete += u64::from(event.pictures.contains(&None));
    for picture in event.pictures() {
        let pixels = picture.bytes.len() / picture.panel.dtype.bytes();
        account.add_length(picture.position, pixels..=pixels);
        account.raw_bytes += picture.bytes.len() as u64;
    }
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    number: usize,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    let builder = std::thread::Builder::new().name(format!("analyze {number}"));
    builder.spawn_scoped(scope, work).map_err(|e| Error::io("to start a thread", e))
}
