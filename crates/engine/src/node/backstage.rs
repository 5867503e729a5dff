//! The state behind the context, and its functions for the engine. `context.rs` has the functions for authors of nodes.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use livetime_frame::{Allocator, Frame, PoolExhausted};
use livetime_runtime::statistics::add;
use livetime_runtime::{Clock, Doorbell, Event};

use super::NodeError;
use super::last_frame::LastFrame;
use super::source_watch::SourceWatch;
use super::under_way::Ledger;
use crate::account::NodeAccount;
use crate::control::RunControl;
use crate::edge::{Output, Outputs};
use crate::order::Order;
use crate::services::Services;
use crate::spans::Visit;

/// A node that has waited for memory for this long reports it. In a working graph memory comes back as fast
/// as frames are handled.
const LONG_WAIT_NS: u64 = 1_000_000_000;

/// How many frames with these numbers the edges on the way to a node have left out on purpose.
pub(crate) type Way = Box<dyn Fn(&RangeInclusive<u64>) -> u64 + Send + Sync>;

/// The engine's services for a node while it handles a message: memory, outputs, time.
pub struct Context {
    pub(crate) name: Arc<str>,
    pub(crate) clock: Clock,
    pub(crate) allocator: Allocator,
    pub(crate) outputs: Outputs,
    pub(crate) timer: Option<u64>,
    pub(crate) order: Order,
    pub(crate) account: Arc<NodeAccount>,
    pub(crate) control: Arc<RunControl>,
    pub(crate) bell: Arc<Doorbell>,
    /// Present in sources.
    pub(crate) source: Option<SourceWatch>,
    /// Whether to keep times at all.
    pub(crate) statistics: bool,
    /// Whether the clock is read for frames that are emitted now.
    pub(crate) timed: bool,
    pub(crate) wait_for_memory: bool,
    /// A source ends after this many frames.
    pub(crate) max_frames: u64,
    /// Whether to keep `last`.
    pub(crate) remember_frames: bool,
    /// A description of the last frame: the last one sent by a source, or received by another node.
    pub(crate) last: Option<LastFrame>,
    /// Sources: when the frame that comes next was begun.
    pub(crate) begun_ns: u64,
    /// When the frame that is handled was queued; 0 if that is unknown.
    pub(crate) queued_ns: u64,
    /// The node and its output that have sent the frame that is handled.
    pub(crate) sender: (usize, usize),
    pub(crate) services: Services,
    /// `None` without a graph.
    pub(crate) way: Option<Way>,
    /// Frames of this call that an [`UnderWay`](super::UnderWay) speaks for.
    pub(crate) kept: u64,
    pub(crate) ledger: Option<Arc<Ledger>>,
}

impl Context {
    pub(super) fn ledger(&mut self) -> &Arc<Ledger> {
        self.ledger.get_or_insert_with(|| {
            let (account, control) = (self.account.clone(), self.control.clone());
            Arc::new(Ledger { account, control, clock: self.clock.clone(), node: self.name.clone() })
        })
    }

    pub(super) fn event(&self, is_error: bool, message: String) {
        let (at_ns, node) = (self.clock.now_ns(), self.name.to_string());
        self.control.tell(Event { at_ns, node, is_error, message, cause: None });
    }

    pub(super) fn allocate<T>(
        &mut self,
        mut make: impl FnMut(&mut Allocator) -> Result<T, PoolExhausted>,
    ) -> Result<T, NodeError> {
        let mut since_ns = 0;
        loop {
            match make(&mut self.allocator) {
                Ok(made) => return Ok(made),
                // Frames return on any thread without a signal to this one, so it checks again after a while.
                // 100 us is far below the time in which a queue fills again.
                Err(error) if self.may_wait() => {
                    // Frames that this handler has sent hold memory too, and return only after their
                    // receivers see them.
                    self.tell_receivers();
                    self.promise_all();
                    self.tell_long_wait(&mut since_ns, error);
                    std::thread::sleep(Duration::from_micros(100));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reports a long wait for memory once. `since_ns` is the begin of the wait; 0 if it has not begun.
    fn tell_long_wait(&self, since_ns: &mut u64, error: PoolExhausted) {
        let now_ns = self.clock.now_ns().max(1);
        match *since_ns {
            0 => *since_ns = now_ns,
            since if since < now_ns && now_ns - since > LONG_WAIT_NS => {
                // The recovery is reported when the node has worked for a while.
                self.account.is_troubled.store(true, Ordering::Relaxed);
                self.tell_exhausted(format!("waits for memory: {error}"));
                *since_ns = u64::MAX;
            }
            _ => {}
        }
    }

    /// Reports that the frame pool has refused a frame, and which nodes and edges hold the others.
    pub(crate) fn tell_exhausted(&self, message: String) {
        let (at_ns, node) = (self.clock.now_ns(), self.name.to_string());
        self.control.tell_exhausted(Event { at_ns, node, is_error: true, message, cause: None });
    }

    pub(super) fn may_wait(&self) -> bool {
        // A run that stops needs no new frame. In virtual time no other thread could give memory back.
        self.wait_for_memory && !self.control.is_stopping() && !self.clock.is_simulated()
    }

    #[cold]
    pub(super) fn trace_source(&self, sequence: u64, end_ns: u64) {
        let source = self.source.as_ref().map_or(0, |source| source.id.0);
        let (queued_ns, start_ns) = (self.begun_ns, self.begun_ns);
        self.account.spans.put(&Visit { from: None, source, sequence, queued_ns, start_ns, end_ns });
    }

    pub(super) fn stamp(&self) -> u64 {
        if self.timed { self.clock.now_ns() } else { 0 }
    }

    pub(super) fn send(&mut self, output: usize, frame: Frame, stamp_ns: u64) -> Result<(), NodeError> {
        // Counted before it is offered, so that no reading has more frames behind a node than the node has emitted.
        add(&self.account.emitted, 1);
        self.announce();
        match &mut self.outputs {
            Outputs::Held(held) => {
                held.push((output, frame));
                Ok(())
            }
            Outputs::Direct(outputs) => match outputs.get_mut(output) {
                Some(output) => output
                    .send(frame, stamp_ns, &self.clock, &self.control, &self.bell)
                    .map_err(NodeError::new),
                None => Err(NodeError::new(format_args!("there is no output number {output}"))),
            },
        }
    }

    /// Sends a frame that counts as sent already.
    pub(crate) fn pass_on(&mut self, output: usize, frame: Frame) -> Result<(), NodeError> {
        self.announce();
        let stamp_ns = self.stamp();
        let Outputs::Direct(outputs) = &mut self.outputs else { return Ok(()) };
        let Some(output) = outputs.get_mut(output) else { return Ok(()) };
        output.send(frame, stamp_ns, &self.clock, &self.control, &self.bell).map_err(NodeError::new)
    }

    /// Before a frame is sent: its place in the order of the data, where there is this order.
    #[inline(always)]
    pub(super) fn announce(&mut self) {
        if self.order.is_on {
            self.announce_place();
        }
    }

    /// A node that will wait for room also promises how far it has come: another input of the node that it waits for may wait for
    /// just this promise.
    #[cold]
    fn announce_place(&mut self) {
        // The place itself is not promised: this handler may send more frames of it.
        let place = self.order.place;
        let Outputs::Direct(outputs) = &mut self.outputs else { return };
        outputs.iter_mut().for_each(|output| output.go_to(place));
        if self.order.is_joined && !outputs.iter().all(Output::is_ready) {
            self.promise(place.saturating_sub(1));
        }
    }

    /// The same of a node that will wait for memory.
    fn promise_all(&mut self) {
        if self.order.is_joined {
            // A source asks for memory for its next frame, so that the last place is done; any other node is still at its
            // place.
            let is_sent = self.source.is_some();
            self.promise(if is_sent { self.order.place } else { self.order.place.saturating_sub(1) });
        }
    }

    /// Promises all receivers that no frame of this place or an earlier one will come any more.
    pub(crate) fn promise(&mut self, place: u64) {
        if place > self.order.promised {
            self.order.promised = place;
            if let Outputs::Direct(outputs) = &mut self.outputs {
                outputs.iter_mut().for_each(|output| output.promise(place));
            }
        }
    }

    pub(crate) fn emitted(&self) -> u64 {
        self.account.emitted.load(Ordering::Relaxed)
    }

    /// Wakes the receivers of frames that the handler has sent. Called after the handler.
    pub(crate) fn tell_receivers(&mut self) {
        if let Outputs::Direct(outputs) = &mut self.outputs {
            outputs.iter_mut().for_each(Output::tell);
        }
    }
}
