//! Looking at a node without waiting for it.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::Run;
use crate::node::LastFrame;
use crate::{ParamError, Value};

/// The state of a node, read between two of its frames.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The requested parameters, in that order.
    pub values: Vec<Value>,
    /// Its last frame, if the run remembers frames
    /// ([`RunOptions::remember_frames`](crate::RunOptions::remember_frames)): of a source the last one sent, else
    /// the last one received.
    pub last: Option<LastFrame>,
}

impl Run {
    /// Asks node number `node` for the parameters `params` (by number) and for its last frame. Returns at once;
    /// the answer comes when the node has handled the frame it is at. Of a pool the first copy answers.
    ///
    /// This is for programs that look at many nodes repeatedly: they do not wait for slow nodes, and a node
    /// is interrupted once for all its parameters.
    ///
    /// # Errors
    /// [`ParamError`] when the node has ended or does not exist.
    pub fn look(&self, node: usize, params: Arc<[usize]>) -> Result<Receiver<Snapshot>, ParamError> {
        let info = self.nodes.get(node);
        let worker = info.and_then(|n| n.workers.first()).copied();
        let worker = worker.ok_or_else(|| ParamError::new(format!("there is no node number {node}")))?;
        self.begin(worker, node, move |runner| runner.snapshot(&params))
    }

    /// As [`Run::visit`], by number of the node, but returns at once; the answer comes when the node has handled the frame it
    /// is at, and is `None` if the node is no `N`. Of a pool the first copy is visited.
    ///
    /// # Errors
    /// [`ParamError`] when the node has ended or does not exist.
    pub fn visit_later<N: 'static, R: Send + 'static>(
        &self,
        node: usize,
        visit: impl FnOnce(&mut N) -> R + Send + 'static,
    ) -> Result<Receiver<Option<R>>, ParamError> {
        let worker = self.nodes.get(node).and_then(|n| n.workers.first()).copied();
        let worker = worker.ok_or_else(|| ParamError::new(format!("there is no node number {node}")))?;
        self.begin(worker, node, move |runner| runner.node().downcast_mut().map(visit))
    }
}
