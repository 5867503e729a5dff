//! A run: from check to report.

pub(crate) mod books;
mod bottleneck;
mod direct;
mod left_behind;
mod look;
mod memory;
pub(crate) mod outlet;
mod report;
mod rewire;
mod set_all;
pub(crate) mod wiring;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use livetime_frame::FramePool;
use livetime_runtime::statistics::{merged, summarise};
use livetime_runtime::{Cause, Clock, EventHandler, Histogram, LossReason, Times, lock, spawn};

pub use bottleneck::{Bottleneck, Limit, MoreThreads};
pub use direct::{DirectRun, Given};
pub use outlet::{Outlet, OutletError};
pub use report::{Counts, EdgeAccount, NodeCounts, NodeReport, Report, SourceReport, ThreadReport};

use crate::ByNode;
use crate::account::{Ended, NodeAccount};
use crate::control::RunControl;
use crate::cuts::Cuts;
use crate::graph::Graph;
use crate::graph_error::{GraphError, GraphFault};
use crate::node::NodeKind;
use crate::rehearsal::{Rehearsal, Trail};
use crate::runner::Runner;
use crate::services::Services;
use crate::trace::{Lane, Tracer};
use crate::worker::{Task, Worker, WorkerHandle};
use crate::{ParamSpec, Refusal, RefusalKind, Value};
use books::{Books, SharedBooks};
use memory::Holders;
use outlet::Links;
use wiring::{NodeInfo, Orders, Shared, Wired};

/// How a graph is run.
#[derive(Clone)]
pub struct RunOptions {
    /// Whether to keep time statistics; counts are always kept.
    pub statistics: bool,
    /// Sources end after this many frames each.
    pub max_frames: Option<u64>,
    /// Whether nodes remember a description of their last frame, for [`Run::look`]; costs a copy of its header and
    /// layout per frame.
    pub remember_frames: bool,
    /// Sources wait until [`Run::release_sources`], so that outlets can be connected before the first frame.
    pub hold_sources: bool,
    /// All sources count as stored ([`Node::IS_STORED`](crate::Node::IS_STORED)): for simulated ones, whose run shall be repeated.
    pub repeatable: bool,
    /// The run is one of several whose frames are compared.
    pub rehearsal: Option<Rehearsal>,
    /// Called with every event.
    pub on_event: Option<EventHandler>,
    /// Values that nodes share with each other and with the program, such as the channels of its agents.
    pub services: Services,
}

impl Default for RunOptions {
    /// With statistics and services of its own, without a limit, a memory or a handler; live sources are not held up.
    fn default() -> RunOptions {
        RunOptions {
            statistics: true,
            max_frames: None,
            remember_frames: false,
            hold_sources: false,
            repeatable: false,
            rehearsal: None,
            on_event: None,
            services: Services::default(),
        }
    }
}

/// A running graph.
///
/// ```no_run
/// use livetime_engine::{Graph, Run, RunOptions};
/// # fn graph() -> Graph { Graph::default() }
/// let run = Run::start(&graph(), RunOptions::default())?;
/// std::thread::sleep(std::time::Duration::from_secs(1));
/// run.stop();
/// let report = run.finish(std::time::Duration::from_secs(10));
/// assert!(report.imbalances().is_empty());
/// # Ok::<(), Vec<livetime_engine::GraphError>>(())
/// ```
pub struct Run {
    graph: Graph,
    shared: Shared,
    nodes: Vec<NodeInfo>,
    books: SharedBooks,
    links: Arc<Links>,
    handles: Vec<Arc<WorkerHandle>>,
    threads: Vec<JoinHandle<()>>,
    start_ns: u64,
    tracer: Tracer,
    /// Held while an edge is checked against the present graph and put on the books. No thread waits for a node while
    /// it holds this lock, so that a node that hangs blocks no other change.
    wiring: Mutex<()>,
}

/// How long a request waits for the node's thread to come to it: longer than a handler of a working node takes, and
/// short enough for a person who waits for the answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a request that waits asks whether the run was aborted: the end of a run must not wait for a request to a node that hangs.
const ASK_AGAIN: Duration = Duration::from_millis(50);
/// How long the threads of an aborted run may take to end. A second interrupt must end a run within 2 s, and the faces
/// of the run need a part of them.
pub const ABORT_LIMIT: Duration = Duration::from_secs(1);

impl Run {
    /// Checks the graph, opens all files and devices, and starts all threads.
    ///
    /// # Errors
    /// All problems found by [`Graph::check`], or the problem that kept a node from starting; nothing runs then.
    pub fn start(graph: &Graph, options: RunOptions) -> Result<Run, Vec<GraphError>> {
        let shared = Shared {
            clock: Clock::real(),
            control: Arc::new(RunControl::new(options.on_event)),
            pool: FramePool::new(graph.memory_bytes),
            statistics: options.statistics,
            max_frames: options.max_frames.unwrap_or(u64::MAX),
            remember_frames: options.remember_frames,
            cores: cores(),
            orders: if options.repeatable { Orders::Always } else { Orders::Stored },
            rehearsal: options.rehearsal,
            services: options.services.describing(&graph.text),
            books: SharedBooks::default(),
        };
        let mut wired = arm(graph, &shared)?;
        // Before the threads start: a source that is paused later may have sent frames already.
        if options.hold_sources {
            wired.workers.iter_mut().flat_map(|w| &mut w.runners).for_each(|runner| runner.pause(true));
        }
        let handles: Vec<_> = wired.workers.iter().map(|w| w.handle.clone()).collect();
        let bells: Vec<_> = handles.iter().map(|handle| handle.bell.clone()).collect();
        shared.control.wake_with(move || bells.iter().for_each(|bell| bell.ring()));
        let start_ns = shared.clock.now_ns();
        let Wired { nodes, edges, workers } = wired;
        let tracer = tracer(&nodes, &shared.control);
        *lock(&shared.books) = Books::new(edges);
        let books = shared.books.clone();
        let holders = Holders::new(graph, &nodes, &books, &shared.pool);
        shared.control.list_holders_with(move || holders.describe());
        let links = Arc::new(Links::new(graph, &nodes, &handles, &books, &shared));
        let mut run = Run {
            graph: graph.clone(),
            tracer,
            shared,
            nodes,
            books,
            links,
            handles,
            threads: vec![],
            start_ns,
            wiring: Mutex::default(),
        };
        for worker in workers {
            match spawn(&worker.handle.name.clone(), move || worker.run()) {
                Ok(thread) => run.threads.push(thread),
                // The threads that have started hold open files: they must end by themselves.
                Err(error) => {
                    run.abort();
                    return Err(vec![GraphFault::Thread(Cause::new(Arc::new(error))).into()]);
                }
            }
        }
        Ok(run)
    }

    /// Ends the sources; queued frames are handled.
    pub fn stop(&self) {
        self.shared.control.ask_to_stop();
    }

    /// Lets sources begin that [`RunOptions::hold_sources`] holds.
    pub fn release_sources(&self) {
        let sources =
            (0..self.nodes.len()).filter(|n| self.graph.nodes[*n].node_type.spec.kind == NodeKind::Source);
        // A source that has ended meanwhile refuses, and nothing is left to release.
        sources
            .for_each(|node| _ = self.begin(self.nodes[node].workers[0], node, |runner| runner.pause(false)));
    }

    /// Ends everything now; queued frames are lost, with an entry in the ledger.
    pub fn abort(&self) {
        self.shared.control.abort();
        // Rung after the request, so that a thread that wakes finds it.
        self.handles.iter().for_each(|h| h.bell.ring());
    }

    /// True when a node has aborted the run: see [`Teller::abort_run`](crate::Teller::abort_run).
    pub fn is_aborted_by_node(&self) -> bool {
        self.shared.control.is_aborted_by_node()
    }

    /// True when all threads have ended.
    pub fn is_finished(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    /// Waits until all threads have ended, at most for `limit`. Returns whether they have.
    pub fn wait(&self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        // The standard library joins threads without a time limit only. A run ends once, so polling it costs nothing.
        while !self.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1).min(limit));
        }
        self.is_finished()
    }

    /// Waits for the end, at most for `limit`, then aborts, and reports. A thread that does not end within [`ABORT_LIMIT`]
    /// after an abort is left behind: the run has failed, is not finished, and the report names the node.
    pub fn finish(mut self, limit: Duration) -> Report {
        self.wait_or_leave(limit);
        let (ended, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.threads)
            .into_iter()
            .zip(&self.handles)
            .partition(|(thread, _)| thread.is_finished());
        for (thread, handle) in ended {
            if thread.join().is_err() {
                self.shared.control.fail(format!("thread `{}` panicked outside its nodes", handle.name));
            }
        }
        // After the threads have ended: a sender may put frames until its last moment.
        lock(&self.books).end(left.is_empty());
        self.threads = left.into_iter().map(|(thread, _)| thread).collect();
        self.shared.control.tell_the_rest();
        self.report()
    }

    /// Switches the trace on and off, and takes the recorded spans.
    pub fn tracer(&self) -> Tracer {
        self.tracer.clone()
    }

    /// The graph as it was declared.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    // ---- Parameters ----

    /// Writes a parameter; it acts from the node's next frame. Returns when the node has taken it.
    ///
    /// # Errors
    /// [`Refusal`] when the node or parameter does not exist, the value is not acceptable, or the node
    /// does not answer within 5 s.
    pub fn set(&self, node: &str, param: &str, value: &Value) -> Result<(), Refusal> {
        let node = self.graph.node(node)?;
        let specs = self.graph.nodes[node].node_type.param_specs();
        let index = crate::find(specs, param)?;
        let value = specs[index].accept_in_run(value)?;
        // One copy of a pool after the other, each between two of its frames.
        let ask = |w: &usize| self.ask(*w, node, move |r, value| r.set_param(index, value), value.clone());
        self.nodes[node].workers.iter().try_for_each(|w| ask(w)?)
    }

    /// All parameters of a node with their present values, readbacks included.
    ///
    /// # Errors
    /// [`Refusal`] when there is no such node, or it does not answer within 5 s.
    pub fn params(&self, node: &str) -> Result<Vec<(&'static ParamSpec, Value)>, Refusal> {
        let node = self.graph.node(node)?;
        let specs = self.graph.nodes[node].node_type.param_specs();
        let values = self.ask(self.nodes[node].workers[0], node, |r, ()| r.params(), ())?;
        Ok(specs.iter().zip(values).collect())
    }

    /// Runs `visit` on the node itself, between two of its frames: for nodes that keep more than parameters,
    /// such as the newest picture.
    ///
    /// # Errors
    /// [`Refusal`] when there is no such node, it is no `N`, or it does not answer within 5 s.
    pub fn visit<N: 'static, R: Send + 'static>(
        &self,
        node: &str,
        visit: impl FnOnce(&mut N) -> R + Send + 'static,
    ) -> Result<R, Refusal> {
        let number = self.graph.node(node)?;
        let found = self.ask(
            self.nodes[number].workers[0],
            number,
            |r, visit: Box<dyn FnOnce(&mut N) -> R + Send>| r.node().downcast_mut().map(visit),
            Box::new(visit) as Box<_>,
        )?;
        found.ok_or_else(|| Refusal::new(RefusalKind::OtherType(node.to_owned())))
    }

    /// Lets a worker do something with a node between frames, and waits for the answer.
    fn ask<A: Send + 'static, R: Send + 'static>(
        &self,
        worker: usize,
        node: usize,
        request: impl FnOnce(&mut Runner, A) -> R + Send + 'static,
        argument: A,
    ) -> Result<R, Refusal> {
        let answered = self.begin(worker, node, move |runner| request(runner, argument))?;
        let name = &self.graph.nodes[node].name;
        self.answer(&answered).map_err(|_| Refusal::new(RefusalKind::NoAnswer(name.clone())))
    }

    /// Waits for an answer: at most 5 s, and no longer once the run is aborted.
    fn answer<R>(&self, answered: &mpsc::Receiver<R>) -> Result<R, RecvTimeoutError> {
        let deadline = Instant::now() + REQUEST_TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match answered.recv_timeout(left.min(ASK_AGAIN)) {
                Err(RecvTimeoutError::Timeout) if left > ASK_AGAIN && !self.shared.control.is_aborting() => {}
                answer => return answer,
            }
        }
    }

    /// Lets a worker do something with a node between frames; the answer comes when it has.
    fn begin<R: Send + 'static>(
        &self,
        worker: usize,
        node: usize,
        request: impl FnOnce(&mut Runner) -> R + Send + 'static,
    ) -> Result<mpsc::Receiver<R>, Refusal> {
        // With room for the answer, so that the node's thread never waits for a caller that has given up.
        let (answer, answered) = mpsc::sync_channel(1);
        let task: Task = Box::new(move |worker: &mut Worker| {
            if let Some(runner) = worker.find(node) {
                let _ = answer.send(request(runner));
            }
        });
        match self.handles[worker].send(task) {
            true => Ok(answered),
            false => Err(Refusal::new(RefusalKind::Ended(self.graph.nodes[node].name.clone()))),
        }
    }

    // ---- Re-wiring ----

    /// Stops or resumes a node: while it is stopped, no frame is offered to it, and a source produces none. Queued
    /// frames are still handled.
    ///
    /// # Errors
    /// [`Refusal`] when there is no such node, or it does not answer within 5 s.
    pub fn set_enabled(&self, node: &str, enabled: bool) -> Result<(), Refusal> {
        let number = self.graph.node(node)?;
        if self.graph.nodes[number].node_type.spec.kind == NodeKind::Source {
            return self.ask(self.nodes[number].workers[0], number, |r, paused| r.pause(paused), !enabled);
        }
        let books = lock(&self.books);
        books.edges().filter(|e| e.to.0 == number).for_each(|e| e.enabled.store(enabled, Ordering::Release));
        Ok(())
    }

    /// A value that nodes share with each other and with the program; see [`Services`].
    pub fn service<T: Clone + Default + Send + 'static>(&self) -> T {
        self.shared.services.get()
    }

    /// Lets `stamp` add attributes to each frame that a node sends, or, of a sink, receives; `None` ends that. Frames get a header of
    /// their own for it, never other pixels. Of a pool, each copy does so.
    ///
    /// # Errors
    /// [`Refusal`] when the node does not exist, has ended, or does not answer within 5 s.
    pub fn set_stamp(&self, node: &str, stamp: Option<Arc<dyn crate::Stamp>>) -> Result<(), Refusal> {
        let number = self.graph.node(node)?;
        for worker in &self.nodes[number].workers {
            self.ask(*worker, number, |runner, stamp| runner.set_stamp(stamp), stamp.clone())?;
        }
        Ok(())
    }

    /// Whether a node sends its frames to its receivers. Frames that it does not send count on each edge as an intended
    /// loss ([`LossReason::Decimated`]). Edges that are made later send.
    ///
    /// # Errors
    /// [`Refusal`] when the node does not exist.
    pub fn set_sending(&self, node: &str, sends: bool) -> Result<(), Refusal> {
        let number = self.graph.node(node)?;
        let books = lock(&self.books);
        books.edges().filter(|e| e.from.0 == number).for_each(|e| e.is_fed.store(sends, Ordering::Release));
        Ok(())
    }

    // ---- Reading ----

    /// The trail of each edge so far; only in a rehearsal.
    pub fn trails(&self) -> Vec<Trail> {
        let books = lock(&self.books);
        let trail = |edge: &Arc<crate::edge::Edge>| {
            let notes = edge.notes()?.taken();
            Some(Trail { from: edge.from, to: edge.to, notes })
        };
        books.edges().filter_map(trail).collect()
    }

    /// The current counts of all nodes and edges, without times: cheap enough to be read many times a second.
    pub fn counts(&self) -> Counts {
        // Before the edges, as in a report: no node has more completed than received frames.
        let completed: Vec<u64> = self.nodes.iter().map(NodeInfo::completed).collect();
        let edges = lock(&self.books).counts(&self.graph);
        let node = |(number, completed): (usize, u64)| {
            let to_it = edges.iter().filter(|edge| edge.nodes.1 == Some(number));
            let accounts = &self.nodes[number].accounts;
            NodeCounts {
                received: to_it.map(|edge| edge.delivered).sum(),
                completed,
                emitted: accounts.iter().map(|a| a.emitted.load(Relaxed)).sum(),
                lost: losses_of(accounts),
                unknown_since_ns: unknown_since_ns(accounts),
            }
        };
        let nodes = completed.into_iter().enumerate().map(node).collect();
        Counts { nodes, edges }
    }

    /// The current statistics and ledger.
    pub fn report(&self) -> Report {
        let Run { graph, shared, nodes, books, handles, start_ns, .. } = self;
        report(graph, shared, nodes, books, handles, *start_ns, self.is_finished())
    }
}

fn report(
    graph: &Graph,
    shared: &Shared,
    nodes: &[NodeInfo],
    books: &SharedBooks,
    handles: &[Arc<WorkerHandle>],
    start_ns: u64,
    finished: bool,
) -> Report {
    // Completed before received, so that a frame in the handler is received and not yet completed.
    let completed: Vec<u64> = nodes.iter().map(NodeInfo::completed).collect();
    let edges = lock(books).accounts(graph);
    let mut threads = thread_reports(nodes, handles.iter().map(|h| &**h));
    for (thread, handle) in threads.iter_mut().zip(handles) {
        (thread.cpu_ns, thread.delayed_ns) = handle.times.cpu_and_delay_ns().unzip();
    }
    let nodes = node_reports(graph, nodes, &completed, &edges, &threads);
    let (events, events_dropped) = shared.control.events();
    Report {
        elapsed_ns: shared.clock.now_ns() - start_ns,
        finished,
        failure: shared.control.failure(),
        unfinished: shared.control.unfinished(),
        nodes,
        edges,
        cuts: shared.services.get::<Cuts>().accounts(),
        cores: shared.cores,
        pool: shared.pool.statistics(),
        cpu_ns: threads.iter().map(|t| t.cpu_ns).sum(),
        threads,
        events,
        events_dropped,
        events_repeated: shared.control.repeated(),
    }
}

impl Drop for Run {
    /// A run that is dropped unfinished is aborted; its threads end by themselves.
    fn drop(&mut self) {
        if !self.is_finished() {
            self.abort();
        }
    }
}

/// Checks, builds and opens everything.
pub(crate) fn arm(graph: &Graph, shared: &Shared) -> Result<Wired, Vec<GraphError>> {
    let plan = graph.check()?;
    let mut wired = wiring::wire(graph, &plan, shared).map_err(|e| vec![e.into()])?;
    let sources = graph.nodes.iter().filter(|n| n.node_type.spec.kind == NodeKind::Source).count();
    // Before any thread runs: a source without data may end at once, and the last one that ends stops the run.
    shared.control.live_sources.store(sources, Ordering::Release);
    wiring::start_all(&mut wired, &shared.services.get()).map_err(|e| vec![e.into()])?;
    Ok(wired)
}

pub(crate) fn tracer(nodes: &[NodeInfo], control: &Arc<RunControl>) -> Tracer {
    let lanes = nodes.iter().enumerate().flat_map(|(node, info)| {
        let copies = info.workers.iter().zip(&info.accounts);
        copies.map(move |(thread, account)| Lane { node, thread: *thread, account: account.clone() })
    });
    Tracer::new(control.clone(), lanes.collect())
}

pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Which nodes run on which thread; without times.
pub(crate) fn thread_reports<'a>(
    nodes: &[NodeInfo],
    handles: impl Iterator<Item = &'a WorkerHandle>,
) -> Vec<ThreadReport> {
    let report = |handle: &WorkerHandle| ThreadReport {
        name: handle.name.clone(),
        nodes: Vec::new(),
        cpu_ns: None,
        delayed_ns: None,
    };
    let mut threads: Vec<ThreadReport> = handles.map(report).collect();
    for (node, info) in nodes.iter().enumerate() {
        info.workers.iter().for_each(|worker| threads[*worker].nodes.push(node));
    }
    threads
}

/// The reports of all nodes. `completed` was read before `edges`, which hold the frames that the nodes have received:
/// so no report has more completed than received frames.
pub(crate) fn node_reports(
    graph: &Graph,
    nodes: &[NodeInfo],
    completed: &[u64],
    edges: &[EdgeAccount],
    threads: &[ThreadReport],
) -> Vec<NodeReport> {
    let leading_to = ByNode::new(nodes.len(), edges.iter().map(|edge| edge.nodes.1));
    let report = |(node, info): (usize, &NodeInfo)| {
        let incoming: Vec<&EdgeAccount> = leading_to.of(node).map(|edge| &edges[edge]).collect();
        info.report(graph, node, completed[node], &incoming, threads)
    };
    nodes.iter().enumerate().map(report).collect()
}

impl NodeInfo {
    /// Frames whose handlers came to a good end.
    pub(crate) fn completed(&self) -> u64 {
        self.accounts.iter().map(|account| account.all_completed()).sum()
    }

    /// `incoming` are the edges that lead to it.
    fn report(
        &self,
        graph: &Graph,
        node: usize,
        completed: u64,
        incoming: &[&EdgeAccount],
        threads: &[ThreadReport],
    ) -> NodeReport {
        let decl = &graph.nodes[node];
        let accounts = &self.accounts;
        let sum = |field: fn(&NodeAccount) -> u64| accounts.iter().map(|a| field(a)).sum();
        let times =
            |pick: fn(&NodeAccount) -> &Histogram| -> Times { summarise(accounts.iter().map(|a| pick(a))) };
        let is_own = self.workers.iter().all(|w| threads[*w].nodes == [node]);
        let own_cpu = is_own.then(|| self.workers.iter().map(|w| threads[*w].cpu_ns).sum());
        NodeReport {
            name: decl.name.clone(),
            type_name: decl.node_type.spec.name,
            placement: decl.options.placement.clone(),
            parallel: decl.node_type.spec.parallel && incoming.len() == 1 && incoming[0].can_feed_a_pool(),
            threads: self.workers.iter().map(|w| threads[*w].name.clone()).collect(),
            received: incoming.iter().map(|e| e.delivered).sum(),
            completed,
            emitted: sum(|a| a.emitted.load(Relaxed)),
            lost: losses_of(accounts),
            unknown_since_ns: unknown_since_ns(accounts),
            queued: incoming.iter().map(|e| e.queued).sum(),
            capacity: incoming.iter().map(|e| e.capacity).sum(),
            lost_before: incoming.iter().map(|e| e.unintended()).sum(),
            skipped_before: incoming.iter().map(|e| e.intended()).sum(),
            waiting: merged(incoming.iter().map(|e| e.waiting.clone())),
            service: times(|a| &a.service),
            latency: times(|a| &a.latency),
            cpu_ns: own_cpu.flatten(),
            restarts: sum(|a| a.restarts.load(Relaxed)),
            source: SourceReport {
                jumps: sum(|a| a.sequence_jumps.load(Relaxed)),
                repeats: sum(|a| a.sequence_repeats.load(Relaxed)),
                stalls: sum(|a| a.stalls.load(Relaxed)),
                longest_gap_ns: accounts.iter().map(|a| a.longest_gap_ns.load(Relaxed)).max().unwrap_or(0),
            },
            last_values: last_values(decl.node_type.param_specs(), accounts),
        }
    }
}

/// The losses in a node, over all its copies.
fn losses_of(accounts: &[Arc<NodeAccount>]) -> BTreeMap<LossReason, u64> {
    let mut lost = BTreeMap::new();
    for (reason, count) in accounts.iter().flat_map(|a| a.losses()).filter(|(_, n)| *n > 0) {
        *lost.entry(reason).or_insert(0) += count;
    }
    lost
}

/// When the first break with unknown losses began, over all copies of the node.
fn unknown_since_ns(accounts: &[Arc<NodeAccount>]) -> Option<i64> {
    accounts.iter().map(|a| a.unknown_since_ns.load(Relaxed)).filter(|since| *since != 0).min()
}

/// The parameters of a node whose copies have all ended: the values of the copy with the last frame, counts summed.
fn last_values(
    specs: &'static [ParamSpec],
    accounts: &[Arc<NodeAccount>],
) -> Vec<(&'static ParamSpec, Value)> {
    let ended: Option<Vec<&Ended>> = accounts.iter().map(|a| a.ended.get()).collect();
    let Some(ended) = ended else { return Vec::new() };
    let Some(last) = ended.iter().max_by_key(|e| e.last_ticket) else { return Vec::new() };
    let total = |index: usize| -> i64 {
        let counted = ended.iter().filter_map(|e| e.values.get(index));
        counted.map(|v| if let Value::Int(count) = v { *count } else { 0 }).sum()
    };
    let value = |(index, spec): (usize, &ParamSpec)| match last.values.get(index)? {
        Value::Int(_) if spec.count => Some(Value::Int(total(index))),
        value => Some(value.clone()),
    };
    specs.iter().enumerate().filter_map(|(i, spec)| Some((spec, value((i, spec))?))).collect()
}
