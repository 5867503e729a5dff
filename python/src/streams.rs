//! The events of a run for one detector, one after the other or picked, and of several detectors side by side.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use livetime_frame::{Allocator, FramePool};
use livetime_recording::select::Selected;
use livetime_recording::{
    Account, Condition, Detector, EventFrame, Fault, FaultKind, Frames, OnDamage, Options, Picture, Reader,
    Recording, Step,
};

/// Which events are read, and how.
#[derive(Clone)]
pub(crate) struct Wanted {
    /// The first event and the number behind the last, in the order in which they are given.
    pub(crate) events: Range<usize>,
    /// One event in `step`; from the last to the first if negative.
    pub(crate) step: isize,
    pub(crate) threads: usize,
    /// Bytes of frames that a thread hands over at once.
    pub(crate) batch_bytes: usize,
    pub(crate) on_damage: OnDamage,
    pub(crate) follow: bool,
    pub(crate) quiet: Option<Duration>,
    /// Only these of them.
    pub(crate) select: Option<Arc<Selected>>,
    pub(crate) pool: FramePool,
}

/// The events of one detector.
enum Stream {
    /// All of a range, read ahead.
    Ahead(Box<Frames>),
    Picked(Box<Picked>),
}

/// Some events, each read when it is asked for.
struct Picked {
    recording: Recording,
    detector: Detector,
    events: Box<dyn Iterator<Item = usize> + Send>,
    on_damage: OnDamage,
    allocator: Allocator,
    reader: Reader,
    picture: Picture,
    account: Account,
    is_stopped: bool,
}

/// Events of several detectors: those with the same number are one.
pub(crate) struct Streams {
    all: Vec<Lane>,
    is_backward: bool,
}

struct Lane {
    stream: Stream,
    /// The next event that has the detector.
    head: Option<EventFrame>,
    has_ended: bool,
}

/// The next item of a loop.
pub(crate) enum Next {
    /// An event, with its frame of each detector.
    Event(usize, Vec<Option<EventFrame>>),
    /// An event without a picture of the detector at this position, or a place where a file breaks off.
    Fault(usize, Fault),
    /// The run is being written, and there is nothing new.
    NotYet,
    /// Nothing.
    End,
}

impl Streams {
    pub(crate) fn new(recording: &Recording, detectors: &[Detector], wanted: &Wanted) -> Streams {
        let lane = |detector| Lane {
            stream: Stream::new(recording, detector, wanted),
            head: None,
            has_ended: false,
        };
        Streams { all: detectors.iter().map(lane).collect(), is_backward: wanted.step < 0 }
    }

    /// Counts of the events of the detector at a position.
    pub(crate) fn account(&self, position: usize) -> Option<Account> {
        self.all.get(position).map(|lane| match &lane.stream {
            Stream::Ahead(frames) => frames.account(),
            Stream::Picked(picked) => picked.account,
        })
    }

    /// The next event. Waits for a thread that reads it, and for nothing else.
    pub(crate) fn next(&mut self) -> Next {
        for (position, lane) in self.all.iter_mut().enumerate() {
            // Each detector reads on its own, so an event is complete only when every detector has its next event or
            // has ended.
            while lane.head.is_none() && !lane.has_ended {
                match lane.stream.step() {
                    Step::Frame(event) => lane.head = Some(event),
                    Step::Fault(fault) => return Next::Fault(position, fault),
                    Step::NotYet => return Next::NotYet,
                    Step::End => lane.has_ended = true,
                }
            }
        }
        let numbers = self.all.iter().filter_map(|lane| lane.head.as_ref()).map(|head| head.event);
        // The event that comes first in the order of the loop is given, also if other detectors have no picture of that
        // event.
        let number = if self.is_backward { numbers.max() } else { numbers.min() };
        let Some(number) = number else { return Next::End };
        let of_it = |lane: &mut Lane| lane.head.take_if(|head| head.event == number);
        Next::Event(number, self.all.iter_mut().map(of_it).collect())
    }
}

impl Stream {
    fn new(recording: &Recording, detector: &Detector, wanted: &Wanted) -> Stream {
        let Wanted { events, step, threads, batch_bytes, on_damage, follow, quiet, select, pool } =
            wanted.clone();
        // Reading ahead pays only when every event is read in its order.
        if step == 1 && select.is_none() {
            let options = Options { events, threads, batch_bytes, on_damage, follow, quiet, pool };
            return Stream::Ahead(Box::new(recording.frames(detector, options)));
        }
        let events = events.start..events.end.min(recording.events());
        let every = step.unsigned_abs().max(1);
        let events: Box<dyn Iterator<Item = usize> + Send> =
            if step < 0 { Box::new(events.rev().step_by(every)) } else { Box::new(events.step_by(every)) };
        let is_wanted = move |event: &usize| select.as_ref().is_none_or(|select| select.has(*event));
        let events = Box::new(events.filter(is_wanted));
        Stream::Picked(Box::new(Picked {
            recording: recording.clone(),
            detector: detector.clone(),
            events,
            on_damage,
            allocator: pool.allocator(),
            reader: Reader::default(),
            picture: Picture::default(),
            account: Account::default(),
            is_stopped: false,
        }))
    }

    fn step(&mut self) -> Step {
        match self {
            Stream::Ahead(frames) => frames.step(),
            Stream::Picked(picked) => picked.step(),
        }
    }
}

impl Picked {
    /// As [`Frames::step`].
    fn step(&mut self) -> Step {
        while !self.is_stopped {
            let Some(event) = self.events.next() else { break };
            match self.read(event) {
                Ok(Some(frame)) => return Step::Frame(frame),
                Ok(None) => {}
                Err(fault) => {
                    self.is_stopped |= self.on_damage == OnDamage::Stop;
                    let why = format!("{}: {}", self.recording.place(event), fault.why);
                    return Step::Fault(Fault { event: Some(event), why, ..fault });
                }
            }
        }
        Step::End
    }

    /// The frame of an event; `None` if it is left out, which is counted.
    fn read(&mut self, event: usize) -> Result<Option<EventFrame>, Fault> {
        let read = self.recording.read(&self.detector, event, &mut self.reader, &mut self.picture);
        let layout = match read.and_then(|()| self.picture.layout()) {
            Ok(layout) => layout,
            Err(fault) => return self.nothing(fault),
        };
        let condition = self.picture.condition();
        // The account counts damaged pictures also when they are skipped.
        self.add(condition);
        if condition.is_damaged() && self.on_damage == OnDamage::Skip {
            self.account.skipped += 1;
            return Ok(None);
        }
        if condition.is_damaged() && self.on_damage == OnDamage::Stop {
            let why = "wanted a whole picture, found a damaged one".to_owned();
            return Err(Fault { kind: FaultKind::Damaged, event: Some(event), why });
        }
        let mut frame = match self.allocator.array(layout) {
            Ok(frame) => frame,
            Err(error) => {
                self.account.no_memory += 1;
                return Err(Fault { kind: FaultKind::NoMemory, event: Some(event), why: error.to_string() });
            }
        };
        self.picture.fill(&mut frame);
        self.account.frames += 1;
        frame.header_mut().sequence = self.account.frames;
        Ok(Some(EventFrame { event, frame: frame.freeze() }))
    }

    fn nothing(&mut self, fault: Fault) -> Result<Option<EventFrame>, Fault> {
        let account = &mut self.account;
        *match fault.kind {
            FaultKind::Missing => &mut account.missing,
            FaultKind::Lost => &mut account.lost,
            FaultKind::Unreadable => &mut account.unreadable,
            FaultKind::NoMemory => &mut account.no_memory,
            FaultKind::Broken | FaultKind::Damaged => &mut account.broken,
        } += 1;
        // An event without the detector is no fault.
        if fault.kind == FaultKind::Missing { Ok(None) } else { Err(fault) }
    }

    fn add(&mut self, condition: Condition) {
        *match condition {
            Condition::Whole => &mut self.account.whole,
            Condition::Partial => &mut self.account.partial,
            Condition::Damaged => &mut self.account.damaged,
        } += 1;
    }
}
