//! What happens when a handler fails.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::strand::Strand;
use super::timer::Action;

/// The error of an agent.
///
/// Any error becomes one with `?`.
///
/// ```
/// use livetime_actors::AgentError;
///
/// fn handle(text: &str) -> Result<u32, AgentError> {
///     if text.is_empty() {
///         return Err(AgentError::new("wanted a number, found nothing"));
///     }
///     Ok(text.parse()?)
/// }
/// assert_eq!(handle("").unwrap_err().to_string(), "wanted a number, found nothing");
/// assert!(handle("x").unwrap_err().to_string().contains("invalid digit"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct AgentError(Box<Message>);

/// Boxed, so that the result of a handler fits into a register.
#[derive(Clone, PartialEq, Eq)]
struct Message(String);

impl AgentError {
    /// An error with this text: what was wanted, what was found, where.
    pub fn new(message: impl fmt::Display) -> AgentError {
        AgentError(Box::new(Message(message.to_string())))
    }
}

impl<E: std::error::Error> From<E> for AgentError {
    fn from(error: E) -> AgentError {
        AgentError::new(error)
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.0)
    }
}

impl fmt::Debug for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.0)
    }
}

/// The result of a handler: nothing, or a `Result` whose error is handled according to [`OnFailure`].
pub trait Outcome {
    /// As a result.
    ///
    /// # Errors
    /// What the handler returned.
    fn result(self) -> Result<(), AgentError>;
}

impl Outcome for () {
    #[inline]
    fn result(self) -> Result<(), AgentError> {
        Ok(())
    }
}

impl Outcome for Result<(), AgentError> {
    #[inline]
    fn result(self) -> Result<(), AgentError> {
        self
    }
}

/// What to do when a handler returns an error or panics. The message is lost in any case, and counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnFailure {
    /// Stop the whole system. This is the default, so that an unexpected failure is noticed.
    #[default]
    Stop,
    /// End the agent's group.
    DropGroup,
    /// Rebuild the agent and continue with the next message. Its queues stay, so only the failed message is
    /// lost. Only for agents that were added with a factory; others end.
    Restart {
        /// Time before the first restart; doubled for each further one, up to 1024 times.
        first: Duration,
        /// After this many restarts without 64 messages handled in between, the system is stopped.
        most: u32,
    },
    /// Continue with the next message.
    Ignore,
}

/// What went wrong in a call to an agent.
#[derive(Debug)]
pub(crate) enum Failure {
    Error(AgentError),
    Panic(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Error(error) => error.fmt(f),
            Failure::Panic(text) => write!(f, "panicked: {text}"),
        }
    }
}

/// Messages handled without a failure after which the restarts before are forgotten.
const FORGIVEN_AFTER: u64 = 64;

/// How often an agent was rebuilt recently.
#[derive(Clone, Copy, Default)]
pub(crate) struct Restarts {
    count: u32,
    completed: u64,
}

impl Restarts {
    /// One more, when so many messages were completed; the number of those that count.
    fn next(&mut self, completed: u64) -> u32 {
        if completed.saturating_sub(self.completed) >= FORGIVEN_AFTER {
            self.count = 0;
        }
        self.completed = completed;
        self.count += 1;
        self.count
    }
}

impl Strand {
    /// Handles a failure of agent `number` according to its policy.
    #[cold]
    pub(crate) fn fail(&mut self, number: u32, failure: Failure) {
        let Some(agent) = self.agents.get_mut(number as usize).and_then(Option::as_mut) else { return };
        agent.fail(&failure, &mut self.local);
        let care = agent.care();
        let (name, group, core) = (care.name.clone(), care.group.clone(), self.local.core.clone());
        match care.on_failure {
            OnFailure::Stop => core.fail(format!("agent `{name}`: {failure}")),
            OnFailure::DropGroup => group.end(format!("agent `{name}`: {failure}"), &core),
            OnFailure::Ignore => self.local.schedule(number),
            OnFailure::Restart { first, most } => self.restart_later(number, first, most, &failure),
        }
    }

    fn restart_later(&mut self, number: u32, first: Duration, most: u32, failure: &Failure) {
        let Some(agent) = self.agents.get_mut(number as usize).and_then(Option::as_mut) else { return };
        let completed = agent.care().account.completed.load(std::sync::atomic::Ordering::Relaxed);
        let (name, restarts) = (agent.care().name.clone(), agent.restarts());
        let count = restarts.next(completed);
        if count > most {
            self.local.core.fail(format!("agent `{name}`, after {most} restarts: {failure}"));
            return;
        }
        if self.local.core.is_draining() {
            // There are no timers any more, and queued messages must be handled now.
            self.restart(number);
            return;
        }
        agent.hold_back(true, &mut self.local);
        self.restarting.push(number);
        let delay_ns = (first.as_nanos() as u64).saturating_mul(1 << (count - 1).min(10));
        let handle = Arc::downgrade(&self.local.handle);
        let restart = Later(Some(Box::new(move || {
            if let Some(handle) = handle.upgrade() {
                let _ = handle.send(Box::new(move |strand: &mut Strand| strand.restart_if_due(number)));
            }
        })));
        let core = &self.local.core;
        core.timers.set(core.clock.now_ns().saturating_add(delay_ns), Box::new(restart)).keep();
    }

    /// Rebuilds an agent, unless the agent was rebuilt or has ended since the request.
    fn restart_if_due(&mut self, number: u32) {
        let waiting = self.restarting.len();
        self.restarting.retain(|n| *n != number);
        if self.restarting.len() < waiting {
            self.restart(number);
        }
    }

    /// There are no timers any more: agents that wait for their restart get it now.
    pub(crate) fn restart_all(&mut self) {
        std::mem::take(&mut self.restarting).into_iter().for_each(|number| self.restart(number));
    }

    fn restart(&mut self, number: u32) {
        let Some(agent) = self.agents.get_mut(number as usize).and_then(Option::as_mut) else { return };
        let local = &mut self.local;
        let rebuilt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| agent.rebuild(local)));
        match rebuilt {
            Ok(Ok(true)) => agent.hold_back(false, &mut self.local),
            Ok(Ok(false)) => self.remove(number),
            Ok(Err(error)) => self.fail(number, Failure::Error(error)),
            Err(panic) => self.fail(number, Failure::Panic(livetime_runtime::panic_text(&*panic))),
        }
        self.local.tell_peers();
        if self.local.has_changes {
            self.settle();
        }
    }
}

/// Does something once.
struct Later(Option<Box<dyn FnOnce() + Send>>);

impl Action for Later {
    fn fire(&mut self, _: u64) -> Option<u64> {
        if let Some(act) = self.0.take() {
            act();
        }
        None
    }
}
