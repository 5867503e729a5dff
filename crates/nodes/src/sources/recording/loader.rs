//! Threads that read events ahead, each into the memory of its frame.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;

use livetime_frame::{FrameMut, Layout};

use super::{Picture, Recording};

/// Events that one thread has before it: the one at work and the next.
pub(super) const AHEAD: usize = 2;

/// What became of an event.
pub(super) enum Loaded {
    /// The frame has its picture.
    Frame(FrameMut),
    /// The detector is not in the event; the memory is free.
    Missing(FrameMut),
    /// The picture needs memory of another layout.
    OtherLayout,
    /// It cannot be read; the memory is free.
    Failed(String, FrameMut),
}

/// Threads among which events are dealt out in turn, so that results taken in turn are in the order of events.
pub(super) struct Loader {
    workers: Vec<Worker>,
    /// Events given to workers so far, and results taken.
    given: usize,
    taken: usize,
}

struct Worker {
    /// `None` ends the thread.
    jobs: Option<SyncSender<(usize, FrameMut)>>,
    results: Receiver<Loaded>,
    thread: Option<JoinHandle<()>>,
}

impl Loader {
    /// # Errors
    /// Text, if the system has no thread.
    pub(super) fn start<R: Recording>(recording: &Arc<RwLock<R>>, threads: usize) -> Result<Loader, String> {
        let workers = (0..threads).map(|number| Worker::start(recording.clone(), number));
        Ok(Loader { workers: workers.collect::<Result<_, _>>()?, given: 0, taken: 0 })
    }

    /// Events that were given and not taken.
    pub(super) fn under_way(&self) -> usize {
        self.given - self.taken
    }

    pub(super) fn has_room(&self) -> bool {
        self.under_way() < AHEAD * self.workers.len()
    }

    /// Gives an event to the next thread, with memory for its picture.
    pub(super) fn give(&mut self, event: usize, frame: FrameMut) {
        let worker = self.given % self.workers.len().max(1);
        self.given += 1;
        if let Some(jobs) = self.workers.get(worker).and_then(|w| w.jobs.as_ref()) {
            // A thread that is gone is noticed when its result is taken.
            let _ = jobs.send((event, frame));
        }
    }

    /// The result of the first event that was not taken; waits for it.
    ///
    /// # Errors
    /// Text, if its thread failed.
    pub(super) fn take(&mut self) -> Result<Loaded, String> {
        let worker = self.taken % self.workers.len().max(1);
        self.taken += 1;
        let result = self.workers.get(worker).and_then(|w| w.results.recv().ok());
        result.ok_or_else(|| "a thread that reads ahead has panicked".into())
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.workers.iter_mut().for_each(|worker| worker.jobs = None);
        for worker in &mut self.workers {
            // A result that nobody takes must not hold the thread.
            while worker.results.recv().is_ok() {}
            let _ = worker.thread.take().map(JoinHandle::join);
        }
    }
}

impl Worker {
    fn start<R: Recording>(recording: Arc<RwLock<R>>, number: usize) -> Result<Worker, String> {
        let (jobs, waiting) = sync_channel::<(usize, FrameMut)>(AHEAD);
        let (done, results) = sync_channel(AHEAD);
        let work = move || {
            let mut scratch = R::Scratch::default();
            for (event, frame) in waiting {
                let recording = recording.read().unwrap_or_else(PoisonError::into_inner);
                let loaded = load(&*recording, event, &mut scratch, frame);
                drop(recording);
                if done.send(loaded).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name(format!("read-ahead-{number}")).spawn(work);
        let thread = thread.map_err(|e| format!("wanted a thread that reads ahead, found: {e}"))?;
        Ok(Worker { jobs: Some(jobs), results, thread: Some(thread) })
    }
}

fn load<R: Recording>(recording: &R, event: usize, scratch: &mut R::Scratch, mut frame: FrameMut) -> Loaded {
    let mut fits = true;
    let mut show = |picture: &Picture<'_>| {
        fits = layout_of(&frame) == Some(picture.layout);
        if fits {
            picture.fill(&mut frame);
        }
        Ok(())
    };
    match recording.read(event, scratch, &mut show) {
        Ok(true) if fits => Loaded::Frame(frame),
        Ok(true) => Loaded::OtherLayout,
        Ok(false) => Loaded::Missing(frame),
        Err(why) => Loaded::Failed(why, frame),
    }
}

pub(super) fn layout_of(frame: &FrameMut) -> Option<Layout> {
    match frame.payload() {
        livetime_frame::Payload::Array(layout) => Some(*layout),
        _ => None,
    }
}
