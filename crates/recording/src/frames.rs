//! The events of a run as an iterator of frames.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use livetime_frame::{Allocator, Frame, FramePool};

use crate::read_ahead::BATCH_BYTES;
use crate::{Account, Detector, Fault, FaultKind, OnDamage, Ordered, ReadError, Recording, Wanted};

impl Recording {
    /// The events as frames of one detector, in their order. See [`Options`].
    pub fn frames(&self, detector: &Detector, options: Options) -> Frames {
        Frames::new(self.clone(), Choice::Known(detector.clone()), options)
    }

    /// As [`Recording::frames`], of a detector that the run may name later, while it is being written.
    pub fn frames_of(&self, wanted: impl Into<Wanted>, options: Options) -> Frames {
        Frames::new(self.clone(), Choice::Wanted(wanted.into()), options)
    }
}

/// Time between two checks of a growing file: followed events come at most this late, at the price of 50 checks a
/// second.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Memory for frames if the caller gives no pool: some hundred pictures of 4 megapixels.
pub(crate) const POOL_BYTES: usize = 2 << 30;

/// Which events are read, and how.
#[derive(Clone)]
pub struct Options {
    /// Numbers of the events, from 0 on; numbers beyond the end of the run are ignored.
    pub events: Range<usize>,
    /// Threads that read and decompress ahead; 0: the thread that iterates reads.
    pub threads: usize,
    /// Bytes of frames that a thread hands over at once, at most 64 frames; 0: each event alone. A finished event never
    /// waits for a batch to fill. Batches make small frames fast.
    pub batch_bytes: usize,
    /// The policy for damaged pictures.
    pub on_damage: OnDamage,
    /// Whether a run that is still being written is followed until it has ended; a writer that died is waited for.
    pub follow: bool,
    /// With `follow`: the run counts as ended when no event has come for this long. The reader then also follows raw
    /// frames and trigger records without a sign of their end, as other programs write them. `None`: only files with
    /// such a sign are followed, without a limit of time.
    pub quiet: Option<Duration>,
    /// Where the memory of the frames comes from; it limits how many may be kept.
    pub pool: FramePool,
}

/// All events, read by one thread ahead, damaged ones marked, up to 2 GiB of frames.
impl Default for Options {
    fn default() -> Options {
        Options {
            events: 0..usize::MAX,
            threads: 1,
            batch_bytes: BATCH_BYTES,
            on_damage: OnDamage::default(),
            follow: false,
            quiet: None,
            pool: FramePool::new(POOL_BYTES),
        }
    }
}

/// An event as a frame.
#[derive(Clone, Debug)]
pub struct EventFrame {
    /// Number of the event in the run, from 0 on.
    pub event: usize,
    /// The detector's array: packed, aligned, with the time of the event, numbered from 1. Callers may keep it.
    pub frame: Frame,
}

/// The next item of the iteration.
#[derive(Debug)]
pub enum Step {
    /// An event.
    Frame(EventFrame),
    /// An event without a frame, or a place from which on a file cannot be read.
    Fault(Fault),
    /// The run is being written, and there is nothing new.
    NotYet,
    /// Nothing.
    End,
}

/// The events of a run as frames of one detector, in their order: [`Recording::frames`].
///
/// An event that should have given a frame and cannot is an error, and the next one follows. One without the detector is counted only.
/// Behind the last event comes an error for each place from which on a file cannot be read. So a loop that sees no error has seen all.
///
/// Frames that are kept hold memory of the pool. If it is exhausted, the event is an error of the kind [`FaultKind::NoMemory`].
pub struct Frames {
    state: State,
    allocator: Allocator,
    events: Range<usize>,
    follow: bool,
    quiet: Option<Duration>,
    /// Since when there has been nothing new.
    idle: Option<Instant>,
    /// Problems that were given as errors.
    problems: usize,
    waiting: VecDeque<Fault>,
}

enum State {
    Reading(Box<Ordered>),
    /// The detector that was wanted is none; given once.
    Refused(Option<Fault>, Recording),
}

/// A detector, or a user's words for one.
enum Choice {
    Known(Detector),
    Wanted(Wanted),
}

impl Frames {
    fn new(recording: Recording, choice: Choice, options: Options) -> Frames {
        let Options { mut events, threads, batch_bytes, on_damage, follow, quiet, pool } = options;
        // A quiet time is the end of files that have no sign of their end.
        if follow && quiet.is_some() {
            recording.watch();
        }
        // A part of a run has no events before its first number.
        events.start = events.start.max(recording.first());
        let order = match choice {
            Choice::Known(detector) => Ok(Ordered::of(recording.clone(), &detector)),
            Choice::Wanted(wanted) => Ordered::new(recording.clone(), wanted),
        };
        let state = match order {
            Ok(mut order) => {
                (order.threads, order.on_damage, order.batch_bytes) = (threads, on_damage, batch_bytes);
                State::Reading(Box::new(order))
            }
            Err(error) => State::Refused(Some(error.into()), recording),
        };
        let (allocator, waiting) = (pool.allocator(), VecDeque::new());
        Frames { state, allocator, events, follow, quiet, idle: None, problems: 0, waiting }
    }

    /// Counts of the events so far by their condition.
    pub fn account(&self) -> Account {
        match &self.state {
            State::Reading(order) => order.account(),
            State::Refused(..) => Account::default(),
        }
    }

    /// The run.
    pub fn recording(&self) -> &Recording {
        match &self.state {
            State::Reading(order) => order.recording(),
            State::Refused(_, recording) => recording,
        }
    }

    /// The next event, or why there is none. Waits for a thread that reads it, and for nothing else.
    pub fn step(&mut self) -> Step {
        let order = match &mut self.state {
            State::Reading(order) => order,
            // The fault is reported once, and then the iteration is over.
            State::Refused(fault, _) => return fault.take().map_or(Step::End, Step::Fault),
        };
        loop {
            if order.is_stopped() {
                return Step::End;
            }
            // New events may have come since the last step.
            let end = known(order.recording(), self.follow).min(self.events.end);
            if self.events.start >= end {
                break;
            }
            let event = self.events.start;
            // The event counts as taken before it is read, so that a fault does not bring it again.
            self.events.start += 1;
            // Something new has come, so the quiet time begins again.
            self.idle = None;
            match order.read(event, end, &mut self.allocator) {
                Ok(Some(frame)) => {
                    return Step::Frame(EventFrame { event, frame: frame.freeze() });
                }
                Ok(None) => {}
                Err(ReadError::Fault(fault)) => return Step::Fault(fault),
                Err(ReadError::Memory(error)) => {
                    return Step::Fault(Fault {
                        event: Some(event),
                        ..Fault::new(FaultKind::NoMemory, error)
                    });
                }
            }
        }
        self.at_the_end()
    }

    /// The step behind the last known event.
    fn at_the_end(&mut self) -> Step {
        let State::Reading(order) = &mut self.state else { return Step::End };
        // Only a run that may grow is looked at again.
        if self.follow && self.events.start < self.events.end && order.recording().may_grow() {
            let before = order.recording().complete();
            let idle = *self.idle.get_or_insert_with(Instant::now);
            let refreshed = match self.quiet {
                // The quiet time is over: the half record at the end is a loss now.
                Some(quiet) if idle.elapsed() >= quiet => {
                    self.follow = false;
                    order.recording().give_up()
                }
                _ => order.refresh(),
            };
            return match refreshed {
                Ok(()) if order.recording().complete() > before || !self.follow => self.step(),
                Ok(()) => Step::NotYet,
                Err(error) => {
                    // Asking again and again would never end.
                    self.follow = false;
                    Step::Fault(error.into())
                }
            };
        }
        // Problems of files are reported at the end, behind the events that could be read.
        let new = order.recording().problems_from(self.problems);
        self.problems += new.len();
        self.waiting.extend(new.into_iter().map(Fault::from));
        self.waiting.pop_front().map_or(Step::End, Step::Fault)
    }
}

/// Behind the last event that may be read.
fn known(recording: &Recording, follow: bool) -> usize {
    if follow { recording.complete() } else { recording.events() }
}

impl Iterator for Frames {
    type Item = Result<EventFrame, Fault>;

    fn next(&mut self) -> Option<Result<EventFrame, Fault>> {
        loop {
            match self.step() {
                Step::Frame(event) => return Some(Ok(event)),
                Step::Fault(fault) => return Some(Err(fault)),
                Step::NotYet => std::thread::sleep(LOOK_AGAIN),
                Step::End => return None,
            }
        }
    }
}
