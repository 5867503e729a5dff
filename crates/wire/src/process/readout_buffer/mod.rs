//! `readout_buffer`: holds the last seconds of raw frames and hits, and hands out windows of them on request.
//!
//! In: `raw`, batches of raw frames of any number of links ([`RawBatch`]); `hits`, tables of hits of single links or merged ([`HitRow`]), which
//! may be left unconnected; `decisions`, tables of requests ([`DecisionRow`]), in any order, of windows in the past, in the future or both. Out: at
//! `out` a [`TriggerRecord`] for each request, in the order in which they can be answered; at `ledger` which data were received but are not in
//! the buffer ([`LedgerRow`]), a few times per second.
//!
//! Nothing is copied: the buffer holds references, and thus memory of the frame pool. The oldest data are released when
//! a link has more than `seconds`, when all links together have more than `max_bytes` or `pool_share` of the pool (then
//! of the link with the longest held time), and when the pool is exhausted in spite of that. Data that a waiting
//! request needs are pinned: everything from the begin of the earliest waiting window on. Pinned data stay until their
//! memory exceeds `pinned_share`; data released then are an overrun, which is counted and entered in the ledger.
//!
//! A request is answered when all links and streams of hits have reached the end of its window: a link by the end of
//! its newest batch, a stream by its watermark. A link or stream without data for `dead_after` is not waited for. After
//! `deadline` a request is answered with the data at hand. No thread polls: requests wait in heaps, and a batch costs
//! one comparison with the top. An answer holds, for each link, the frames of the window, and each missing tick with
//! its reason ([`MissingReason`]). A gap between two batches of a link counts as dropped when the source states that it
//! sent a batch for it. Where the source does not state this ([`RawBatch::after`]), the gap counts as dropped when at
//! least as many sequence numbers are missing as batches of the link fit into it. Other gaps count as never received.
//!
//! Ticks are a loss of the run (`late`) if a record lacks them because its request came after their release, or because
//! its answer left before they came; the log has a line for it. In a replay that loses nothing, links are dead and
//! requests late by the time of the data, and every run gives the same records.
//!
//! When the clock of a link is set back, old and future data can no longer be told apart: waiting requests are answered
//! with the data at hand, and the data of the link are released.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::readout_buffer::ReadoutBuffer;
//! use livetime_wire::{DecisionRow, RawFormat, RawLabels, Row, TriggerRecord};
//! use livetime_frame::TableLayout;
//!
//! let mut node = Harness::new::<ReadoutBuffer>(&[])?;
//! let mut memory = node.pool().allocator();
//! let mut batch = memory.bytes(12 * 464)?; // 12 frames of 25 ticks: 1000 to 1300
//! RawLabels::new(RawFormat::Wib1).put(batch.header_mut(), 7, 1000, 0);
//! node.feed(&batch.freeze())?;
//!
//! let decision = DecisionRow { number: 1, window_begin: 1110, window_end: 1200, ..DecisionRow::default() };
//! let mut table = memory.table(TableLayout::new(DecisionRow::schema(), 1).unwrap())?;
//! DecisionRow::put(&[decision], &mut table)?;
//! let answers = node.feed_to(2, &table.freeze())?;
//! let record = answers[0].value::<TriggerRecord>()?;
//! assert!(record.is_whole());
//! assert_eq!((record.fragments[0].pieces[0].first, record.fragments[0].bytes()), (1100, 4 * 464));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod hits;
mod link;
mod params;
mod store;
#[cfg(test)]
mod tests;
mod waiting;

use std::sync::Arc;

use livetime_engine::{Context, Node, NodeError, NodeSpec, PortSpec};
use livetime_formats::trigger::{Missing, MissingReason};
use livetime_frame::Frame;

use crate::{
    DecisionRow, HitRow, LedgerRow, LinkSet, RawBatch, RowTable, TriggerRecord, finder_of, inherit_times,
    link_of, watermark_of,
};
pub use params::ReadoutBufferParams;
use store::{Bounds, Store};
use waiting::{Request, Waiting};

/// How often readbacks are made, and rows of the ledger sent.
const PUBLISH_NS: u64 = 250_000_000;
/// How often the node checks whether the pool is exhausted: a source that waits for memory sends nothing that would wake it.
const LOOK_NS: u64 = 20_000_000;
/// Requests by hand have numbers from here on.
const BY_HAND: u64 = 1 << 63;

/// Holds raw frames and hits, and hands out windows of them.
pub struct ReadoutBuffer {
    params: ReadoutBufferParams,
    store: Store,
    waiting: Waiting,
    hits: RowTable<HitRow>,
    decisions: RowTable<DecisionRow>,
    ledger: RowTable<LedgerRow>,
    /// Rows of the table that was read last.
    asked: Vec<DecisionRow>,
    /// Requests by hand so far.
    by_hand: u64,
    response: Response,
    /// How often the pool had been exhausted when it was looked at last.
    exhausted: usize,
    /// When readbacks are made next.
    publish_ns: u64,
    /// When something is due by the time of the data.
    due_ns: Option<u64>,
    /// Records so far that lack data which the buffer had, or would have had.
    lacking: u64,
}

/// Times from requests to answers.
#[derive(Default)]
struct Response {
    count: u64,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

/// Why a request is answered.
#[derive(Clone, Copy, PartialEq)]
enum Cause {
    Reached,
    Deadline,
    TooMany,
    /// The clock was set back, and the held data have to go.
    SetBack,
    Drained,
}

impl Node for ReadoutBuffer {
    type Params = ReadoutBufferParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "readout_buffer",
        "Holds the last seconds of raw frames and hits, and hands out windows of them on request.",
        &[PortSpec::bytes("raw"), PortSpec::table("hits"), PortSpec::table("decisions")],
        &[PortSpec::value("out"), PortSpec::table("ledger")],
    );

    fn new(params: ReadoutBufferParams) -> Result<ReadoutBuffer, NodeError> {
        Ok(ReadoutBuffer {
            params,
            store: Store::default(),
            waiting: Waiting::default(),
            hits: RowTable::default(),
            decisions: RowTable::default(),
            ledger: RowTable::default(),
            asked: Vec::new(),
            by_hand: 0,
            response: Response::default(),
            exhausted: 0,
            publish_ns: 0,
            due_ns: None,
            lacking: 0,
        })
    }

    fn params(&mut self) -> &mut ReadoutBufferParams {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        LinkSet::parse(&self.params.links)?;
        self.exhausted = ctx.pool_statistics().exhausted;
        Ok(())
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let reached = match input {
            0 => self.raw(frame, ctx)?,
            1 => self.hits(frame, ctx)?,
            _ => return self.ask(frame, ctx),
        };
        // One comparison per batch: requests are ended in the order of their windows.
        if self.waiting.first_end().is_some_and(|end| end <= reached) {
            self.answer_reached(ctx);
        }
        // The timer is set again only when it is too far away; setting it for each batch would cost more than the
        // batch.
        if self.due_ns.is_none_or(|at_ns| at_ns > ctx.data_ns() + LOOK_NS) {
            self.arm(ctx);
        }
        Ok(())
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        if self.params.request {
            self.ask_by_hand(ctx);
        }
        self.squeeze(ctx);
        let now_ns = ctx.data_ns();
        let is_due = self.due_ns.is_some_and(|at_ns| at_ns <= now_ns);
        let told = if is_due { self.do_what_is_due(now_ns, ctx) } else { Ok(()) };
        self.arm(ctx);
        told
    }

    fn changed(&mut self, _index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        // Nothing may be sent here, and shorter times act now.
        ctx.set_timer(Some(ctx.now_ns()));
        self.due_ns = Some(ctx.data_ns());
        LinkSet::parse(&self.params.links).map(drop)
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        while let Some(request) = self.waiting.take_ended(u64::MAX) {
            self.answer(request, Cause::Drained, ctx);
        }
        self.publish(ctx.data_ns(), ctx);
        self.tell_ledger(ctx)
    }

    fn stop(&mut self) {
        // References hold memory of the pool, which the next run needs.
        self.store = Store::default();
    }
}

impl ReadoutBuffer {
    fn do_what_is_due(&mut self, now_ns: u64, ctx: &mut Context) -> Result<(), NodeError> {
        while let Some(request) = self.waiting.take_due(now_ns) {
            self.answer(request, Cause::Deadline, ctx);
        }
        self.answer_reached(ctx);
        self.let_go(ctx);
        let mut told = Ok(());
        if now_ns >= self.publish_ns {
            self.publish(now_ns, ctx);
            told = self.tell_ledger(ctx);
            self.publish_ns = now_ns + PUBLISH_NS;
        }
        told
    }

    /// Holds a batch; the time that its link has reached.
    fn raw(&mut self, frame: &Frame, ctx: &mut Context) -> Result<u64, NodeError> {
        let batch = RawBatch::of(frame)?;
        if batch.is_empty() {
            return Ok(0);
        }
        let (bounds, now_ns) = (self.bounds(ctx), ctx.data_ns());
        if self.store.links.is_empty() {
            // The first batch tells the format of the expected links.
            self.store.expect(&LinkSet::parse(&self.params.links)?, batch.format, now_ns);
        }
        // Requests of the old time are answered before its data go.
        if self.store.is_set_back(&batch, bounds) {
            self.answer_all(ctx);
        }
        let pinned_from = self.waiting.first_begin();
        let reached = self.store.put_raw(frame, &batch, bounds, pinned_from, now_ns)?;
        // After the batch is held: the source that waits for memory gets some back.
        self.squeeze(ctx);
        Ok(reached)
    }

    /// Holds a table of hits; the stream's watermark.
    fn hits(&mut self, frame: &Frame, ctx: &mut Context) -> Result<u64, NodeError> {
        let table = self.hits.table(frame)?;
        let watermark = watermark_of(frame);
        let watermark = watermark.ok_or_else(|| {
            NodeError::new("wanted a table of hits with the attribute `watermark`, found none")
        })?;
        let key = (link_of(frame), finder_of(frame).unwrap_or_else(|| Arc::from("")));
        self.store.put_hits(key, frame, table, watermark, ctx.data_ns())
    }

    fn ask(&mut self, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let mut asked = std::mem::take(&mut self.asked);
        let read = self.decisions.read(frame, &mut asked);
        for decision in &asked {
            self.request(*decision, Some(frame.clone()), ctx);
        }
        asked.clear();
        self.asked = asked;
        self.arm(ctx);
        read
    }

    fn ask_by_hand(&mut self, ctx: &mut Context) {
        let p = &mut self.params;
        p.request = false;
        let decision = DecisionRow {
            number: BY_HAND + self.by_hand,
            window_begin: p.window_begin,
            window_end: p.window_end,
            time_candidate: p.window_begin,
            ..DecisionRow::default()
        };
        self.by_hand += 1;
        self.request(decision, None, ctx);
    }

    /// Answers a request, or lets it wait.
    fn request(&mut self, decision: DecisionRow, origin: Option<Frame>, ctx: &mut Context) {
        self.params.requests += 1;
        let (asked_ns, now_ns) = (ctx.now_ns(), ctx.data_ns());
        let request = Request { decision, origin, asked_ns };
        let is_invalid = decision.window_begin >= decision.window_end;
        // A window in the past is answered at once; an empty one has nothing to wait for.
        if is_invalid || decision.window_end <= self.store.watermark(self.alive_since_ns(now_ns)) {
            self.answer(request, Cause::Reached, ctx);
        } else if self.waiting.len() >= self.params.most_waiting {
            // Memory for requests is bounded; the answer is early rather than lost.
            self.answer(request, Cause::TooMany, ctx);
        } else {
            self.waiting.put(request, now_ns.saturating_add(nanoseconds(self.params.deadline)));
        }
    }

    fn answer_reached(&mut self, ctx: &mut Context) {
        let reached = self.store.watermark(self.alive_since_ns(ctx.data_ns()));
        while let Some(request) = self.waiting.take_ended(reached) {
            self.answer(request, Cause::Reached, ctx);
        }
        self.let_go(ctx);
    }

    /// Releases data held for requests that have been answered.
    fn let_go(&mut self, ctx: &Context) {
        let bounds = self.bounds(ctx);
        self.store.shrink(bounds.bytes, bounds.most_bytes(), self.waiting.first_begin());
    }

    /// The clock of a link was set back: its held data are released, so waiting requests get the data that are left.
    fn answer_all(&mut self, ctx: &mut Context) {
        while let Some(request) = self.waiting.take_ended(u64::MAX) {
            self.answer(request, Cause::SetBack, ctx);
        }
    }

    fn answer(&mut self, request: Request, cause: Cause, ctx: &mut Context) {
        let record = self.store.read(&request.decision, self.alive_since_ns(ctx.data_ns()));
        self.count(&record, cause);
        self.count_lack(&record, cause, ctx);
        // The time of the answer includes its reading.
        self.response.record(ctx.now_ns().saturating_sub(request.asked_ns));
        if let Err(error) = send(record, &request, ctx) {
            self.params.unsent += 1;
            ctx.late(1);
            ctx.tell_error(format!("the record of trigger {} is lost: {error}", request.decision.number));
        }
    }

    fn count(&mut self, record: &TriggerRecord, cause: Cause) {
        let p = &mut self.params;
        let is_invalid = record.decision.window_begin >= record.decision.window_end;
        match record.is_whole() {
            // A request that makes no sense is counted apart, and not as missing data.
            _ if is_invalid => p.invalid += 1,
            true => p.whole += 1,
            false if record.bytes() == 0 => p.empty += 1,
            false => p.partial += 1,
        }
        p.late += u64::from(cause == Cause::Deadline);
        p.hurried += u64::from(matches!(cause, Cause::TooMany | Cause::SetBack));
    }

    /// Ticks that a record lacks because it was asked for too late, or answered too early, are a loss of the run. Data that never came here are
    /// counted where they were lost.
    fn count_lack(&mut self, record: &TriggerRecord, cause: Cause, ctx: &Context) {
        // Data that came too late for an early answer are our loss; data that never came are not.
        let is_early = !matches!(cause, Cause::Reached | Cause::Drained);
        let own = |missing: &&Missing| match missing.reason {
            MissingReason::TooOld | MissingReason::Overrun => true,
            MissingReason::NotYet => is_early,
            _ => false,
        };
        let raw = record.fragments.iter().flat_map(|fragment| &fragment.missing);
        let Some(first) = raw.chain(record.hits.iter().flat_map(|hits| &hits.missing)).find(own) else {
            return;
        };
        self.lacking += 1;
        ctx.late(1);
        // The log has each power of two, so that a broken setting does not fill it.
        if self.lacking.is_power_of_two() {
            ctx.tell_error(format!(
                "the record of trigger {} lacks data from {} to {}: {}; {} such records so far",
                record.decision.number,
                first.begin,
                first.end,
                first.reason.name(),
                self.lacking
            ));
        }
    }

    fn bounds(&self, ctx: &Context) -> Bounds {
        let p = &self.params;
        let pool = ctx.pool_statistics().limit_bytes as f64;
        let share = (pool * p.pool_share) as usize;
        // The share of the pool bounds `max_bytes`, or sources would wait for memory.
        let bytes = if p.max_bytes == 0 { share } else { share.min(p.max_bytes as usize) };
        Bounds { seconds: p.seconds, bytes, pinned_bytes: (pool * p.pinned_share) as usize }
    }

    /// Releases a part when the pool has been exhausted since it was looked at last.
    fn squeeze(&mut self, ctx: &Context) {
        let exhausted = ctx.pool_statistics().exhausted;
        // Only a new failure of the pool counts, and only if there is something to release.
        if std::mem::replace(&mut self.exhausted, exhausted) == exhausted || self.store.bytes() == 0 {
            return;
        }
        self.params.squeezed += 1;
        // A sixteenth at a time: the next failure releases more.
        let left = self.store.bytes() / 16 * 15;
        self.store.shrink(left, left, self.waiting.first_begin());
    }

    /// A link or stream is dead if it was last seen before this.
    fn alive_since_ns(&self, now_ns: u64) -> u64 {
        now_ns.saturating_sub(nanoseconds(self.params.dead_after))
    }

    /// Sets the timer for the next deadline.
    fn arm(&mut self, ctx: &mut Context) {
        let now_ns = ctx.data_ns();
        let silent_ns = self.store.longest_silent_ns(self.alive_since_ns(now_ns));
        let dead_ns = silent_ns.map(|seen| seen.saturating_add(nanoseconds(self.params.dead_after)) + 1);
        // Dead links matter only to waiting requests.
        let dead_ns = dead_ns.filter(|_| self.waiting.len() > 0);
        let has_news = self.store.bytes() > 0 || !self.store.ledger.is_empty();
        let publish_ns = has_news.then_some(self.publish_ns.max(now_ns));
        self.due_ns = [dead_ns, publish_ns, self.waiting.first_deadline()].into_iter().flatten().min();
        ctx.set_data_timer(self.due_ns);
        // A look at the pool, by the time of day: the data may stand still while memory is short.
        let look_ns = (self.store.bytes() > 0).then_some(ctx.now_ns() + LOOK_NS);
        let asked_ns = self.params.request.then_some(ctx.now_ns());
        ctx.set_timer(asked_ns.or(look_ns));
    }

    fn tell_ledger(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        if self.store.ledger.is_empty() {
            return Ok(());
        }
        let table = self.ledger.frame(&self.store.ledger, ctx)?;
        self.store.ledger.clear();
        ctx.emit_to(1, table)
    }

    fn publish(&mut self, now_ns: u64, ctx: &Context) {
        let (alive_since_ns, bounds) = (self.alive_since_ns(now_ns), self.bounds(ctx));
        let (p, links) = (&mut self.params, &self.store.links);
        p.link_numbers.clear();
        p.link_numbers.extend(links.keys().map(|number| f64::from(*number)));
        p.held_s.clear();
        p.held_s.extend(links.values().map(|link| (link.ticks * link.format.tick_ns()) as f64 / 1e9));
        p.held_bytes.clear();
        p.held_bytes.extend(links.values().map(|link| link.bytes as f64));
        p.dead = links.values().filter(|link| link.seen_ns < alive_since_ns).count();
        p.bytes = self.store.bytes() as u64;
        p.pinned_bytes = self.store.bytes().saturating_sub(bounds.bytes) as u64;
        p.waiting = self.waiting.len();
        p.overruns = self.store.overruns;
        let r = &self.response;
        let seconds = |ns: u64| ns as f64 / 1e9;
        (p.response_min_s, p.response_max_s) = (seconds(r.min_ns), seconds(r.max_ns));
        p.response_mean_s = seconds(r.sum_ns) / r.count.max(1) as f64;
    }
}

impl Response {
    fn record(&mut self, ns: u64) {
        self.min_ns = if self.count == 0 { ns } else { self.min_ns.min(ns) };
        self.max_ns = self.max_ns.max(ns);
        self.sum_ns = self.sum_ns.saturating_add(ns);
        self.count += 1;
    }
}

fn send(record: TriggerRecord, request: &Request, ctx: &mut Context) -> Result<(), NodeError> {
    let mut frame = ctx.value(Arc::new(record))?;
    match &request.origin {
        Some(origin) => inherit_times(&mut frame, origin),
        None => frame.header_mut().entry_ns = ctx.now_ns(),
    }
    ctx.emit_to(0, frame)
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}
