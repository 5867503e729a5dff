//! A run: from check to report.

pub(crate) mod books;
mod bottleneck;
mod look;
mod memory;
pub(crate) mod outlet;
mod report;
mod set_all;
pub(crate) mod wiring;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use livetime_frame::FramePool;
use livetime_runtime::statistics::{merged, summarise};
use livetime_runtime::{Clock, EdgeOptions, EventHandler, Histogram, Times, lock, spawn};

pub use bottleneck::{Bottleneck, Limit, MoreThreads};
pub use look::Snapshot;
pub(crate) use memory::Holders;
pub use outlet::{Outlet, OutletError};
pub use report::{EdgeAccount, NodeReport, Report, SourceReport, ThreadReport};

use crate::account::{Ended, NodeAccount};
use crate::control::RunControl;
use crate::edge::{Edge, Sender, Target};
use crate::graph::{Graph, GraphError, Place, Placement};
use crate::node::{NodeError, NodeKind};
use crate::runner::Runner;
use crate::services::Services;
use crate::trace::{Lane, Tracer};
use crate::worker::{Task, Worker, WorkerHandle};
use crate::{ParamError, ParamSpec, Value};
use books::{Books, SharedBooks};
use outlet::Links;
use wiring::{NodeInfo, Shared, Wired};

/// How a graph is run.
#[derive(Clone)]
pub struct RunOptions {
    /// Whether to keep time statistics; counts are always kept.
    pub statistics: bool,
    /// Sources end after this many frames each.
    pub max_frames: Option<u64>,
    /// Whether nodes remember what their last frame was, for [`Run::look`]; costs a copy of its header and layout per frame.
    pub remember_frames: bool,
    /// Sources wait until [`Run::release_sources`], so that outlets can be connected before the first frame.
    pub hold_sources: bool,
    /// Called with every event.
    pub on_event: Option<EventHandler>,
    /// What nodes share with each other and with the program around, such as the channels of its agents.
    pub services: Services,
}

impl Default for RunOptions {
    /// With statistics and services of its own, without a limit, a memory or a handler.
    fn default() -> RunOptions {
        RunOptions {
            statistics: true,
            max_frames: None,
            remember_frames: false,
            hold_sources: false,
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
}

/// How long a request waits for the node's thread to come to it.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

impl Run {
    /// Checks the graph, opens all files and devices, and starts all threads.
    ///
    /// # Errors
    /// All problems found by [`Graph::check`], or the one that kept a node from starting; nothing runs then.
    pub fn start(graph: &Graph, options: RunOptions) -> Result<Run, Vec<GraphError>> {
        let shared = Shared {
            clock: Clock::real(),
            control: Arc::new(RunControl::new(options.on_event)),
            pool: FramePool::new(graph.memory_bytes),
            statistics: options.statistics,
            max_frames: options.max_frames.unwrap_or(u64::MAX),
            remember_frames: options.remember_frames,
            services: options.services,
        };
        let mut wired = arm(graph, &shared)?;
        if options.hold_sources {
            wired.workers.iter_mut().flat_map(|w| &mut w.runners).for_each(|runner| runner.pause(true));
        }
        let handles: Vec<_> = wired.workers.iter().map(|w| w.handle.clone()).collect();
        let start_ns = shared.clock.now_ns();
        let Wired { nodes, edges, workers } = wired;
        let tracer = tracer(&nodes, &shared.control);
        let books = SharedBooks::new(Books::new(edges).into());
        let _ = shared.control.holders.set(Holders::new(graph, &nodes, &books, &shared.pool));
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
        };
        for worker in workers {
            match spawn(&worker.handle.name.clone(), move || worker.run()) {
                Ok(thread) => run.threads.push(thread),
                Err(error) => {
                    run.abort();
                    return Err(vec![problem(format!("cannot start a thread: {error}"))]);
                }
            }
        }
        Ok(run)
    }

    /// Ends the sources; queued frames are handled.
    pub fn stop(&self) {
        self.shared.control.ask_to_stop();
        self.handles.iter().for_each(|h| h.bell.ring());
    }

    /// Lets sources begin that [`RunOptions::hold_sources`] holds.
    pub fn release_sources(&self) {
        let sources =
            (0..self.nodes.len()).filter(|n| self.graph.nodes[*n].node_type.spec.kind == NodeKind::Source);
        // One that has ended meanwhile needs no word.
        sources
            .for_each(|node| _ = self.begin(self.nodes[node].workers[0], node, |runner| runner.pause(false)));
    }

    /// Ends everything now; queued frames are lost, with an entry in the ledger.
    pub fn abort(&self) {
        self.shared.control.abort();
        self.handles.iter().for_each(|h| h.bell.ring());
    }

    /// True when all threads have ended.
    pub fn is_finished(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    /// Waits until all threads have ended, at most for `limit`. Returns whether they have.
    pub fn wait(&self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        while !self.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1).min(limit));
        }
        self.is_finished()
    }

    /// Waits for the end, at most for `limit`, then aborts, and reports. A thread that does not end even
    /// after an abort is left behind and named in the report.
    pub fn finish(mut self, limit: Duration) -> Report {
        if !self.wait(limit) {
            self.abort();
            self.wait(Duration::from_secs(2));
        }
        let mut have_all_ended = true;
        for (thread, handle) in std::mem::take(&mut self.threads).into_iter().zip(&self.handles) {
            if !thread.is_finished() {
                have_all_ended = false;
                let message = format!("thread `{}` did not end: its node does not return", handle.name);
                self.shared.control.fail(message);
            } else if thread.join().is_err() {
                self.shared.control.fail(format!("thread `{}` panicked outside its nodes", handle.name));
            }
        }
        lock(&self.books).end(have_all_ended);
        self.shared.control.tell_the_rest();
        self.report()
    }

    /// Switches the trace on and off, and takes what it recorded.
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
    /// [`ParamError`] when the node or parameter does not exist, the value is not acceptable, or the node
    /// does not answer within 5 s.
    pub fn set(&self, node: &str, param: &str, value: &Value) -> Result<(), ParamError> {
        let node = self.graph.node(node).map_err(ParamError::new)?;
        let specs = self.graph.nodes[node].node_type.param_specs();
        let index = crate::find(specs, param)?;
        let value = specs[index].accept(value)?;
        // Copies in a pool are told one after the other, each between two of its frames.
        let ask = |w: &usize| self.ask(*w, node, move |r, value| r.set_param(index, value), value.clone());
        self.nodes[node].workers.iter().try_for_each(|w| ask(w)?)
    }

    /// All parameters of a node with their present values, readbacks included.
    ///
    /// # Errors
    /// [`ParamError`] when there is no such node, or it does not answer within 5 s.
    pub fn params(&self, node: &str) -> Result<Vec<(&'static ParamSpec, Value)>, ParamError> {
        let node = self.graph.node(node).map_err(ParamError::new)?;
        let specs = self.graph.nodes[node].node_type.param_specs();
        let values = self.ask(self.nodes[node].workers[0], node, |r, ()| r.params(), ())?;
        Ok(specs.iter().zip(values).collect())
    }

    /// Runs `visit` on the node itself, between two of its frames: for nodes that keep more than parameters,
    /// such as the newest picture.
    ///
    /// # Errors
    /// [`ParamError`] when there is no such node, it is no `N`, or it does not answer within 5 s.
    pub fn visit<N: 'static, R: Send + 'static>(
        &self,
        node: &str,
        visit: impl FnOnce(&mut N) -> R + Send + 'static,
    ) -> Result<R, ParamError> {
        let number = self.graph.node(node).map_err(ParamError::new)?;
        let found = self.ask(
            self.nodes[number].workers[0],
            number,
            |r, visit: Box<dyn FnOnce(&mut N) -> R + Send>| r.node().downcast_mut().map(visit),
            Box::new(visit) as Box<_>,
        )?;
        found.ok_or_else(|| ParamError::new(format!("node `{node}` is of another type")))
    }

    /// Lets a worker do something with a node between frames, and waits for the answer.
    fn ask<A: Send + 'static, R: Send + 'static>(
        &self,
        worker: usize,
        node: usize,
        request: impl FnOnce(&mut Runner, A) -> R + Send + 'static,
        argument: A,
    ) -> Result<R, ParamError> {
        let answered = self.begin(worker, node, move |runner| request(runner, argument))?;
        let name = &self.graph.nodes[node].name;
        answered
            .recv_timeout(REQUEST_TIMEOUT)
            .map_err(|_| ParamError::new(format!("node `{name}` did not answer within 5 s")))
    }

    /// Lets a worker do something with a node between frames; the answer comes when it has.
    fn begin<R: Send + 'static>(
        &self,
        worker: usize,
        node: usize,
        request: impl FnOnce(&mut Runner) -> R + Send + 'static,
    ) -> Result<mpsc::Receiver<R>, ParamError> {
        let (answer, answered) = mpsc::sync_channel(1);
        let task: Task = Box::new(move |worker: &mut Worker| {
            if let Some(runner) = worker.find(node) {
                let _ = answer.send(request(runner));
            }
        });
        match self.handles[worker].send(task) {
            true => Ok(answered),
            false => Err(ParamError::new(format!("node `{}` has ended", self.graph.nodes[node].name))),
        }
    }

    // ---- Re-wiring ----

    /// Stops or resumes a node: nothing is offered to it, or, for a source, nothing is produced. What is
    /// queued is still handled.
    ///
    /// # Errors
    /// [`ParamError`] when there is no such node, or it does not answer within 5 s.
    pub fn set_enabled(&self, node: &str, enabled: bool) -> Result<(), ParamError> {
        let number = self.graph.node(node).map_err(ParamError::new)?;
        if self.graph.nodes[number].node_type.spec.kind == NodeKind::Source {
            return self.ask(self.nodes[number].workers[0], number, |r, paused| r.pause(paused), !enabled);
        }
        let books = lock(&self.books);
        books.edges().filter(|e| e.to.0 == number).for_each(|e| e.enabled.store(enabled, Ordering::Release));
        Ok(())
    }

    /// Takes an edge out of the running graph. Frames that are queued in it are still delivered.
    ///
    /// # Errors
    /// [`GraphError`] when there is no such edge, it leads to an inline node, or a node does not answer.
    pub fn disconnect(&self, from: &str, to: &str) -> Result<(), GraphError> {
        let from_port = self.graph.output(from).map_err(problem)?;
        let to_port = self.graph.input(to).map_err(problem)?;
        let is_it = |e: &&Arc<Edge>| e.from == from_port && e.to == to_port && e.is_open();
        let edge = lock(&self.books).edges().find(is_it).cloned();
        let edge = edge.ok_or_else(|| problem(format!("there is no edge from `{from}` to `{to}`")))?;
        self.refuse_inline(to_port.0)?;
        let worker = self.nodes[from_port.0].workers[0];
        let remove = move |r: &mut Runner, edge: Arc<Edge>| {
            r.with_outputs(|outputs| {
                outputs[edge.from.1].senders.retain(|s| !Arc::ptr_eq(&s.edge, &edge));
            });
            edge.detach();
        };
        self.ask(worker, from_port.0, remove, edge).map_err(|e| problem(e.to_string()))
    }

    /// Adds an edge to the running graph.
    ///
    /// # Errors
    /// [`GraphError`] when a port does not exist, the graph would not be acceptable with this edge, or a node
    /// does not answer.
    pub fn connect(&self, from: &str, to: &str, options: EdgeOptions) -> Result<(), GraphError> {
        let mut graph = self.graph.clone();
        graph.edges = lock(&self.books)
            .edges()
            .filter(|e| e.is_open() && e.reader().is_none())
            .map(|e| crate::graph::EdgeDecl { from: e.from, to: e.to, options: e.options })
            .collect();
        let number = graph.connect(from, to, options)?;
        let decl = graph.edges[number];
        self.refuse_inline(decl.to.0)?;
        let about_edge =
            |e: &GraphError| matches!(e.place, Place::Edge(_)) || e.place == Place::Node(decl.to.0);
        if let Some(error) = graph.check().err().and_then(|errors| errors.into_iter().find(about_edge)) {
            return Err(error);
        }
        let bells = |node: usize| -> Vec<_> {
            self.nodes[node].workers.iter().map(|w| self.handles[*w].bell.clone()).collect()
        };
        let edge = Arc::new(Edge::new(decl.from, decl.to, options, &bells(decl.from.0), &bells(decl.to.0)));
        for &worker in &self.nodes[decl.to.0].workers {
            let add = |r: &mut Runner, edge| r.add_input(edge);
            self.ask(worker, decl.to.0, add, edge.clone()).map_err(|e| problem(e.to_string()))?;
        }
        lock(&self.books).add(edge.clone());
        let attach = |r: &mut Runner, edge: Arc<Edge>| {
            r.with_outputs(|outputs| outputs[edge.from.1].senders.push(Sender::new(edge, Target::Queue)));
        };
        let attached = self.ask(self.nodes[decl.from.0].workers[0], decl.from.0, attach, edge.clone());
        attached.map_err(|e| {
            edge.close();
            problem(e.to_string())
        })
    }

    fn refuse_inline(&self, node: usize) -> Result<(), GraphError> {
        match self.graph.nodes[node].options.placement {
            Placement::Inline => {
                let name = &self.graph.nodes[node].name;
                Err(problem(format!("node `{name}` runs inline and cannot be re-wired while running")))
            }
            _ => Ok(()),
        }
    }

    // ---- Reading ----

    /// The current statistics and ledger.
    pub fn report(&self) -> Report {
        // Completed before received, so that a frame in the handler is received and not yet completed.
        let completed: Vec<u64> = self.nodes.iter().map(NodeInfo::completed).collect();
        let edges = lock(&self.books).accounts(&self.graph);
        let clock = &self.shared.clock;
        let mut threads = thread_reports(&self.nodes, self.handles.iter().map(|h| &**h));
        for (thread, handle) in threads.iter_mut().zip(&self.handles) {
            (thread.cpu_ns, thread.delayed_ns) = handle.times.cpu_and_delay_ns().unzip();
        }
        let nodes = self.nodes.iter().enumerate().zip(completed);
        let nodes =
            nodes.map(|((n, info), done)| info.report(&self.graph, n, done, &edges, &threads)).collect();
        let (events, events_dropped) = self.shared.control.events();
        Report {
            elapsed_ns: clock.now_ns() - self.start_ns,
            finished: self.is_finished(),
            failure: self.shared.control.failure(),
            unfinished: self.shared.control.unfinished(),
            nodes,
            edges,
            cores: cores(),
            pool: self.shared.pool.statistics(),
            cpu_ns: threads.iter().map(|t| t.cpu_ns).sum(),
            threads,
            events,
            events_dropped,
            events_repeated: self.shared.control.repeated(),
        }
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
    let mut wired = wiring::wire(graph, &plan, shared).map_err(|e| vec![of_node(e)])?;
    let sources = graph.nodes.iter().filter(|n| n.node_type.spec.kind == NodeKind::Source).count();
    shared.control.live_sources.store(sources, Ordering::Release);
    wiring::start_all(&mut wired).map_err(|e| vec![of_node(e)])?;
    Ok(wired)
}

fn problem(message: String) -> GraphError {
    GraphError { place: Place::Graph, message, cause: None }
}

fn of_node(error: NodeError) -> GraphError {
    GraphError { cause: error.cause.clone(), ..problem(error.in_full()) }
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
    let runs = |node: &usize, thread: usize| nodes[*node].workers.contains(&thread);
    let report = |(thread, handle): (usize, &WorkerHandle)| ThreadReport {
        name: handle.name.clone(),
        nodes: (0..nodes.len()).filter(|node| runs(node, thread)).collect(),
        cpu_ns: None,
        delayed_ns: None,
    };
    handles.enumerate().map(report).collect()
}

impl NodeInfo {
    /// Frames whose handlers came to a good end.
    pub(crate) fn completed(&self) -> u64 {
        self.accounts.iter().map(|account| account.all_completed()).sum()
    }

    /// `completed` was read before `edges`, which hold what the node has received.
    pub(crate) fn report(
        &self,
        graph: &Graph,
        node: usize,
        completed: u64,
        edges: &[EdgeAccount],
        threads: &[ThreadReport],
    ) -> NodeReport {
        let decl = &graph.nodes[node];
        let accounts = &self.accounts;
        let sum = |field: fn(&NodeAccount) -> u64| accounts.iter().map(|a| field(a)).sum();
        let times =
            |pick: fn(&NodeAccount) -> &Histogram| -> Times { summarise(accounts.iter().map(|a| pick(a))) };
        let incoming: Vec<&EdgeAccount> = edges.iter().filter(|e| e.nodes.1 == Some(node)).collect();
        let is_own = self.workers.iter().all(|w| threads[*w].nodes == [node]);
        let own_cpu = is_own.then(|| self.workers.iter().map(|w| threads[*w].cpu_ns).sum());
        let mut lost = BTreeMap::new();
        for (reason, count) in accounts.iter().flat_map(|a| a.losses()).filter(|(_, n)| *n > 0) {
            *lost.entry(reason).or_insert(0) += count;
        }
        NodeReport {
            name: decl.name.clone(),
            type_name: decl.node_type.spec.name,
            placement: decl.options.placement.clone(),
            parallel: decl.node_type.spec.parallel && incoming.len() == 1 && incoming[0].can_feed_a_pool(),
            threads: self.workers.iter().map(|w| threads[*w].name.clone()).collect(),
            received: incoming.iter().map(|e| e.delivered).sum(),
            completed,
            emitted: sum(|a| a.emitted.load(Relaxed)),
            lost,
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

/// The parameters of a node whose copies have all ended: those of the copy with the last frame, counts summed.
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
