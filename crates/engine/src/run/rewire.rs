//! Edges that come and go while a graph runs.
//!
//! Both ends of an edge belong to threads of nodes, so each thread is asked between two of its frames. A node that
//! hangs does not answer: the caller gives up after 5 s, and then nothing has changed, nor will it when the node comes
//! back. Callers that re-wire other nodes meanwhile do not wait for that: the shared lock is held only while the graph
//! is checked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;

use livetime_runtime::{EdgeOptions, lock};

use super::{Outlet, Run};
use crate::edge::{Edge, Sender, Target};
use crate::graph::{EdgeDecl, Placement};
use crate::graph_error::{GraphError, GraphFault, Place};
use crate::runner::Runner;
use crate::{Refusal, RefusalKind};

impl Run {
    /// Connects an output, given as `node` (its first output) or `node.output`, to the calling program: an edge as
    /// any other, with its policy for a full queue, its thinning and its account in the ledger, whose receiver is the
    /// thread that holds the [`Outlet`].
    ///
    /// Returns at once. Frames come from the moment at which the node's thread has taken the edge in, which it does
    /// between two of its frames: see [`Outlet::wait_connected`], and
    /// [`RunOptions::hold_sources`](crate::RunOptions::hold_sources) for a program that must not miss the first
    /// frame.
    ///
    /// # Errors
    /// [`GraphError`] when there is no such output, or the options are not sound.
    pub fn subscribe(&self, output: &str, options: EdgeOptions) -> Result<Outlet, GraphError> {
        Outlet::new(self.links.clone(), output, options)
    }

    /// Takes an edge out of the running graph. Frames that are queued in it are still delivered.
    ///
    /// Waits for the thread of the sending node to come to it: not for a thread that others wait for.
    ///
    /// # Errors
    /// [`GraphError`] when there is no such edge, it leads to an inline node, or a node does not answer within 5 s; then the edge
    /// stays.
    pub fn disconnect(&self, from: &str, to: &str) -> Result<(), GraphError> {
        let from_port = self.graph.output(from)?;
        let to_port = self.graph.input(to)?;
        let is_it = |e: &&Arc<Edge>| e.from == from_port && e.to == to_port && e.is_open();
        let edge = lock(&self.books).edges().find(is_it).cloned();
        let edge = edge.ok_or_else(|| GraphFault::NoEdge(from.into(), to.into()))?;
        self.refuse_inline(to_port.0)?;
        let worker = self.nodes[from_port.0].workers[0];
        self.ask_in_time(worker, from_port.0, move |runner| {
            runner.with_outputs(|outputs| {
                // The sender goes first, so that no frame enters after the receiver has seen the edge
                // detached.
                outputs[edge.from.1].senders.retain(|sender| !Arc::ptr_eq(&sender.edge, &edge));
            });
            edge.detach();
        })
    }

    /// Adds an edge to the running graph.
    ///
    /// Waits for the threads of both nodes to come to it: not for a thread that others wait for.
    ///
    /// # Errors
    /// [`GraphError`] when a port does not exist, the graph would not be acceptable with this edge, or a node
    /// does not answer within 5 s; then there is no such edge.
    pub fn connect(&self, from: &str, to: &str, options: EdgeOptions) -> Result<(), GraphError> {
        let edge = self.declare(from, to, options)?;
        // An edge that is detached is forgotten by the end that already has it.
        self.attach(&edge).inspect_err(|_| {
            edge.detach();
            lock(&self.books).forget(&edge);
        })
    }

    /// Checks an edge against the present graph. From here on it is part of the graph for every caller that checks
    /// another edge.
    fn declare(&self, from: &str, to: &str, options: EdgeOptions) -> Result<Arc<Edge>, GraphError> {
        let _wiring = lock(&self.wiring);
        let mut graph = self.graph.clone();
        graph.edges = lock(&self.books)
            .edges()
            .filter(|e| e.is_open() && e.reader().is_none())
            .map(|e| EdgeDecl { from: e.from, to: e.to, options: e.options })
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
        let edge = Edge::new(decl.from, decl.to, options, &bells(decl.from.0), &bells(decl.to.0));
        let edge = Arc::new(edge.with_places());
        lock(&self.books).add(edge.clone());
        Ok(edge)
    }

    /// Gives the edge to its receiver, to each copy of it, and then to its sender.
    fn attach(&self, edge: &Arc<Edge>) -> Result<(), GraphError> {
        let (from, to) = (edge.from.0, edge.to.0);
        for &worker in &self.nodes[to].workers {
            let edge = edge.clone();
            self.ask_in_time(worker, to, move |runner| match runner.finished {
                // The receiver has ended, so that no thread would take frames from this edge.
                true => edge.abandon(&mut 0),
                false => runner.add_input(edge),
            })?;
        }
        let edge = edge.clone();
        self.ask_in_time(self.nodes[from].workers[0], from, move |runner| match runner.finished {
            // The sender has ended, so that no frame will come and no thread would close the edge.
            true => edge.end(),
            false => runner.with_outputs(|outputs| {
                outputs[edge.from.1].connect(Sender::new(edge, Target::Queue));
            }),
        })
    }

    /// Lets a worker do something with a node between frames, and waits for the result. Work that was not begun in time
    /// never will be.
    fn ask_in_time(
        &self,
        worker: usize,
        node: usize,
        request: impl FnOnce(&mut Runner) + Send + 'static,
    ) -> Result<(), GraphError> {
        // Set by the first of two threads: the node's thread, which then carries the request out, or this one, which then
        // gives up. So a late node cannot carry out a request that was reported as failed.
        let is_taken = Arc::new(AtomicBool::new(false));
        let taking = is_taken.clone();
        let done = self.begin(worker, node, move |runner| {
            if !taking.swap(true, Ordering::AcqRel) {
                request(runner);
            }
        });
        let done = done?;
        let answer = match self.answer(&done) {
            // The node's thread came first: it carries the request out just now.
            Err(RecvTimeoutError::Timeout) if is_taken.swap(true, Ordering::AcqRel) => {
                done.recv().map_err(|_| RecvTimeoutError::Disconnected)
            }
            answer => answer,
        };
        let name = || self.graph.nodes[node].name.clone();
        let kind = |error| match error {
            RecvTimeoutError::Timeout => RefusalKind::NoAnswer(name()),
            RecvTimeoutError::Disconnected => RefusalKind::Ended(name()),
        };
        answer.map_err(|error| Refusal::new(kind(error)).into())
    }

    fn refuse_inline(&self, node: usize) -> Result<(), GraphError> {
        match self.graph.nodes[node].options.placement {
            Placement::Inline => Err(GraphFault::Inline(self.graph.nodes[node].name.clone()).into()),
            _ => Ok(()),
        }
    }
}
