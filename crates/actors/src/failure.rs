//! Errors of agents, and the reactions to a failure.

use std::fmt;
use std::time::Duration;

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
    /// An error with this text: the wanted value, the found value, the place.
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
    /// The error that the handler returned.
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

/// The reaction to a handler that returns an error or panics. The message is lost in any case, and counted.
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

/// The failure of a call to an agent.
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
    /// Adds a failure after `completed` messages. Returns the number of failures that count.
    pub(crate) fn next(&mut self, completed: u64) -> u32 {
        if completed.saturating_sub(self.completed) >= FORGIVEN_AFTER {
            self.count = 0;
        }
        self.completed = completed;
        self.count += 1;
        self.count
    }
}
