//! How a thread waits for work: looks for a while, then sleeps.

use std::time::Duration;

use crate::clock::Clock;
use crate::doorbell::Doorbell;
use crate::graph::WaitStrategy;

/// The longest an adaptive thread looks for work before it sleeps. Waking a sleeping thread costs the sender
/// several us and the sleeper tens (bench/record); looking longer than that gains nothing.
const LONGEST_SPIN_NS: u64 = 50_000;
/// Gaps longer than this, the time to wake up included, are slept through at once.
const SHORT_GAP_NS: u64 = 100_000;
/// Pauses of a processor between two looks; together about a us.
const PAUSES: usize = 24;
/// A sleep has this limit, so that a wish to abort is seen even by a thread that nobody wakes.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// Looks right after something was sent to another thread: an answer comes within a few hundred ns. A pause of the
/// processor takes up to 50 ns, so the first looks do without.
const LOOKS_FOR_ANSWER: std::ops::Range<usize> = 300..340;
/// Looks at work that is expected before the clock is read again.
const LOOKS_PER_CLOCK: usize = 100;
/// Gaps between arrivals that may be predicted.
const PREDICTED_GAPS_NS: std::ops::Range<u64> = 150_000..50_000_000;
/// How much earlier than needed a sleep before an arrival ends, until it is known how late sleeps end here.
const FIRST_LATENESS_NS: u64 = 40_000;

/// One thread's way of waiting, and what it has learnt.
pub(crate) struct Waiting {
    strategy: WaitStrategy,
    /// Whether there are cores enough for threads that look instead of sleeping.
    pub(crate) may_spin: bool,
    spin_ns: u64,
    arrivals: Arrivals,
}

/// What is known of the times at which work comes.
#[derive(Default)]
struct Arrivals {
    last_ns: u64,
    gap_ns: u64,
    /// Mean deviation of the gaps from `gap_ns`.
    deviation_ns: u64,
    /// How much later than asked for a sleep ends.
    lateness_ns: u64,
}

impl Arrivals {
    fn note(&mut self, now_ns: u64) {
        let gap_ns = now_ns.saturating_sub(self.last_ns);
        self.last_ns = now_ns;
        let deviation_ns = gap_ns.abs_diff(self.gap_ns);
        self.gap_ns = (7 * self.gap_ns + gap_ns) / 8;
        self.deviation_ns = (7 * self.deviation_ns + deviation_ns) / 8;
    }

    /// From when to when the next one is expected, the time to wake up included; `None` if they are not regular.
    fn next(&self) -> Option<(u64, u64)> {
        let is_regular = PREDICTED_GAPS_NS.contains(&self.gap_ns) && self.deviation_ns < self.gap_ns / 8;
        let expected_ns = self.last_ns + self.gap_ns;
        let early_ns = 2 * self.deviation_ns + 2 * self.lateness_ns.max(FIRST_LATENESS_NS / 4);
        is_regular.then(|| (expected_ns.saturating_sub(early_ns), expected_ns + early_ns))
    }
}

impl Waiting {
    pub(crate) fn new(strategy: WaitStrategy, may_spin: bool) -> Waiting {
        let arrivals = Arrivals { lateness_ns: FIRST_LATENESS_NS, ..Arrivals::default() };
        Waiting { strategy, may_spin, spin_ns: LONGEST_SPIN_NS, arrivals }
    }

    /// Returns when `is_ready` at the time given, when `deadline_ns` has come, or now and then for no reason.
    pub(crate) fn wait(
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
        }
    }

    /// Looks for a short while whether another thread answers that has just been sent something.
    pub(crate) fn look_for_answer(&self, is_ready: impl Fn() -> bool) -> bool {
        let may_look = self.may_spin && self.strategy == WaitStrategy::Adaptive;
        may_look
            && (0..LOOKS_FOR_ANSWER.end).any(|look| {
                if look >= LOOKS_FOR_ANSWER.start {
                    std::hint::spin_loop();
                }
                is_ready()
            })
    }

    fn adapt(
        &mut self,
        clock: &Clock,
        bell: &Doorbell,
        is_ready: impl Fn(u64) -> bool,
        deadline_ns: impl Fn() -> Option<u64>,
    ) {
        let start_ns = clock.now_ns();
        let expected = self.arrivals.next().filter(|_| self.may_spin);
        let is_there = match expected {
            Some((from_ns, to_ns)) => {
                self.sleep_until(from_ns, clock, bell, &is_ready, &deadline_ns)
                    || look_closely(to_ns, clock, &is_ready)
            }
            None => self.look_until(start_ns + self.spin_ns, clock, &is_ready),
        };
        if !is_there {
            sleep(clock, bell, &is_ready, deadline_ns);
        }
        let now_ns = clock.now_ns();
        let gap_ns = now_ns - start_ns;
        // Short waits belong to one burst, and what follows it is no arrival of its own.
        if is_ready(now_ns) && gap_ns > PREDICTED_GAPS_NS.start / 4 {
            self.arrivals.note(now_ns);
        }
        self.spin_ns =
            if gap_ns < SHORT_GAP_NS { (2 * gap_ns).clamp(2_000, LONGEST_SPIN_NS) } else { self.spin_ns / 2 };
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
        if until_ns > clock.now_ns() + 2_000 {
            sleep(clock, bell, is_ready, || Some(until_ns));
            let late_ns = clock.now_ns().saturating_sub(until_ns);
            if late_ns > 0 {
                self.arrivals.lateness_ns = (7 * self.arrivals.lateness_ns + late_ns.min(SHORT_GAP_NS)) / 8;
            }
        }
        is_ready(clock.now_ns())
    }

    /// Looks for work now and then until `until_ns`. Looking all the time would take the sender's cache lines
    /// away on every frame and make the two walk in step, frame by frame; a pause of a us lets a batch gather.
    fn look_until(&self, until_ns: u64, clock: &Clock, is_ready: &impl Fn(u64) -> bool) -> bool {
        loop {
            let now_ns = clock.now_ns();
            if is_ready(now_ns) {
                return true;
            }
            if now_ns >= until_ns {
                return false;
            }
            match self.may_spin {
                true => (0..PAUSES).for_each(|_| std::hint::spin_loop()),
                // There are more threads than cores: who waits lets others run, which is cheaper than to be
                // woken for every batch.
                false => std::thread::yield_now(),
            }
        }
    }
}

/// Looks for work that is expected about now, every few ns: its sender sends one message and not many.
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

/// Looks for work without a pause, for a while.
fn spin(clock: &Clock, is_ready: impl Fn(u64) -> bool) {
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
pub(crate) fn prepare_thread(cpus: &[usize]) -> rustix::io::Result<()> {
    // The kernel may lengthen a sleep by 50 us to save power; periods of a ms need better.
    rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1))?;
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = rustix::thread::CpuSet::new();
    cpus.iter().for_each(|cpu| set.set(*cpu));
    rustix::thread::sched_setaffinity(None, &set)
}
