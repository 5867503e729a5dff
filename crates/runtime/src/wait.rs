//! How a thread waits for work: it polls for a while, then sleeps.
//!
//! Looking costs a core for as long as it lasts; sleeping and being woken costs the sender and the sleeper 13 to 20 us
//! of CPU together, and the frame some tens of us of latency. `adaptive` therefore keeps an account: a look that finds
//! work earns the cost of the sleep that it saved, a look in vain is paid from these earnings, and a thread without
//! earnings sleeps at once. So it needs at most about twice the CPU of `park`; `predict` pays more, for less latency.

use std::time::Duration;

use crate::clock::Clock;
use crate::doorbell::Doorbell;

/// How a thread waits for work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WaitStrategy {
    /// Look again for a short while, as long as such looks save more sleeps than they cost; then sleep.
    #[default]
    Adaptive,
    /// As `Adaptive`; in addition, where work arrives at regular times and there are enough cores, sleep
    /// until shortly before it is expected and then poll. This has the lowest latency after `Spin`, for about
    /// 100 us of CPU per frame.
    Predict,
    /// Poll for ever: the lowest latency, for a whole core.
    Spin,
    /// Sleep at once.
    Park,
}

/// The cost of sleeping and being woken, and therefore the earnings of a look that finds work. With twice as much, work
/// that comes every 50 us would cost a core per thread.
const SLEEP_NS: u64 = 20_000;
/// The longest look. Two threads that answer each other bridge with it the time that the other takes to wake up; else,
/// once one of them has slept, each would find the other asleep for ever.
const LONGEST_LOOK_NS: u64 = WAKE_UP_NS;
/// The most that a thread may have earned: 20 of the longest looks in vain. One disturbance uses up a few.
const MOST_CREDIT_NS: u64 = 1_000_000;
/// How long a sleeping thread takes to wake up: work that is found after a sleep arrived about this much
/// earlier.
const WAKE_UP_NS: u64 = 50_000;
/// The most that is learnt from one sleep that ended late: a single long disturbance must not make all later sleeps
/// short.
const LONGEST_LATENESS_NS: u64 = 100_000;
/// Pause instructions between two polls; together about a us.
const PAUSES: usize = 24;
/// The CPU time of one poll that yields to other threads (`sched_yield`). If they run, much more time passes,
/// but they use it.
const YIELD_NS: u64 = 500;
/// The longest sleep, so that a thread notices an abort even if no other thread wakes it.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// The number of polls directly after a message was sent to another thread: an answer arrives within a few
/// hundred ns. A pause instruction takes up to 50 ns, so these polls do without it.
const LOOKS_FOR_ANSWER: std::ops::Range<usize> = 300..340;
/// The number of polls for expected work between two readings of the clock, so that the readings (about 10 ns each) cost
/// little beside the polls.
const LOOKS_PER_CLOCK: usize = 100;
/// Gaps between arrivals that may be predicted. In shorter ones a sleep, which may end [`LONGEST_LATENESS_NS`] late, does
/// not fit; longer ones are rarely regular, and a wake-up costs little beside them.
const PREDICTED_GAPS_NS: std::ops::Range<u64> = 150_000..50_000_000;
/// How much earlier than needed a sleep before an arrival ends, until it is known how late sleeps end here.
const FIRST_LATENESS_NS: u64 = 40_000;

/// The waiting of one thread, with its statistics of the times at which work arrives.
pub struct Waiting {
    strategy: WaitStrategy,
    /// Whether there are enough cores for threads that poll instead of sleeping.
    pub may_spin: bool,
    /// How much time looks may still cost in vain.
    credit_ns: u64,
    arrivals: Arrivals,
}

/// Statistics of the times at which work arrives.
#[derive(Default)]
struct Arrivals {
    last_ns: u64,
    gap_ns: u64,
    /// Mean deviation of the gaps from `gap_ns`.
    deviation_ns: u64,
    /// How much later than requested a sleep ends.
    lateness_ns: u64,
}

impl Arrivals {
    fn note(&mut self, now_ns: u64) {
        let gap_ns = now_ns.saturating_sub(self.last_ns);
        self.last_ns = now_ns;
        // Moving means over about eight arrivals: a change of the rate is learnt within them, one odd gap is not.
        let deviation_ns = gap_ns.abs_diff(self.gap_ns);
        self.gap_ns = (7 * self.gap_ns + gap_ns) / 8;
        self.deviation_ns = (7 * self.deviation_ns + deviation_ns) / 8;
    }

    /// The interval in which the next work is expected, including the time to wake up; `None` if work is not
    /// regular.
    fn next(&self) -> Option<(u64, u64)> {
        let is_regular = PREDICTED_GAPS_NS.contains(&self.gap_ns) && self.deviation_ns < self.gap_ns / 8;
        // Twice the means, because half of the arrivals and of the sleeps are later than their mean. The floor keeps polls
        // ahead of an arrival where sleeps happen to end in time.
        let expected_ns = self.last_ns + self.gap_ns;
        let early_ns = 2 * self.deviation_ns + 2 * self.lateness_ns.max(FIRST_LATENESS_NS / 4);
        is_regular.then(|| (expected_ns.saturating_sub(early_ns), expected_ns + early_ns))
    }
}

impl Waiting {
    /// A thread that waits by `strategy`; it polls only if it `may_spin`.
    pub fn new(strategy: WaitStrategy, may_spin: bool) -> Waiting {
        let arrivals = Arrivals { lateness_ns: FIRST_LATENESS_NS, ..Arrivals::default() };
        Waiting { strategy, may_spin, credit_ns: LONGEST_LOOK_NS, arrivals }
    }

    /// Returns when `is_ready` returns true for the current time, when `deadline_ns` is reached, or
    /// spuriously.
    pub fn wait(
        &mut self,
        clock: &Clock,
        bell: &Doorbell,
        is_ready: impl Fn(u64) -> bool,
        deadline_ns: impl Fn() -> Option<u64>,
    ) {
        match self.strategy {
            WaitStrategy::Spin => spin(clock, is_ready),
            WaitStrategy::Park => sleep(clock, bell, is_ready, deadline_ns),
            WaitStrategy::Adaptive => self.adapt(clock, bell, is_ready, deadline_ns),
            WaitStrategy::Predict => self.predict(clock, bell, is_ready, deadline_ns),
        }
    }

    /// Polls briefly for the answer of another thread to which a message was just sent.
    pub fn look_for_answer(&self, is_ready: impl Fn() -> bool) -> bool {
        let looks = matches!(self.strategy, WaitStrategy::Adaptive | WaitStrategy::Predict);
        let may_look = self.may_spin && looks;
        may_look
            && (0..LOOKS_FOR_ANSWER.end).any(|look| {
                if look >= LOOKS_FOR_ANSWER.start {
                    std::hint::spin_loop();
                }
                is_ready()
            })
    }

    /// Looks for a while, if the account allows it; then sleeps.
    fn adapt(
        &mut self,
        clock: &Clock,
        bell: &Doorbell,
        is_ready: impl Fn(u64) -> bool,
        deadline_ns: impl Fn() -> Option<u64>,
    ) {
        let start_ns = clock.now_ns();
        let looked_ns = self.credit_ns.min(LONGEST_LOOK_NS);
        let found_after_ns = match looked_ns {
            0 => None,
            _ if self.may_spin => look_for(looked_ns, clock, &is_ready),
            _ => look_and_yield(looked_ns, clock, &is_ready, &deadline_ns),
        };
        if found_after_ns.is_none() {
            sleep(clock, bell, &is_ready, deadline_ns);
        }
        match found_after_ns {
            Some(cost_ns) => self.found(cost_ns),
            None => self.slept(looked_ns, clock.now_ns() - start_ns),
        }
    }

    /// A look that cost so much found work and saved a sleep.
    fn found(&mut self, cost_ns: u64) {
        self.credit_ns = (self.credit_ns + SLEEP_NS).saturating_sub(cost_ns).min(MOST_CREDIT_NS);
    }

    /// A look, if it was longer than 0, was in vain, and work came `gap_ns` after it began. Work that came soon without
    /// a look would have been worth a look.
    fn slept(&mut self, looked_ns: u64, gap_ns: u64) {
        self.credit_ns = match looked_ns {
            0 => SLEEP_NS.saturating_sub(gap_ns.saturating_sub(WAKE_UP_NS)),
            _ => self.credit_ns - looked_ns,
        };
    }

    /// Where work arrives at regular times, sleeps until shortly before it is expected, and then polls.
    fn predict(
        &mut self,
        clock: &Clock,
        bell: &Doorbell,
        is_ready: impl Fn(u64) -> bool,
        deadline_ns: impl Fn() -> Option<u64>,
    ) {
        let start_ns = clock.now_ns();
        match self.arrivals.next().filter(|_| self.may_spin) {
            Some((from_ns, to_ns)) => {
                let is_there = self.sleep_until(from_ns, clock, bell, &is_ready, &deadline_ns)
                    || look_closely(to_ns, clock, &is_ready);
                if !is_there {
                    sleep(clock, bell, &is_ready, deadline_ns);
                }
            }
            None => self.adapt(clock, bell, &is_ready, deadline_ns),
        }
        let now_ns = clock.now_ns();
        // Short waits belong to one burst, so that the work after them is no arrival of its own.
        if is_ready(now_ns) && now_ns - start_ns > PREDICTED_GAPS_NS.start / 4 {
            self.arrivals.note(now_ns);
        }
    }

    /// Sleeps until shortly before work is expected; true when it has come earlier.
    fn sleep_until(
        &mut self,
        until_ns: u64,
        clock: &Clock,
        bell: &Doorbell,
        is_ready: &impl Fn(u64) -> bool,
        deadline_ns: &impl Fn() -> Option<u64>,
    ) -> bool {
        let until_ns = deadline_ns().unwrap_or(u64::MAX).min(until_ns);
        // A shorter sleep costs more than polling for that long.
        if until_ns > clock.now_ns() + 2_000 {
            sleep(clock, bell, is_ready, || Some(until_ns));
            let late_ns = clock.now_ns().saturating_sub(until_ns);
            if late_ns > 0 {
                self.arrivals.lateness_ns =
                    (7 * self.arrivals.lateness_ns + late_ns.min(LONGEST_LATENESS_NS)) / 8;
            }
        }
        is_ready(clock.now_ns())
    }
}

/// Polls for work, with pauses, for `limit_ns`; returns the time after which it arrived. Polling without pauses would
/// take the sender's cache lines away for every frame and make both threads advance in lockstep; with pauses of a us
/// several frames gather.
fn look_for(limit_ns: u64, clock: &Clock, is_ready: &impl Fn(u64) -> bool) -> Option<u64> {
    let start_ns = clock.now_ns();
    loop {
        let now_ns = clock.now_ns();
        if is_ready(now_ns) {
            return Some(now_ns - start_ns);
        }
        if now_ns - start_ns >= limit_ns {
            return None;
        }
        (0..PAUSES).for_each(|_| std::hint::spin_loop());
    }
}

/// The same where there are more threads than cores: other threads run between two polls, which is cheaper
/// than being woken for every batch. `limit_ns` and the result are CPU time of this thread.
fn look_and_yield(
    limit_ns: u64,
    clock: &Clock,
    is_ready: &impl Fn(u64) -> bool,
    deadline_ns: &impl Fn() -> Option<u64>,
) -> Option<u64> {
    for cost_ns in (0..limit_ns).step_by(YIELD_NS as usize) {
        let now_ns = clock.now_ns();
        if is_ready(now_ns) {
            return Some(cost_ns);
        }
        if deadline_ns().is_some_and(|at| now_ns >= at) {
            return None;
        }
        std::thread::yield_now();
    }
    None
}

/// Polls every few ns for work that is expected now, because its sender sends one message and not many.
fn look_closely(until_ns: u64, clock: &Clock, is_ready: &impl Fn(u64) -> bool) -> bool {
    loop {
        let now_ns = clock.now_ns();
        if (0..LOOKS_PER_CLOCK).any(|_| is_ready(now_ns)) {
            return true;
        }
        if now_ns >= until_ns {
            return false;
        }
    }
}

/// Polls for work without pauses, for a while.
fn spin(clock: &Clock, is_ready: impl Fn(u64) -> bool) {
    // The turn ends after some 100 us, so that the thread notices requests, and lets others run on an overloaded machine.
    for _ in 0..10_000 {
        if is_ready(clock.now_ns()) {
            return;
        }
        std::hint::spin_loop();
    }
    std::thread::yield_now();
}

fn sleep(
    clock: &Clock,
    bell: &Doorbell,
    is_ready: impl Fn(u64) -> bool,
    deadline_ns: impl Fn() -> Option<u64>,
) {
    // Work that came before `prepare` is seen here, later work rings the bell.
    bell.prepare();
    let now_ns = clock.now_ns();
    if is_ready(now_ns) {
        bell.cancel();
        return;
    }
    let until_deadline = deadline_ns().map(|at| Duration::from_nanos(at.saturating_sub(now_ns)));
    bell.wait(Some(until_deadline.unwrap_or(LONGEST_SLEEP).min(LONGEST_SLEEP)));
}

/// Makes the calling thread's sleeps precise, and lets it run only on `cpus`, if there are any.
pub fn prepare_thread(cpus: &[usize]) -> rustix::io::Result<()> {
    // The kernel may lengthen a sleep by 50 us to save power; periods of a ms need better.
    rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1))?;
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = rustix::thread::CpuSet::new();
    cpus.iter().for_each(|cpu| set.set(*cpu));
    rustix::thread::sched_setaffinity(None, &set)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Waits for work that comes every ms; returns how often it looked, per wait, once it has learnt the rhythm.
    fn looks_at_1_khz(strategy: WaitStrategy) -> u64 {
        const PERIOD_NS: u64 = 1_000_000;
        let (clock, bell) = (Clock::real(), Doorbell::default());
        bell.adopt_thread();
        let mut waiting = Waiting::new(strategy, true);
        let looks = Cell::new(0);
        let mut due_ns = clock.now_ns();
        for round in 0..60 {
            if round == 30 {
                looks.set(0);
            }
            due_ns = (due_ns + PERIOD_NS).max(clock.now_ns());
            while clock.now_ns() < due_ns {
                let is_ready = |now_ns| {
                    looks.set(looks.get() + 1);
                    now_ns >= due_ns
                };
                waiting.wait(&clock, &bell, is_ready, || Some(due_ns));
            }
        }
        looks.get() / 30
    }

    #[test]
    fn by_default_a_thread_sleeps_through_gaps_that_cost_more_to_look_through() {
        assert!(looks_at_1_khz(WaitStrategy::default()) < 10);
        assert!(looks_at_1_khz(WaitStrategy::Park) < 10);
    }

    #[test]
    fn looks_are_paid_from_the_sleeps_that_looks_have_saved() {
        let mut waiting = Waiting::new(WaitStrategy::Adaptive, true);
        waiting.found(3_000);
        assert_eq!(waiting.credit_ns, LONGEST_LOOK_NS + SLEEP_NS - 3_000);
        // Longer gaps, each looked at in vain and then slept through.
        for _ in 0..2 {
            waiting.slept(waiting.credit_ns.min(LONGEST_LOOK_NS), 190_000);
        }
        assert_eq!(waiting.credit_ns, 0);
        waiting.slept(0, 190_000);
        assert_eq!(waiting.credit_ns, 0);
        // Work that had come 4 us after the thread fell asleep.
        waiting.slept(0, WAKE_UP_NS + 4_000);
        assert_eq!(waiting.credit_ns, SLEEP_NS - 4_000);
    }

    #[test]
    fn a_disturbance_does_not_end_the_looks_of_two_that_answer_each_other() {
        let mut waiting = Waiting::new(WaitStrategy::Adaptive, true);
        (0..100).for_each(|_| waiting.found(300));
        assert_eq!(waiting.credit_ns, MOST_CREDIT_NS);
        (0..5).for_each(|_| waiting.slept(LONGEST_LOOK_NS, 200_000));
        assert!(waiting.credit_ns >= LONGEST_LOOK_NS);
    }

    #[test]
    fn whatever_the_rhythm_looking_costs_at_most_the_sleeps_it_saves() {
        let mut random = crate::Random::new(5);
        for _ in 0..200 {
            let mut waiting = Waiting::new(WaitStrategy::Adaptive, true);
            let longest_gap = 1_000 + random.below(300_000) as u64;
            let (mut cost, mut sleeps_only) = (0, MOST_CREDIT_NS);
            for _ in 0..500 {
                let gap = random.below(longest_gap as usize) as u64;
                let look = waiting.credit_ns.min(LONGEST_LOOK_NS);
                sleeps_only += SLEEP_NS;
                match gap < look {
                    true => {
                        waiting.found(gap);
                        cost += gap;
                    }
                    false => {
                        waiting.slept(look, gap + WAKE_UP_NS);
                        cost += look + SLEEP_NS;
                    }
                }
            }
            assert!(cost <= 2 * sleeps_only, "{longest_gap}: {cost} for {sleeps_only}");
        }
    }
}
