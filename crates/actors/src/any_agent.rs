//! An agent of any type, as its strand runs it.

use std::sync::Arc;

use super::account::AgentAccount;
use super::failure::{AgentError, Failure, OnFailure, Restarts};
use super::group_core::GroupCore;
use super::local::Local;

/// How an agent is watched over.
#[derive(Clone)]
pub(crate) struct Care {
    pub(crate) name: Arc<str>,
    pub(crate) group: Arc<GroupCore>,
    pub(crate) account: Arc<AgentAccount>,
    pub(crate) on_failure: OnFailure,
    pub(crate) is_named: bool,
}

/// An agent of any type.
pub(crate) trait AnyAgent: Send {
    /// Calls `start`, and registers its subscriptions.
    fn start(&mut self, local: &mut Local) -> Result<(), AgentError>;
    /// Handles at most `batch` messages, and schedules the agent again when there may be more.
    fn run(&mut self, local: &mut Local, batch: usize) -> Result<(), AgentError>;
    fn drain(&mut self, local: &mut Local);
    fn stop(&mut self, local: &mut Local);
    /// Closes inputs and accounts.
    fn end(&mut self, local: &mut Local);
    /// After a failure: counts it, and prepares the agent for the next message.
    fn fail(&mut self, failure: &Failure, local: &mut Local);
    /// Rebuilds the agent; false without a factory.
    fn rebuild(&mut self, local: &mut Local) -> Result<bool, AgentError>;
    fn care(&self) -> &Care;
    fn restarts(&mut self) -> &mut Restarts;
    /// Keeps it from handling messages, or lets it.
    fn hold_back(&mut self, hold: bool, local: &mut Local);
}
