//! Threads that read events ahead, each into the memory of its frame.

use std::collections::VecDeque;
use std::io;

use livetime_frame::{FrameMut, FramePool, Layout, Payload};
use livetime_runtime::ordered::{Crew, Panicked};

use crate::{Condition, Detector, Fault, Picture, Reader, Recording};

/// Batches per thread: the one at work, and the next. More would only hold more memory. The caller's thread counts as
/// one of them: it reads where it would wait, and with fewer batches the other threads would idle meanwhile.
const AHEAD: usize = 2;
/// Most events in a batch. The limit matters for tiny frames, whose batch would else delay the first event.
const MOST_EVENTS: usize = 64;
/// Most threads that read ahead, whatever a caller asks for: each has a stack, and memory to decode.
const MOST_THREADS: usize = 256;
/// Bytes of frames in a batch by default. Handing over a batch of this size takes a hundredth of the time of copying
/// it.
pub const BATCH_BYTES: usize = 256 << 10;

/// Events that a reading thread hands over at once: as many frames of `frame_bytes` as `batch_bytes` of pool memory
/// hold; at least one.
pub fn events_in_batch(batch_bytes: usize, frame_bytes: usize) -> usize {
    (batch_bytes / FramePool::cost_bytes(frame_bytes)).clamp(1, MOST_EVENTS)
}

/// Most batches under way with `threads` threads: the ones being read or waiting, the one that the caller takes events
/// from, and a spare one.
pub fn batches_under_way(threads: usize) -> usize {
    let threads = threads.min(MOST_THREADS);
    // Without a thread the caller reads, and only its own batch is under way.
    let reading = if threads == 0 { 0 } else { threads + 1 };
    reading * AHEAD + 2
}

/// The result of reading an event.
pub(crate) enum Loaded {
    /// The frame has its picture.
    Frame(FrameMut, Condition),
    /// The picture needs memory of another layout.
    OtherLayout,
    /// There is no picture to show; the memory is free.
    Nothing(Fault, FrameMut),
}

/// Events with memory for their pictures.
type Batch = Vec<(usize, FrameMut)>;

/// Reads one batch after the other.
struct Work {
    recording: Recording,
    detector: Detector,
    reader: Reader,
    picture: Picture,
}

impl Work {
    fn of(recording: &Recording, detector: &Detector) -> Work {
        let (recording, detector) = (recording.clone(), detector.clone());
        Work { recording, detector, reader: Reader::default(), picture: Picture::default() }
    }

    fn batch(&mut self, batch: Batch) -> VecDeque<Loaded> {
        batch.into_iter().map(|(event, frame)| self.event(event, frame)).collect()
    }

    fn event(&mut self, event: usize, mut frame: FrameMut) -> Loaded {
        let Work { recording, detector, reader, picture } = self;
        match recording.read_frame(detector, event, reader, picture, &mut frame) {
            Ok(true) => Loaded::Frame(frame, picture.condition()),
            // The frame has another size than its memory, so the caller reads the event again.
            Ok(false) => Loaded::OtherLayout,
            Err(fault) => Loaded::Nothing(fault, frame),
        }
    }
}

/// Threads that read events; results are taken in the order in which events were given.
pub(crate) struct Loader {
    crew: Crew<Batch, VecDeque<Loaded>>,
    /// Batches that were given and not taken.
    under_way: usize,
    /// Of the batch that was taken last.
    ready: VecDeque<Loaded>,
    /// Reads events on the caller's thread, if the caller would otherwise wait.
    own: Work,
}

impl Loader {
    /// # Errors
    /// If the system has no thread.
    pub(crate) fn start(recording: &Recording, detector: &Detector, threads: usize) -> io::Result<Loader> {
        let worker = |_| {
            let mut work = Work::of(recording, detector);
            move |batch| work.batch(batch)
        };
        let crew = Crew::start("read-ahead", (0..threads.min(MOST_THREADS)).map(worker))?;
        Ok(Loader { crew, under_way: 0, ready: VecDeque::new(), own: Work::of(recording, detector) })
    }

    /// Whether all events that were given were taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.under_way == 0 && self.ready.is_empty()
    }

    pub(crate) fn has_room(&self) -> bool {
        // One more for the caller, who helps when it waits.
        self.under_way < AHEAD * (self.crew.threads() + 1)
    }

    /// Gives events to a thread, with memory for their pictures.
    pub(crate) fn give(&mut self, batch: Batch) {
        self.under_way += 1;
        self.crew.put(batch);
    }

    /// The result of the first event that was not taken, as soon as it is there; `None` if no event is under way.
    pub(crate) fn take(&mut self) -> Option<Result<Loaded, Panicked>> {
        if self.ready.is_empty() {
            let own = &mut self.own;
            // A caller that waits for a batch reads one itself meanwhile.
            let taken = self.crew.take_helping(|batch| own.batch(batch))?;
            self.under_way -= 1;
            match taken {
                Ok(batch) => self.ready = batch,
                Err(panicked) => return Some(Err(panicked)),
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

pub(crate) fn layout_of(frame: &FrameMut) -> Option<Layout> {
    match frame.payload() {
        Payload::Array(layout) => Some(*layout),
        _ => None,
    }
}
