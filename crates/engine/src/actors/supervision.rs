//! What happens when a handler fails.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::strand::Strand;
use super::timer::Action;

/// Why an agent could not do what it should.
///
/// Any error becomes one with `?`.
///
/// ```
/// use livetime_engine::actors::AgentError;
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
pub struct AgentError {
    message: String,
}

impl AgentError {
    /// An error with this text: what was wanted, what was found, where.
    pub fn new(message: impl fmt::Display) -> AgentError {
        AgentError { message: message.to_string() }
    }
}

impl<E: std::error::Error> From<E> for AgentError {
    fn from(error: E) -> AgentError {
        AgentError::new(error)
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What to do when a handler returns an error or panics. The message is lost in any case, and counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnFailure {
    /// Stop the whole system. The default: a failure that nobody thought of is noticed.
    #[default]
    Stop,
    /// End the agent's group.
    DropGroup,
    /// Build the agent anew and go on with the next message. Its queues stay as they are, so no message but the one
    /// that failed is lost. Only for agents added with a factory; others end.
    Restart {
        /// Time before the first restart; doubled for each further one, up to 1024 times.
        first: Duration,
        /// After this many restarts without 64 messages handled in between, the system is stopped.
        most: u32,
    },
    /// Go on.
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

/// How often an agent was built anew of late.
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
    /// Acts on a failure of agent `number` as its policy says.
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
        agent.hold_back(true, &mut self.local);
        let delay_ns = (first.as_nanos() as u64).saturating_mul(1 << (count - 1).min(10));
        let handle = Arc::downgrade(&self.local.handle);
        let born = agent.care().account.clone();
        let restart = Later(Some(Box::new(move || {
            if let Some(handle) = handle.upgrade() {
                let _ = handle.send(Box::new(move |strand: &mut Strand| {
                    // Another agent may have taken the number meanwhile.
                    let agent = strand.agents.get(number as usize).and_then(Option::as_ref);
                    if agent.is_some_and(|agent| Arc::ptr_eq(&agent.care().account, &born)) {
                        strand.restart(number);
                    }
                }));
            }
        })));
        let core = &self.local.core;
        core.timers.set(core.clock.now_ns().saturating_add(delay_ns), Box::new(restart)).keep();
    }

    fn restart(&mut self, number: u32) {
        let Some(agent) = self.agents.get_mut(number as usize).and_then(Option::as_mut) else { return };
        let local = &mut self.local;
        let rebuilt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| agent.rebuild(local)));
        match rebuilt {
            Ok(Ok(true)) => agent.hold_back(false, &mut self.local),
            Ok(Ok(false)) => self.remove(number),
            Ok(Err(failure)) => self.fail(number, failure),
            Err(panic) => self.fail(number, Failure::Panic(crate::runner::panic_text(&*panic))),
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
