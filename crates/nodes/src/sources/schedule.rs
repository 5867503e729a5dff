//! When the next frame of a source is due.

/// How far a source may fall behind its schedule and still catch up, in ns.
///
/// Long enough that a thread that was not woken in time loses no frame of its rate, short enough that a
/// source that cannot keep up does not answer with a long burst once it can.
const BACKLOG_NS: u64 = 50_000_000;

/// Absolute deadlines: each is the one before it plus the period, so that waking up late does not lower the
/// rate.
///
/// Late frames are made up for at four thirds of the rate and not at once: a detector sends no bursts, and a
/// burst would fill the queues behind it.
#[derive(Clone, Copy, Default)]
pub struct Schedule {
    /// The last deadline, or the start.
    anchor_ns: u64,
    /// When the last frame was taken.
    taken_ns: u64,
    started: bool,
}

impl Schedule {
    /// A schedule that starts at `now_ns`.
    pub fn starting(now_ns: u64) -> Schedule {
        Schedule { anchor_ns: now_ns, taken_ns: now_ns, started: false }
    }

    /// When the next frame is due: `first_ns` after the start, later `period_ns` after the last deadline. Times are
    /// given again at each call, so that a change acts on the deadline that is waited for.
    pub fn due_ns(&self, first_ns: u64, period_ns: u64) -> u64 {
        let earliest_ns = if self.started { self.taken_ns.saturating_add(period_ns / 4 * 3) } else { 0 };
        self.deadline_ns(first_ns, period_ns).max(earliest_ns)
    }

    fn deadline_ns(&self, first_ns: u64, period_ns: u64) -> u64 {
        self.anchor_ns.saturating_add(if self.started { period_ns } else { first_ns })
    }

    /// The frame that was due is taken at `now_ns`. Returns the number of periods that were abandoned because the
    /// source is too far behind; the rhythm is kept.
    pub fn met(&mut self, now_ns: u64, first_ns: u64, period_ns: u64) -> u64 {
        let deadline_ns = self.deadline_ns(first_ns, period_ns);
        let behind_ns = now_ns.saturating_sub(deadline_ns);
        let missed = match period_ns {
            _ if behind_ns <= period_ns.max(BACKLOG_NS) => 0,
            0 => 0,
            _ => behind_ns / period_ns,
        };
        *self = Schedule {
            anchor_ns: if period_ns == 0 { now_ns } else { deadline_ns.saturating_add(missed * period_ns) },
            taken_ns: now_ns,
            started: true,
        };
        missed
    }
}

/// Seconds as whole ns; a negative time or NaN is 0.
pub fn to_ns(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn being_late_does_not_move_the_deadlines() {
        let mut schedule = Schedule::starting(1000);
        assert_eq!(schedule.due_ns(300, 400), 1300);
        assert_eq!(schedule.met(1350, 300, 400), 0);
        assert_eq!(schedule.due_ns(300, 400), 1700);
        assert_eq!(schedule.due_ns(300, 60), 1395);
    }

    #[test]
    fn what_is_made_up_for_comes_at_four_thirds_of_the_rate() {
        let mut schedule = Schedule::starting(0);
        assert_eq!(schedule.met(1000, 0, 400), 0);
        let mut due = Vec::new();
        for _ in 0..12 {
            due.push(schedule.due_ns(0, 400));
            schedule.met(due[due.len() - 1], 0, 400);
        }
        // 300 apart until the rhythm of 400 is met again at a multiple of it.
        assert_eq!(due, [1300, 1600, 1900, 2200, 2500, 2800, 3100, 3400, 3700, 4000, 4400, 4800]);
    }

    #[test]
    fn what_cannot_be_made_up_for_is_given_up() {
        let (ms, mut schedule) = (1_000_000, Schedule::starting(0));
        assert_eq!(schedule.met(50 * ms, 0, ms), 0);
        assert_eq!(schedule.met(60 * ms + 7, 0, ms), 59);
        assert_eq!(schedule.due_ns(0, ms), 61 * ms);
        // A period that is longer than the backlog may be missed by one.
        let mut slow = Schedule::starting(0);
        assert_eq!(slow.met(900 * ms, 0, 1000 * ms), 0);
        assert_eq!(slow.met(2500 * ms, 0, 1000 * ms), 1);
        // As fast as possible has no backlog.
        assert_eq!(slow.met(3900 * ms, 0, 0), 0);
        assert_eq!(slow.due_ns(5, 0), 3900 * ms);
    }

    #[test]
    fn odd_times() {
        assert_eq!((to_ns(0.0035), to_ns(f64::NAN), to_ns(-1.0)), (3_500_000, 0, 0));
        assert_eq!(Schedule::starting(5).due_ns(u64::MAX, 0), u64::MAX);
    }
}
