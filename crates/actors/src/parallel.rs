//! Handlers that several threads of a pool run at the same time.
//!
//! The strand takes messages from the input and hands them to its pool as jobs. The result of a job and the
//! messages that it sends return to the strand, which keeps the accounts and sends them. Everything but the
//! handler itself therefore stays on one thread.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use livetime_runtime::statistics::add;
use livetime_runtime::sync::{Ordering, fence};
use livetime_runtime::{EdgeOptions, Event, lock};

use super::address::Address;
use super::agent::{Agent, Me};
use super::channel::Channel;
use super::context::Context;
use super::failure::{AgentError, Outcome};
use super::input::{Input, Item};
use super::local::Local;
use super::outbox::offer_from_agent;
use super::pool::{Job, Work};
use super::sink::Sink;
use super::strand::{Host, StrandHandle};
use super::subscription::{Step, Subscription};

/// The number of jobs under way per thread of the pool: one that runs and one that waits.
const JOBS_PER_THREAD: usize = 2;

/// The context of a handler that runs at the same time as others. Its messages are sent when it has returned.
pub struct ParallelContext<'a> {
    name: &'a str,
    strand: &'a StrandHandle,
    later: Vec<Later>,
}

type Later = Box<dyn FnOnce(&mut Local) + Send>;

impl ParallelContext<'_> {
    /// The agent's name.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Now on the system's clock, in ns.
    pub fn now_ns(&self) -> u64 {
        self.strand.clock.now_ns()
    }

    /// Records an event: it appears in the log and in the report.
    pub fn tell(&self, message: impl Into<String>) {
        let (at_ns, node) = (self.now_ns(), self.name.to_string());
        self.strand.control.tell(Event {
            at_ns,
            node,
            is_error: false,
            message: message.into(),
            cause: None,
        });
    }

    /// Sends a message to all subscribers of a channel.
    pub fn publish<T: Clone + Send + 'static>(&mut self, to: &Channel<T>, message: T) {
        let mut publisher = to.publisher();
        self.later.push(Box::new(move |local| _ = publisher.send(message, 0, Some(local))));
    }

    /// Sends a message.
    pub fn send<T: Send + 'static>(&mut self, to: &Address<T>, message: T) {
        let to = to.0.clone();
        self.later.push(Box::new(move |local| _ = offer_from_agent(&to, message, 0, local)));
    }
}

/// The handler with its shared data.
pub(crate) type Handle<T> = Arc<dyn Fn(T, &mut ParallelContext) -> Result<(), AgentError> + Send + Sync>;

impl<A: Agent> Context<'_, A> {
    /// Subscribes a handler that several threads may run at the same time, each with a message of its own,
    /// when the agent is placed in a pool; elsewhere it runs as any other. It has access to the data that it
    /// shares with the agent, but not to the agent. The other handlers of the agent run alone: never at the
    /// same time as another handler or as this one. Messages are begun in order, and may end in any order.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use livetime_actors::*;
    ///
    /// /// Adds the lengths of texts, several at a time.
    /// struct Adder { texts: Channel<String>, sum: Arc<AtomicU64> }
    ///
    /// impl Agent for Adder {
    ///     type State = ();
    ///
    ///     fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
    ///         let add = |sum: &AtomicU64, text: String, _: &mut ParallelContext| {
    ///             sum.fetch_add(text.len() as u64, Relaxed);
    ///         };
    ///         ctx.on_parallel(&self.texts, INPUT, &self.sum, add);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let (system, sum) = (System::default(), Arc::new(AtomicU64::new(0)));
    /// let texts = system.channel("texts")?;
    /// let adder = Adder { texts: texts.clone(), sum: sum.clone() };
    /// system.group("adding").placement(Placement::pool("workers", 2)).add("adder", adder).start()?;
    /// (0..100).for_each(|_| _ = texts.publish("four".to_string()));
    /// system.stop(Duration::from_secs(5));
    /// assert_eq!(sum.load(Relaxed), 400);
    /// # Ok::<(), AgentError>(())
    /// ```
    pub fn on_parallel<T, S, F, R>(
        &mut self,
        channel: &Channel<T>,
        options: EdgeOptions,
        shared: &Arc<S>,
        handler: F,
    ) where
        T: Clone + Send + 'static,
        S: Send + Sync + 'static,
        F: Fn(&S, T, &mut ParallelContext) -> R + Send + Sync + 'static,
        R: Outcome,
    {
        let (channel, shared) = (channel.clone(), shared.clone());
        let handle: Handle<T> = Arc::new(move |message, ctx| handler(&shared, message, ctx).result());
        self.me.is_changed = true;
        self.me.changes.push(Box::new(move |list, me, local| {
            ParallelHandlers::grant(list, me, local, channel, options, handle);
        }));
    }
}

/// The messages of one input that are handled side by side.
struct Jobs<T> {
    name: Arc<str>,
    input: Arc<Input<T>>,
    handle: Mutex<Handle<T>>,
    /// Messages that no thread has begun.
    waiting: Mutex<VecDeque<Item<T>>>,
    done: Mutex<VecDeque<Done>>,
}

/// The fate of a message.
struct Done {
    stamp_ns: u64,
    start_ns: u64,
    end_ns: u64,
    result: std::thread::Result<Result<(), AgentError>>,
    later: Vec<Later>,
}

impl<T: Send + 'static> Jobs<T> {
    fn handle(&self, item: Item<T>) -> Done {
        let strand = &*self.input.strand;
        // A restart may replace the handler while this one runs.
        let handle = lock(&self.handle).clone();
        let mut ctx = ParallelContext { name: &self.name, strand, later: Vec::new() };
        let start_ns = strand.clock.now_ns();
        let result = catch_unwind(AssertUnwindSafe(|| handle(item.message, &mut ctx)));
        let (end_ns, later) = (strand.clock.now_ns(), ctx.later);
        Done { stamp_ns: item.stamp_ns, start_ns, end_ns, result, later }
    }
}

impl<T: Send + 'static> Job for Jobs<T> {
    fn run(&self) {
        // The agent has ended, and counted the message as lost.
        let Some(item) = lock(&self.waiting).pop_front() else { return };
        let done = self.handle(item);
        lock(&self.done).push_back(done);
        // The result is visible before its announcement.
        fence(Ordering::SeqCst);
        self.input.strand.tell(self.input.bits());
    }
}

/// A subscription whose messages are handled side by side.
pub(crate) struct ParallelHandlers<T> {
    jobs: Arc<Jobs<T>>,
    channel: Channel<T>,
    /// Messages that were handed to the pool and have not returned.
    in_flight: usize,
}

impl<T: Clone + Send + 'static> ParallelHandlers<T> {
    /// Subscribes, or replaces the handler after a restart of the agent.
    pub(crate) fn grant<A: Agent>(
        list: &mut Vec<Box<dyn Subscription<A>>>,
        me: &Me<A>,
        local: &mut Local,
        channel: Channel<T>,
        options: EdgeOptions,
        handle: Handle<T>,
    ) {
        let known = list.iter_mut().filter(|s| s.is_of(&channel));
        if let Some(known) = known.filter_map(|s| s.as_any().downcast_mut::<ParallelHandlers<T>>()).next() {
            *lock(&known.jobs.handle) = handle;
            return;
        }
        let input = Arc::new(Input::new(local, me.number, options));
        if me.care.is_named {
            me.care.account.add_input(channel.name(), input.clone());
        }
        let jobs = Arc::new(Jobs {
            name: me.care.name.clone(),
            input: input.clone(),
            handle: Mutex::new(handle),
            waiting: Mutex::default(),
            done: Mutex::default(),
        });
        list.push(Box::new(ParallelHandlers { jobs, channel: channel.clone(), in_flight: 0 }));
        channel.add(input, Some(local));
    }

    /// Collects the returned jobs.
    fn collect<A: Agent>(&mut self, me: &mut Me<A>, local: &mut Local) -> Result<(), AgentError> {
        while self.in_flight > 0 {
            let done = lock(&self.jobs.done).pop_front();
            let Some(done) = done else { break };
            self.in_flight -= 1;
            me.in_flight -= 1;
            local.in_flight -= 1;
            settle(done, me, local)?;
        }
        Ok(())
    }
}

/// Keeps the accounts of a message that was handled, and sends the messages of its handler.
fn settle<A: Agent>(done: Done, me: &mut Me<A>, local: &mut Local) -> Result<(), AgentError> {
    me.care.account.record(done.stamp_ns, done.start_ns, done.end_ns);
    done.later.into_iter().for_each(|send| send(local));
    // A failure from here on counts as the failure of a message.
    me.has_message = true;
    match done.result {
        Ok(result) => result?,
        // Dealt with as any panic of a handler.
        Err(panic) => resume_unwind(panic),
    }
    me.has_message = false;
    me.care.account.complete();
    Ok(())
}

impl<A: Agent, T: Clone + Send + 'static> Subscription<A> for ParallelHandlers<T> {
    fn step(&mut self, _: &mut A, me: &mut Me<A>, local: &mut Local) -> Result<Step, AgentError> {
        let before = self.in_flight;
        self.collect(me, local)?;
        if self.in_flight < before {
            // Others of this agent may have waited for that.
            return Ok(Step::Handled);
        }
        let handle = local.handle.clone();
        let pool = match &handle.host {
            Host::Pool { pool, .. } => Some(pool),
            Host::Thread { .. } | Host::Simulated { .. } => None,
        };
        let most = pool.map_or(1, |pool| JOBS_PER_THREAD * pool.threads());
        if me.wants_alone || me.in_flight >= most {
            return Ok(Step::Nothing);
        }
        let Some((item, _)) = self.jobs.input.take(local) else { return Ok(Step::Nothing) };
        match pool {
            None => settle(self.jobs.handle(item), me, local)?,
            Some(pool) => {
                lock(&self.jobs.waiting).push_back(item);
                self.in_flight += 1;
                me.in_flight += 1;
                local.in_flight += 1;
                pool.push(Work::Job(self.jobs.clone()));
            }
        }
        Ok(Step::Handled)
    }

    fn is_urgent(&self) -> bool {
        false
    }

    fn has_message(&self, local: &mut Local) -> bool {
        self.jobs.input.has_message(local)
    }

    fn looked_at(&self) {
        self.jobs.input.looked_at();
    }

    fn close(&mut self, me: &mut Me<A>, local: &mut Local) {
        self.channel.remove(&(self.jobs.input.clone() as Arc<dyn Sink<T>>));
        // Messages that no thread has begun are lost; the others are awaited.
        let given_up = std::mem::take(&mut *lock(&self.jobs.waiting)).len();
        add(&me.care.account.aborted, given_up as u64);
        self.in_flight -= given_up;
        me.in_flight -= given_up;
        local.in_flight -= given_up;
        while self.in_flight > 0 {
            // Other threads are about to return. A failure now is counted, but has no further effect, because
            // the agent has ended.
            let collected = catch_unwind(AssertUnwindSafe(|| self.collect(me, local)));
            match collected {
                Ok(Ok(())) => std::thread::sleep(Duration::from_micros(20)),
                Ok(Err(_)) => add(&me.care.account.failed, 1),
                Err(_) => add(&me.care.account.panicked, 1),
            }
            me.has_message = false;
        }
        self.jobs.input.close(local);
        if !me.care.is_named {
            me.care.account.fold(self.jobs.input.counts());
        }
    }

    fn forget_handlers(&mut self) -> Option<Box<dyn Any + Send>> {
        None
    }

    fn is_of(&self, channel: &dyn Any) -> bool {
        channel.downcast_ref::<Channel<T>>().is_some_and(|c| c.is_same(&self.channel))
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
