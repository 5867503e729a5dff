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

/// One thread's way of waiting, and what it has learnt.
pub(crate) struct Waiting {
    strategy: WaitStrategy,
    /// Whether there are cores enough for threads that look instead of sleeping.
    may_spin: bool,
    spin_ns: u64,
}

impl Waiting {
    pub(crate) fn new(strategy: WaitStrategy, may_spin: bool) -> Waiting {
        Waiting { strategy, may_spin, spin_ns: LONGEST_SPIN_NS }
    }

    /// Returns when `is_ready` at the time given, when `deadline_ns` has come, or now and then for no reason.
    pub(crate) fn wait(
        &mut self,
        clock: &Clock,
        bell: &Doorbell,
        is_ready: impl Fn(u64) -> bool,
        deadline_ns: impl Fn() -> Option<u64>,
    ) {
        let start_ns = clock.now_ns();
        match self.strategy {
            WaitStrategy::Spin => return spin(clock, is_ready),
            WaitStrategy::Adaptive if self.look_until(start_ns + self.spin_ns, clock, &is_ready) => {}
            WaitStrategy::Adaptive | WaitStrategy::Park => sleep(clock, bell, is_ready, deadline_ns),
        }
        let gap_ns = clock.now_ns() - start_ns;
        self.spin_ns =
            if gap_ns < SHORT_GAP_NS { (2 * gap_ns).clamp(2_000, LONGEST_SPIN_NS) } else { self.spin_ns / 2 };
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
