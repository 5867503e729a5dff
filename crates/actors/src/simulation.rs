//! A whole system on one thread, in virtual time, with a schedule chosen by a seed.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use livetime_runtime::{Clock, Random};

use super::report::SystemReport;
use super::strand::{Host, Strand, StrandHandle};
use super::system::{System, SystemOptions};
use super::this_thread::running_on;

/// A system whose agents run only step by step: each [`step`](Simulation::step) lets one thread, chosen at random among
/// the threads with work, handle one message. When none has work, time advances to the next timer. The same seed gives
/// the same schedule.
///
/// ```
/// use std::time::Duration;
/// use livetime_actors::{Chain, Simulation};
///
/// let mut system = Simulation::new(1);
/// let seen = Chain::new(100);
/// let beat = system.every(Duration::from_secs(5), &seen, "alive");
/// system.run_for(Duration::from_secs(60));
/// assert_eq!((seen.len(), system.now_ns()), (12, 60_000_000_000));
/// beat.cancel();
/// ```
pub struct Simulation {
    system: System,
    random: Random,
}

impl Simulation {
    /// A system without agents, at time 0.
    pub fn new(seed: u64) -> Simulation {
        let system = System::with_clock(SystemOptions::default(), Clock::simulated());
        Simulation { system, random: Random::new(seed) }
    }

    /// One step; false when nothing would ever happen again.
    pub fn step(&mut self) -> bool {
        self.step_before(u64::MAX)
    }

    fn step_before(&mut self, until_ns: u64) -> bool {
        let strands = self.system.core.strands();
        let ready: Vec<&Arc<StrandHandle>> = strands.iter().filter(|s| with_body(s, has_work)).collect();
        if !ready.is_empty() {
            let strand = ready[self.random.below(ready.len())];
            running_on(Arc::as_ptr(strand) as usize);
            with_body(strand, |body| body.visit(1, 1));
            running_on(0);
            return true;
        }
        let clock = &self.system.core.clock;
        match self.system.core.timers.next_ns() {
            Some(at_ns) if at_ns <= until_ns => {
                clock.advance(at_ns);
                self.system.core.timers.fire_due();
                true
            }
            _ => false,
        }
    }

    /// Steps until nothing is left to do, at most `limit` times; returns whether nothing is.
    pub fn run_to_end(&mut self, limit: usize) -> bool {
        (0..limit).any(|_| !self.step())
    }

    /// Steps until all is done that happens within `time`, and moves the clock on by it.
    pub fn run_for(&mut self, time: Duration) {
        let until_ns = self.system.now_ns() + time.as_nanos() as u64;
        while self.step_before(until_ns) {}
        self.system.core.clock.advance(until_ns);
    }

    /// Stops as [`System::stop`] does, in at most `limit` steps for queued messages and as many for messages that agents send
    /// while they drain. No stop guard can be released meanwhile.
    pub fn stop(mut self, limit: usize) -> SystemReport {
        self.system.has_stopped.store(true, Ordering::Release);
        let core = self.system.core.clone();
        core.stop(Duration::ZERO, |_| self.run_to_end(limit));
        core.report()
    }
}

fn has_work(strand: &mut Strand) -> bool {
    strand.has_local_work() || strand.local.handle.has_work()
}

fn with_body(strand: &StrandHandle, act: impl FnOnce(&mut Strand) -> bool) -> bool {
    let Host::Simulated { body } = &strand.host else { return false };
    // A strand that runs now is not entered again.
    let Ok(mut body) = body.try_lock() else { return false };
    body.as_mut().is_some_and(act)
}

impl Deref for Simulation {
    type Target = System;

    fn deref(&self) -> &System {
        &self.system
    }
}
