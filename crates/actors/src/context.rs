//! The services of the engine to an agent while it handles a message.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use livetime_runtime::Event;

use super::address::{Address, Target};
use super::agent::{Agent, Cell, Me};
use super::any_agent::Care;
use super::channel::{Channel, Publisher};
use super::failure::{AgentError, OnFailure, Outcome};
use super::limit::Limit;
use super::local::Local;
use super::outbox::offer_from_agent;
use super::subscription::{Call, Handler, Handlers, On, unsubscribe};
use super::timer::Timer;

/// Channels, addresses, timers, states: the services of the engine to an agent while it handles a message.
pub struct Context<'a, A: Agent> {
    pub(crate) me: &'a mut Me<A>,
    pub(crate) local: &'a mut Local,
}

impl<A: Agent> Context<'_, A> {
    /// The agent's name; the name of its type if it was spawned without one.
    pub fn name(&self) -> &str {
        &self.me.care.name
    }

    /// Now on the system's clock, in ns. Costs about 10 ns.
    pub fn now_ns(&self) -> u64 {
        self.local.core.clock.now_ns()
    }

    /// True when the system is stopping: an agent that generates messages by itself should end now.
    pub fn is_stopping(&self) -> bool {
        self.local.core.is_stopping()
    }

    /// Records an event: it appears in the log and in the report.
    pub fn tell(&self, message: impl Into<String>) {
        self.event(false, message.into());
    }

    /// As [`Context::tell`], for an error that lost data or endangers the system.
    pub fn tell_error(&self, message: impl Into<String>) {
        self.event(true, message.into());
    }

    fn event(&self, is_error: bool, message: String) {
        let (at_ns, node) = (self.now_ns(), self.me.care.name.to_string());
        self.local.core.control.tell(Event { at_ns, node, is_error, message, cause: None });
    }

    // ---- Receiving ----

    /// Subscribes `handler` to a channel, from the end of the running handler on. Methods of the returned
    /// value set states, queue and urgency.
    ///
    /// ```
    /// # use livetime_actors::{Agent, AgentError, Channel, Context};
    /// use livetime_actors::{EdgeOptions, WhenFull};
    /// # struct Viewer { images: Channel<u64>, commands: Channel<bool> }
    /// # #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)] enum State { #[default] Shown, Hidden }
    ///
    /// impl Agent for Viewer {
    ///     type State = State;
    ///
    ///     fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
    ///         let newest = EdgeOptions { when_full: WhenFull::Latest, ..EdgeOptions::default() };
    ///         ctx.on(&self.images, Self::image).in_states(&[State::Shown]).options(newest);
    ///         ctx.on(&self.commands, Self::command).urgent();
    ///         Ok(())
    ///     }
    /// }
    /// # impl Viewer {
    /// #     fn image(&mut self, _: u64, _: &mut Context<Self>) -> Result<(), AgentError> { Ok(()) }
    /// #     fn command(&mut self, _: bool, _: &mut Context<Self>) -> Result<(), AgentError> { Ok(()) }
    /// # }
    /// ```
    pub fn on<T, F, R>(&mut self, channel: &Channel<T>, mut handler: F) -> On<'_, A, T>
    where
        T: Clone + Send + 'static,
        F: FnMut(&mut A, T, &mut Context<'_, A>) -> R + Send + 'static,
        R: Outcome,
    {
        On::new(
            self.me,
            channel.clone(),
            Box::new(move |agent, message, ctx| handler(agent, message, ctx).result()),
        )
    }

    /// Ends all subscriptions of this agent to a channel; queued messages are counted as lost.
    pub fn off<T: Clone + Send + 'static>(&mut self, channel: &Channel<T>) {
        self.me.is_changed = true;
        self.me.changes.push(unsubscribe(channel.clone()));
    }

    /// An address at which `handler` takes messages, to be handed out.
    pub fn inbox<T, F, R>(&mut self, mut handler: F) -> Address<T>
    where
        T: Send + 'static,
        F: FnMut(&mut A, T, &mut Context<'_, A>) -> R + Send + 'static,
        R: Outcome,
    {
        let call: Call<A, T> = Box::new(move |agent, message, ctx| handler(agent, message, ctx).result());
        let handler = Handler { states: Vec::new(), is_last_resort: false, call };
        self.me.is_changed = true;
        // After a restart, addresses from before lead to the new agent.
        let kept = self.me.kept_inputs.iter().position(|i| i.is::<Address<T>>());
        let kept = kept.and_then(|i| self.me.kept_inputs.remove(i).downcast::<Address<T>>().ok());
        if let Some(address) = kept {
            let address = *address;
            let input = address.0.clone();
            self.me.changes.push(Box::new(move |list, _, _| {
                let handlers = list.iter_mut().filter_map(|s| s.as_any().downcast_mut::<Handlers<A, T>>());
                let mut handlers = handlers.filter(|h| Arc::ptr_eq(&h.input, &input));
                if let Some(handlers) = handlers.next() {
                    handlers.add(handler);
                }
            }));
            return address;
        }
        let name = std::any::type_name::<T>();
        let mut handlers = Handlers::new(name, super::INPUT, false, self.me, self.local);
        handlers.add(handler);
        let address = Address(handlers.input.clone());
        self.me.changes.push(Box::new(move |list, _, _| list.push(Box::new(handlers))));
        address
    }

    // ---- Sending ----

    /// Sends a message; true if it was queued, else it is counted as lost. If the input must not lose messages and has
    /// no room, the message is put aside, and this agent handles no other before it is gone.
    #[inline]
    pub fn send<T: Send + 'static>(&mut self, to: &Address<T>, message: T) -> bool {
        let stamp_ns = self.stamp();
        offer_from_agent(&to.0, message, stamp_ns, self.local)
    }

    /// Sends a message to all subscribers of a channel; returns how many got it, those included for which it waits.
    #[inline]
    pub fn publish<T: Clone + Send + 'static>(&mut self, to: &mut Publisher<T>, message: T) -> usize {
        let stamp_ns = self.stamp();
        to.send(message, stamp_ns, Some(self.local))
    }

    /// When the message is sent, if it is one that is timed.
    #[inline]
    fn stamp(&mut self) -> u64 {
        if self.me.stamps_next() { self.local.read_clock() } else { 0 }
    }

    /// Sends `message` after `delay`.
    pub fn after<T: Send + 'static>(
        &mut self,
        delay: Duration,
        to: impl Into<Target<T>>,
        message: T,
    ) -> Timer {
        self.local.core.timers.after(delay, to.into(), message)
    }

    /// Sends `message` every `period`, for the first time after one period. A message without room is counted as lost.
    pub fn every<T: Clone + Send + 'static>(
        &mut self,
        period: Duration,
        to: impl Into<Target<T>>,
        message: T,
    ) -> Timer {
        self.local.core.timers.every(period, to.into(), message)
    }

    // ---- States ----

    /// The present state.
    pub fn state(&self) -> A::State {
        self.me.state
    }

    /// Goes to another state when the handler returns: the old one is left, the new one entered.
    pub fn switch_to(&mut self, state: A::State) {
        self.me.next_state = Some(state);
        self.me.is_changed = true;
    }

    /// Enters another state and handles `message` again there, before all other messages. `message` must be
    /// of the type that is being handled.
    pub fn transfer<T: Send + 'static>(&mut self, state: A::State, message: T) {
        self.switch_to(state);
        self.me.transferred = Some(Box::new(message) as Box<dyn Any + Send>);
    }

    /// The agent goes to state `next` if it is still in the present one after `limit`, counted from now or from the
    /// last [`Context::renew_limit`]. Setting it again replaces it; leaving the state takes it back.
    pub fn limit_state(&mut self, limit: Duration, next: A::State) {
        Limit::set(self.me, self.local, limit, next);
    }

    /// Restarts the time limit of the current state. Costs one store; "now" is accurate to 100 us.
    #[inline]
    pub fn renew_limit(&mut self) {
        if let Some(limit) = &mut self.me.limit {
            limit.renewed_ns = self.local.now_ns;
        }
    }

    // ---- Agents ----

    /// Starts an agent on this agent's thread and in its group. Costs no lock. It has no name: such agents are counted
    /// together, one entry per thread.
    ///
    /// # Errors
    /// The error of its `start`; the agent does not run then.
    pub fn spawn<B: Agent>(&mut self, agent: B) -> Result<(), AgentError> {
        let care = Care {
            name: self.local.name_of::<B>(),
            group: self.me.care.group.clone(),
            account: self.local.unnamed.clone(),
            on_failure: self.me.care.on_failure,
            is_named: false,
        };
        self.start_here(agent, care)
    }

    fn start_here<B: Agent>(&mut self, agent: B, care: Care) -> Result<(), AgentError> {
        let number = self.local.new_agent();
        let group = care.group.clone();
        group.agent_spawned();
        let mut cell: Box<dyn super::any_agent::AnyAgent> = Box::new(Cell::new(number, agent, care, None));
        let result = cell.start(self.local);
        self.local.running = self.me.number;
        match result {
            Ok(()) => {
                self.local.newborn.push((number, cell));
                self.local.has_changes = true;
                self.local.schedule(number);
                Ok(())
            }
            Err(failure) => {
                cell.end(self.local);
                self.local.free_agent(number);
                Err(AgentError::new(failure))
            }
        }
    }

    /// Ends this agent when the handler returns. Its queued messages are counted as lost.
    pub fn end(&mut self) {
        self.me.ending = true;
        self.me.is_changed = true;
    }

    /// Ends this agent's group, with a reason for the events of groups.
    pub fn end_group(&mut self, reason: impl Into<String>) {
        let (group, core) = (self.me.care.group.clone(), self.local.core.clone());
        group.end(reason.into(), &core);
    }

    /// The reaction to a failing handler of this agent.
    pub fn on_failure(&mut self, what: OnFailure) {
        self.me.care.on_failure = what;
    }
}
