//! When the next frame of a source is due.

/// How far a source may fall behind its schedule and still make up for it, in ns.
///
/// Long enough that a thread that was not woken in time loses no frame of its rate, short enough that a
/// source that cannot keep up does not answer with a long burst once it can.
const BACKLOG_NS: u64 = 50_000_000;

/// Absolute deadlines: each is the one before it plus the period, so that waking up late does not lower the
/// rate.
#[derive(Clone, Copy, Default)]
pub(crate) struct Schedule {
    /// The last deadline, or the start.
    anchor_ns: u64,
    started: bool,
}

impl Schedule {
    /// A schedule that starts at `now_ns`.
    pub(crate) fn starting(now_ns: u64) -> Schedule {
        Schedule { anchor_ns: now_ns, started: false }
    }

    /// The next deadline: `first_ns` after the start, later `period_ns` after the last one. Times are given
    /// anew at each call, so that a change acts on the deadline that is waited for.
    pub(crate) fn due_ns(&self, first_ns: u64, period_ns: u64) -> u64 {
        self.anchor_ns.saturating_add(if self.started { period_ns } else { first_ns })
    }

    /// The deadline `due_ns` has been met at `now_ns`. Returns the number of periods that were given up
    /// because the source is too far behind; the rhythm is kept.
    pub(crate) fn met(&mut self, due_ns: u64, now_ns: u64, period_ns: u64) -> u64 {
        let behind_ns = now_ns.saturating_sub(due_ns);
        let missed = match period_ns {
            _ if behind_ns <= period_ns.max(BACKLOG_NS) => 0,
            0 => 0,
            _ => behind_ns / period_ns,
        };
        let at_ns = if period_ns == 0 { now_ns } else { due_ns.saturating_add(missed * period_ns) };
        *self = Schedule { anchor_ns: at_ns, started: true };
        missed
    }
}

/// Seconds as whole ns; a negative time or NaN is 0.
pub(crate) fn to_ns(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn being_late_does_not_move_the_deadlines() {
        let mut schedule = Schedule::starting(1000);
        assert_eq!(schedule.due_ns(300, 500), 1300);
        assert_eq!(schedule.met(1300, 1700, 500), 0);
        assert_eq!(schedule.due_ns(300, 500), 1800);
        assert_eq!(schedule.due_ns(300, 50), 1350);
    }

    #[test]
    fn what_cannot_be_made_up_for_is_given_up() {
        let (ms, mut schedule) = (1_000_000, Schedule::starting(0));
        assert_eq!(schedule.met(0, 50 * ms, ms), 0);
        assert_eq!(schedule.due_ns(0, ms), ms);
        assert_eq!(schedule.met(ms, 60 * ms + 7, ms), 59);
        assert_eq!(schedule.due_ns(0, ms), 61 * ms);
        // A period that is longer than the backlog may be missed by one.
        let mut slow = Schedule::starting(0);
        assert_eq!(slow.met(0, 900 * ms, 1000 * ms), 0);
        assert_eq!(slow.met(1000 * ms, 2500 * ms, 1000 * ms), 1);
        // As fast as possible has no backlog.
        assert_eq!(slow.met(0, 900 * ms, 0), 0);
        assert_eq!(slow.due_ns(5, 0), 900 * ms);
    }

    #[test]
    fn odd_times() {
        assert_eq!((to_ns(0.0035), to_ns(f64::NAN), to_ns(-1.0)), (3_500_000, 0, 0));
        assert_eq!(Schedule::starting(5).due_ns(u64::MAX, 0), u64::MAX);
    }
}
