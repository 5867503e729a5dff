//! Small agents made of one function.

use super::agent::Agent;
use super::channel::Channel;
use super::context::Context;
use super::failure::AgentError;

/// An agent that is a function of the messages of one channel, see [`System::agent_fn`](super::System::agent_fn).
pub struct ClosureAgent<T: Clone + Send + 'static> {
    channel: Channel<T>,
    handle: Handle<T>,
}

type Handle<T> = Box<dyn FnMut(T, &mut Context<ClosureAgent<T>>) -> Result<(), AgentError> + Send>;

impl<T: Clone + Send + 'static> ClosureAgent<T> {
    pub(crate) fn new(channel: Channel<T>, handle: Handle<T>) -> ClosureAgent<T> {
        ClosureAgent { channel, handle }
    }
}

impl<T: Clone + Send + 'static> Agent for ClosureAgent<T> {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.channel, |agent: &mut Self, message, ctx| (agent.handle)(message, ctx));
        Ok(())
    }
}
