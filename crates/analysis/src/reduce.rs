//! Workers that take leaves, and the merging of what they find.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

use livetime_recording::select::Verdict;
use livetime_recording::{Picture, Prefetch, Reader};

use crate::account::{Account, BrokenEvent, Fault, Outcome};
use crate::block::Block;
use crate::error::{Error, Result, panic_message};
use crate::leaves::Leaves;
use crate::partial::Partial;
use crate::reducer::AnyPartial;
use crate::tree::{Forest, Node};
use crate::{EventPictures, GoOn, Progress, Recording, Work};

/// The caller is asked at least so often whether to go on.
const TELL: Duration = Duration::from_millis(100);
/// Blocks that each worker wants to be read ahead of the one that it has.
const AHEAD: usize = 2;
/// Blocks that may wait to be read ahead. What finds no room is read when it is needed.
const WAITING: usize = 64;

/// Gives the events of `leaves` to the reducers.
pub(crate) fn reduce(
    work: &Work<'_>,
    recording: &Recording,
    leaves: Range<usize>,
    workers: usize,
    tell: &mut dyn FnMut(Progress) -> GoOn,
) -> Result<Partial> {
    let events = work.cut.events_of_leaves(&leaves);
    let shared = Shared {
        work,
        recording,
        next: AtomicUsize::new(leaves.start),
        end: leaves.end,
        is_stopped: AtomicBool::new(false),
        forest: Mutex::new(Forest::new(work.leaves())),
        spare: Mutex::new(Vec::new()),
    };
    let shares = shared.run(workers.min(leaves.len()), events, tell)?;
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
    Ok(Partial { leaves: Leaves::of(leaves), account, any_order, forest })
}

/// What a worker has found at its end: its account, and the partial results of those reducers that take any order.
type Share = (Account, Vec<AnyPartial>);

/// What all workers see.
struct Shared<'a> {
    work: &'a Work<'a>,
    recording: &'a Recording,
    /// The next leaf that nobody has taken.
    next: AtomicUsize,
    end: usize,
    /// The caller wants no more, or a worker has failed.
    is_stopped: AtomicBool,
    forest: Mutex<Forest<Vec<AnyPartial>>>,
    /// Partial results of no event that were used before: their memory is there already.
    spare: Mutex<Vec<Vec<AnyPartial>>>,
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
            drop((ask, done));
            if threads.is_err() {
                self.stop();
            }
            let goes_on = self.tell_all(&is_done, events, tell);
            // All of them, whatever some have come to: the scope panics for those that nobody has joined.
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

    /// Has blocks read ahead as their numbers come, until nobody is left who could send one.
    fn read_ahead(&self, asked: &Receiver<usize>) {
        let prefetch = Prefetch::new(self.recording);
        for block in asked {
            let events = self.work.cut.events_of_block(block);
            prefetch.ask_for(events.filter(|event| self.work.verdict(*event) == Verdict::Selected));
        }
    }

    fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
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
            ask,
            done,
        };
        worker.slots.resize_with(self.work.cut.block, Picture::default);
        loop {
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

    /// Puts what was found in a leaf into the tree, and merges as far up as its neighbours are there. Other workers go on meanwhile.
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

/// What a worker has.
struct Worker<'a> {
    shared: &'a Shared<'a>,
    reader: Reader,
    /// What was read of the events of a block. Pixels are reduced where they were read or decompressed: nothing is copied.
    slots: Vec<Picture>,
    share: Share,
    has_order: bool,
    ask: SyncSender<usize>,
    done: Sender<(usize, u64)>,
}

impl Worker<'_> {
    /// Gives all blocks of a leaf to the reducers, in their order.
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
            let _ = self.done.send((events, self.share.0.raw_bytes - raw_before));
        }
        if self.has_order { shared.put(leaf, ordered) } else { Ok(()) }
    }

    /// Asks for blocks behind this one: of the leaf, then of the leaf that is taken next.
    fn ask_ahead(&self, block: usize, leaf: &Range<usize>) {
        let shared = self.shared;
        let first = if block == leaf.start { block + 1 } else { block + AHEAD };
        let next = shared.next.load(Ordering::Relaxed);
        for wanted in first..=block + AHEAD {
            let beyond = wanted.checked_sub(leaf.end).filter(|_| next < shared.end);
            let of_next = beyond.map(|beyond| shared.work.cut.blocks_of_leaf(next).start + beyond);
            if wanted < leaf.end || of_next.is_some() {
                // Full: it is read when it is needed.
                let _ = self.ask.try_send(of_next.unwrap_or(wanted));
            }
        }
    }

    /// Reads the events of a block and gives them to the reducers. Returns how many there are.
    fn block(&mut self, block: usize, ordered: &mut [AnyPartial]) -> Result<usize> {
        let Worker { shared, reader, slots, share: (account, any_order), .. } = self;
        let (work, recording) = (shared.work, shared.recording);
        let panels = work.layout.panels.len();
        let (mut read, mut faults) = (Vec::with_capacity(slots.len()), Vec::new());
        let mut events = 0;
        for (event, slot) in work.cut.events_of_block(block).zip(slots) {
            if shared.is_stopped() {
                return Ok(events);
            }
            events += 1;
            let verdict = work.verdict(event);
            if verdict != Verdict::Selected {
                account.add_unselected(verdict);
                continue;
            }
            let outcome = recording.read(&work.detector, event, reader, slot);
            account.file_bytes += slot.file_bytes();
            match outcome {
                Ok(()) => read.push(&*slot),
                Err(fault) => faults.push((event, Fault::from(fault))),
            }
        }
        let mut pictures = vec![None; read.len() * panels];
        let mut whole = Vec::with_capacity(read.len());
        for (picture, panels) in read.into_iter().zip(pictures.chunks_mut(panels)) {
            match place(work, picture, panels) {
                Ok(()) => whole.push((picture, &*panels)),
                Err(fault) => faults.push((picture.event(), fault)),
            }
        }
        // In their order, so that the first that are named are the first there are.
        faults.sort_by_key(|(event, _)| *event);
        for (event, fault) in faults {
            account.add(BrokenEvent { event, time_ns: recording.time_ns(event), fault });
        }
        let pictures = |(picture, pictures): (&Picture, _)| EventPictures {
            event: picture.event(),
            time_ns: picture.time_ns(),
            panels: &work.layout.panels,
            pictures,
        };
        let seen: Vec<EventPictures<'_>> = whole.into_iter().map(pictures).collect();
        let seen = Block::new(&seen, &shared.is_stopped);
        let partials = work.reducers(true).zip(any_order).chain(work.reducers(false).zip(ordered));
        for (reducer, partial) in partials {
            reducer.map_block(partial, &seen)?;
        }
        seen.all().iter().for_each(|event| count(event, account));
        Ok(events)
    }
}

/// Puts the panels of an event where the layout has them.
fn place<'s>(work: &Work<'_>, picture: &'s Picture, panels: &mut [Option<&'s [u8]>]) -> Outcome {
    for panel in picture.good_panels()? {
        panels[work.layout.position(panel.number, panel.dtype, panel.shape)?] = Some(panel.bytes);
    }
    Ok(())
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: String,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    let thread = std::thread::Builder::new().name(name).spawn_scoped(scope, work);
    thread.map_err(|e| livetime_recording::Error::io("to start a thread", e).into())
}

/// What a thread returned. Reducers' panics do not come here: that would be a fault of this crate.
fn join(thread: ScopedJoinHandle<'_, Result<Share>>) -> Result<Share> {
    thread.join().unwrap_or_else(|panic| {
        Err(Error::refused("a worker that returns", format!("one that panicked: {}", panic_message(&*panic))))
    })
}
