//! Reports of a running system, as messages.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::channel::{Channel, ChannelKind, Publisher};
use super::core::Core;
use super::failure::AgentError;
use super::report::SystemReport;
use super::system::System;
use super::timer::{Action, Timer};

/// Name of the channel that [`System::telemetry`] publishes on.
const CHANNEL: &str = "livetime.telemetry";

/// Reports on a system from any thread, also when the system has gone.
#[derive(Clone)]
pub struct Reporter(Weak<Core>);

impl Reporter {
    /// The current statistics and accounts; `None` when the system has ended.
    pub fn report(&self) -> Option<SystemReport> {
        self.0.upgrade().map(|core| core.report())
    }
}

impl System {
    /// Reports on this system from other threads: a server of metrics, for example.
    pub fn reporter(&self) -> Reporter {
        Reporter(Arc::downgrade(&self.core))
    }

    /// Publishes a report of all agents every `period` on the channel `livetime.telemetry`, which is returned, until the
    /// timer is dropped or the system stops. The channel keeps the newest report. Reports are shared, not copied.
    ///
    /// ```
    /// use std::time::Duration;
    /// use livetime_actors::{Chain, System};
    ///
    /// let system = System::default();
    /// let (telemetry, _timer) = system.telemetry(Duration::from_millis(1))?;
    /// let reports = Chain::new(1);
    /// reports.subscribe(&telemetry);
    /// assert!(reports.receive(Duration::from_secs(5)).unwrap().agents.is_empty());
    /// # Ok::<(), livetime_actors::AgentError>(())
    /// ```
    ///
    /// # Errors
    /// [`AgentError`] when a channel of this name carries something else.
    pub fn telemetry(&self, period: Duration) -> Result<(Channel<Arc<SystemReport>>, Timer), AgentError> {
        let channel = self.core.channels.channel(CHANNEL, ChannelKind::Retained)?;
        let period_ns = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1_000_000);
        let tell = Tell { reporter: self.reporter(), to: channel.publisher(), period_ns };
        let timer = self.core.timers.set(self.now_ns().saturating_add(period_ns), Box::new(tell));
        Ok((channel, timer))
    }
}

/// Publishes reports periodically.
struct Tell {
    reporter: Reporter,
    to: Publisher<Arc<SystemReport>>,
    period_ns: u64,
}

impl Action for Tell {
    fn fire(&mut self, now_ns: u64) -> Option<u64> {
        let report = self.reporter.report()?;
        self.to.publish(Arc::new(report));
        // Making a report takes time; missed periods are not made up for.
        Some(now_ns.saturating_add(self.period_ns))
    }
}
