//! Runs that are repeated with their threads disturbed, to find what depends on them.

use std::sync::Mutex;
use std::time::Duration;

use livetime_frame::Frame;
use livetime_runtime::{Random, lock};

/// How a run is disturbed and noted.
#[derive(Clone, Copy, Debug)]
pub struct Rehearsal {
    /// Threads are held up by chance, differently for each seed; 0 leaves them alone.
    pub seed: u64,
    /// A number for all that a frame holds, of which each edge keeps a list.
    pub digest: fn(&Frame) -> u64,
}

/// The frames of an edge of a rehearsal, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// Sending node and output.
    pub from: (usize, usize),
    /// Receiving node and input.
    pub to: (usize, usize),
    /// Number and digest of each frame.
    pub frames: Vec<(u64, u64)>,
}

/// The list of an edge while the run goes on.
pub(crate) struct Notes {
    digest: fn(&Frame) -> u64,
    frames: Mutex<Vec<(u64, u64)>>,
}

impl Notes {
    pub(crate) fn new(rehearsal: Rehearsal) -> Notes {
        Notes { digest: rehearsal.digest, frames: Mutex::default() }
    }

    pub(crate) fn digest(&self, frame: &Frame) -> (u64, u64) {
        (frame.header().sequence, (self.digest)(frame))
    }

    pub(crate) fn add(&self, frame: (u64, u64)) {
        lock(&self.frames).push(frame);
    }

    pub(crate) fn taken(&self) -> Vec<(u64, u64)> {
        lock(&self.frames).clone()
    }
}

/// Turns of a thread that it handles in one way, at most.
const MOST_TURNS: usize = 200;
/// The longest pause before a turn.
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
