//! Messages that timers send.

use std::sync::Arc;
use std::time::Duration;

use livetime_runtime::LossReason;

use super::address::Target;
use super::sink::Sink;
use super::timer::{Action, Timer, Timers};

/// A message that had to wait for room is offered again after this time.
const RETRY_NS: u64 = 1_000_000;

/// Sends a message once.
pub(crate) struct After<T> {
    pub(crate) to: Arc<dyn Sink<T>>,
    pub(crate) message: Option<T>,
    pub(crate) is_retry: bool,
}

impl<T: Send> Action for After<T> {
    fn fire(&mut self, now_ns: u64) -> Option<u64> {
        let message = self.message.take()?;
        match self.to.offer(message, now_ns, self.is_retry, None) {
            Ok(_) => None,
            Err(message) => {
                // The input must not lose it, and this thread must not wait.
                (self.message, self.is_retry) = (Some(message), true);
                Some(now_ns + RETRY_NS)
            }
        }
    }
}

/// Sends a message periodically.
pub(crate) struct Every<T> {
    pub(crate) to: Arc<dyn Sink<T>>,
    pub(crate) message: T,
    pub(crate) at_ns: u64,
    pub(crate) period_ns: u64,
}

impl<T: Clone + Send> Action for Every<T> {
    fn fire(&mut self, now_ns: u64) -> Option<u64> {
        if self.to.offer(self.message.clone(), now_ns, false, None).is_err() {
            self.to.give_up(LossReason::QueueFull);
        }
        // Times that were missed altogether are left out; the beat is kept.
        let missed = now_ns.saturating_sub(self.at_ns) / self.period_ns;
        self.at_ns += (missed + 1) * self.period_ns;
        Some(self.at_ns)
    }
}

impl Timers {
    pub(crate) fn after<T: Send + 'static>(
        self: &Arc<Timers>,
        delay: Duration,
        to: Target<T>,
        message: T,
    ) -> Timer {
        let at_ns = self.now_ns().saturating_add(nanoseconds(delay));
        self.set(at_ns, Box::new(After { to: to.0, message: Some(message), is_retry: false }))
    }

    pub(crate) fn every<T: Clone + Send + 'static>(
        self: &Arc<Timers>,
        period: Duration,
        to: Target<T>,
        message: T,
    ) -> Timer {
        let period_ns = nanoseconds(period).max(1_000);
        let at_ns = self.now_ns().saturating_add(period_ns);
        self.set(at_ns, Box::new(Every { to: to.0, message, at_ns, period_ns }))
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
