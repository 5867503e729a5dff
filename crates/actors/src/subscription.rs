//! The handlers of an agent for the messages of one input.

use std::any::Any;
use std::sync::Arc;

use livetime_runtime::EdgeOptions;
use livetime_runtime::statistics::add;

use super::address::Address;
use super::agent::{Agent, Me};
use super::channel::Channel;
use super::context::Context;
use super::failure::AgentError;
use super::input::Input;
use super::local::Local;
use super::sink::Sink;

/// A function that handles a message.
pub(crate) type Call<A, T> = Box<dyn FnMut(&mut A, T, &mut Context<'_, A>) -> Result<(), AgentError> + Send>;

/// Something to be done with an agent's subscriptions when its handler has returned.
pub(crate) type Change<A> =
    Box<dyn FnOnce(&mut Vec<Box<dyn Subscription<A>>>, &mut Me<A>, &mut Local) + Send>;

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// There was no message.
    Nothing,
    /// A message was handled.
    Handled,
    /// A message was handled, and none follows it. (Messages that its handler sent to the agent itself have
    /// scheduled it again.)
    Last,
}

/// One input of an agent, for messages of any type.
pub(crate) trait Subscription<A: Agent>: Send {
    /// Handles one message, if there is one.
    fn step(&mut self, agent: &mut A, me: &mut Me<A>, local: &mut Local) -> Result<Step, AgentError>;
    fn is_urgent(&self) -> bool;
    /// A message waits.
    fn has_message(&self, local: &mut Local) -> bool;
    /// The agent was named, and is about to take its messages.
    fn looked_at(&self);
    /// The agent ends, or gives the subscription up.
    fn close(&mut self, me: &mut Me<A>, local: &mut Local);
    /// The agent is being rebuilt and will subscribe again; returns the address of this input if it has one.
    fn forget_handlers(&mut self) -> Option<Box<dyn Any + Send>>;
    /// True when its messages come from this channel.
    fn is_of(&self, channel: &dyn Any) -> bool;
    fn as_any(&mut self) -> &mut dyn Any;
}

/// The states in which a handler takes messages; empty means all.
pub(crate) struct Handler<A: Agent, T> {
    pub(crate) states: Vec<A::State>,
    /// Takes the messages that no other handler takes.
    pub(crate) is_last_resort: bool,
    pub(crate) call: Call<A, T>,
}

pub(crate) struct Handlers<A: Agent, T> {
    pub(crate) input: Arc<Input<T>>,
    handlers: Vec<Handler<A, T>>,
    /// Where messages come from; `None` for an address.
    channel: Option<Channel<T>>,
    is_urgent: bool,
}

impl<A: Agent, T: Send + 'static> Handlers<A, T> {
    pub(crate) fn new(
        name: &str,
        options: EdgeOptions,
        is_urgent: bool,
        me: &Me<A>,
        local: &mut Local,
    ) -> Handlers<A, T> {
        let input = Arc::new(Input::new(local, me.number, options));
        // Agents without a name share an account, to which an input adds its counts at its end.
        if me.care.is_named {
            me.care.account.add_input(name, input.clone());
        }
        Handlers { input, handlers: Vec::with_capacity(1), channel: None, is_urgent }
    }

    pub(crate) fn add(&mut self, handler: Handler<A, T>) {
        self.handlers.push(handler);
    }

    #[inline]
    fn find(&self, state: A::State) -> Option<usize> {
        let takes =
            |h: &Handler<A, T>| !h.is_last_resort && (h.states.is_empty() || h.states.contains(&state));
        self.handlers.iter().position(takes)
    }

    #[inline]
    fn call(
        &mut self,
        handler: usize,
        agent: &mut A,
        message: T,
        me: &mut Me<A>,
        local: &mut Local,
    ) -> Result<(), AgentError> {
        let call = &mut self.handlers[handler].call;
        call(agent, message, &mut Context { me, local })?;
        match me.transferred.is_some() {
            // A transfer is handled now, before any other message.
            true => self.handle_transferred(agent, me, local),
            false => Ok(()),
        }
    }

    /// The handler has transferred the message to another state, where it is handled again.
    #[cold]
    fn handle_transferred(
        &mut self,
        agent: &mut A,
        me: &mut Me<A>,
        local: &mut Local,
    ) -> Result<(), AgentError> {
        let Some(message) = me.transferred.take() else { return Ok(()) };
        // The new state decides which handler takes the message.
        me.change_state(agent, local);
        let Ok(message) = message.downcast::<T>() else {
            let wanted = std::any::type_name::<T>();
            return Err(AgentError::new(format_args!(
                "the message that was transferred is not the one that is handled, which is a {wanted}"
            )));
        };
        match self.find(me.state).or_else(|| self.ignore(me)) {
            Some(handler) => self.call(handler, agent, *message, me, local),
            None => Ok(()),
        }
    }

    /// No handler takes the message in this state.
    #[cold]
    fn ignore(&mut self, me: &Me<A>) -> Option<usize> {
        add(&me.care.account.ignored, 1);
        self.handlers.iter().position(|h| h.is_last_resort)
    }
}

impl<A: Agent, T: Send + 'static> Subscription<A> for Handlers<A, T> {
    #[inline]
    fn step(&mut self, agent: &mut A, me: &mut Me<A>, local: &mut Local) -> Result<Step, AgentError> {
        // A parallel handler runs: the others wait until the agent is free.
        if me.in_flight > 0 {
            me.wants_alone |= self.input.has_message(local);
            return Ok(Step::Nothing);
        }
        me.wants_alone = false;
        let Some((item, is_last)) = self.input.take(local) else { return Ok(Step::Nothing) };
        // The time of the message is noted before the handler runs.
        me.begin(item.stamp_ns, local);
        match self.find(me.state) {
            Some(handler) => {
                self.call(handler, agent, item.message, me, local)?;
                me.care.account.complete();
            }
            None => {
                if let Some(handler) = self.ignore(me) {
                    self.call(handler, agent, item.message, me, local)?;
                }
            }
        }
        me.finish(item.stamp_ns, local);
        Ok(if is_last { Step::Last } else { Step::Handled })
    }

    fn is_urgent(&self) -> bool {
        self.is_urgent
    }

    fn has_message(&self, local: &mut Local) -> bool {
        self.input.has_message(local)
    }

    fn looked_at(&self) {
        self.input.looked_at();
    }

    fn close(&mut self, me: &mut Me<A>, local: &mut Local) {
        if let Some(channel) = self.channel.take() {
            // The channel lets go of the input first, so that nothing is put into a closed one.
            channel.remove(&(self.input.clone() as Arc<dyn Sink<T>>));
        }
        self.input.close(local);
        // The shared account of unnamed agents gets their counts at the end.
        if !me.care.is_named {
            me.care.account.fold(self.input.counts());
        }
    }

    fn forget_handlers(&mut self) -> Option<Box<dyn Any + Send>> {
        self.handlers.clear();
        // The address of an input stays valid through a restart; a channel is subscribed again.
        self.channel.is_none().then(|| Box::new(Address(self.input.clone())) as Box<dyn Any + Send>)
    }

    fn is_of(&self, channel: &dyn Any) -> bool {
        let other = channel.downcast_ref::<Channel<T>>();
        self.channel.as_ref().zip(other).is_some_and(|(own, other)| own.is_same(other))
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// A subscription to a channel that is being made, see [`Context::on`]. It counts from the end of the handler.
pub struct On<'a, A: Agent, T: Clone + Send + 'static> {
    me: &'a mut Me<A>,
    wish: Option<Wish<A, T>>,
}

struct Wish<A: Agent, T> {
    channel: Channel<T>,
    options: EdgeOptions,
    is_urgent: bool,
    handler: Handler<A, T>,
}

impl<'a, A: Agent, T: Clone + Send + 'static> On<'a, A, T> {
    pub(crate) fn new(me: &'a mut Me<A>, channel: Channel<T>, call: Call<A, T>) -> On<'a, A, T> {
        let handler = Handler { states: Vec::new(), is_last_resort: false, call };
        let wish = Wish { channel, options: super::INPUT, is_urgent: false, handler };
        On { me, wish: Some(wish) }
    }

    fn with(mut self, change: impl FnOnce(&mut Wish<A, T>)) -> Self {
        if let Some(wish) = &mut self.wish {
            change(wish);
        }
        self
    }

    /// The handler takes messages only in these states. Other handlers may be subscribed to the same channel for
    /// other states; all of them share one queue, so the order of the messages is kept.
    pub fn in_states(self, states: &[A::State]) -> Self {
        self.with(|w| w.handler.states = states.to_vec())
    }

    /// The handler receives messages that no other handler of this channel takes in the current state. Such
    /// messages still count as ignored.
    pub fn when_ignored(self) -> Self {
        self.with(|w| w.handler.is_last_resort = true)
    }

    /// How messages are queued: the bound, the policy for a full queue, decimation. The
    /// first subscription of an agent to a channel decides.
    pub fn options(self, options: EdgeOptions) -> Self {
        self.with(|w| w.options = options)
    }

    /// These messages are handled before other queued ones: commands before data.
    pub fn urgent(self) -> Self {
        self.with(|w| w.is_urgent = true)
    }
}

impl<A: Agent, T: Clone + Send + 'static> Drop for On<'_, A, T> {
    fn drop(&mut self) {
        if let Some(wish) = self.wish.take() {
            self.me.is_changed = true;
            // The handler is running in the list of subscriptions, so the list changes behind it.
            self.me.changes.push(Box::new(move |list, me, local| wish.grant(list, me, local)));
        }
    }
}

impl<A: Agent, T: Clone + Send + 'static> Wish<A, T> {
    fn grant(self, list: &mut Vec<Box<dyn Subscription<A>>>, me: &mut Me<A>, local: &mut Local) {
        let Wish { channel, options, is_urgent, handler } = self;
        // All handlers of a channel share one input.
        if let Some(handlers) = find(list, &channel) {
            handlers.add(handler);
            return;
        }
        let mut handlers = Handlers::new(channel.name(), options, is_urgent, me, local);
        handlers.add(handler);
        let input = handlers.input.clone();
        handlers.channel = Some(channel.clone());
        list.push(Box::new(handlers));
        // Last: a channel that keeps its newest message offers it now.
        channel.add(input, Some(local));
    }
}

/// The handlers of a channel, if there are any.
fn find<'a, A: Agent, T: Clone + Send + 'static>(
    list: &'a mut [Box<dyn Subscription<A>>],
    channel: &Channel<T>,
) -> Option<&'a mut Handlers<A, T>> {
    list.iter_mut()
        .filter_map(|s| s.as_any().downcast_mut::<Handlers<A, T>>())
        .find(|h| h.channel.as_ref().is_some_and(|c| c.is_same(channel)))
}

/// Gives the subscription to a channel up.
pub(crate) fn unsubscribe<A: Agent, T: Clone + Send + 'static>(channel: Channel<T>) -> Change<A> {
    Box::new(move |list, me, local| {
        for mut gone in list.extract_if(.., |s| s.is_of(&channel)) {
            gone.close(me, local);
        }
    })
}
