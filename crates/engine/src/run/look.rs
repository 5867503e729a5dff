//! Looking at a node without waiting for it.

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use super::{REQUEST_TIMEOUT, Run};
use crate::node::Snapshot;
use crate::{Refusal, RefusalKind, Value};

impl Run {
    /// Asks node number `node` for the parameters `params` (by number) and for its last frame. Returns at once;
    /// the answer comes when the node has handled the frame it is at. Of a pool the first copy answers.
    ///
    /// For programs that look at many nodes repeatedly: they do not wait for slow nodes, and a node is interrupted once
    /// for all its parameters.
    ///
    /// # Errors
    /// [`Refusal`] when the node has ended or does not exist.
    pub fn look(&self, node: usize, params: Arc<[usize]>) -> Result<Receiver<Snapshot>, Refusal> {
        let info = self.nodes.get(node);
        let worker = info.and_then(|n| n.workers.first()).copied();
        let worker = worker.ok_or_else(|| Refusal::new(RefusalKind::NodeNumber(node)))?;
        self.begin(worker, node, move |runner| runner.snapshot(&params))
    }

    /// As [`Run::set`], by number of the node and of the parameter, but returns at once; the answer comes after the
    /// frame that the node handles now. In a pool the first copy takes the value.
    ///
    /// # Errors
    /// [`Refusal`] when the node has ended or does not exist, or the value cannot be accepted.
    pub fn set_later(
        &self,
        node: usize,
        param: usize,
        value: &Value,
    ) -> Result<Receiver<Result<(), Refusal>>, Refusal> {
        let decl = self.graph.nodes.get(node).zip(self.nodes.get(node));
        let (decl, info) = decl.ok_or_else(|| Refusal::new(RefusalKind::NodeNumber(node)))?;
        let spec = decl.node_type.param_specs().get(param).ok_or_else(|| Refusal::unknown_index(param))?;
        let value = spec.accept_in_run(value)?;
        self.begin(info.workers[0], node, move |runner| runner.set_param(param, value))
    }

    /// Lets a node handle its last frame once more, as if it came again: it counts as offered and delivered again.
    ///
    /// A node keeps its last frame only after it was asked once, because a frame that is kept is memory that its source
    /// lacks; so the first call is refused.
    ///
    /// # Errors
    /// [`Refusal`] when the node has no frame, runs in a pool, has no room behind it, does not exist, has ended, or
    /// does not answer within 5 s.
    pub fn process_again(&self, node: &str) -> Result<(), Refusal> {
        let number = self.graph.node(node)?;
        let worker = self.nodes[number].workers[0];
        self.ask(worker, number, |runner, ()| runner.process_again(), ())?
    }

    /// Lets a node make `count` buffers of the size of its last frame now, so that frames to come need not.
    ///
    /// # Errors
    /// [`Refusal`] when the node knows no frame, the buffers do not fit into the pool, or the node does not exist, has
    /// ended, or does not answer within 5 s.
    pub fn preallocate(&self, node: &str, count: usize) -> Result<(), Refusal> {
        let number = self.graph.node(node)?;
        let worker = self.nodes[number].workers[0];
        self.ask(worker, number, |runner, count| runner.preallocate(count), count)?
    }

    /// Lets all nodes give memory for frames that is not in use back to the operating system. Returns the number of
    /// buffers. A node that has ended, or does not answer within 5 s, keeps its own.
    pub fn release_free_memory(&self) -> usize {
        let nodes = self.nodes.iter().enumerate();
        let workers =
            nodes.flat_map(|(number, node)| node.workers.iter().map(move |worker| (number, *worker)));
        // All are asked first, so that one that hangs is waited for once.
        let asked: Vec<_> = workers
            .filter_map(|(number, worker)| self.begin(worker, number, |r| r.release_free()).ok())
            .collect();
        let deadline = Instant::now() + REQUEST_TIMEOUT;
        let left = || deadline.saturating_duration_since(Instant::now());
        asked.into_iter().filter_map(|answer| answer.recv_timeout(left()).ok()).sum()
    }

    /// As [`Run::visit`], by number of the node, but returns at once; the answer comes when the node has handled the frame it
    /// is at, and is `None` if the node is no `N`. Of a pool the first copy is visited.
    ///
    /// # Errors
    /// [`Refusal`] when the node has ended or does not exist.
    pub fn visit_later<N: 'static, R: Send + 'static>(
        &self,
        node: usize,
        visit: impl FnOnce(&mut N) -> R + Send + 'static,
    ) -> Result<Receiver<Option<R>>, Refusal> {
        let worker = self.nodes.get(node).and_then(|n| n.workers.first()).copied();
        let worker = worker.ok_or_else(|| Refusal::new(RefusalKind::NodeNumber(node)))?;
        self.begin(worker, node, move |runner| runner.node().downcast_mut().map(visit))
    }
}
