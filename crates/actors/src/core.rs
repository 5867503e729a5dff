//! The shared state of a system: channels, timers, the places where agents run, and the way to the end.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use livetime_runtime::{Clock, Control, Event, EventHandler, lock};

use super::account::{Accounts, AgentAccount};
use super::channel::{Channel, ChannelKind};
use super::channels::Channels;
use super::failure::AgentError;
use super::group_core::{GroupCore, GroupEvent};
use super::guard::Guards;
use super::host;
use super::local::Local;
use super::phase::Phase;
use super::placement::{Placement, PoolOrder, ThreadOptions};
use super::pool::Pool;
use super::report::SystemReport;
use super::strand::{Host, Strand, StrandHandle};
use super::timer::Timers;

/// The shared state of a system.
pub(crate) struct Core {
    pub(crate) clock: Clock,
    pub(crate) control: Arc<Control>,
    pub(crate) timers: Arc<Timers>,
    pub(crate) accounts: Accounts,
    pub(crate) channels: Channels,
    pub(crate) phase: Channel<Phase>,
    pub(crate) group_events: Channel<GroupEvent>,
    phase_now: AtomicU8,
    pub(crate) guards: Guards,
    places: Mutex<Places>,
    /// The groups that have not ended, by number: in the order in which they were started.
    groups: Mutex<BTreeMap<u64, Arc<GroupCore>>>,
    threads: AtomicUsize,
    threads_ended: AtomicUsize,
    cores: usize,
    pub(crate) wish: Mutex<bool>,
    pub(crate) wished: Condvar,
    start_ns: u64,
}

#[derive(Default)]
struct Places {
    shared: HashMap<String, Arc<StrandHandle>>,
    pools: HashMap<String, Arc<Pool>>,
    strands: Vec<Arc<StrandHandle>>,
    /// How many strands there may be before ended ones are removed.
    let_go_at: usize,
    joins: Vec<(String, JoinHandle<()>)>,
}

impl Places {
    fn add(&mut self, strand: Arc<StrandHandle>) {
        // Ended strands are removed only when the list has doubled: each removal walks the whole list.
        if self.strands.len() >= self.let_go_at {
            self.strands.retain(|strand| !strand.has_ended());
            self.shared.retain(|_, strand| !strand.has_ended());
            self.let_go_at = 2 * self.strands.len() + 16;
        }
        self.strands.push(strand);
    }
}

impl Core {
    pub(crate) fn new(on_event: Option<EventHandler>, clock: Clock) -> Core {
        let phase = Channel::new("livetime.phase", ChannelKind::Retained);
        phase.publish(Phase::Running);
        Core {
            timers: Arc::new(Timers::new(clock.clone())),
            control: Arc::new(Control::new(on_event)),
            accounts: Accounts::default(),
            channels: Channels::default(),
            phase,
            group_events: Channel::new("livetime.groups", ChannelKind::Broadcast),
            phase_now: AtomicU8::new(Phase::Running as u8),
            guards: Guards::default(),
            places: Mutex::default(),
            groups: Mutex::default(),
            threads: AtomicUsize::new(0),
            threads_ended: AtomicUsize::new(0),
            cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
            wish: Mutex::new(false),
            wished: Condvar::new(),
            start_ns: clock.now_ns(),
            clock,
        }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.phase_now.load(Ordering::Relaxed) != Phase::Running as u8
    }

    /// True when timers have ended.
    pub(crate) fn is_draining(&self) -> bool {
        self.phase_now.load(Ordering::Relaxed) >= Phase::Draining as u8
    }

    /// Whether there are enough cores for threads that poll instead of sleeping.
    pub(crate) fn may_spin(&self) -> bool {
        let ended = self.threads_ended.load(Ordering::Relaxed);
        self.threads.load(Ordering::Relaxed).saturating_sub(ended) <= self.cores
    }

    pub(crate) fn thread_ended(&self) {
        self.threads_ended.fetch_add(1, Ordering::Relaxed);
    }

    fn set_phase(&self, phase: Phase) {
        self.phase_now.store(phase as u8, Ordering::Release);
        self.phase.publish(phase);
    }

    /// Set when a stop is requested; wakes threads that wait for that.
    pub(crate) fn wish_to_stop(&self) {
        *lock(&self.wish) = true;
        self.wished.notify_all();
    }

    /// The system stops because of `message`; the first failure is the one reported.
    pub(crate) fn fail(&self, message: String) {
        self.control.fail(message);
        self.wish_to_stop();
    }

    pub(crate) fn tell(&self, is_error: bool, message: String) {
        self.control.tell(Event {
            at_ns: self.clock.now_ns(),
            node: String::new(),
            is_error,
            message,
            cause: None,
        });
    }

    pub(crate) fn new_account(&self, name: &str, thread: &str) -> Arc<AgentAccount> {
        let account = Arc::new(AgentAccount::new(name.to_string(), self.clock.now_ns()));
        let _ = account.thread.set(thread.to_string());
        self.accounts.add(account.clone());
        account
    }

    // ---- Places ----

    /// The strand for an agent placed so.
    pub(crate) fn strand_for(
        self: &Arc<Core>,
        placement: &Placement,
        threads: &ThreadOptions,
        agent: &str,
        group: &Arc<GroupCore>,
    ) -> Result<Arc<StrandHandle>, AgentError> {
        if self.is_draining() {
            return Err(AgentError::new(format_args!("agent `{agent}`: the system is stopping")));
        }
        let mut places = lock(&self.places);
        match placement {
            Placement::Own => self.new_thread(&mut places, agent, threads, true),
            Placement::Group(name) => self.shared_thread(&mut places, name, threads),
            Placement::Pool { name, threads: count, order: PoolOrder::ByAgent } => {
                self.strand_of_pool(&mut places, name, *count, threads, agent)
            }
            Placement::Pool { name, threads: count, order: PoolOrder::ByGroup } => {
                // Two groups may have the same name.
                let key = format!("{name}/{:p}", Arc::as_ptr(group));
                if let Some(strand) = places.shared.get(&key).filter(|strand| !strand.has_ended()) {
                    return Ok(strand.clone());
                }
                let strand = self.strand_of_pool(&mut places, name, *count, threads, &group.name)?;
                places.shared.insert(key, strand.clone());
                Ok(strand)
            }
        }
    }

    fn shared_thread(
        self: &Arc<Core>,
        places: &mut Places,
        name: &str,
        threads: &ThreadOptions,
    ) -> Result<Arc<StrandHandle>, AgentError> {
        if let Some(strand) = places.shared.get(name).filter(|strand| !strand.has_ended()) {
            return Ok(strand.clone());
        }
        let strand = self.new_thread(places, name, threads, false)?;
        places.shared.insert(name.to_string(), strand.clone());
        Ok(strand)
    }

    fn new_thread(
        self: &Arc<Core>,
        places: &mut Places,
        name: &str,
        threads: &ThreadOptions,
        ends_with_agents: bool,
    ) -> Result<Arc<StrandHandle>, AgentError> {
        if self.clock.is_simulated() {
            let host = Host::Simulated { body: Mutex::new(None) };
            return Ok(self.new_strand(places, name, host, threads.batch));
        }
        let host = Host::Thread { bell: Arc::default(), body: Box::default() };
        let strand = self.new_strand(places, name, host, threads.batch);
        strand
            .with_body(|body| body.as_mut().into_iter().for_each(|b| b.ends_with_agents = ends_with_agents));
        self.threads.fetch_add(1, Ordering::Relaxed);
        let join = host::spawn(self, strand.clone(), threads.clone()).map_err(|e| {
            strand.with_body(|body| body.take().into_iter().for_each(|mut b| b.close()));
            AgentError::new(format_args!("cannot start thread `{name}`: {e}"))
        })?;
        // The list does not grow with threads that have ended.
        places.joins.retain(|(_, join)| !join.is_finished());
        places.joins.push((name.to_string(), join));
        Ok(strand)
    }

    fn new_strand(
        self: &Arc<Core>,
        places: &mut Places,
        name: &str,
        host: Host,
        batch: usize,
    ) -> Arc<StrandHandle> {
        let strand =
            Arc::new(StrandHandle::new(name.to_string(), host, self.clock.clone(), self.control.clone()));
        let made = Strand::new(Local::new(self.clone(), strand.clone()), batch);
        strand.with_body(|body| *body = Some(made));
        places.add(strand.clone());
        strand
    }

    fn strand_of_pool(
        self: &Arc<Core>,
        places: &mut Places,
        name: &str,
        count: usize,
        threads: &ThreadOptions,
        strand: &str,
    ) -> Result<Arc<StrandHandle>, AgentError> {
        if self.clock.is_simulated() {
            let host = Host::Simulated { body: Mutex::new(None) };
            return Ok(self.new_strand(places, strand, host, threads.batch));
        }
        let pool = self.pool(places, name, count, threads)?;
        let host = Host::Pool { pool, body: Mutex::new(None) };
        let strand = self.new_strand(places, strand, host, threads.batch);
        strand.with_body(|body| body.as_mut().into_iter().for_each(|body| body.ends_with_agents = true));
        Ok(strand)
    }

    fn pool(
        self: &Arc<Core>,
        places: &mut Places,
        name: &str,
        count: usize,
        threads: &ThreadOptions,
    ) -> Result<Arc<Pool>, AgentError> {
        if let Some(pool) = places.pools.get(name) {
            return Ok(pool.clone());
        }
        let pool = Arc::new(Pool::new(count, threads.clone()));
        self.threads.fetch_add(count, Ordering::Relaxed);
        let joins = pool
            .start(self, name)
            .map_err(|e| AgentError::new(format_args!("cannot start the threads of pool `{name}`: {e}")))?;
        places.joins.extend(joins.into_iter().map(|join| (name.to_string(), join)));
        places.pools.insert(name.to_string(), pool.clone());
        Ok(pool)
    }

    pub(crate) fn strands(&self) -> Vec<Arc<StrandHandle>> {
        lock(&self.places).strands.iter().filter(|strand| !strand.has_ended()).cloned().collect()
    }

    /// Carries out the requests to the strands of a simulation; strands of threads do that themselves.
    pub(crate) fn run_simulated_tasks(&self) {
        if !self.clock.is_simulated() {
            return;
        }
        for strand in self.strands() {
            if let Host::Simulated { body } = &strand.host
                // A strand that runs now carries its requests out in its next step.
                && let Ok(mut body) = body.try_lock()
                && let Some(strand) = body.as_mut()
            {
                strand.visit(0, 0);
            }
        }
    }

    // ---- Groups ----

    pub(crate) fn group_started(&self, group: &Arc<GroupCore>) {
        lock(&self.groups).insert(group.number, group.clone());
    }

    pub(crate) fn group_ended(&self, group: &Arc<GroupCore>) {
        lock(&self.groups).remove(&group.number);
    }

    pub(crate) fn tell_group(&self, event: impl FnOnce() -> GroupEvent) {
        if self.group_events.subscribers() > 0 {
            self.group_events.publish(event());
        }
    }

    // ---- The end ----

    /// True when no strand has work, in two successive checks with no work done in between. One check is not enough: work
    /// may move from a strand that has not been checked to one that has.
    pub(crate) fn is_quiet(&self) -> bool {
        let look = || -> Option<Vec<u64>> {
            self.strands()
                .iter()
                .map(|strand| strand.is_idle().then(|| strand.visits.load(Ordering::SeqCst)))
                .collect()
        };
        look().is_some_and(|first| look() == Some(first))
    }

    pub(crate) fn wait_until(&self, until: Instant, is_done: impl Fn() -> bool) -> bool {
        loop {
            if is_done() {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            // The end comes once: polling costs little.
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Asks every strand for something.
    fn ask_all(&self, request: impl Fn(&mut Strand) + Send + Sync + 'static) {
        let request = Arc::new(request);
        for strand in self.strands() {
            let request = request.clone();
            let _ = strand.send(Box::new(move |strand: &mut Strand| request(strand)));
        }
        self.run_simulated_tasks();
    }

    /// `settle` lets agents handle their messages until the given time, and returns whether a message is left.
    pub(crate) fn stop(self: &Arc<Core>, limit: Duration, mut settle: impl FnMut(Instant) -> bool) {
        let until = Instant::now() + limit;
        self.set_phase(Phase::Stopping);
        let guarded = self.guards.wait(until);
        guarded
            .iter()
            .for_each(|name| self.tell(true, format!("stop guard `{name}` was not released in time")));
        self.set_phase(Phase::Draining);
        self.timers.end();
        self.ask_all(Strand::restart_all);
        let mut is_quiet = settle(until);
        self.ask_all(Strand::drain);
        is_quiet &= settle(until);
        if !is_quiet {
            self.tell(true, "messages were left when the time to stop was over".into());
        }
        self.set_phase(Phase::Ending);
        let roots: Vec<_> = lock(&self.groups).values().cloned().collect();
        roots.iter().for_each(|group| group.end("the system stops".into(), self));
        let grace = Instant::now() + Duration::from_secs(2);
        if self.clock.is_simulated() {
            settle(grace);
        }
        self.wait_until(grace, || lock(&self.groups).is_empty());
        self.join_all(grace);
    }

    fn join_all(self: &Arc<Core>, grace: Instant) {
        self.ask_all(|strand| strand.end = true);
        let (joins, pools, strands) = {
            let mut places = lock(&self.places);
            let pools: Vec<_> = std::mem::take(&mut places.pools).into_values().collect();
            (std::mem::take(&mut places.joins), pools, places.strands.clone())
        };
        let in_pools = |s: &&Arc<StrandHandle>| matches!(s.host, Host::Pool { .. });
        // The threads of a pool still have to run the ends of its strands.
        self.wait_until(grace, || strands.iter().filter(in_pools).all(|s| s.has_ended()));
        pools.iter().for_each(|pool| pool.end());
        self.wait_until(grace, || joins.iter().all(|(_, join)| join.is_finished()));
        for (name, join) in joins {
            if !join.is_finished() {
                self.control.fail(format!("thread `{name}` did not end: its agent does not return"));
            } else if join.join().is_err() {
                self.control.fail(format!("thread `{name}` panicked outside its agents"));
            }
        }
        for strand in strands {
            if let Host::Simulated { body } = &strand.host
                && let Ok(mut body) = body.try_lock()
                && let Some(mut body) = body.take()
            {
                body.close();
            }
        }
    }

    pub(crate) fn report(&self) -> SystemReport {
        let (events, events_dropped) = self.control.events();
        let now_ns = self.clock.now_ns();
        SystemReport {
            elapsed_ns: now_ns - self.start_ns,
            failure: self.control.failure(),
            agents: self
                .accounts
                .all()
                .iter()
                .filter_map(|a| super::report::agent_report(a, now_ns))
                .collect(),
            threads: self.threads.load(Ordering::Relaxed),
            timers: self.timers.len(),
            events,
            events_dropped,
        }
    }
}
