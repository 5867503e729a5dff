//! Workers that take leaves, and the merging of their results.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

use livetime_recording::select::Verdict;
use livetime_recording::{Picture, Prefetch, Reader};
use livetime_runtime::lock;

use crate::account::Account;
use crate::block::Block;
use crate::error::{Error, Result, panic_message};
use crate::fault::Fault;
use crate::leaves::Leaves;
use crate::partial::Partial;
use crate::reducer::AnyPartial;
use crate::strips::Read;
use crate::tree::{Forest, Node};
use crate::worker::{Share, Shared, Worker, place};
use crate::{EventPictures, GoOn, Progress, Recorded, Recording, Work};

/// Longest time between two questions to the caller whether to go on; also the longest delay of a stop.
const TELL: Duration = Duration::from_millis(100);
/// Blocks that are read ahead of each worker's own: one that is under way, and the next.
const AHEAD: usize = 2;
/// Most requests for read-ahead that wait. A block without room is read when it is needed, so a worker never waits
/// here.
const WAITING: usize = 64;

/// Gives the events of `leaves` to the reducers.
pub(crate) fn reduce(
    work: &Work<'_>,
    recording: &Recording,
    leaves: Range<usize>,
    workers: usize,
    tell: &mut dyn FnMut(Progress) -> GoOn,
) -> Result<Partial> {
    // If a strip cannot be read, parts of its picture may be in the sums; then everything is done again without strips.
    if work.takes_strips()
        && let Some(found) = reduce_as(true, work, recording, leaves.clone(), workers, tell)?
    {
        return Ok(found);
    }
    let found = reduce_as(false, work, recording, leaves, workers, tell)?;
    found.ok_or_else(|| Error::refused("pictures that were read as a whole", "strips of pictures"))
}

/// `None`: pixels of an event could not be read when some of its strips were reduced, and nothing takes them out again.
fn reduce_as(
    by_strips: bool,
    work: &Work<'_>,
    recording: &Recording,
    leaves: Range<usize>,
    workers: usize,
    tell: &mut dyn FnMut(Progress) -> GoOn,
) -> Result<Option<Partial>> {
    let events = work.cut.events_of_leaves(&leaves);
    let shared = Shared {
        work,
        recording,
        next: AtomicUsize::new(leaves.start),
        end: leaves.end,
        is_stopped: AtomicBool::new(false),
        by_strips,
        has_failed: AtomicBool::new(false),
        forest: Mutex::new(Forest::new(work.leaves())),
        spare: Mutex::new(Vec::new()),
    };
    let shares = shared.run(workers.min(leaves.len()), events, tell)?;
    if shared.has_failed.into_inner() {
        return Ok(None);
    }
    // Shares of workers are merged in any order: these reducers allow it.
    let mut all: Option<Share> = None;
    for share in shares {
        match &mut all {
            None => all = Some(share),
            Some(all) => {
                all.0.merge(share.0);
                work.merge_all(true, &mut all.1, &mut { share.1 })?;
            }
        }
    }
    let (account, any_order) = all.unwrap_or_else(|| (Account::default(), work.partials(true)));
    let forest = shared.forest.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Some(Partial { leaves: Leaves::of(leaves), account, any_order, forest }))
}

impl Shared<'_> {
    fn run(
        &self,
        workers: usize,
        events: usize,
        tell: &mut dyn FnMut(Progress) -> GoOn,
    ) -> Result<Vec<Share>> {
        let (done, is_done) = channel();
        let (ask, asked) = sync_channel(WAITING);
        std::thread::scope(|scope| {
            spawn(scope, "read ahead".into(), move || self.read_ahead(&asked))?;
            let threads: Result<Vec<_>> = (0..workers)
                .map(|number| {
                    let (ask, done) = (ask.clone(), done.clone());
                    spawn(scope, format!("analyze {number}"), move || self.worker(ask, done))
                })
                .collect();
            // The channels end with the last worker, and with them `read_ahead` and `tell_all`.
            drop((ask, done));
            // Without all threads the others would only be in each other's way.
            if threads.is_err() {
                self.stop();
            }
            let goes_on = self.tell_all(&is_done, events, tell);
            // All of them, also after a failure: the scope panics for threads that were not joined.
            let joined: Vec<Result<Share>> = threads?.into_iter().map(join).collect();
            let shares = joined.into_iter().collect::<Result<Vec<Share>>>()?;
            if goes_on { Ok(shares) } else { Err(Error::Stopped) }
        })
    }

    /// Tells the caller how far it is until all workers have ended. Returns whether the caller wanted to go on.
    fn tell_all(
        &self,
        done: &Receiver<(usize, u64)>,
        events: usize,
        tell: &mut dyn FnMut(Progress) -> GoOn,
    ) -> bool {
        let mut progress = Progress { done: 0, events, raw_bytes: 0 };
        let mut goes_on = true;
        loop {
            match done.recv_timeout(TELL) {
                Ok((events, bytes)) => {
                    progress.done += events;
                    progress.raw_bytes += bytes;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return goes_on,
            }
            if goes_on && tell(progress) != GoOn::Yes {
                goes_on = false;
                self.stop();
            }
        }
    }

    /// Has blocks read ahead as their numbers come, until no thread is left that could send one.
    fn read_ahead(&self, asked: &Receiver<usize>) {
        let prefetch = Prefetch::new(self.recording);
        for block in asked {
            let events = self.work.cut.events_of_block(block);
            // Events that are left out are not read ahead.
            prefetch.ask_for(events.filter(|event| self.work.verdict(*event) == Verdict::Selected));
        }
    }

    /// Takes leaves until there are no more.
    fn worker(&self, ask: SyncSender<usize>, done: Sender<(usize, u64)>) -> Result<Share> {
        let share = (Account::default(), self.work.partials(true));
        let mut worker = Worker {
            shared: self,
            reader: Reader::default(),
            slots: Vec::new(),
            share,
            has_order: self.work.reducers(false).next().is_some(),
            selected: (0, 0),
            ask,
            done,
            strips: Vec::new(),
        };
        let slots = self.work.slots(self.recording, self.by_strips);
        worker.slots.resize_with(slots, Picture::default);
        loop {
            // Relaxed: the counter alone divides the leaves; results are merged under the lock of the forest.
            let leaf = self.next.fetch_add(1, Ordering::Relaxed);
            if leaf >= self.end || self.is_stopped() {
                return Ok(worker.share);
            }
            worker.leaf(leaf).inspect_err(|_| self.stop())?;
        }
    }

    /// Partial results of no event, for the reducers that do not take any order.
    fn fresh(&self) -> Vec<AnyPartial> {
        let spare = lock(&self.spare).pop();
        spare.unwrap_or_else(|| self.work.partials(false))
    }

    /// Puts the result of a leaf into the tree, and merges as far up as its neighbours are there. Other workers go on meanwhile.
    fn put(&self, leaf: usize, partials: Vec<AnyPartial>) -> Result<()> {
        let mut next = lock(&self.forest).put(Node::leaf(leaf), partials);
        while let Some(mut pair) = next {
            if let Some(mut right) = pair.right {
                self.work.merge_all(false, &mut pair.left, &mut right)?;
                lock(&self.spare).push(right);
            }
            next = lock(&self.forest).put(pair.node, pair.left);
        }
        Ok(())
    }
}

impl Worker<'_> {
    /// Gives all blocks of a leaf to the reducers, in their order.
    // A partial result for each leaf, because leaves are merged in the tree's order.
    fn leaf(&mut self, leaf: usize) -> Result<()> {
        let shared = self.shared;
        let mut ordered = if self.has_order { shared.fresh() } else { Vec::new() };
        let blocks = shared.work.cut.blocks_of_leaf(leaf);
        for block in blocks.clone() {
            if shared.is_stopped() {
                return Ok(());
            }
            self.ask_ahead(block, &blocks);
            let raw_before = self.share.0.raw_bytes;
            let events = self.block(block, &mut ordered)?;
            // The receiver outlives all workers, so sending cannot fail.
            let _ = self.done.send((events, self.share.0.raw_bytes - raw_before));
        }
        if self.has_order { shared.put(leaf, ordered) } else { Ok(()) }
    }

    /// Asks for blocks behind this one: of the leaf, then of the leaf that is taken next.
    fn ask_ahead(&self, block: usize, leaf: &Range<usize>) {
        let shared = self.shared;
        let first = if block == leaf.start { block + 1 } else { block + AHEAD };
        // A guess of the next leaf: another worker may take it, and then this block is read ahead in vain.
        let next = shared.next.load(Ordering::Relaxed);
        for wanted in first..=block + AHEAD {
            let beyond = wanted.checked_sub(leaf.end).filter(|_| next < shared.end);
            let of_next = beyond.map(|beyond| shared.work.cut.blocks_of_leaf(next).start + beyond);
            if wanted < leaf.end || of_next.is_some() {
                // A full queue loses nothing: the events are read when they are needed.
                let _ = self.ask.try_send(of_next.unwrap_or(wanted));
            }
        }
    }

    /// Reads the events of a block and gives them to the reducers. Returns how many there are.
    fn block(&mut self, block: usize, ordered: &mut [AnyPartial]) -> Result<usize> {
        let shared = self.shared;
        let (mut selected, mut count) = (Vec::with_capacity(self.slots.len()), 0);
        for event in shared.work.cut.events_of_block(block) {
            count += 1;
            match shared.work.verdict(event) {
                Verdict::Selected => selected.push(event),
                other => self.share.0.add_unselected(other),
            }
        }
        let mut before = self.selected_before(block);
        // As many events at once as there are slots of memory.
        for events in selected.chunks(self.slots.len()) {
            let read = if shared.by_strips { self.read_around(events) } else { self.read(events) };
            if shared.is_stopped() {
                return Ok(count);
            }
            match read.contains(&Ok(true)) {
                true => self.strips(events, read, ordered)?,
                false => self.whole(events, before, read, ordered)?,
            }
            before += events.len() as u64;
        }
        Ok(count)
    }

    /// Reads events as a whole.
    fn read(&mut self, events: &[usize]) -> Vec<Read> {
        let Worker { shared, reader, slots, .. } = self;
        let all = events.iter().zip(slots).take_while(|_| !shared.is_stopped());
        let detector = &shared.work.detector;
        all.map(|(event, slot)| shared.recording.read(detector, *event, reader, slot).map(|()| false))
            .collect()
    }

    /// Gives events that were read as a whole to the reducers; `before` events are selected before them.
    fn whole(
        &mut self,
        events: &[usize],
        before: u64,
        read: Vec<Read>,
        ordered: &mut [AnyPartial],
    ) -> Result<()> {
        let Worker { shared, slots, share: (account, any_order), .. } = self;
        let work = shared.work;
        let (all, takes_recorded) = (&work.layout.panels, work.takes_recorded());
        let mut pictures = vec![None; events.len() * all.len()];
        let mut seen = Vec::with_capacity(events.len());
        let places = slots.iter().zip(pictures.chunks_mut(all.len()));
        for (((event, read), (picture, pictures)), number) in
            events.iter().zip(read).zip(places).zip(before + 1..)
        {
            // Counted for broken events too: their bytes were read.
            account.file_bytes += picture.file_bytes();
            let note = |position: usize, _, bytes| pictures[position] = Some(bytes);
            let placed = |_| place(work, picture, note).or_else(|fault| fault.left_to(takes_recorded));
            match read.map_err(Fault::from).and_then(placed) {
                Ok(()) => seen.push(EventPictures {
                    recorded: Some(Recorded { picture, number }),
                    ..EventPictures::new(*event, picture.time_ns(), all, pictures)
                }),
                Err(fault) => shared.add_broken(*event, fault, account),
            }
        }
        let seen = Block::new(&seen, &shared.is_stopped);
        let partials = work.reducers(true).zip(any_order).chain(work.reducers(false).zip(ordered));
        for (reducer, partial) in partials {
            reducer.map_block(partial, &seen)?;
        }
        // Counted after the reducers have taken the block: an error leaves no half-counted event.
        for event in seen.all() {
            account.add_used(all.iter().zip(event.pictures.iter().map(|bytes| bytes.map(<[u8]>::len))));
        }
        Ok(())
    }
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: String,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    let thread = std::thread::Builder::new().name(name).spawn_scoped(scope, work);
    thread.map_err(|e| livetime_recording::Error::io("to start a thread", e).into())
}

/// The result of a thread. Reducers' panics do not come here: that would be a fault of this crate.
fn join(thread: ScopedJoinHandle<'_, Result<Share>>) -> Result<Share> {
    thread.join().unwrap_or_else(|panic| {
        Err(Error::refused("a worker that returns", format!("one that panicked: {}", panic_message(&*panic))))
    })
}
