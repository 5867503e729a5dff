//! One node as the engine runs it: takes frames from its inputs, calls the node, contains its failures.

mod again;
mod failure;
mod in_order;
mod inline;
mod requests;
mod set;
mod stamped;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use livetime_frame::{Frame, Returns};
use livetime_runtime::frame_ring::Taken;
use livetime_runtime::sampling::Stopwatch;
use livetime_runtime::statistics::add;
use livetime_runtime::{Cause, Event, panic_text};

use crate::Value;
use crate::account::Ended;
use crate::edge::{Edge, Output, Outputs, Sender};
use crate::graph::{NodeOptions, OnFailure};
use crate::node::{Context, DynNode, LastFrame, Next, NodeError, NodeKind, NodeType, SourceWatch, Stamp};
use crate::reorder::Reorder;
use crate::spans::Visit;

use again::Again;
use failure::Failure;

/// Frames handled in one turn before the thread continues with its other nodes. Twice as many would double the time
/// for which a busy node holds up the requests and the other nodes of its thread.
const BURST: usize = 32;

/// A node and everything the engine needs to run it, on cache lines that no other thread writes.
#[repr(align(128))]
pub(crate) struct Runner {
    pub(crate) id: usize,
    /// Which copy of the node this is.
    copy: usize,
    pub(crate) node_type: NodeType,
    pub(crate) options: NodeOptions,
    /// The parameters with which the node was built, plus later changes; for a restart.
    pub(crate) values: Vec<(usize, Value)>,
    node: Box<dyn DynNode>,
    pub(crate) ctx: Context,
    inputs: Vec<Receiver>,
    next_input: usize,
    /// Sources: when to be called next.
    due: Next,
    paused: bool,
    pub(crate) finished: bool,
    /// Adds attributes to its frames.
    stamp: Option<Arc<dyn Stamp>>,
    pub(crate) reorder: Option<Arc<Reorder>>,
    again: Again,
    /// In a pool: position of the last frame in the queue.
    last_ticket: Option<u64>,
    /// Without statistics it is unknown whether a handler is slow.
    watch: Stopwatch,
    /// Most frames that the node may want to handle in one call.
    most_at_once: usize,
    /// Frames that were taken to be handled together, and when they were queued.
    together: Vec<Frame>,
    stamps: Vec<u64>,
}

/// The receiving end of an edge, on lines of its own.
#[repr(align(128))]
struct Receiver {
    edge: Arc<Edge>,
    known_tail: u64,
}

impl Receiver {
    /// Disconnected, and nothing left in it: to be forgotten.
    fn is_gone(&self) -> bool {
        self.edge.is_detached() && self.edge.queued() == 0
    }
}

impl Runner {
    pub(crate) fn new(
        id: usize,
        copy: usize,
        node_type: NodeType,
        options: NodeOptions,
        values: Vec<(usize, Value)>,
        node: Box<dyn DynNode>,
        ctx: Context,
    ) -> Runner {
        let watch = Stopwatch::new(ctx.statistics);
        let most_at_once = node.most_at_once();
        Runner {
            id,
            copy,
            node_type,
            options,
            values,
            node,
            ctx,
            inputs: Vec::new(),
            next_input: 0,
            due: Next::Now,
            paused: false,
            finished: false,
            stamp: None,
            reorder: None,
            again: Again::default(),
            last_ticket: None,
            watch,
            most_at_once,
            together: Vec::with_capacity(most_at_once),
            stamps: Vec::with_capacity(most_at_once),
        }
    }

    fn is_source(&self) -> bool {
        self.node_type.spec.kind == NodeKind::Source
    }

    /// Opens the files and devices of the node and of the nodes that run inside it.
    pub(crate) fn start(&mut self) -> Result<(), NodeError> {
        self.node.start(&mut self.ctx).map_err(|e| e.of(&self.ctx.name))?;
        self.start_behind()
    }

    /// The same of the nodes that run inside it alone.
    pub(crate) fn start_behind(&mut self) -> Result<(), NodeError> {
        self.inline_children().try_for_each(Runner::start)
    }

    /// No frame will come any more for the nodes that run inside it: ends them. The node itself is not asked.
    pub(crate) fn end_behind(&mut self) {
        self.finished = true;
        self.close_outputs();
    }

    pub(crate) fn add_input(&mut self, edge: Arc<Edge>) {
        self.inputs.push(Receiver { edge, known_tail: 0 });
    }

    /// Runs `change` on the node's outputs, which are in its context or, for a pool, in the common [`Reorder`].
    pub(crate) fn with_outputs<R>(&mut self, change: impl FnOnce(&mut Vec<Output>) -> R) -> R {
        match (&self.reorder, &mut self.ctx.outputs) {
            (Some(reorder), _) => reorder.with_outputs(change),
            (None, Outputs::Direct(outputs)) => change(outputs),
            (None, Outputs::Held(_)) => change(&mut Vec::new()),
        }
    }

    /// The nodes that run inside this one's calls.
    fn inline_children(&mut self) -> impl Iterator<Item = &mut Runner> {
        let outputs = match &mut self.ctx.outputs {
            Outputs::Direct(outputs) => outputs.as_mut_slice(),
            Outputs::Held(_) => &mut [],
        };
        let inline = outputs.iter_mut().flat_map(|o| &mut o.senders).filter_map(Sender::inline_node);
        inline.filter_map(|node| node.as_any().downcast_mut())
    }

    /// This node, or the node with number `id` that runs inside it.
    pub(crate) fn find(&mut self, id: usize) -> Option<&mut Runner> {
        if self.id == id {
            return Some(self);
        }
        self.inline_children().find_map(|child| child.find(id))
    }

    /// The numbers of this node and of the nodes that run inside it.
    pub(crate) fn ids(&mut self, ids: &mut Vec<usize>) {
        ids.push(self.id);
        self.inline_children().for_each(|child| child.ids(ids));
    }

    // ---- Scheduling ----

    /// True when [`Runner::step`] would do something at `now_ns`.
    pub(crate) fn is_ready(&self, now_ns: u64) -> bool {
        if self.finished {
            return false;
        }
        // These three do not wait for room in the outputs.
        if self.ctx.control.is_aborting() || self.timer_due(now_ns) || self.has_ended() {
            return true;
        }
        if self.is_source() {
            return self.must_end() || self.source_due(now_ns) && self.outputs_ready();
        }
        self.inputs.iter().any(Receiver::is_gone)
            || self.has_frame() && self.outputs_ready() && self.ticket_ready()
            || self.may_promise()
    }

    fn has_frame(&self) -> bool {
        match self.merges() {
            true => self.next_in_order().is_some(),
            false => self.inputs.iter().any(|i| i.edge.queued() > 0),
        }
    }

    /// When [`Runner::step`] should be called next even if no frame comes.
    pub(crate) fn deadline_ns(&self) -> Option<u64> {
        let due = match self.due {
            Next::At(at) if self.is_source() && !self.paused => Some(at),
            _ => None,
        };
        [due, self.ctx.timer, self.run_timer()].into_iter().flatten().filter(|_| !self.finished).min()
    }

    /// Handles the work that is due, at most one burst of frames. Returns whether there was any.
    pub(crate) fn step(&mut self, burst: Option<usize>) -> bool {
        if self.finished {
            return false;
        }
        if self.ctx.control.is_aborting() {
            self.abort();
            return true;
        }
        // Timers first: a timer that is due acts before the next frame.
        let mut progressed = self.step_timers();
        progressed |=
            if self.is_source() { self.step_source() } else { self.step_inputs(burst.unwrap_or(BURST)) };
        if self.has_ended() {
            self.finish();
            return true;
        }
        progressed
    }

    /// No frame will come any more: all senders have closed, or the run ends and no sender is connected.
    fn has_ended(&self) -> bool {
        if self.is_source() {
            return self.due == Next::Finished || self.must_end();
        }
        if self.inputs.is_empty() {
            return self.ctx.control.is_stopping();
        }
        // `is_closed` is read first: frames that were sent before closing are then visible in `queued`.
        self.inputs.iter().all(|i| i.edge.is_closed() && i.edge.queued() == 0)
    }

    /// Sources: the run is stopped, and the source does not end by itself.
    fn must_end(&self) -> bool {
        let ends_itself = || self.ctx.source.as_ref().is_some_and(|source| source.ends_itself);
        self.ctx.control.is_stopping() && (self.paused || !ends_itself())
    }

    /// Whether the node can send without waiting. A node that had to wait inside its handler would hold up the other
    /// nodes of its thread.
    fn outputs_ready(&self) -> bool {
        match &self.ctx.outputs {
            Outputs::Direct(outputs) => outputs.iter().all(Output::is_ready),
            // In a pool the common outputs are asked for with the ticket.
            Outputs::Held(_) => true,
        }
    }

    fn room(&self) -> u64 {
        match &self.ctx.outputs {
            Outputs::Direct(outputs) => outputs.iter().map(Output::room).min().unwrap_or(u64::MAX),
            Outputs::Held(_) => 1,
        }
    }

    fn ticket_ready(&self) -> bool {
        match (&self.reorder, self.inputs.first()) {
            (Some(reorder), Some(input)) => reorder.is_ready(input.edge.taken()),
            _ => true,
        }
    }

    fn timer_due(&self, now_ns: u64) -> bool {
        [self.ctx.timer, self.run_timer()].into_iter().flatten().any(|at| at <= now_ns)
    }

    /// The timer for lateness, where that is judged by the clock of the run.
    fn run_timer(&self) -> Option<u64> {
        self.ctx.order.timer.filter(|_| !self.ctx.order.is_on)
    }

    fn source_due(&self, now_ns: u64) -> bool {
        match self.due {
            _ if self.paused => false,
            Next::Now => true,
            Next::Finished => false,
            Next::At(at) if at <= now_ns => true,
            Next::At(_) | Next::Idle => self.ctx.source.as_ref().is_some_and(SourceWatch::is_woken),
        }
    }

    fn step_timers(&mut self) -> bool {
        if self.ctx.timer.or(self.run_timer()).is_none() {
            return false;
        }
        let now_ns = self.ctx.clock.now_ns();
        if !self.timer_due(now_ns) {
            return false;
        }
        self.ctx.timer.take_if(|at| *at <= now_ns);
        if !self.ctx.order.is_on {
            self.ctx.order.take_due(now_ns);
        }
        if let Err(failure) = self.call(|node, ctx| node.timer(ctx)) {
            self.deal_with(failure, None);
        }
        true
    }

    fn step_source(&mut self) -> bool {
        // A source that is always due needs no clock to know it.
        let timed = self.ctx.statistics || self.due != Next::Now;
        let start_ns = if timed { self.ctx.clock.now_ns() } else { 0 };
        if self.must_end() || !self.source_due(start_ns) || !self.outputs_ready() {
            return false;
        }
        // `produce` may emit several frames or none, so that the difference is counted.
        let before = self.ctx.emitted();
        self.ctx.source.iter().for_each(SourceWatch::answer);
        self.ctx.begun_ns = start_ns;
        match self.call(|node, ctx| node.produce(ctx)) {
            Ok(next) => {
                let has_more = self.ctx.emitted() < self.ctx.max_frames;
                self.due = if has_more { next } else { Next::Finished };
                if self.ctx.account.is_troubled.load(Relaxed) && self.ctx.emitted() > before {
                    self.settle();
                }
                self.make_promise();
            }
            Err(failure) => {
                self.deal_with(failure, Some(1));
                // A source that fails at once and for ever must not take the whole core.
                self.due = Next::At(self.ctx.clock.now_ns() + 1_000_000);
            }
        }
        if self.ctx.statistics {
            let service_ns = self.ctx.clock.now_ns() - start_ns;
            self.ctx.account.service.record(service_ns);
            let frames = self.ctx.emitted() - before;
            if let Some(source) = &mut self.ctx.source {
                source.adapt(frames, service_ns);
            }
        }
        true
    }

    fn step_inputs(&mut self, burst: usize) -> bool {
        self.inputs.retain(|i| !i.is_gone());
        // The time since the last burst is no service time.
        self.watch.forget();
        let handled = match self.ctx.order.is_on {
            true => self.handle_in_order(burst),
            false => self.handle_burst(burst, Runner::take),
        };
        self.make_promise() || handled > 0
    }

    /// Handles the frames that `take` finds, at most `burst`. Returns how many there were.
    ///
    /// One copy of this loop for each `take`: in a common copy the compiler returns the results of two of them through
    /// memory, which costs a fifth of a hop.
    #[inline(always)]
    fn handle_burst(&mut self, burst: usize, take: fn(&mut Runner) -> Option<(usize, Taken)>) -> usize {
        let mut returns = Returns::default();
        let mut handled = 0;
        while handled < burst && !self.is_interrupted() && self.outputs_ready() && self.ticket_ready() {
            let Some((lane, taken)) = take(self) else { break };
            // Frames that are handled together would all be sent on at the place of the last one.
            if self.most_at_once > 1 && self.reorder.is_none() && !self.ctx.order.is_joined {
                handled += self.receive_waiting(lane, taken);
                continue;
            }
            self.receive(lane, &taken.frame, taken.stamp_ns);
            if let Some(reorder) = self.reorder.clone() {
                self.complete(&reorder, taken.position);
            }
            // A slow handler must not hold back memory for which a source may wait.
            match self.watch.is_slow() {
                true => drop(taken.frame),
                false => returns.give(taken.frame),
            }
            handled += 1;
        }
        handled
    }

    /// Aborts and requests act between two frames: a burst of a slow node may last for seconds.
    fn is_interrupted(&self) -> bool {
        self.finished || self.ctx.control.is_aborting() || self.ctx.bell.has_tasks.load(Relaxed)
    }

    /// The oldest frame of the next input that has one, with the index of this input. The inputs take turns, so that a fast
    /// one cannot starve the others.
    #[inline(always)]
    fn take(&mut self) -> Option<(usize, Taken)> {
        let count = self.inputs.len();
        for _ in 0..count {
            // Inputs come and go, so the next one may not be there any more.
            let number = if self.next_input < count { self.next_input } else { 0 };
            let input = &mut self.inputs[number];
            self.next_input = number + 1;
            if let Some(taken) = input.edge.take(&mut input.known_tail) {
                return Some((number, taken));
            }
        }
        None
    }

    // ---- Frames ----

    /// Handles a frame, and in the same call the following ones that the node wants together with it. Returns
    /// how many were taken.
    fn receive_waiting(&mut self, lane: usize, first: Taken) -> usize {
        let (mut frames, mut stamps) = (std::mem::take(&mut self.together), std::mem::take(&mut self.stamps));
        frames.push(first.frame);
        stamps.push(first.stamp_ns);
        // Each frame may cause one to be sent, and no thread makes room while this one is here.
        let most = self.room().min(self.most_at_once as u64) as usize;
        while frames.len() < most
            && let Some(taken) = self.take_behind(lane)
        {
            frames.push(taken.frame);
            stamps.push(taken.stamp_ns);
        }
        let mut done = 0;
        while done < frames.len() && !self.finished {
            let waiting = &frames[done..];
            let wanted = if waiting.len() > 1 { self.count_together(waiting) } else { 1 };
            if self.finished {
                break;
            }
            let group = done..done + wanted;
            self.receive_group(lane, &frames[group.clone()], &stamps[group]);
            done += wanted;
        }
        // The node has ended: frames that it had taken are lost with it.
        add(&self.ctx.account.failed, (frames.len() - done) as u64);
        let taken = frames.len();
        frames.clear();
        stamps.clear();
        (self.together, self.stamps) = (frames, stamps);
        taken
    }

    /// The next frame of the same input, if there is one.
    fn take_behind(&mut self, lane: usize) -> Option<Taken> {
        let input = self.inputs.get_mut(lane)?;
        input.edge.take(&mut input.known_tail)
    }

    fn count_together(&mut self, waiting: &[Frame]) -> usize {
        match self.call(|node, _| Ok(node.together(waiting))) {
            Ok(count) => count.clamp(1, waiting.len()),
            Err(failure) => {
                self.deal_with(failure, None);
                1
            }
        }
    }

    fn receive(&mut self, lane: usize, frame: &Frame, stamp_ns: u64) {
        self.receive_group(lane, std::slice::from_ref(frame), &[stamp_ns]);
    }

    #[inline(always)]
    fn receive_group(&mut self, lane: usize, frames: &[Frame], stamps: &[u64]) {
        self.again.keep(&self.inputs[lane].edge, frames);
        match self.stamp {
            None => self.handle(lane, frames, stamps),
            Some(_) => self.handle_stamped(lane, frames, stamps),
        }
    }

    // Inlined, so that the common call with one frame has no loops.
    #[inline(always)]
    fn handle(&mut self, lane: usize, frames: &[Frame], stamps: &[u64]) {
        // A frame whose way is timed from its source on, or a handler slow enough not to notice.
        self.ctx.timed = self.ctx.statistics && (self.watch.is_slow() || stamps.iter().any(|s| *s != 0));
        let start_ns = if self.ctx.timed { self.watch.start(|| self.ctx.clock.now_ns()) } else { 0 };
        self.watch.forget();
        let edge = &self.inputs[lane].edge;
        let input = edge.to.1;
        self.ctx.sender = edge.from;
        self.ctx.queued_ns = stamps.first().copied().unwrap_or(0);
        let result = match frames {
            [frame] => self.call(|node, ctx| node.frame(input, frame, ctx)),
            frames => self.call(|node, ctx| node.frames(input, frames, ctx)),
        };
        if self.ctx.remember_frames
            && let Some(frame) = frames.last()
        {
            self.ctx.last = Some(LastFrame::of(frame));
        }
        if self.ctx.timed {
            self.record_times(lane, start_ns, frames, stamps);
        }
        // The result of the others is reported later.
        let settled = (frames.len() as u64).saturating_sub(std::mem::take(&mut self.ctx.kept));
        match result {
            Ok(()) => {
                add(&self.ctx.account.completed, settled);
                if settled > 0 && self.ctx.account.is_troubled.load(Relaxed) {
                    self.settle();
                }
            }
            Err(failure) => self.deal_with(failure, Some(settled)),
        }
    }

    /// The node has completed work after errors, which is reported if it lasts.
    #[cold]
    fn settle(&self) {
        if self.ctx.control.well(&self.ctx.name, self.ctx.clock.now_ns()) {
            self.ctx.account.is_troubled.store(false, Relaxed);
        }
    }

    #[inline(always)]
    fn record_times(&mut self, lane: usize, start_ns: u64, frames: &[Frame], stamps: &[u64]) {
        let end_ns = self.ctx.clock.now_ns();
        let service_ns = self.watch.end(start_ns, end_ns, frames.len() as u64);
        let account = &self.ctx.account;
        let edge = &self.inputs[lane].edge;
        for (frame, &stamp_ns) in frames.iter().zip(stamps) {
            account.service.record(service_ns);
            if stamp_ns != 0 {
                edge.record_waiting(self.copy, start_ns.saturating_sub(stamp_ns));
                if self.ctx.control.is_traced(frame.header().sequence) {
                    account.spans.put(&Visit {
                        from: Some(edge.from.0),
                        source: frame.header().source.0,
                        sequence: frame.header().sequence,
                        queued_ns: stamp_ns,
                        // The end of the handler before may be older than the frame.
                        start_ns: start_ns.max(stamp_ns),
                        end_ns,
                    });
                }
            }
            let entry_ns = frame.header().entry_ns;
            if entry_ns != 0 {
                account.latency.record(end_ns.saturating_sub(entry_ns));
            }
        }
    }

    fn complete(&mut self, reorder: &Reorder, ticket: u64) {
        self.last_ticket = Some(ticket);
        let mut held = match &mut self.ctx.outputs {
            Outputs::Held(held) => std::mem::take(held),
            Outputs::Direct(_) => Vec::new(),
        };
        if let Err(error) = reorder.complete(ticket, self.ctx.order.place, &mut held, &self.ctx) {
            self.deal_with(Failure::Error(error), None);
        }
        if let Outputs::Held(place) = &mut self.ctx.outputs {
            *place = held;
        }
    }

    // ---- Failures ----

    /// Calls the node; a panic becomes a value. After a panic the node may be in an invalid state, which is
    /// why the default policy for panics is to build it again.
    #[inline(always)]
    fn call_plain<R>(
        &mut self,
        call: impl FnOnce(&mut dyn DynNode, &mut Context) -> Result<R, NodeError>,
    ) -> Result<R, Failure> {
        let (node, ctx) = (&mut *self.node, &mut self.ctx);
        let result = catch_unwind(AssertUnwindSafe(|| call(node, ctx)));
        self.ctx.tell_receivers();
        match result {
            Ok(result) => result.map_err(Failure::Error),
            Err(panic) => Err(Failure::Panic(panic_text(&*panic))),
        }
    }

    /// Records a failure, with the frames it cost, and acts by the node's policy.
    #[cold]
    fn deal_with(&mut self, failure: Failure, frames: Option<u64>) {
        let account = &self.ctx.account;
        let (counter, policy, text) = match &failure {
            Failure::Error(e) if e.exhausted => (&account.exhausted, OnFailure::Skip, e.to_string()),
            Failure::Error(e) => (&account.failed, self.options.on_error, e.in_full()),
            Failure::Panic(text) => (&account.panicked, self.options.on_panic, format!("panicked: {text}")),
        };
        // The frames first: a reader of the report that sees the event finds its losses counted.
        add(counter, frames.unwrap_or(0));
        self.ctx.control.keep_failure(&self.ctx.name, &text, matches!(failure, Failure::Panic(_)));
        account.is_troubled.store(true, Relaxed);
        match &failure {
            Failure::Error(e) if e.exhausted => self.ctx.tell_exhausted(text.clone()),
            _ => self.tell_error(text.clone(), failure.cause()),
        }
        match policy {
            OnFailure::Skip => {}
            OnFailure::Stop => self.fail(text),
            OnFailure::Restart => {
                if let Err(error) = self.restart() {
                    self.fail(format!("restart after `{text}`: {error}"));
                }
            }
        }
    }

    fn restart(&mut self) -> Result<(), NodeError> {
        // Stopped before it is built again: the new node may want the same file or device.
        self.stop_node();
        self.node = self.node_type.build(&self.values)?;
        self.due = Next::Now;
        add(&self.ctx.account.restarts, 1);
        self.call(|node, ctx| node.start(ctx)).map_err(Failure::into_error)
    }

    /// This node cannot continue: the run ends, and its queued frames are lost, with an entry in the ledger.
    fn fail(&mut self, text: String) {
        self.ctx.control.fail(format!("{}: {text}", self.ctx.name));
        self.end();
    }

    fn tell_error(&self, message: String, cause: Option<Cause>) {
        let (at_ns, node) = (self.ctx.clock.now_ns(), self.ctx.name.to_string());
        self.ctx.control.tell(Event { at_ns, node, is_error: true, message, cause });
    }

    // ---- The end ----

    fn finish(&mut self) {
        self.ctx.order.place = self.end_place() + u64::from(self.is_source());
        if let Err(failure) = self.call(|node, ctx| node.drain(ctx)) {
            self.ctx.control.leave_unfinished(&self.ctx.name, &failure.to_string());
            self.deal_with(failure, None);
        }
        if !self.finished {
            self.end();
        }
    }

    fn abort(&mut self) {
        self.end();
    }

    fn end(&mut self) {
        // Outputs are closed before the node is stopped: the nodes behind can drain while this one closes its files.
        self.finished = true;
        if self.close_outputs() {
            self.inputs.iter_mut().for_each(|i| i.edge.abandon(&mut i.known_tail));
        }
        self.stop_node();
        self.leave_values();
        if self.is_source() && self.ctx.control.source_ended() {
            self.ctx.control.stop();
        }
    }

    /// Returns true unless other copies of the node go on.
    fn close_outputs(&mut self) -> bool {
        match (self.reorder.take(), &mut self.ctx.outputs) {
            (Some(reorder), Outputs::Held(held)) => {
                let mut held = std::mem::take(held);
                reorder.leave(&mut held, &self.ctx)
            }
            (_, Outputs::Direct(outputs)) => {
                let place = self.ctx.order.place;
                outputs.iter_mut().for_each(|output| output.close(place));
                true
            }
            _ => true,
        }
    }

    fn stop_node(&mut self) {
        let stopped = self.call(|node, _| {
            node.stop();
            Ok(())
        });
        if let Err(Failure::Panic(text)) = stopped {
            self.tell_error(format!("panicked while stopping: {text}"), None);
        }
    }

    /// For the report, because a node that has ended cannot be asked.
    fn leave_values(&mut self) {
        let asked = self.call(|node, _| Ok(values(node)));
        let ended = Ended { last_ticket: self.last_ticket, values: asked.unwrap_or_default() };
        let _ = self.ctx.account.ended.set(ended);
    }
}

/// All parameters of a node.
fn values(node: &mut dyn DynNode) -> Vec<Value> {
    let params = node.params();
    (0..params.specs().len()).filter_map(|i| params.get(i)).collect()
}
