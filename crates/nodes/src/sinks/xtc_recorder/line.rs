//! The way of frames into the files: compressed by several threads, written in the order of arrival.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use livetime_engine::UnderWay;
use livetime_formats::xtc1::Src;
use livetime_frame::Frame;
use livetime_runtime::lock;
use livetime_runtime::ordered::Places;

use super::encode::{Compression, Encoder, time_ns};
use super::error::{RecordError, Unfinished, UnfinishedRun};
use super::files::Files;
use crate::codec::jpeg::guarded;
use crate::sinks::event_time::EventTime;

/// A frame on its way.
pub(super) struct Job {
    pub(super) frame: Frame,
    pub(super) time: EventTime,
    /// The stream that it is written to, and the detector that it is from.
    pub(super) stream: usize,
    pub(super) src: Src,
    /// Reports whether the frame was completed, if its handler does not wait for that.
    pub(super) under_way: Option<UnderWay>,
}

/// Counts so far.
#[derive(Clone, Default)]
pub(super) struct Account {
    pub(super) written: u64,
    pub(super) bytes: u64,
    /// Frames written as they are because no thread had time to compress them.
    pub(super) degraded: u64,
    /// Frames written as they are because the codec does not take them, or makes nothing smaller of them.
    pub(super) uncompressed: u64,
    pub(super) failed: u64,
    /// The error of the last write, if it failed.
    pub(super) error: Option<String>,
}

/// Threads that compress. The thread that finishes the next frame in order writes it, and all finished frames
/// after it.
pub(super) struct Line {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// For frames that are not compressed, or not by a thread.
    encoder: Encoder,
    /// Frames that may wait for a thread.
    queue: usize,
    /// Whether further frames are written uncompressed.
    degrade: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// With their numbers, oldest first.
    waiting: VecDeque<(u64, Job)>,
    /// All that are under way in their order; a place is filled when its datagram is ready.
    places: Places<Ready>,
    /// Memory of datagrams that were written.
    spare: Vec<Vec<u8>>,
    /// `None` while a thread writes.
    files: Option<Files>,
    account: Account,
    is_over: bool,
}

/// A datagram, or why there is none.
struct Ready {
    bytes: Vec<u8>,
    stream: usize,
    time_ns: u64,
    sequence: u64,
    under_way: Option<UnderWay>,
    error: Option<RecordError>,
}

impl Line {
    /// # Errors
    /// If the system has no threads.
    pub(super) fn start(
        files: Files,
        codec: Compression,
        threads: usize,
        queue: usize,
        degrade: bool,
    ) -> Result<Line, RecordError> {
        // Without compression there is nothing for threads to do.
        let threads = if codec == Compression::None { 0 } else { threads };
        let places = Places::with_capacity(2 * queue + threads);
        let state = State {
            waiting: VecDeque::with_capacity(queue),
            places,
            spare: Vec::new(),
            files: Some(files),
            account: Account::default(),
            is_over: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        // Frames that the threads have no time for are written uncompressed; without threads the node compresses
        // itself.
        let own = if threads == 0 { codec } else { Compression::None };
        let encoder = Encoder::new(own)?;
        let mut line = Line { shared, threads: Vec::new(), encoder, queue, degrade };
        for number in 0..threads {
            let (shared, mut encoder) = (line.shared.clone(), Encoder::new(codec)?);
            let thread = std::thread::Builder::new().name(format!("compress-{number}"));
            let thread = thread.spawn(move || shared.compress(&mut encoder));
            line.threads.push(thread.map_err(RecordError::Thread)?);
        }
        Ok(line)
    }

    /// Takes a frame. Waits when the most possible frames are under way, which is more than may wait for
    /// threads; this means that the disk is too slow. Without degrading it also waits for threads.
    pub(super) fn put(&mut self, job: Job) {
        let mut state = self.shared.lock();
        let must_wait = |state: &State| {
            // Without degrading, a full queue makes the node wait.
            let is_behind = !self.threads.is_empty() && state.waiting.len() >= self.queue;
            // Places bound the memory of finished datagrams behind a slow one: two queues, and one for each thread.
            state.places.under_way() >= 2 * self.queue + self.threads.len() || is_behind && !self.degrade
        };
        while must_wait(&state) {
            state = self.shared.wait(state);
        }
        let number = state.places.open();
        if !self.threads.is_empty() && state.waiting.len() < self.queue {
            state.waiting.push_back((number, job));
            self.shared.changed.notify_all();
            return;
        }
        // Without threads the node compresses here; with a full queue the frame is written uncompressed, which takes
        // least time.
        state.account.degraded += u64::from(!self.threads.is_empty());
        let bytes = state.spare.pop().unwrap_or_default();
        // Encoding takes long, so it runs without the lock.
        drop(state);
        let (ready, is_compressed) = encode(&mut self.encoder, job, bytes);
        let is_refused = self.threads.is_empty() && self.encoder.compresses() && !is_compressed;
        self.shared.deliver(number, ready, is_refused);
    }

    /// Whether a frame is written when [`Line::put`] returns.
    pub(super) fn is_synchronous(&self) -> bool {
        self.threads.is_empty()
    }

    /// Waits until all frames are written or have failed.
    pub(super) fn flush(&self) {
        let mut state = self.shared.lock();
        while state.places.under_way() > 0 {
            state = self.shared.wait(state);
        }
    }

    /// Frames under way.
    pub(super) fn under_way(&self) -> usize {
        self.shared.lock().places.under_way()
    }

    pub(super) fn account(&self) -> Account {
        self.shared.lock().account.clone()
    }

    /// Whether all files that no thread is writing are still where they were created.
    pub(super) fn is_in_place(&self) -> bool {
        self.shared.lock().files.as_ref().is_none_or(Files::are_in_place)
    }

    /// Files that could not be finished since the last call.
    pub(super) fn take_unfinished(&self) -> Vec<Unfinished> {
        self.shared.lock().files.as_mut().map_or(Vec::new(), Files::take_unfinished)
    }

    /// The file of stream `stream`, unless a thread is writing it.
    pub(super) fn path_of(&self, stream: usize) -> Option<String> {
        let state = self.shared.lock();
        Some(state.files.as_ref()?.path_of(stream)?.display().to_string())
    }

    /// Writes all frames and ends the run.
    ///
    /// # Errors
    /// The files whose end could not be written.
    pub(super) fn finish(self) -> Result<(), UnfinishedRun> {
        self.flush();
        let files = self.shared.lock().files.take();
        files.map_or(Ok(()), Files::finish)
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic of the thread was reported by the panic itself.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// The work of a thread.
    fn compress(&self, encoder: &mut Encoder) {
        loop {
            let mut state = self.lock();
            let (number, job) = loop {
                match state.waiting.pop_front() {
                    Some(next) => break next,
                    None if state.is_over => return,
                    None => state = self.wait(state),
                }
            };
            let bytes = state.spare.pop().unwrap_or_default();
            drop(state);
            let (ready, is_compressed) = encode(encoder, job, bytes);
            self.deliver(number, ready, !is_compressed);
        }
    }

    /// Puts a datagram in its place, and writes the datagrams that are next, unless another thread is writing.
    fn deliver(&self, number: u64, ready: Ready, is_refused: bool) {
        let mut state = self.lock();
        state.account.uncompressed += u64::from(is_refused && ready.error.is_none());
        state.places.fill(number, ready);
        while state.places.is_ready() {
            // Another thread is writing, and takes this datagram next.
            let Some(mut files) = state.files.take() else { return };
            let Some(mut ready) = state.places.begin_next() else { return };
            drop(state);
            // The lock is free during the write, so that other threads can deliver.
            let written = match ready.error.take() {
                None => files.write(ready.stream, ready.time_ns, &ready.bytes).map_err(RecordError::Format),
                Some(error) => Err(error),
            };
            // The frame is settled before others see the count, so that ledger and readback agree.
            ready.tell(&written);
            state = self.lock();
            state.files = Some(files);
            state.places.end_next();
            state.settle(ready, written);
            self.changed.notify_all();
        }
    }
}

impl Ready {
    /// Reports the result of the frame to its waiter, without the lock.
    fn tell(&mut self, written: &Result<(), RecordError>) {
        match (self.under_way.take(), written) {
            (Some(frame), Ok(())) => frame.completed(),
            (Some(frame), Err(why)) => {
                frame.lost(format!("frame {} of time {} ns: {why}", self.sequence, self.time_ns));
            }
            (None, _) => {}
        }
    }
}

impl State {
    fn settle(&mut self, ready: Ready, written: Result<(), RecordError>) {
        let account = &mut self.account;
        match &written {
            Ok(()) => {
                account.written += 1;
                account.bytes += ready.bytes.len() as u64;
            }
            Err(_) => account.failed += 1,
        }
        account.error = written.err().map(|why| why.to_string());
        // The buffer goes back with its memory, so that recording allocates nothing.
        self.spare.push(ready.bytes);
    }
}

/// The frame's memory goes home before the disk is waited for.
fn encode(encoder: &mut Encoder, job: Job, mut bytes: Vec<u8>) -> (Ready, bool) {
    bytes.clear();
    // A panic of a codec costs one frame, not the thread.
    let encoded = guarded(|| Ok(encoder.encode(&job.frame, job.time, job.src, &mut bytes)?));
    let is_compressed = matches!(encoded, Ok(true));
    let (time_ns, sequence) = (time_ns(job.time), job.frame.header().sequence);
    let Job { stream, under_way, .. } = job;
    let ready = Ready { bytes, stream, time_ns, sequence, under_way, error: encoded.err() };
    (ready, is_compressed)
}
