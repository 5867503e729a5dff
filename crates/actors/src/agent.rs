//! The trait of agents, and one agent as its strand runs it.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use livetime_runtime::Event;
use livetime_runtime::sampling::{Sampler, Stopwatch};
use livetime_runtime::statistics::add;

use super::any_agent::{AnyAgent, Care};
use super::context::Context;
use super::failure::{AgentError, Failure, Restarts};
use super::input::Input;
use super::limit::Limit;
use super::local::Local;
use super::subscription::{Change, Step, Subscription};

/// An agent: private state that handles one message at a time.
///
/// In [`start`](Agent::start) it subscribes its handlers to channels and makes addresses at which it can be reached.
/// A handler is a function of the agent, the message and the [`Context`]; messages come by value.
///
/// ```
/// use livetime_actors::{Agent, AgentError, Channel, Context, System};
///
/// struct Counter {
///     numbers: Channel<u64>,
///     sum: u64,
/// }
///
/// impl Agent for Counter {
///     type State = ();
///
///     fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
///         ctx.on(&self.numbers, Self::number);
///         Ok(())
///     }
/// }
///
/// impl Counter {
///     fn number(&mut self, number: u64, ctx: &mut Context<Self>) -> Result<(), AgentError> {
///         self.sum += number;
///         if number == 3 {
///             ctx.tell(format!("the sum is {}", self.sum));
///         }
///         Ok(())
///     }
/// }
///
/// let system = System::default();
/// let numbers = system.channel("numbers")?;
/// system.group("counting").add("counter", Counter { numbers: numbers.clone(), sum: 0 }).start()?;
/// (1..=3).for_each(|n| _ = numbers.publish(n));
/// let report = system.stop(std::time::Duration::from_secs(5));
/// assert_eq!(report.events[0].message, "the sum is 6");
/// # Ok::<(), AgentError>(())
/// ```
pub trait Agent: Send + Sized + 'static {
    /// Its states; `()` for an agent without. It begins in the default one.
    type State: Copy + Eq + Debug + Send + Default + 'static;

    /// Subscribes, opens files and devices. Called once before the first message, and again after a restart;
    /// on the agent's own thread if it has one, see [`Placement`](super::Placement), otherwise on the thread
    /// that starts or runs it.
    ///
    /// # Errors
    /// [`AgentError`]; its group then does not start.
    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError>;

    /// The agent has come into `state`; after `start` into its first one.
    fn enter(&mut self, state: Self::State, ctx: &mut Context<Self>) {
        let _ = (state, ctx);
    }

    /// The agent leaves `state`.
    fn exit(&mut self, state: Self::State, ctx: &mut Context<Self>) {
        let _ = (state, ctx);
    }

    /// Called when the system stops and no message is left: the agent sends the messages that it still holds back.
    fn drain(&mut self, ctx: &mut Context<Self>) {
        let _ = ctx;
    }

    /// The agent ends: closes files and devices.
    fn stop(&mut self, ctx: &mut Context<Self>) {
        let _ = ctx;
    }
}

/// The engine's state of one agent.
pub(crate) struct Me<A: Agent> {
    pub(crate) number: u32,
    pub(crate) care: Care,
    pub(crate) state: A::State,
    pub(crate) next_state: Option<A::State>,
    pub(crate) limit: Option<Box<Limit<A::State>>>,
    /// Where the wheel reports; made with the first limit.
    pub(crate) limit_input: Option<Arc<Input<u64>>>,
    /// How many limits there were.
    pub(crate) limits: u64,
    /// A message that is to be handled again in another state.
    pub(crate) transferred: Option<Box<dyn Any + Send>>,
    /// Addresses of the agent from before its restart.
    pub(crate) kept_inputs: Vec<Box<dyn Any + Send>>,
    /// Subscriptions made and given up by the handler that runs.
    pub(crate) changes: Vec<Change<A>>,
    pub(crate) ending: bool,
    /// Work remains after the handler: a change of state or of subscriptions, or the end.
    pub(crate) is_changed: bool,
    /// A message is being handled: a panic now costs it.
    pub(crate) has_message: bool,
    pub(crate) is_held_back: bool,
    /// Messages that other threads handle now.
    pub(crate) in_flight: usize,
    /// A message waits whose handler runs alone: no more are handed to other threads.
    pub(crate) wants_alone: bool,
    // Times.
    timed: bool,
    /// Messages that the handler sends are timed. This is false if the handler is timed only because its
    /// message was; otherwise one timed message would make all its successors timed.
    pub(crate) stamps: bool,
    /// The number of messages that the handler has sent; it decides which of them are timed.
    sent: u8,
    sampler: Sampler,
    watch: Stopwatch,
    start_ns: u64,
}

/// Among fast messages, one in this many is timed. A prime, so that a ring of agents does not time the same ones
/// always.
const TIMED_EVERY: u32 = 61;
/// This many of the messages that one handler sends are stamped, and then one in [`STAMPED_EVERY`].
const STAMPED_FIRST: u8 = 4;
const STAMPED_EVERY: u8 = 16;

impl<A: Agent> Me<A> {
    #[inline]
    pub(crate) fn begin(&mut self, stamp_ns: u64, local: &mut Local) {
        self.has_message = true;
        self.stamps = self.sampler.pick() || self.watch.is_slow();
        self.timed = self.stamps || stamp_ns != 0;
        if self.timed {
            self.start_ns = self.watch.start(|| local.read_clock());
        }
        self.watch.forget();
    }

    /// Whether the message that is sent now is timed on its way.
    #[inline]
    pub(crate) fn stamps_next(&mut self) -> bool {
        if !self.stamps {
            return false;
        }
        let sent = self.sent;
        self.sent = sent.wrapping_add(1);
        sent < STAMPED_FIRST || sent.is_multiple_of(STAMPED_EVERY)
    }

    #[inline]
    pub(crate) fn finish(&mut self, stamp_ns: u64, local: &mut Local) {
        self.has_message = false;
        if self.timed {
            if self.stamps {
                self.stamps = false;
                self.sent = 0;
            }
            let end_ns = local.read_clock();
            self.care.account.record(stamp_ns, self.start_ns, end_ns);
            self.watch.end(self.start_ns, end_ns, 1);
            self.timed = false;
        }
    }
}

impl<A: Agent> Me<A> {
    /// Enters the requested state.
    pub(crate) fn change_state(&mut self, agent: &mut A, local: &mut Local) {
        // A hook may ask for one more change; one that asks for ever is not followed.
        for _ in 0..16 {
            let Some(next) = self.next_state.take().filter(|next| *next != self.state) else { break };
            let old = self.state;
            self.limit = None;
            agent.exit(old, &mut Context { me: self, local });
            self.state = next;
            agent.enter(next, &mut Context { me: self, local });
        }
    }
}

/// Rebuilds an agent.
pub(crate) type Factory<A> = Box<dyn FnMut() -> A + Send>;

/// An agent, its subscriptions, and everything the engine needs to run it.
pub(crate) struct Cell<A: Agent> {
    agent: A,
    me: Me<A>,
    subscriptions: Vec<Box<dyn Subscription<A>>>,
    next: usize,
    /// Some subscription is served before the others.
    has_urgent: bool,
    factory: Option<Factory<A>>,
    restarts: Restarts,
}

impl<A: Agent> Cell<A> {
    pub(crate) fn new(number: u32, agent: A, care: Care, factory: Option<Factory<A>>) -> Cell<A> {
        let watch = Stopwatch::new(care.is_named);
        let me = Me {
            number,
            care,
            state: A::State::default(),
            next_state: None,
            limit: None,
            limit_input: None,
            limits: 0,
            transferred: None,
            kept_inputs: Vec::new(),
            changes: Vec::new(),
            ending: false,
            is_changed: false,
            has_message: false,
            is_held_back: false,
            in_flight: 0,
            wants_alone: false,
            timed: false,
            stamps: false,
            sent: 0,
            sampler: Sampler::every(TIMED_EVERY),
            watch,
            start_ns: 0,
        };
        Cell {
            agent,
            me,
            subscriptions: Vec::new(),
            next: 0,
            has_urgent: false,
            factory,
            restarts: Restarts::default(),
        }
    }

    fn call<R>(&mut self, local: &mut Local, call: impl FnOnce(&mut A, &mut Context<'_, A>) -> R) -> R {
        local.running = self.me.number;
        call(&mut self.agent, &mut Context { me: &mut self.me, local })
    }

    /// Handles one message, if there is one.
    #[inline]
    fn step(&mut self, local: &mut Local) -> Result<Step, AgentError> {
        let (agent, me) = (&mut self.agent, &mut self.me);
        if let [only] = &mut self.subscriptions[..] {
            return only.step(agent, me, local);
        }
        if self.has_urgent {
            for subscription in self.subscriptions.iter_mut().filter(|s| s.is_urgent()) {
                if subscription.step(agent, me, local)? != Step::Nothing {
                    return Ok(Step::Handled);
                }
            }
        }
        // In turn, so that no subscription waits behind a busy one.
        for _ in 0..self.subscriptions.len() {
            self.next = if self.next < self.subscriptions.len() { self.next } else { 0 };
            let subscription = &mut self.subscriptions[self.next];
            self.next += 1;
            if subscription.step(agent, me, local)? != Step::Nothing {
                return Ok(Step::Handled);
            }
        }
        Ok(Step::Nothing)
    }

    /// Carries out the requests of the handler: another state, other subscriptions, the end.
    #[cold]
    fn settle(&mut self, local: &mut Local) {
        self.me.is_changed = false;
        self.me.change_state(&mut self.agent, local);
        for change in std::mem::take(&mut self.me.changes) {
            change(&mut self.subscriptions, &mut self.me, local);
        }
        self.has_urgent = self.subscriptions.iter().any(|s| s.is_urgent());
        if self.me.ending {
            local.ending.push(self.me.number);
            local.has_changes = true;
        }
    }

    fn tell(&self, is_error: bool, message: String, local: &Local) {
        let (at_ns, node) = (local.core.clock.now_ns(), self.me.care.name.to_string());
        local.core.control.tell(Event { at_ns, node, is_error, message, cause: None });
    }
}

impl<A: Agent> AnyAgent for Cell<A> {
    fn start(&mut self, local: &mut Local) -> Result<(), AgentError> {
        self.call(local, |agent, ctx| {
            let started = agent.start(ctx);
            if started.is_ok() {
                agent.enter(A::State::default(), ctx);
            }
            started
        })?;
        self.settle(local);
        Ok(())
    }

    fn run(&mut self, local: &mut Local, batch: usize) -> Result<(), AgentError> {
        if self.me.is_held_back {
            return Ok(());
        }
        local.running = self.me.number;
        self.me.watch.forget();
        if local.take_named(self.me.number) {
            self.subscriptions.iter().for_each(|s| s.looked_at());
        }
        for _ in 0..batch {
            let handled = self.step(local);
            local.tell_peers();
            if self.me.is_changed {
                self.settle(local);
            }
            if handled? != Step::Handled || self.me.ending || local.is_held(self.me.number) {
                return Ok(());
            }
        }
        local.schedule(self.me.number);
        Ok(())
    }

    fn drain(&mut self, local: &mut Local) {
        self.call(local, |agent, ctx| agent.drain(ctx));
        self.settle(local);
    }

    fn stop(&mut self, local: &mut Local) {
        self.call(local, |agent, ctx| agent.stop(ctx));
    }

    fn end(&mut self, local: &mut Local) {
        self.me.changes.clear();
        self.me.limit = None;
        let (subscriptions, me) = (&mut self.subscriptions, &mut self.me);
        subscriptions.iter_mut().for_each(|s| s.close(me, local));
        if self.me.care.is_named {
            // 0 stands for an agent that lives.
            self.me.care.account.ended_ns.store(local.core.clock.now_ns().max(1), Relaxed);
        }
        self.me.care.group.agent_ended(&local.core);
    }

    fn fail(&mut self, failure: &Failure, local: &mut Local) {
        let account = &self.me.care.account;
        // A failure between messages loses none.
        if self.me.has_message {
            match failure {
                Failure::Error(_) => add(&account.failed, 1),
                Failure::Panic(_) => add(&account.panicked, 1),
            }
        }
        self.me.has_message = false;
        self.me.timed = false;
        self.me.stamps = false;
        self.me.transferred = None;
        self.tell(true, failure.to_string(), local);
    }

    fn rebuild(&mut self, local: &mut Local) -> Result<bool, AgentError> {
        let Some(factory) = &mut self.factory else { return Ok(false) };
        let agent = factory();
        self.call(local, |agent, ctx| agent.stop(ctx));
        self.agent = agent;
        self.me.state = A::State::default();
        self.me.next_state = None;
        self.me.limit = None;
        self.me.changes.clear();
        // Inputs stay, with their queued messages; handlers are subscribed again.
        self.me.kept_inputs = self.subscriptions.iter_mut().filter_map(|s| s.forget_handlers()).collect();
        add(&self.me.care.account.restarts, 1);
        self.start(local)?;
        Ok(true)
    }

    fn care(&self) -> &Care {
        &self.me.care
    }

    fn restarts(&mut self) -> &mut Restarts {
        &mut self.restarts
    }

    fn hold_back(&mut self, hold: bool, local: &mut Local) {
        self.me.is_held_back = hold;
        match hold {
            // As when it is held: messages that wait for it are no news.
            true => local.cool(),
            // Schedules the agent for messages that arrived meanwhile. Later messages schedule it themselves,
            // unless an input was announced before and not checked yet.
            false => {
                let is_named = local.is_named(self.me.number);
                if is_named || self.subscriptions.iter().any(|s| s.has_message(local)) {
                    local.schedule(self.me.number);
                }
            }
        }
    }
}
