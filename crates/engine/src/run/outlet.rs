//! Edges that lead out of the graph, to a thread of the program.

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use livetime_frame::Frame;
use livetime_runtime::{Clock, Doorbell, EdgeOptions, WaitStrategy, Waiting, WhenFull, lock};

use super::books::SharedBooks;
use super::wiring::{NodeInfo, Shared};
use crate::control::RunControl;
use crate::edge::{Edge, Reader, Sender, Target, nanoseconds};
use crate::graph::{Graph, check_edge};
use crate::graph_error::GraphError;
use crate::runner::Runner;
use crate::worker::{Task, Worker, WorkerHandle};

/// State shared by a run and its outlets, which may outlive it.
pub(crate) struct Links {
    pub(crate) graph: Graph,
    /// The workers that run each node.
    pub(crate) workers: Vec<Vec<usize>>,
    pub(crate) handles: Vec<Arc<WorkerHandle>>,
    pub(crate) books: SharedBooks,
    pub(crate) control: Arc<RunControl>,
    pub(crate) clock: Clock,
}

/// The receiving end of an edge out of a running graph: [`Run::subscribe`](crate::Run::subscribe) makes one.
///
/// It belongs to one thread at a time, which may be any. The ledger has its edge as `node.output -> (outlet)`; all
/// edges from one output with one policy are one account, ended ones included, and offered = delivered + lost + queued
/// holds at every reading. A frame is delivered when [`recv`](Outlet::recv) hands it out.
///
/// Its policy acts as between nodes: with `block`, a program that does not read holds up the graph. When the run is
/// asked to stop, it waits for such a reader only as long as its [patience](Outlet::set_patience) lasts; when its
/// sources end by themselves, it waits until all frames are received.
///
/// After the end of the run the frames that are still queued can be received, then [`OutletError::Ended`] comes.
///
/// ```no_run
/// use std::time::Duration;
/// use livetime_engine::{EdgeOptions, OutletError, Run, WhenFull};
///
/// fn watch(run: &Run) -> Result<(), Box<dyn std::error::Error>> {
///     let newest = EdgeOptions { when_full: WhenFull::Latest, max_rate_hz: Some(10.0), ..EdgeOptions::default() };
///     let mut outlet = run.subscribe("detector", newest)?;
///     loop {
///         match outlet.recv(Duration::from_secs(1)) {
///             Ok(frame) => println!("frame {}", frame.header().sequence),
///             Err(OutletError::TimedOut) => println!("nothing for a second"),
///             Err(OutletError::Ended) => return Ok(()),
///         }
///     }
/// }
/// ```
pub struct Outlet {
    links: Arc<Links>,
    options: EdgeOptions,
    line: Option<Line>,
    bell: Arc<Doorbell>,
    waiting: Waiting,
    /// The thread that the bell wakes.
    thread: Option<ThreadId>,
    patience: Option<Duration>,
    is_paused: bool,
}

/// One edge out of the graph.
struct Line {
    edge: Arc<Edge>,
    known_tail: u64,
}

/// Why an outlet has no frame to give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutletError {
    /// No frame arrived in the given time.
    TimedOut,
    /// No frame will come any more: the node has ended, and all frames were received.
    Ended,
}

impl fmt::Display for OutletError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OutletError::TimedOut => "no frame came in time",
            OutletError::Ended => "the node has ended, and all its frames are received",
        })
    }
}

impl std::error::Error for OutletError {}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outlet").field("options", &self.options).field("is_paused", &self.is_paused).finish()
    }
}

impl Outlet {
    pub(crate) fn new(links: Arc<Links>, output: &str, options: EdgeOptions) -> Result<Outlet, GraphError> {
        check_edge(&options)?;
        // The reader is one more thread than the run's own.
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let may_spin = links.handles.len() < cores;
        let mut outlet = Outlet {
            links,
            options,
            line: None,
            bell: Arc::default(),
            waiting: Waiting::new(WaitStrategy::Adaptive, may_spin),
            thread: None,
            patience: None,
            is_paused: false,
        };
        outlet.connect(output)?;
        Ok(outlet)
    }

    // ---- Receiving ----

    /// The oldest frame that waits, or the first that comes within `timeout`. With a timeout of 0 it does not wait.
    ///
    /// # Errors
    /// [`OutletError::TimedOut`] when none came; [`OutletError::Ended`] when none will come any more, at once.
    pub fn recv(&mut self, timeout: Duration) -> Result<Frame, OutletError> {
        let start_ns = self.links.clock.now_ns();
        let until_ns = start_ns.saturating_add(nanoseconds(timeout));
        loop {
            // The end is read before the queue: frames that were sent before the end are then visible in the queue.
            let has_ended = self.has_ended();
            if let Some(frame) = self.take() {
                return Ok(frame);
            }
            if has_ended {
                return Err(OutletError::Ended);
            }
            if timeout.is_zero() || self.links.clock.now_ns() >= until_ns {
                return Err(OutletError::TimedOut);
            }
            self.wait(until_ns);
        }
    }

    /// As [`Outlet::recv`], and all frames that wait behind it, `most` at the most: one look at the queue for many
    /// frames. They are appended to `frames`. Returns how many; 0 only when `most` is 0.
    ///
    /// # Errors
    /// As [`Outlet::recv`].
    pub fn recv_many(
        &mut self,
        frames: &mut Vec<Frame>,
        most: usize,
        timeout: Duration,
    ) -> Result<usize, OutletError> {
        // `recv` would take a frame that the caller does not want.
        if most == 0 {
            return Ok(0);
        }
        frames.push(self.recv(timeout)?);
        let more = std::iter::from_fn(|| self.take()).take(most - 1);
        let before = frames.len();
        frames.extend(more);
        Ok(1 + frames.len() - before)
    }

    fn take(&mut self) -> Option<Frame> {
        let line = self.line.as_mut()?;
        if self.options.when_full == WhenFull::Block
            && let Some(reader) = line.edge.reader()
        {
            reader.asks();
        }
        let taken = line.edge.take(&mut line.known_tail)?;
        if taken.stamp_ns != 0 {
            line.edge.record_waiting(0, self.links.clock.now_ns().saturating_sub(taken.stamp_ns));
        }
        Some(taken.frame)
    }

    fn reader(&self) -> Option<&Reader> {
        self.line.as_ref()?.edge.reader()
    }

    fn has_ended(&self) -> bool {
        self.line.as_ref().is_none_or(|line| line.edge.is_closed())
    }

    fn wait(&mut self, until_ns: u64) {
        // The outlet may have moved to another thread since it waited last.
        let thread = std::thread::current().id();
        if self.thread.replace(thread) != Some(thread) {
            self.bell.adopt_thread();
        }
        let Some(line) = &self.line else { return };
        let is_ready = |_| line.edge.queued() > 0 || line.edge.is_closed();
        self.waiting.wait(&self.links.clock, &self.bell, is_ready, || Some(until_ns));
    }

    // ---- Wiring ----

    /// True when the node has the edge: every frame that it sends from now on is offered.
    pub fn is_connected(&self) -> bool {
        self.reader().is_some_and(Reader::is_connected)
    }

    /// Waits until the node has the edge, at most for `limit`. Returns whether it has; a node that has ended never
    /// will.
    pub fn wait_connected(&self, limit: Duration) -> bool {
        let start = Instant::now();
        while !self.is_connected() && !self.has_ended() && start.elapsed() < limit {
            // The node takes the edge between two frames, once: polling costs little.
            std::thread::sleep(Duration::from_micros(50));
        }
        self.is_connected()
    }

    /// Leaves the present output for another one, given as for [`Run::subscribe`](crate::Run::subscribe); options,
    /// pause and patience stay. Queued frames of the present output are lost, as with [`Outlet::close`]: from now on
    /// only frames of the other one come.
    ///
    /// Returns at once.
    ///
    /// # Errors
    /// [`GraphError`] when there is no such output; the outlet stays where it is.
    pub fn connect(&mut self, output: &str) -> Result<(), GraphError> {
        let from = self.links.graph.output(output)?;
        // After the look-up: a wrong name leaves the present line as it is.
        self.hang_up();
        let edge = Arc::new(self.links.edge(from, self.options, &self.bell));
        if let (Some(patience), Some(reader)) = (self.patience, edge.reader()) {
            reader.set_patience(patience);
        }
        // A paused outlet stays paused at another output.
        edge.enabled.store(!self.is_paused, Ordering::Release);
        self.links.attach(&edge);
        self.line = Some(Line { edge, known_tail: 0 });
        Ok(())
    }

    /// From now on no frame is offered to this edge, so that it costs the graph nothing and no frame counts as lost.
    /// Queued frames can still be received. A sender that waits for room goes on without its frame.
    pub fn pause(&mut self) {
        self.set_paused(true);
    }

    /// Frames are offered again.
    pub fn resume(&mut self) {
        self.set_paused(false);
    }

    fn set_paused(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
        if let Some(line) = &self.line {
            line.edge.enabled.store(!is_paused, Ordering::Release);
            // A sender that waits at this edge need not wait while it is paused.
            line.edge.ring_sender();
        }
    }

    /// How long a run that is asked to stop, or has failed, waits at a full queue with the policy `block` for a frame
    /// to be asked for. Then the frames that find the queue full are lost (`queue_full`), and the run continues to its
    /// end. 2 s from the start; [`Duration::MAX`] waits until the run is aborted.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = Some(patience);
        if let Some(reader) = self.reader() {
            reader.set_patience(patience);
        }
    }

    /// Now on the run's clock, on which frames have the time of their entry, in ns.
    pub fn now_ns(&self) -> u64 {
        self.links.clock.now_ns()
    }

    /// Frames that wait.
    pub fn queued(&self) -> usize {
        self.line.as_ref().map_or(0, |line| line.edge.queued() as usize)
    }

    /// Takes the edge out of the graph. Frames that still wait are lost, as the program wants: the ledger has them as
    /// `closed`. Dropping the outlet does the same.
    pub fn close(mut self) {
        self.hang_up();
    }

    fn hang_up(&mut self) {
        let Some(Line { edge, mut known_tail }) = self.line.take() else { return };
        edge.close_by_reader(&mut known_tail);
        let (weak, from) = (Arc::downgrade(&edge), edge.from);
        // From here on only the sender may hold it; when the sender releases it, the account is closed.
        drop(edge);
        self.links.detach(weak, from);
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        self.hang_up();
    }
}

impl Links {
    pub(crate) fn new(
        graph: &Graph,
        nodes: &[NodeInfo],
        handles: &[Arc<WorkerHandle>],
        books: &SharedBooks,
        shared: &Shared,
    ) -> Links {
        Links {
            graph: graph.clone(),
            workers: nodes.iter().map(|node| node.workers.clone()).collect(),
            handles: handles.to_vec(),
            books: books.clone(),
            control: shared.control.clone(),
            clock: shared.clock.clone(),
        }
    }

    fn edge(&self, from: (usize, usize), options: EdgeOptions, bell: &Arc<Doorbell>) -> Edge {
        let bells: Vec<_> = self.workers[from.0].iter().map(|w| self.handles[*w].bell.clone()).collect();
        Edge::to_reader(from, options, &bells, bell, Reader::new(self.control.clone(), self.clock.clone()))
    }

    /// Hands the edge to its sender's thread. The books know it first, so that no frame is offered that they do not
    /// see.
    fn attach(&self, edge: &Arc<Edge>) {
        lock(&self.books).add(edge.clone());
        let (attaching, (node, output)) = (Attaching(Some(edge.clone())), edge.from);
        self.send(node, move |runner| attaching.attach(runner, output));
    }

    /// Takes the edge from its sender's thread, and closes its account.
    fn detach(&self, edge: Weak<Edge>, (node, output): (usize, usize)) {
        let books = self.books.clone();
        let is_sent = self.send(node, move |runner| {
            runner.with_outputs(|outputs| {
                if let Some(output) = outputs.get_mut(output) {
                    // The weak reference keeps the address from being used by another edge.
                    output.senders.retain(|sender| !std::ptr::eq(Arc::as_ptr(&sender.edge), edge.as_ptr()));
                }
            });
            lock(&books).settle();
        });
        // A node that has ended has released its edges.
        if !is_sent {
            lock(&self.books).settle();
        }
    }

    /// Lets the thread of a node do something with it between two frames. False when the node has ended.
    fn send(&self, node: usize, request: impl FnOnce(&mut Runner) + Send + 'static) -> bool {
        let task: Task = Box::new(move |worker: &mut Worker| {
            if let Some(runner) = worker.find(node) {
                request(runner);
            }
        });
        let first = self.workers[node].first().and_then(|worker| self.handles.get(*worker));
        first.is_some_and(|handle| handle.send(task))
    }
}

/// An edge on its way to its sender. If it does not arrive, because the node has ended, no frame will come.
struct Attaching(Option<Arc<Edge>>);

impl Attaching {
    fn attach(mut self, runner: &mut Runner, output: usize) {
        // Dropping `self` ends the edge.
        if runner.finished {
            return;
        }
        runner.with_outputs(|outputs| {
            if let (Some(output), Some(edge)) = (outputs.get_mut(output), self.0.take()) {
                if let Some(reader) = edge.reader() {
                    reader.set_connected();
                }
                output.connect(Sender::new(edge, Target::Queue));
            }
        });
    }
}

impl Drop for Attaching {
    fn drop(&mut self) {
        if let Some(edge) = &self.0 {
            edge.end();
        }
    }
}
