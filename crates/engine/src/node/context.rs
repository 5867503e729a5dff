//! The engine's services for a node while it handles a message.

use std::any::Any;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use livetime_frame::{
    Bytes, Codec, Frame, FrameMut, FramePool, Layout, PoolStatistics, TableLayout, ViewError,
};
use livetime_runtime::statistics::add;

use super::NodeError;
pub use super::backstage::Context;
use super::last_frame::LastFrame;
use super::under_way::{Teller, UnderWay};
use crate::edge::{Output, Outputs};

impl Context {
    /// The node's name in the graph.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Now on the run's monotonic clock, in ns. Costs about 10 ns.
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// When the frame that [`Node::frame`](super::Node::frame) handles was put into the queue in front of the node, on
    /// the clock of [`Context::now_ns`]; 0 if that time is unknown: the frame came without a queue, or is not a timed
    /// one.
    pub fn queued_ns(&self) -> u64 {
        self.queued_ns
    }

    /// The sender of the frame that [`Node::frame`](super::Node::frame) handles, as two numbers: of its node and of its
    /// output. Where several edges lead to one input, they tell the edges apart during a run.
    pub fn sender(&self) -> (usize, usize) {
        self.sender
    }

    /// The number of frames in this range that were left out on purpose on their way to the node: by `every`, a limit
    /// of the rate, or a pause. Further missing frames are lost. The count does not include frames that a node on the
    /// way handled without sending one.
    pub fn left_out(&self, numbers: RangeInclusive<u64>) -> u64 {
        let Some(way) = &self.way else { return 0 };
        // A frame that two edges on the way left out is counted twice, but the answer never exceeds the
        // range.
        way(&numbers).min(numbers.end().saturating_add(1).saturating_sub(*numbers.start()))
    }

    /// The time by which a node decides that something is late, in ns. In a replay that loses nothing this is the time
    /// of the data, from 0 on: it advances with the times of the events that the sources send, at most by a second per
    /// frame, so that a busy machine makes nothing late and every run is the same. Elsewhere it is [`Context::now_ns`].
    pub fn data_ns(&self) -> u64 {
        if self.order.is_on { self.order.time_ns } else { self.clock.now_ns() }
    }

    /// True in a replay that loses nothing: the node gets the same frames in the same order at every run, the sources wait for it, and nothing
    /// that it does may depend on how fast it is.
    pub fn is_replay(&self) -> bool {
        self.order.is_on
    }

    /// Asks for [`Node::timer`](super::Node::timer) at `at_ns` on the clock of [`Context::data_ns`], or takes the wish back; beside
    /// [`Context::set_timer`].
    pub fn set_data_timer(&mut self, at_ns: Option<u64>) {
        self.order.timer = at_ns;
    }

    /// True when the run is ending and a long operation should be cut short.
    pub fn is_stopping(&self) -> bool {
        self.control.is_stopping()
    }

    /// True when the run was asked to end; false while its sources end by themselves.
    pub fn was_stopped(&self) -> bool {
        self.control.is_asked_to_stop()
    }

    /// For a source whose end is another program's to give, such as the other half of a graph: a stop of the run does
    /// not end the source, which finds it by [`Context::is_stopping`] and answers [`Next::Finished`](super::Next::Finished)
    /// when the end has come. An abort, and a stop while the source is paused, end it at once.
    pub fn ends_itself(&mut self, ends_itself: bool) {
        if let Some(source) = &mut self.source {
            source.ends_itself = ends_itself;
        }
    }

    /// True when the run was aborted: a node stops waiting at once, for other hosts too.
    pub fn is_aborting(&self) -> bool {
        self.control.is_aborting()
    }

    /// For a source of frames that have their numbers from another host, whose account has the missing ones: the next
    /// frame has the number `sequence`, and numbers left out before it are no loss of this source.
    pub fn continue_at(&mut self, sequence: u64) {
        if let Some(source) = &mut self.source {
            source.expected = Some(sequence);
        }
    }

    /// Asks for [`Node::timer`](super::Node::timer) at `at_ns`, or takes the wish back. Costs nothing per frame.
    pub fn set_timer(&mut self, at_ns: Option<u64>) {
        self.timer = at_ns;
    }

    /// For one frame of this call of [`Node::frame`](super::Node::frame) or
    /// [`Node::frames`](super::Node::frames): the returned value reports later whether the frame was
    /// completed or lost, also if the call fails. Costs two atomic additions per frame.
    pub fn under_way(&mut self) -> UnderWay {
        self.kept += 1;
        UnderWay::new(self.ledger().clone())
    }

    /// For events that a node reports where it has no context.
    pub fn teller(&mut self) -> Teller {
        Teller { ledger: self.ledger().clone() }
    }

    /// Records an event: it appears in the log and in the report. Repeated events of a node are reported
    /// once, then counted, and reported again with the count at growing intervals. Errors that differ only in
    /// numbers, and equal notes, count as repeated.
    pub fn tell(&self, message: impl Into<String>) {
        self.event(false, message.into());
    }

    /// As [`Context::tell`], for an error that lost data or endangers the run.
    pub fn tell_error(&self, message: impl Into<String>) {
        self.event(true, message.into());
    }

    /// As [`Context::tell_error`], for output that should outlive the run and is incomplete, such as a file that could
    /// not get its name. The message says what failed, the reason, and where the data are. The run continues, and ends
    /// as failed. An error of [`Node::drain`](super::Node::drain) is such a message.
    pub fn tell_unfinished(&self, message: impl Into<String>) {
        let message = message.into();
        self.control.leave_unfinished(&self.name, &message);
        self.event(true, message);
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

    /// As [`Context::array`], but it never waits, and nothing counts as lost when the pool is exhausted. For
    /// frames that are made ahead and can be made later instead.
    pub fn array_ahead(&mut self, layout: Layout) -> Option<FrameMut> {
        self.allocator.array(layout).ok()
    }

    /// An array that `codec` made `len` bytes of; see [`Allocator::compressed`](livetime_frame::Allocator::compressed). Else as [`Context::array`].
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

    /// A part of `of`, without copying; see [`Allocator::view`](livetime_frame::Allocator::view).
    ///
    /// # Errors
    /// [`NodeError`] when the part does not lie inside, or the pool is exhausted.
    pub fn view(&mut self, of: &Frame, layout: Layout, start: usize) -> Result<FrameMut, NodeError> {
        match self.allocator.view(of, layout, start) {
            // Only exhausted memory is waited for: another error would not go away.
            Err(ViewError::Exhausted(_)) => self.allocate(|a| match a.view(of, layout, start) {
                Err(ViewError::Exhausted(e)) => Err(e),
                other => Ok(other),
            })?,
            other => other,
        }
        .map_err(NodeError::from)
    }

    /// A frame around memory from elsewhere, without a copy; see [`Allocator::adopt`](livetime_frame::Allocator::adopt).
    ///
    /// # Errors
    /// [`NodeError`] when layout and memory do not fit, or the pool is exhausted.
    pub fn adopt(&mut self, layout: Layout, bytes: Bytes) -> Result<FrameMut, NodeError> {
        // The closure may run again after the wait, and then needs the bytes again.
        self.allocate(|a| match a.adopt(layout, bytes.clone()) {
            Err(ViewError::Exhausted(e)) => Err(e),
            other => Ok(other),
        })?
        .map_err(NodeError::from)
    }

    /// The payload of `of` under a header of its own; see [`Allocator::relabel`](livetime_frame::Allocator::relabel).
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

    /// Makes two buffers of `bytes` more than the longest queue behind this node holds, but uses at most half
    /// of the pool. New memory costs more than writing a picture (the operating system clears it page by
    /// page), so a source that allocates it while a queue grows falls behind just then.
    pub fn preallocate_for_queues(&mut self, bytes: usize) {
        let Outputs::Direct(outputs) = &self.outputs else { return };
        let longest = outputs.iter().flat_map(|o| &o.senders).map(|s| s.edge.capacity()).max();
        let Some(longest) = longest else { return };
        let affordable = self.allocator.limit_bytes() / 2 / FramePool::cost_bytes(bytes);
        // Without that memory the run works too, only slower at first.
        let _ = self.allocator.preallocate(bytes, affordable.min(longest as usize + 2));
    }

    /// How much of the run's memory is in use, and how often a frame was refused because there was none.
    pub fn pool_statistics(&self) -> PoolStatistics {
        self.allocator.pool_statistics()
    }

    /// A value that nodes share with each other and with the program around the run; see [`Services`](crate::Services).
    pub fn service<T: Clone + Default + Send + 'static>(&self) -> T {
        self.services.get()
    }

    /// Sends a frame to all nodes connected to the first output. Receivers see it when the handler returns,
    /// or when it has sent 16 frames.
    ///
    /// # Errors
    /// [`NodeError`] when an edge with policy `fail` is full.
    pub fn emit(&mut self, frame: FrameMut) -> Result<(), NodeError> {
        self.emit_to(0, frame)
    }

    /// Sends a frame to all nodes connected to output number `output`.
    ///
    /// # Errors
    /// [`NodeError`] when an edge with policy `fail` is full.
    pub fn emit_to(&mut self, output: usize, mut frame: FrameMut) -> Result<(), NodeError> {
        let sequence = frame.header().sequence;
        let is_traced = self.source.is_some() && self.statistics && self.control.is_traced(sequence);
        if let Some(source) = &mut self.source {
            // A traced frame is always timed: its span needs a begin.
            self.timed = self.statistics && (source.is_next_timed() | is_traced);
        }
        if self.order.is_on && self.source.is_some() {
            self.order.go_to(self.order.next_place(frame.header().event_time_ns));
        }
        let stamp_ns = self.stamp();
        if is_traced {
            self.trace_source(sequence, stamp_ns);
        }
        if let Some(source) = &mut self.source {
            // 0 stands for a frame that is not timed.
            if stamp_ns != 0 {
                self.begun_ns = stamp_ns;
            }
            let header = frame.header_mut();
            (header.source, header.entry_ns) = (source.id, stamp_ns);
            source.watch(sequence, stamp_ns, &self.account);
        }
        let frame = frame.freeze();
        if self.source.is_some() && self.remember_frames {
            self.last = Some(LastFrame::of(&frame));
        }
        self.send(output, frame, stamp_ns)
    }

    /// Whether output number `output` has a receiver: a node that makes something for this output alone may skip the
    /// work if there is none. True where the engine does not know it, as in a copy of a pool.
    pub fn is_connected(&self, output: usize) -> bool {
        match &self.outputs {
            Outputs::Direct(outputs) => outputs.get(output).is_some_and(|output| !output.senders.is_empty()),
            Outputs::Held(_) => true,
        }
    }

    /// Whether the queues of all receivers of output number `output` have room for one more frame. True where it is not
    /// known, as in a copy of a pool.
    pub fn has_room(&self, output: usize) -> bool {
        match &self.outputs {
            Outputs::Direct(outputs) => outputs.get(output).is_none_or(Output::has_room),
            Outputs::Held(_) => true,
        }
    }

    /// Forwards a frame unchanged to all nodes connected to output number `output`.
    ///
    /// # Errors
    /// [`NodeError`] when an edge with policy `fail` is full.
    pub fn forward(&mut self, output: usize, frame: &Frame) -> Result<(), NodeError> {
        let stamp_ns = self.stamp();
        self.announce();
        if let Outputs::Direct(outputs) = &mut self.outputs
            && let Some(output) = outputs.get_mut(output)
            && output.is_inline()
        {
            // No receiver keeps the frame beyond this call, so no reference needs to be counted.
            add(&self.account.emitted, 1);
            output.hand_over(frame, stamp_ns, &self.clock);
            return Ok(());
        }
        self.send(output, frame.clone(), stamp_ns)
    }

    /// Counts frames that the source knows it could not take, for example because a camera's buffer ran over.
    pub fn lost_at_source(&self, count: u64) {
        add(&self.account.source_gap, count);
    }

    /// Counts frames whose numbers show that the other side sent them while a connection was broken. Where frames keep
    /// the numbers of the other side, the next one may have a number that leaves out as many.
    pub fn lost_while_disconnected(&mut self, frames: u64) {
        add(&self.account.disconnected, frames);
        if let Some(source) = &mut self.source {
            source.skip(frames);
        }
    }

    /// Counts a break of a connection after which it cannot be known how many frames the other side has sent since
    /// `since_ns`, a time of day ([`time_of_day_ns`](crate::time_of_day_ns)), if any. Records `what` as an error. A run
    /// with such a break ends with exit code 3. See also [`Teller::unknown`].
    pub fn unknown(&mut self, since_ns: i64, what: impl Into<String>) {
        self.teller().unknown(since_ns, what);
    }

    /// Counts frames that are lost because a file or stream cannot be read: a source found it damaged or truncated, or
    /// a sink could not finish the file with frames that it took. Records `why` (wanted, found, place) as an error. A
    /// run with such losses ends with exit code 3.
    ///
    /// Where the number of lost frames is unknown, as at the end of a truncated file, each damaged place
    /// counts as one. Call this once for each place, not once for each attempt to read.
    pub fn unreadable(&self, frames: u64, why: impl Into<String>) {
        self.count_unreadable(frames);
        self.tell_error(why);
    }

    /// [`Context::unreadable`] for a node that counts such frames as they come, and reports the reasons itself, less
    /// often.
    pub fn count_unreadable(&self, frames: u64) {
        self.account.unreadable.fetch_add(frames, Relaxed);
    }

    /// Counts parts of frames, such as rows of hits, that the node leaves out because it has already sent on
    /// later ones. The frame that held them still counts as completed.
    pub fn late(&self, parts: u64) {
        add(&self.account.late, parts);
    }

    /// Counts frames that a sink has handled and that a client has discarded: frames removed from written data, and
    /// frames left out of it. They count as completed, and as intended losses.
    pub fn taken_back(&self, frames: u64) {
        add(&self.account.taken_back, frames);
    }
}
