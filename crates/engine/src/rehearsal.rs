//! Runs that are repeated with their threads disturbed, to find results that depend on the threads.

use std::sync::Mutex;
use std::time::Duration;

use livetime_frame::Frame;
use livetime_runtime::{Random, lock};

/// How a run is disturbed and noted.
#[derive(Clone, Copy, Debug)]
pub struct Rehearsal {
    /// Threads are held up by chance, differently for each seed; 0 leaves them alone.
    pub seed: u64,
    /// Appends the notes of a frame: one, or one for each of its parts.
    pub digest: fn(&Frame, &mut Vec<Note>),
}

/// The note of a frame, or of a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// Number of the frame.
    pub frame: u64,
    /// A number for all that the frame, or the part, holds.
    pub digest: u64,
    /// The part; `None` for the whole frame.
    pub part: Option<Part>,
}

/// A part of a frame that holds several things, as a batch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The kind of thing, for example `row`.
    pub kind: &'static str,
    /// Number of the stream that it belongs to; `None` where streams are merged.
    pub stream: Option<u16>,
    /// Its time in this stream.
    pub time: u64,
}

/// The frames of an edge of a rehearsal, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// Sending node and output.
    pub from: (usize, usize),
    /// Receiving node and input.
    pub to: (usize, usize),
    /// Their notes.
    pub notes: Vec<Note>,
}

impl Note {
    /// The note of a whole frame.
    pub fn of(frame: &Frame, digest: u64) -> Note {
        Note { frame: frame.header().sequence, digest, part: None }
    }
}

/// The list of an edge while the run goes on.
pub(crate) struct Notes {
    digest: fn(&Frame, &mut Vec<Note>),
    all: Mutex<Vec<Note>>,
}

impl Notes {
    pub(crate) fn new(rehearsal: Rehearsal) -> Notes {
        Notes { digest: rehearsal.digest, all: Mutex::default() }
    }

    pub(crate) fn of(&self, frame: &Frame) -> Vec<Note> {
        let mut notes = Vec::new();
        (self.digest)(frame, &mut notes);
        notes
    }

    pub(crate) fn add(&self, notes: &[Note]) {
        lock(&self.all).extend_from_slice(notes);
    }

    pub(crate) fn taken(&self) -> Vec<Note> {
        lock(&self.all).clone()
    }
}

/// Most turns of a thread in one manner: queues of the usual lengths run full and empty within them.
const MOST_TURNS: usize = 200;
/// The longest pause before a turn: several times the time that a sleeping thread needs to wake up, so that other
/// threads overtake this one.
const MOST_PAUSE_US: usize = 300;

/// Holds a thread up by chance: for some turns it is as fast as it can, for others it sleeps before each, or handles one frame at a time.
pub(crate) struct Disturbance {
    random: Random,
    turns: usize,
    pause: Duration,
    burst: Option<usize>,
}

impl Disturbance {
    pub(crate) fn new(seed: u64) -> Disturbance {
        Disturbance { random: Random::new(seed), turns: 0, pause: Duration::ZERO, burst: None }
    }

    /// Before a turn of the thread; how many frames it handles in it.
    pub(crate) fn turn(&mut self) -> Option<usize> {
        if self.turns == 0 {
            self.turns = 1 + self.random.below(MOST_TURNS);
            let is_slow = self.random.below(3) == 0;
            let us = if is_slow { self.random.below(MOST_PAUSE_US) } else { 0 };
            self.pause = Duration::from_micros(us as u64);
            self.burst = (self.random.below(2) == 0).then(|| 1 + self.random.below(4));
        }
        self.turns -= 1;
        match self.pause {
            Duration::ZERO => std::thread::yield_now(),
            pause => std::thread::sleep(pause),
        }
        self.burst
    }
}
