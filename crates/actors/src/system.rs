//! A system: hosts agents inside any program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use livetime_runtime::{Clock, EventHandler, lock};

use super::address::Target;
use super::agent::Agent;
use super::channel::{Channel, ChannelKind};
use super::channels::Channels;
use super::closure::ClosureAgent;
use super::context::Context;
use super::core::Core;
use super::failure::{AgentError, Outcome};
use super::group::{Group, GroupBuilder};
use super::group_core::GroupEvent;
use super::guard::StopGuard;
use super::phase::Phase;
use super::report::SystemReport;
use super::timer::Timer;

/// How a system is run.
#[derive(Clone, Default)]
pub struct SystemOptions {
    /// Called with every event.
    pub on_event: Option<EventHandler>,
}

/// Hosts agents inside any program: named channels, threads, timers.
///
/// Dropping it stops it, and waits for that as [`System::stop`] does, at most 5 s.
///
/// ```
/// use std::time::Duration;
/// use livetime_actors::{Chain, System};
///
/// let system = System::default();
/// let (words, lengths) = (system.channel::<String>("words")?, Chain::new(8));
/// let out = lengths.clone();
/// system.agent_fn("measure", &words, move |word: String, _| _ = out.send(word.len()))?;
/// words.publish("frame".to_string());
/// assert_eq!(lengths.receive(Duration::from_secs(5)), Some(5));
/// # Ok::<(), livetime_actors::AgentError>(())
/// ```
pub struct System {
    pub(crate) core: Arc<Core>,
    pub(crate) has_stopped: AtomicBool,
}

impl Default for System {
    fn default() -> System {
        System::new(SystemOptions::default())
    }
}

impl System {
    /// A system without agents.
    pub fn new(options: SystemOptions) -> System {
        System::with_clock(options, Clock::real())
    }

    pub(crate) fn with_clock(options: SystemOptions, clock: Clock) -> System {
        System { core: Arc::new(Core::new(options.on_event, clock)), has_stopped: AtomicBool::new(false) }
    }

    /// The channel of this name, which is made if there is none.
    ///
    /// # Errors
    /// [`AgentError`] when the channel of this name carries other messages.
    pub fn channel<T: Clone + Send + 'static>(&self, name: &str) -> Result<Channel<T>, AgentError> {
        self.core.channels.channel(name, ChannelKind::Broadcast)
    }

    /// The channel of this name and kind, which is made if there is none.
    ///
    /// # Errors
    /// [`AgentError`] when the channel of this name carries other messages, or is of another kind.
    pub fn channel_of<T: Clone + Send + 'static>(
        &self,
        name: &str,
        kind: ChannelKind,
    ) -> Result<Channel<T>, AgentError> {
        self.core.channels.channel(name, kind)
    }

    /// All channels by name, to be shared with a graph.
    pub fn channels(&self) -> Channels {
        self.core.channels.clone()
    }

    /// A group of agents to be put together and started.
    pub fn group(&self, name: &str) -> GroupBuilder {
        GroupBuilder::new(self.core.clone(), name, None)
    }

    /// Starts an agent that is a function of the messages of one channel, on a thread of its own.
    ///
    /// # Errors
    /// [`AgentError`] when the thread cannot be started.
    pub fn agent_fn<T, F, R>(
        &self,
        name: &str,
        channel: &Channel<T>,
        mut handle: F,
    ) -> Result<Group, AgentError>
    where
        T: Clone + Send + 'static,
        F: FnMut(T, &mut Context<ClosureAgent<T>>) -> R + Send + 'static,
        R: Outcome,
    {
        self.group(name)
            .add(
                name,
                ClosureAgent::new(
                    channel.clone(),
                    Box::new(move |message, ctx| handle(message, ctx).result()),
                ),
            )
            .start()
    }

    /// Sends `message` after `delay`.
    pub fn after<T: Send + 'static>(&self, delay: Duration, to: impl Into<Target<T>>, message: T) -> Timer {
        self.core.timers.after(delay, to.into(), message)
    }

    /// Sends `message` every `period`, for the first time after one period. A message without room is counted as lost.
    pub fn every<T: Clone + Send + 'static>(
        &self,
        period: Duration,
        to: impl Into<Target<T>>,
        message: T,
    ) -> Timer {
        self.core.timers.every(period, to.into(), message)
    }

    /// The channel on which the phase of the system is published; it keeps the newest message.
    pub fn phase(&self) -> Channel<Phase> {
        self.core.phase.clone()
    }

    /// The channel on which started and ended groups are published.
    pub fn group_events(&self) -> Channel<GroupEvent> {
        self.core.group_events.clone()
    }

    /// Delays the end of the system until the guard is dropped or the time to stop has passed, for example to
    /// write data first.
    pub fn stop_guard(&self, name: &str) -> StopGuard {
        self.core.guards.add(name)
    }

    /// Now on the system's clock, in ns.
    pub fn now_ns(&self) -> u64 {
        self.core.clock.now_ns()
    }

    /// Waits for at most `limit` until a stop is requested, for example because an agent failed. Returns
    /// whether it was requested.
    pub fn wait(&self, limit: Duration) -> bool {
        // A limit beyond the end of the clock is none.
        let until = Instant::now().checked_add(limit);
        let mut wish = lock(&self.core.wish);
        // An input with policy `fail` requests it without a notification, so this thread checks from time to
        // time.
        while !*wish && !self.core.control.is_stopping() {
            // The time is read again, because the wait may end early.
            let left = until.map_or(limit, |until| until.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return false;
            }
            let waited = self.core.wished.wait_timeout(wish, left.min(Duration::from_millis(20)));
            wish = waited.map_or_else(|e| e.into_inner().0, |(wish, _)| wish);
        }
        true
    }

    /// The current statistics and accounts.
    pub fn report(&self) -> SystemReport {
        self.core.report()
    }

    /// Stops the system: announces it on [`System::phase`], waits for stop guards, ends all timers, lets
    /// agents handle queued messages and calls their `drain`, then ends all groups, children first. The
    /// report lists the work that was not done within `limit`.
    pub fn stop(self, limit: Duration) -> SystemReport {
        self.stop_once(limit);
        self.core.report()
    }

    pub(crate) fn stop_once(&self, limit: Duration) {
        let core = &self.core;
        // The end comes once, whether `stop` or the drop begins it.
        if !self.has_stopped.swap(true, Ordering::AcqRel) {
            core.stop(limit, |until| core.wait_until(until, || core.is_quiet()));
            core.control.tell_the_rest();
        }
    }
}

impl Drop for System {
    fn drop(&mut self) {
        // No thread runs the agents of a simulation any more.
        let is_simulated = self.core.clock.is_simulated();
        self.stop_once(if is_simulated { Duration::ZERO } else { Duration::from_secs(5) });
    }
}

/// A system's end is bound to the agents' contexts only through here.
impl<A: Agent> Context<'_, A> {
    /// The channel of this name, see [`System::channel`].
    ///
    /// # Errors
    /// As [`System::channel`].
    pub fn channel<T: Clone + Send + 'static>(&self, name: &str) -> Result<Channel<T>, AgentError> {
        self.local.core.channels.channel(name, ChannelKind::Broadcast)
    }

    /// Asks for the whole system to stop; [`System::wait`] then returns.
    pub fn stop_system(&self) {
        self.local.core.wish_to_stop();
    }

    /// A guard that holds back the end of the system, see [`System::stop_guard`].
    pub fn stop_guard(&self, name: &str) -> StopGuard {
        self.local.core.guards.add(name)
    }
}
