//! Threads that read events ahead, each into the memory of its frame.

use std::io;

use livetime_frame::{FrameMut, Layout, Payload};
use livetime_runtime::ordered::{Crew, Panicked};

use crate::{Condition, Detector, Fault, Picture, Reader, Recording};

/// Events that one thread has before it: the one at work and the next. More would only hold more memory.
const AHEAD: usize = 2;

/// What became of an event.
pub(crate) enum Loaded {
    /// The frame has its picture.
    Frame(FrameMut, Condition),
    /// The picture needs memory of another layout.
    OtherLayout,
    /// There is no picture to show; the memory is free.
    Nothing(Fault, FrameMut),
}

/// Threads that read events; results are taken in the order in which events were given.
pub(crate) struct Loader(Crew<(usize, FrameMut), Loaded>);

impl Loader {
    /// # Errors
    /// If the system has no thread.
    pub(crate) fn start(recording: &Recording, detector: &Detector, threads: usize) -> io::Result<Loader> {
        let worker = |_| {
            let (recording, detector) = (recording.clone(), detector.clone());
            let (mut reader, mut picture) = (Reader::default(), Picture::default());
            move |(event, mut frame): (usize, FrameMut)| match recording.read_frame(
                &detector,
                event,
                &mut reader,
                &mut picture,
                &mut frame,
            ) {
                Ok(true) => Loaded::Frame(frame, picture.condition()),
                Ok(false) => Loaded::OtherLayout,
                Err(fault) => Loaded::Nothing(fault, frame),
            }
        };
        Crew::start("read-ahead", (0..threads).map(worker)).map(Loader)
    }

    /// Events that were given and not taken.
    pub(crate) fn under_way(&self) -> usize {
        self.0.under_way()
    }

    pub(crate) fn has_room(&self) -> bool {
        self.under_way() < AHEAD * self.0.threads()
    }

    /// Gives an event to a thread, with memory for its picture.
    pub(crate) fn give(&mut self, event: usize, frame: FrameMut) {
        self.0.put((event, frame));
    }

    /// The result of the first event that was not taken, as soon as it is there; `None` if no event is under way.
    pub(crate) fn take(&mut self) -> Option<Result<Loaded, Panicked>> {
        self.0.take()
    }
}

pub(crate) fn layout_of(frame: &FrameMut) -> Option<Layout> {
    match frame.payload() {
        Payload::Array(layout) => Some(*layout),
        _ => None,
    }
}
