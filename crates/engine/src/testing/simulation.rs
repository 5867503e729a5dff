//! A whole graph on one thread, in virtual time, with a schedule chosen by a seed.

use std::sync::Arc;

use livetime_frame::FramePool;
use livetime_runtime::{Clock, EdgeOptions, lock};

use super::Random;
use crate::control::RunControl;
use crate::graph::Graph;
use crate::graph_error::GraphError;
use crate::run::books::{Books, SharedBooks};
use crate::run::outlet::Links;
use crate::run::wiring::{NodeInfo, Orders, Shared};
use crate::run::{Outlet, Report, arm, node_reports, thread_reports, tracer};
use crate::services::Services;
use crate::trace::Tracer;
use crate::worker::Worker;
use crate::{Refusal, Value};

/// Runs a graph step by step: each step lets one thread, chosen at random among the threads with work, handle one
/// frame. When none has work, time moves on to the next deadline.
pub struct Simulation {
    graph: Graph,
    shared: Shared,
    nodes: Vec<NodeInfo>,
    books: SharedBooks,
    links: Arc<Links>,
    workers: Vec<Worker>,
    random: Random,
}

impl Simulation {
    /// Checks and arms a graph.
    ///
    /// # Errors
    /// As [`Run::start`](crate::Run::start).
    pub fn new(graph: &Graph, seed: u64) -> Result<Simulation, Vec<GraphError>> {
        Simulation::with(graph, seed, Orders::Stored)
    }

    /// As [`Simulation::new`], as a run that is [`repeatable`](crate::RunOptions::repeatable).
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn repeatable(graph: &Graph, seed: u64) -> Result<Simulation, Vec<GraphError>> {
        Simulation::with(graph, seed, Orders::Always)
    }

    fn with(graph: &Graph, seed: u64, orders: Orders) -> Result<Simulation, Vec<GraphError>> {
        let shared = Shared {
            clock: Clock::simulated(),
            control: Arc::new(RunControl::default()),
            pool: FramePool::new(graph.memory_bytes),
            statistics: true,
            max_frames: u64::MAX,
            remember_frames: false,
            cores: 1,
            orders,
            rehearsal: None,
            services: Services::default(),
            books: SharedBooks::default(),
        };
        let wired = arm(graph, &shared)?;
        *lock(&shared.books) = Books::new(wired.edges);
        let books = shared.books.clone();
        let handles: Vec<_> = wired.workers.iter().map(|worker| worker.handle.clone()).collect();
        let links = Arc::new(Links::new(graph, &wired.nodes, &handles, &books, &shared));
        Ok(Simulation {
            graph: graph.clone(),
            shared,
            books,
            links,
            nodes: wired.nodes,
            workers: wired.workers,
            random: Random::new(seed),
        })
    }

    /// One step. Returns false when everything has ended, or nothing can ever happen again.
    pub fn step(&mut self) -> bool {
        let now_ns = self.shared.clock.now_ns();
        let ready: Vec<usize> =
            (0..self.workers.len()).filter(|w| self.workers[*w].is_ready(now_ns)).collect();
        if !ready.is_empty() {
            let chosen = ready[self.random.below(ready.len())];
            self.workers[chosen].run_tasks();
            // One frame at a time, so that every order of frames is possible.
            self.workers[chosen].step(Some(1));
            return true;
        }
        match self.workers.iter().filter_map(Worker::deadline_ns).min() {
            Some(at_ns) if at_ns > now_ns => {
                self.shared.clock.advance(at_ns);
                true
            }
            _ => false,
        }
    }

    /// Steps until everything has ended, at most `limit` times. Returns whether it has.
    pub fn run_to_end(&mut self, limit: usize) -> bool {
        for _ in 0..limit {
            if !self.step() {
                break;
            }
        }
        self.is_finished()
    }

    /// True when all nodes have ended.
    pub fn is_finished(&self) -> bool {
        self.workers.iter().flat_map(|w| &w.runners).all(|r| r.finished)
    }

    /// Ends the sources.
    pub fn stop(&self) {
        self.shared.control.ask_to_stop();
    }

    /// Ends everything now.
    pub fn abort(&self) {
        self.shared.control.abort();
    }

    /// Stops or resumes offering frames to a node.
    pub fn set_enabled(&self, node: usize, enabled: bool) {
        let books = lock(&self.books);
        let edges = books.edges().filter(|e| e.to.0 == node);
        edges.for_each(|e| e.enabled.store(enabled, std::sync::atomic::Ordering::Release));
    }

    /// As [`Run::subscribe`](crate::Run::subscribe); the outlet must be read with a timeout of 0.
    ///
    /// # Errors
    /// As [`Run::subscribe`](crate::Run::subscribe).
    pub fn subscribe(&self, output: &str, options: EdgeOptions) -> Result<Outlet, GraphError> {
        Outlet::new(self.links.clone(), output, options)
    }

    /// Writes a parameter between frames.
    ///
    /// # Errors
    /// [`Refusal`] when node, parameter or value is refused.
    pub fn set(&mut self, node: &str, param: &str, value: &Value) -> Result<(), Refusal> {
        let number = self.graph.node(node)?;
        let specs = self.graph.nodes[number].node_type.param_specs();
        let index = crate::find(specs, param)?;
        let value = specs[index].accept(value)?;
        let runners = self.workers.iter_mut().filter_map(|w| w.find(number));
        runners.into_iter().try_for_each(|r| r.set_param(index, value.clone()))
    }

    /// Switches the trace on and off, and takes the recorded spans.
    pub fn tracer(&self) -> Tracer {
        tracer(&self.nodes, &self.shared.control)
    }

    /// Runs `visit` on a node.
    pub fn visit<N: 'static, R>(&mut self, node: &str, visit: impl FnOnce(&mut N) -> R) -> Option<R> {
        let number = self.graph.node(node).ok()?;
        let runner = self.workers.iter_mut().find_map(|w| w.find(number))?;
        runner.node().downcast_mut().map(visit)
    }

    /// Statistics and ledger as they are now.
    pub fn report(&self) -> Report {
        let finished = self.is_finished();
        if finished {
            lock(&self.books).end(true);
        }
        let completed: Vec<u64> = self.nodes.iter().map(NodeInfo::completed).collect();
        let edges = lock(&self.books).accounts(&self.graph);
        let (events, events_dropped) = self.shared.control.events();
        let threads = thread_reports(&self.nodes, self.workers.iter().map(|w| &*w.handle));
        let nodes = node_reports(&self.graph, &self.nodes, &completed, &edges, &threads);
        Report {
            elapsed_ns: self.shared.clock.now_ns(),
            finished,
            failure: self.shared.control.failure(),
            unfinished: self.shared.control.unfinished(),
            nodes,
            edges,
            cuts: Vec::new(),
            threads,
            // Virtual time passes for all threads at once.
            cores: self.workers.len(),
            pool: self.shared.pool.statistics(),
            cpu_ns: None,
            events,
            events_dropped,
            events_repeated: self.shared.control.repeated(),
        }
    }
}
