//! The run's monotonic clock: real, or virtual in tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Nanoseconds since some fixed moment; never goes back.
///
/// A reading of the real clock costs about 10 ns, so the engine reads it once per frame sent and once per
/// frame handled, never per subscriber.
#[derive(Clone)]
pub struct Clock(TimeBase);

#[derive(Clone)]
enum TimeBase {
    /// `origin` in the clock's own ticks.
    Real {
        clock: quanta::Clock,
        origin: u64,
    },
    Virtual(Arc<AtomicU64>),
}

impl Clock {
    /// The processor's clock, starting at 0 now.
    pub fn real() -> Clock {
        let clock = quanta::Clock::new();
        let origin = clock.raw();
        Clock(TimeBase::Real { clock, origin })
    }

    /// A clock that stands still at 0 until [`Clock::advance`].
    pub fn simulated() -> Clock {
        Clock(TimeBase::Virtual(Arc::default()))
    }

    /// Now, in ns.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        match &self.0 {
            TimeBase::Real { clock, origin } => clock.delta_as_nanos(*origin, clock.raw()),
            TimeBase::Virtual(now) => now.load(Ordering::Relaxed),
        }
    }

    /// Advances a simulated clock to `to_ns`. A real clock, and a clock that is already later, does not
    /// change.
    pub fn advance(&self, to_ns: u64) {
        if let TimeBase::Virtual(now) = &self.0 {
            now.fetch_max(to_ns, Ordering::Relaxed);
        }
    }

    /// True when time only moves by [`Clock::advance`].
    #[inline]
    pub fn is_simulated(&self) -> bool {
        matches!(self.0, TimeBase::Virtual(_))
    }
}

/// Time of day in ns since 1970 (UTC); 0 if the system's clock shows an earlier time.
pub fn time_of_day_ns() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(i64::MAX))
}
