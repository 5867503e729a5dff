//! What the engine offers a node while it handles a message.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use livetime_frame::{
    Allocator, Bytes, Codec, Frame, FrameMut, FramePool, Layout, PoolExhausted, PoolStatistics, SourceId,
    TableLayout, ViewError,
};

use super::NodeError;
use super::under_way::{Ledger, UnderWay};
use crate::account::NodeAccount;
use crate::actors::Channels;
use crate::clock::Clock;
use crate::control::{Control, Event};
use crate::doorbell::Doorbell;
use crate::edge::{LossReason, Offer, Sender, Target};
use crate::run::LastFrame;
use crate::statistics::add;
use crate::sync::fence;
use crate::trace::Visit;

/// Memory, outputs, time: what the engine offers a node while it handles a message.
pub struct Context {
    pub(crate) name: Arc<str>,
    pub(crate) clock: Clock,
    pub(crate) allocator: Allocator,
    pub(crate) outputs: Outputs,
    pub(crate) timer: Option<u64>,
    pub(crate) account: Arc<NodeAccount>,
    pub(crate) control: Arc<Control>,
    pub(crate) bell: Arc<Doorbell>,
    /// Present in sources.
    pub(crate) source: Option<SourceWatch>,
    /// Whether to keep times at all.
    pub(crate) statistics: bool,
    /// Whether the clock is read for what is emitted now.
    pub(crate) timed: bool,
    pub(crate) wait_for_memory: bool,
    /// A source ends after this many frames.
    pub(crate) max_frames: u64,
    /// Whether to keep `last`.
    pub(crate) remember_frames: bool,
    /// What the last frame was: of a source the last one sent, else the last one received.
    pub(crate) last: Option<LastFrame>,
    /// Sources: when the frame that comes next was begun.
    pub(crate) begun_ns: u64,
    pub(crate) channels: Channels,
    /// Frames of this call that an [`UnderWay`] speaks for.
    pub(crate) kept: u64,
    pub(crate) ledger: Option<Arc<Ledger>>,
}

/// Where emitted frames go.
pub(crate) enum Outputs {
    /// Down the edges, at once.
    Direct(Vec<Output>),
    /// Kept until their turn comes (copies of a node in a pool), or until a test looks at them.
    Held(Vec<(usize, Frame)>),
}

impl Context {
    /// The node's name in the graph.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Now on the run's monotonic clock, in ns. Costs about 10 ns.
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// True when the run is ending and a long operation should be cut short.
    pub fn is_stopping(&self) -> bool {
        self.control.is_stopping()
    }

    /// Asks for [`Node::timer`](super::Node::timer) at `at_ns`, or takes the wish back. Costs nothing per frame.
    pub fn set_timer(&mut self, at_ns: Option<u64>) {
        self.timer = at_ns;
    }

    /// For one frame of this call of [`Node::frame`](super::Node::frame) or [`Node::frames`](super::Node::frames): what becomes of it is said
    /// later, whether the call fails or not. Costs two atomic additions per frame.
    pub fn under_way(&mut self) -> UnderWay {
        self.kept += 1;
        let ledger = self.ledger.get_or_insert_with(|| {
            let (account, control) = (self.account.clone(), self.control.clone());
            Arc::new(Ledger { account, control, clock: self.clock.clone(), node: self.name.clone() })
        });
        UnderWay::new(ledger.clone())
    }

    /// Records something worth telling: it appears in the log and in the report.
    pub fn tell(&self, message: impl Into<String>) {
        self.event(false, message.into());
    }

    /// As [`Context::tell`], for something that lost data or endangers the run.
    pub fn tell_error(&self, message: impl Into<String>) {
        self.event(true, message.into());
    }

    fn event(&self, is_error: bool, message: String) {
        let (at_ns, node) = (self.clock.now_ns(), self.name.to_string());
        self.control.tell(Event { at_ns, node, is_error, message });
    }

    /// An array from the node's own memory, to be written and emitted.
    ///
    /// When the pool is exhausted, a node with `when_exhausted: wait` waits here, and one with `drop` gets an
    /// error, which the ledger records as a loss.
    ///
    /// # Errors
    /// [`NodeError`] when the pool is exhausted.
    pub fn array(&mut self, layout: Layout) -> Result<FrameMut, NodeError> {
        self.allocate(|a| a.array(layout))
    }

    /// As [`Context::array`], but never waits, and nothing is lost when the pool is exhausted: for what is made ahead, and can as well
    /// be made later.
    pub fn array_ahead(&mut self, layout: Layout) -> Option<FrameMut> {
        self.allocator.array(layout).ok()
    }

    /// An array that `codec` made `len` bytes of; see [`Allocator::compressed`]. Else as [`Context::array`].
    ///
    /// # Errors
    /// [`NodeError`] when the pool is exhausted.
    pub fn compressed(&mut self, layout: Layout, codec: Codec, len: usize) -> Result<FrameMut, NodeError> {
        self.allocate(|a| a.compressed(layout, codec, len))
    }

    /// A table; else as [`Context::array`].
    ///
    /// # Errors
    /// [`NodeError`] when the pool is exhausted.
    pub fn table(&mut self, layout: &TableLayout) -> Result<FrameMut, NodeError> {
        self.allocate(|a| a.table(layout.clone()))
    }

    /// Bytes; else as [`Context::array`].
    ///
    /// # Errors
    /// [`NodeError`] when the pool is exhausted.
    pub fn bytes(&mut self, len: usize) -> Result<FrameMut, NodeError> {
        self.allocate(|a| a.bytes(len))
    }

    /// A value of any type, shared; else as [`Context::array`].
    ///
    /// # Errors
    /// [`NodeError`] when the pool is exhausted.
    pub fn value(&mut self, value: Arc<dyn Any + Send + Sync>) -> Result<FrameMut, NodeError> {
        self.allocate(|a| a.value(value.clone()))
    }

    /// A part of `of`, without copying; see [`Allocator::view`].
    ///
    /// # Errors
    /// [`NodeError`] when the part does not lie inside, or the pool is exhausted.
    pub fn view(&mut self, of: &Frame, layout: Layout, start: usize) -> Result<FrameMut, NodeError> {
        match self.allocator.view(of, layout, start) {
            Err(ViewError::Exhausted(_)) => self.allocate(|a| match a.view(of, layout, start) {
                Err(ViewError::Exhausted(e)) => Err(e),
                other => Ok(other),
            })?,
            other => other,
        }
        .map_err(NodeError::from)
    }

    /// A frame around memory from elsewhere, without a copy; see [`Allocator::adopt`].
    ///
    /// # Errors
    /// [`NodeError`] when layout and memory do not fit, or the pool is exhausted.
    pub fn adopt(&mut self, layout: Layout, bytes: Bytes) -> Result<FrameMut, NodeError> {
        self.allocate(|a| match a.adopt(layout, bytes.clone()) {
            Err(ViewError::Exhausted(e)) => Err(e),
            other => Ok(other),
        })?
        .map_err(NodeError::from)
    }

    /// The payload of `of` under a header of its own; see [`Allocator::relabel`].
    ///
    /// # Errors
    /// [`NodeError`] when the pool is exhausted.
    pub fn relabel(&mut self, of: &Frame) -> Result<FrameMut, NodeError> {
        self.allocate(|a| a.relabel(of))
    }

    /// Makes `count` buffers of `bytes` now, so that the first frames need not.
    ///
    /// # Errors
    /// [`NodeError`] when the pool is exhausted.
    pub fn preallocate(&mut self, bytes: usize, count: usize) -> Result<(), NodeError> {
        Ok(self.allocator.preallocate(bytes, count)?)
    }

    /// Makes as many buffers of `bytes` as the longest queue behind this node holds, and two, but leaves half of
    /// the pool alone. New memory costs more than a picture (the system clears it page by page), so a source that
    /// takes it when a queue grows falls behind just then.
    pub fn preallocate_for_queues(&mut self, bytes: usize) {
        let Outputs::Direct(outputs) = &self.outputs else { return };
        let longest = outputs.iter().flat_map(|o| &o.senders).map(|s| s.edge.capacity()).max();
        let Some(longest) = longest else { return };
        let affordable = self.allocator.limit_bytes() / 2 / FramePool::cost_bytes(bytes);
        // Without that memory the run goes all the same, only slower at first.
        let _ = self.allocator.preallocate(bytes, affordable.min(longest as usize + 2));
    }

    fn allocate<T>(
        &mut self,
        mut make: impl FnMut(&mut Allocator) -> Result<T, PoolExhausted>,
    ) -> Result<T, NodeError> {
        loop {
            match make(&mut self.allocator) {
                Ok(made) => return Ok(made),
                // Frames come back from any thread without a signal to us, so look again after a while.
                // 100 us is far below the time it takes to fill a queue again.
                Err(_) if self.may_wait() => {
                    // What this handler has sent holds memory too, and comes back only from those who see it.
                    self.tell_receivers();
                    std::thread::sleep(Duration::from_micros(100));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn may_wait(&self) -> bool {
        self.wait_for_memory && !self.control.is_stopping() && !self.clock.is_simulated()
    }

    /// How much of the run's memory is in use, and how often a frame was refused because there was none.
    pub fn pool_statistics(&self) -> PoolStatistics {
        self.allocator.pool_statistics()
    }

    /// The channels through which nodes talk to agents.
    pub fn channels(&self) -> &Channels {
        &self.channels
    }

    /// Sends a frame to everybody connected to the first output. Receivers see it when the handler returns, or
    /// when it has sent 16.
    ///
    /// # Errors
    /// [`NodeError`] when an edge with policy `fail` is full.
    pub fn emit(&mut self, frame: FrameMut) -> Result<(), NodeError> {
        self.emit_to(0, frame)
    }

    /// Sends a frame to everybody connected to output number `output`.
    ///
    /// # Errors
    /// [`NodeError`] when an edge with policy `fail` is full.
    pub fn emit_to(&mut self, output: usize, mut frame: FrameMut) -> Result<(), NodeError> {
        let sequence = frame.header().sequence;
        let is_traced = self.source.is_some() && self.statistics && self.control.is_traced(sequence);
        if let Some(source) = &mut self.source {
            self.timed = self.statistics && (source.is_next_timed() | is_traced);
        }
        let stamp_ns = self.stamp();
        if is_traced {
            self.trace_source(sequence, stamp_ns);
        }
        if let Some(source) = &mut self.source {
            if stamp_ns != 0 {
                self.begun_ns = stamp_ns;
            }
            let header = frame.header_mut();
            (header.source, header.entry_ns) = (source.id, stamp_ns);
            source.watch(sequence, stamp_ns, &self.account);
            if self.remember_frames {
                self.last = Some(LastFrame::of(frame.header(), frame.payload()));
            }
        }
        self.send(output, frame.freeze(), stamp_ns)
    }

    /// Sends a frame on as it came, to everybody connected to output number `output`.
    ///
    /// # Errors
    /// [`NodeError`] when an edge with policy `fail` is full.
    pub fn forward(&mut self, output: usize, frame: &Frame) -> Result<(), NodeError> {
        let stamp_ns = self.stamp();
        if let Outputs::Direct(outputs) = &mut self.outputs
            && let Some(output) = outputs.get_mut(output)
            && output.is_inline()
        {
            // Nobody keeps the frame beyond this call, so no reference needs to be counted.
            add(&self.account.emitted, 1);
            output.hand_over(frame, stamp_ns, &self.clock);
            return Ok(());
        }
        self.send(output, frame.clone(), stamp_ns)
    }

    #[cold]
    fn trace_source(&self, sequence: u64, end_ns: u64) {
        let source = self.source.as_ref().map_or(0, |source| source.id.0);
        let (queued_ns, start_ns) = (self.begun_ns, self.begun_ns);
        self.account.spans.put(&Visit { from: None, source, sequence, queued_ns, start_ns, end_ns });
    }

    fn stamp(&self) -> u64 {
        if self.timed { self.clock.now_ns() } else { 0 }
    }

    fn send(&mut self, output: usize, frame: Frame, stamp_ns: u64) -> Result<(), NodeError> {
        add(&self.account.emitted, 1);
        match &mut self.outputs {
            Outputs::Held(held) => {
                held.push((output, frame));
                Ok(())
            }
            Outputs::Direct(outputs) => match outputs.get_mut(output) {
                Some(output) => output.send(frame, stamp_ns, &self.clock, &self.control, &self.bell),
                None => Err(NodeError::new(format_args!("there is no output number {output}"))),
            },
        }
    }

    pub(crate) fn emitted(&self) -> u64 {
        self.account.emitted.load(Ordering::Relaxed)
    }

    /// After a handler: wakes the receivers of what it sent.
    pub(crate) fn tell_receivers(&mut self) {
        if let Outputs::Direct(outputs) = &mut self.outputs {
            outputs.iter_mut().for_each(Output::tell);
        }
    }

    /// Counts frames that the source knows it could not take, for example because a camera's buffer ran over.
    pub fn lost_at_source(&self, count: u64) {
        add(&self.account.source_gap, count);
    }
}

/// Watches that the numbers a source gives are contiguous, and that frames keep coming.
pub(crate) struct SourceWatch {
    pub(crate) id: SourceId,
    pub(crate) expected: Option<u64>,
    pub(crate) last_ns: u64,
    pub(crate) mean_gap_ns: u64,
    until_timed: u64,
    time_every: u64,
}

/// A source without a frame for this long, and for eight times its usual gap, is said to have stalled.
pub(crate) const STALL_NS: u64 = 500_000_000;

/// Handlers and intervals shorter than this are timed for some frames only.
pub(crate) const FAST_NS: u64 = 1_000;

impl SourceWatch {
    pub(crate) fn new(id: SourceId) -> SourceWatch {
        SourceWatch { id, expected: None, last_ns: 0, mean_gap_ns: 0, until_timed: 1, time_every: 1 }
    }

    fn watch(&mut self, sequence: u64, now_ns: u64, account: &NodeAccount) {
        match self.expected {
            Some(expected) if sequence > expected => {
                add(&account.sequence_jumps, 1);
                add(&account.source_gap, sequence - expected);
            }
            Some(expected) if sequence < expected => add(&account.sequence_repeats, 1),
            _ => {}
        }
        if now_ns != 0 {
            if self.expected.is_some() {
                self.watch_gap(now_ns - self.last_ns, account);
            }
            self.last_ns = now_ns;
        }
        self.expected = Some(self.expected.unwrap_or(0).max(sequence.saturating_add(1)));
    }

    /// Counts down to the next frame whose way is timed.
    fn is_next_timed(&mut self) -> bool {
        self.until_timed -= 1;
        if self.until_timed == 0 {
            self.until_timed = self.time_every;
        }
        self.until_timed == self.time_every
    }

    /// Frames that follow each other within less than a us are timed one in eight: reading the clock at every
    /// station would cost more than the stations do.
    pub(crate) fn adapt(&mut self, frames: u64, elapsed_ns: u64) {
        let every = if frames > 0 && elapsed_ns / frames < FAST_NS { 8 } else { 1 };
        if every != self.time_every {
            (self.time_every, self.until_timed) = (every, every);
        }
    }

    fn watch_gap(&mut self, gap_ns: u64, account: &NodeAccount) {
        if gap_ns > STALL_NS && gap_ns > 8 * self.mean_gap_ns {
            add(&account.stalls, 1);
        }
        if gap_ns > account.longest_gap_ns.load(Ordering::Relaxed) {
            account.longest_gap_ns.store(gap_ns, Ordering::Relaxed);
        }
        self.mean_gap_ns = if self.mean_gap_ns == 0 { gap_ns } else { (7 * self.mean_gap_ns + gap_ns) / 8 };
    }
}

/// One output of a node and the edges that leave it.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) senders: Vec<Sender>,
}

impl Output {
    /// True when a frame can be sent without waiting.
    pub(crate) fn is_ready(&self) -> bool {
        self.senders.iter().all(Sender::is_ready)
    }

    /// How many frames can be sent without waiting.
    pub(crate) fn room(&self) -> u64 {
        self.senders.iter().map(Sender::room).min().unwrap_or(u64::MAX)
    }

    /// Queues first, so that other threads can start; then the nodes that run inside this call.
    pub(crate) fn send(
        &mut self,
        frame: Frame,
        stamp_ns: u64,
        clock: &Clock,
        control: &Control,
        bell: &Arc<Doorbell>,
    ) -> Result<(), NodeError> {
        let queues = self.senders.iter().filter(|s| matches!(s.target, Target::Queue)).count();
        match (queues, self.senders.len() - queues) {
            (0, 0) => Ok(()),
            (0, _) => {
                self.hand_over(&frame, stamp_ns, clock);
                Ok(())
            }
            (_, 0) => self.queue(frame, queues, stamp_ns, clock, control, bell),
            _ => {
                let result = self.queue(frame.clone(), queues, stamp_ns, clock, control, bell);
                self.tell();
                self.hand_over(&frame, stamp_ns, clock);
                result
            }
        }
    }

    /// True when all receivers run inside the sender's call.
    fn is_inline(&self) -> bool {
        self.senders.iter().all(|s| matches!(s.target, Target::Inline(_)))
    }

    fn hand_over(&mut self, frame: &Frame, stamp_ns: u64, clock: &Clock) {
        for sender in self.senders.iter_mut().filter(|s| matches!(s.target, Target::Inline(_))) {
            if sender.wants(stamp_ns, clock) {
                sender.hand_over(frame, stamp_ns);
            }
        }
    }

    /// Wakes the receivers of what was queued. Called once after a handler, not once per frame: a handler
    /// that sends a batch wakes once.
    pub(crate) fn tell(&mut self) {
        let mut untold = false;
        for sender in &mut self.senders {
            untold |= sender.publish();
        }
        if untold {
            // One fence for all receivers: orders the queues' tails before the looks at the bells.
            fence(Ordering::SeqCst);
            self.senders.iter_mut().for_each(Sender::tell);
        }
    }

    fn queue(
        &mut self,
        frame: Frame,
        queues: usize,
        stamp_ns: u64,
        clock: &Clock,
        control: &Control,
        bell: &Arc<Doorbell>,
    ) -> Result<(), NodeError> {
        let mut shares = frame.split(queues);
        let mut result = Ok(());
        for number in 0..self.senders.len() {
            let sender = &mut self.senders[number];
            if !matches!(sender.target, Target::Queue) || !sender.wants(stamp_ns, clock) {
                continue;
            }
            let mut offer = sender.offer(&mut shares, stamp_ns);
            while offer == Offer::MustWait {
                let sender = &mut self.senders[number];
                if control.is_aborting() {
                    sender.give_up(LossReason::Refused);
                    break;
                }
                if clock.is_simulated() || sender.edge.receiver_bells.iter().any(|b| Arc::ptr_eq(b, bell)) {
                    // Only this thread could make room, and it is here.
                    sender.give_up(LossReason::QueueFull);
                    result = Err(NodeError::new(
                        "sends several frames at once into a full `block` edge of its own thread; \
                         give one of the two nodes its own thread",
                    ));
                    break;
                }
                // The others need not wait for what they have been sent.
                self.tell();
                wait_for_room(&mut self.senders[number], bell);
                offer = self.senders[number].offer(&mut shares, stamp_ns);
            }
            if offer == Offer::Failed {
                result = Err(NodeError::new("an edge with policy `fail` is full"));
            }
        }
        result
    }

    pub(crate) fn close(&mut self) {
        self.senders.iter_mut().for_each(Sender::close);
    }
}

fn wait_for_room(sender: &mut Sender, bell: &Doorbell) {
    sender.publish();
    fence(Ordering::SeqCst);
    sender.edge.tell_frames();
    bell.prepare();
    if sender.edge.has_room() {
        bell.cancel();
    } else {
        // The limit is for an abort, which does not ring for us.
        bell.wait(Some(Duration::from_millis(20)));
    }
}
