//! `hit_merger`: the hits of all links in one order of time.
//!
//! In: tables of [`HitRow`] with the attributes `link` and `watermark`, as `hit_finder` sends them; several edges may lead here. Out: tables of
//! [`HitRow`], strictly ordered by (`time_start`, `channel`, `link`), across tables too, with the attribute `watermark`; at `ledger` the time for
//! which a link was dead.
//!
//! A hit is sent when the watermarks of all streams have passed it, so the output does not depend on the
//! speed of the finders. A stream has the hits of one finder on one link (attributes `link` and `finder`): several
//! finders may share the links, or the planes of a link. A stream that is silent for `dead_after`, while others are
//! not, is declared dead: the others no longer wait for it, its hits are left out until its watermark has caught up,
//! and the time is in the ledger. With `links` given, the node sends nothing before tables of all planes of these links
//! have come. Without `links`, or when some links stay silent, the node sends nothing for the first quarter of
//! `dead_after`, so that all streams can come.
//!
//! A watermark that goes back means that the clock was set back: the stream continues in the next *epoch* of time. Its
//! hits wait until all streams have followed; then the remaining hits of the old epoch leave, and the output's
//! watermark goes back too. A stream that the others do not follow for `dead_after` is dead until the others have
//! reached its time.
//!
//! Hits that come after the output has passed their time are left out, and so are the hits of the latest time when more
//! than `most_waiting` wait: they are counted (`hits_tardy`, `hits_left_out`), and are a loss of the run (`late`).
//!
//! In live data, whose clock is the time of day and advances at its pace, `delay_p50` and `delay_p99` are the time from
//! the last sample of a hit over the threshold to its output.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::hit_merger::HitMerger;
//! use livetime_wire::{HitRow, RowTable, watermark_of};
//!
//! let mut node = Harness::new::<HitMerger>(&[("links", "0-1".into())])?;
//! let hit = |time_start| HitRow { time_start, ..HitRow::default() };
//! let first = RowTable::with(node.pool(), &[hit(100), hit(300)], Some(0), 350)?;
//! assert!(node.feed(&first)?.is_empty(), "the other link may have earlier ones");
//! let second = RowTable::with(node.pool(), &[hit(200)], Some(1), 250)?;
//! let out = node.feed(&second)?;
//! let mut hits = Vec::new();
//! RowTable::<HitRow>::default().read(&out[0], &mut hits)?;
//! assert_eq!(hits, [hit(100), hit(200)]);
//! assert_eq!(watermark_of(&out[0]), Some(250));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod streams;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec, Stream, time_of_day_ns};
use livetime_frame::{Frame, PayloadKind};

use crate::{
    Delays, HitRow, LedgerRow, LinkSet, RowTable, State, finder_of, inherit_times, link_of, planes_of,
    watermark_of,
};
use streams::{ALL_PLANES, Cause, Key, News, Streams};

/// Parameters of `hit_merger`.
#[derive(Params)]
pub struct HitMergerParams {
    /// Links that are waited for from the beginning, for example `0-9`; empty: those that come in the first quarter of `dead_after`.
    pub links: String,
    /// A link that is silent for this long while others are not is dead.
    #[param(default = 0.5, min = 0.001, max = 3600, unit = "s")]
    pub dead_after: f64,
    /// Hits that may wait; beyond that the hits of the latest time are left out.
    #[param(default = 4_000_000, min = 1_000, max = 100_000_000)]
    pub most_waiting: usize,
    /// Ticks of the clock in a sample.
    #[param(default = 25, min = 1, max = 1000)]
    pub sample_step: u64,
    /// Length of a tick of the clock.
    #[param(default = 20, min = 1, max = 1000, unit = "ns")]
    pub tick_ns: u64,
    /// Hits that left so far.
    #[param(readback, count)]
    pub hits: u64,
    /// Hits that were left out because they came after the output had passed them: their link was dead, or its clock was set back alone.
    #[param(readback, count)]
    pub hits_tardy: u64,
    /// Hits that were left out because too many waited.
    #[param(readback, count)]
    pub hits_left_out: u64,
    /// Times that the clock was set back.
    #[param(readback, count)]
    pub epochs: u64,
    /// Hits that wait.
    #[param(readback)]
    pub waiting: usize,
    /// Links seen.
    #[param(readback)]
    pub links_seen: usize,
    /// Links that are dead now.
    #[param(readback)]
    pub links_dead: usize,
    /// Times that a link was declared dead.
    #[param(readback, count)]
    pub deaths: u64,
    /// The link that the others wait for.
    #[param(readback)]
    pub slowest_link: u32,
    /// Time between the furthest and the slowest link.
    #[param(readback, unit = "s")]
    pub skew: f64,
    /// Half of the hits were in the output this long after they had happened, or earlier; 0 for data that are not live, because their time is not
    /// the time of day or passes at another pace.
    #[param(readback, unit = "s")]
    pub delay_p50: f64,
    /// 99 % of the hits.
    #[param(readback, unit = "s")]
    pub delay_p99: f64,
    /// The slowest hit.
    #[param(readback, unit = "s")]
    pub delay_max: f64,
}

/// Merges the hits of links.
pub struct HitMerger {
    params: HitMergerParams,
    streams: Streams,
    wanted: LinkSet,
    /// Hits that wait, by epoch; at least one.
    epochs: VecDeque<Epoch>,
    /// Nothing leaves before this time, unless all have come.
    begins_ns: Option<u64>,
    has_begun: bool,
    /// Name of finders that give none.
    unnamed: Arc<str>,
    /// Name of this node: distinguishes its hits from the hits of another merger.
    name: Arc<str>,
    /// The output has gone so far.
    merged: u64,
    leaving: Vec<HitRow>,
    incoming: Vec<HitRow>,
    delays: Delays,
    hits: RowTable<HitRow>,
    ledger: RowTable<LedgerRow>,
}

/// Hits of an epoch that wait, in no order.
#[derive(Default)]
struct Epoch {
    waiting: Vec<HitRow>,
    /// Latest start among them.
    newest: u64,
}

/// So few waiting hits are looked through whenever the watermark moves.
const FEW: usize = 4096;

impl Node for HitMerger {
    type Params = HitMergerParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "hit_merger",
        "Puts the hits of all links into one order of time.",
        &[PortSpec::table("in")],
        &[PortSpec::table("hits"), PortSpec::table("ledger")],
    );

    fn new(params: HitMergerParams) -> Result<HitMerger, NodeError> {
        Ok(HitMerger {
            wanted: LinkSet::parse(&params.links)?,
            params,
            streams: Streams::default(),
            epochs: VecDeque::from([Epoch::default()]),
            begins_ns: None,
            has_begun: false,
            unnamed: Arc::from(""),
            name: Arc::from(""),
            merged: 0,
            leaving: Vec::new(),
            incoming: Vec::new(),
            delays: Delays::default(),
            hits: RowTable::default(),
            ledger: RowTable::default(),
        })
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Other(PayloadKind::Table); 2])
    }

    fn params(&mut self) -> &mut HitMergerParams {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.name = Arc::from(ctx.name());
        for link in self.wanted.numbers() {
            self.streams.expect(link, ctx.data_ns());
        }
        self.set_timer(ctx);
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let mut incoming = std::mem::take(&mut self.incoming);
        // The rows before a broken one are taken in all the same, and the error is returned at the end.
        let read = self.hits.read(frame, &mut incoming);
        let (Some(link), Some(watermark)) = (link_of(frame), watermark_of(frame)) else {
            self.incoming = incoming;
            read?;
            return Err(NodeError::new(
                "wanted a table with the attributes `link` and `watermark`, found none",
            ));
        };
        // The quarter begins with the first table: a source may start long after the graph.
        self.begins_ns.get_or_insert(ctx.data_ns() + self.quarter_ns());
        self.delays.follow(frame.header().event_time_ns, frame.header().entry_ns);
        let key: Key = (link, finder_of(frame).unwrap_or_else(|| self.unnamed.clone()));
        let news = self.streams.table(&key, planes_of(frame), watermark, self.merged, ctx.data_ns());
        self.take_in(&incoming, if let News::Of(epoch) = news { epoch } else { 0 }, ctx);
        self.incoming = incoming;
        read?;
        // The ledger gets the dead time only now, when its end is known.
        if let News::Back(since, until) = news {
            ctx.tell(format!("link {link} is back"));
            self.tell_dead(link, since, until, ctx)?;
        }
        self.release(Some(frame), ctx)
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let after_ns = (self.params.dead_after * 1e9) as u64;
        // Collected first, because `bury` borrows the streams that the messages need.
        let mut dead = Vec::new();
        self.streams.bury(ctx.data_ns(), after_ns, self.merged, |link, cause| dead.push((link, cause)));
        for (link, cause) in &dead {
            let after = self.params.dead_after;
            let why = match cause {
                Cause::Silent => format!("nothing for {after} s while others go on"),
                Cause::SetBack => format!("its clock was set back {after} s ago and that of others was not"),
            };
            ctx.tell_error(format!("link {link} is dead: {why}; they do not wait for it any more"));
            if *cause == Cause::SetBack {
                self.bring_back(*link, ctx);
            }
        }
        self.params.deaths += dead.len() as u64;
        self.show();
        self.set_timer(ctx);
        self.release(None, ctx)
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let dead: Vec<(u16, u64)> = self.streams.dead().collect();
        // Streams that are still dead have missed the time up to the newest hit.
        let newest = self.epochs.front().map_or(0, |epoch| epoch.newest);
        for (link, since) in dead {
            self.tell_dead(link, since, newest.max(self.merged), ctx)?;
        }
        // At the end nothing can follow any more, so every epoch leaves in order.
        while self.epochs.len() > 1 {
            self.end_epoch(None, ctx)?;
        }
        if self.merged < u64::MAX {
            self.send(u64::MAX, None, ctx)?;
        }
        self.show();
        Ok(())
    }
}

impl HitMerger {
    fn quarter_ns(&self) -> u64 {
        (self.params.dead_after * 0.25e9) as u64 + 1
    }

    fn set_timer(&self, ctx: &mut Context) {
        ctx.set_data_timer(Some(ctx.data_ns().saturating_add(self.quarter_ns())));
    }

    /// Keeps the hits that the output has not passed yet. `epoch` is counted from the one that is being merged.
    fn take_in(&mut self, incoming: &[HitRow], epoch: usize, ctx: &Context) {
        // Hits of a later epoch cannot be late: its merged time is 0.
        let merged = if epoch == 0 { self.merged } else { 0 };
        if self.epochs.len() <= epoch {
            self.epochs.resize_with(epoch + 1, Epoch::default);
        }
        let mut tardy = 0;
        if let Some(kept) = self.epochs.get_mut(epoch) {
            for hit in incoming {
                if hit.time_start < merged {
                    tardy += 1;
                } else {
                    kept.newest = kept.newest.max(hit.time_start);
                    kept.waiting.push(*hit);
                }
            }
        }
        self.count_tardy(tardy, ctx);
        if self.waiting() > self.params.most_waiting {
            self.leave_out(ctx);
        }
    }

    fn waiting(&self) -> usize {
        self.epochs.iter().map(|epoch| epoch.waiting.len()).sum()
    }

    fn count_tardy(&mut self, count: u64, ctx: &Context) {
        if count == 0 {
            return;
        }
        let before = self.params.hits_tardy;
        self.params.hits_tardy += count;
        // Entered as a loss of the run: the hits were found, and are in no output.
        ctx.late(count);
        // The first, and then ever fewer.
        if before.checked_ilog2() != self.params.hits_tardy.checked_ilog2() {
            ctx.tell_error(format!(
                "{} hits so far came when the output had passed their time, and were left out",
                self.params.hits_tardy
            ));
        }
    }

    /// Gives up the eighth of the waiting hits with the latest times: they belong to a link that is far ahead of the others.
    fn leave_out(&mut self, ctx: &Context) {
        // An eighth at once: leaving out one hit at a time would sort the queue again and again.
        let mut rest = self.waiting() / 8;
        let all = rest;
        // The latest hits go, because the earliest are the ones that the output waits for.
        for epoch in self.epochs.iter_mut().rev() {
            let kept = epoch.waiting.len().saturating_sub(rest);
            rest -= epoch.waiting.len() - kept;
            if kept > 0 && kept < epoch.waiting.len() {
                // Only the border is needed, not an order.
                epoch.waiting.select_nth_unstable_by_key(kept, |hit| hit.time_start);
            }
            epoch.waiting.truncate(kept);
            epoch.newest = epoch.waiting.iter().map(|hit| hit.time_start).max().unwrap_or(0);
        }
        self.params.hits_left_out += all as u64;
        ctx.late(all as u64);
        ctx.tell_error(format!(
            "more than {} hits wait for a link that is behind: the {all} of the latest time were left out",
            self.params.most_waiting
        ));
    }

    /// The clock of a link was set back alone: its hits count again when the others have come to where it is.
    fn bring_back(&mut self, link: u16, ctx: &Context) {
        let mut own = Vec::new();
        for epoch in self.epochs.iter_mut().skip(1) {
            own.extend(epoch.waiting.extract_if(.., |hit| hit.link == link));
        }
        // Epochs that only this link had begun never existed.
        while self.epochs.len() > 1 && self.epochs.back().is_some_and(|epoch| epoch.waiting.is_empty()) {
            self.epochs.pop_back();
        }
        self.take_in(&own, 0, ctx);
    }

    /// Sends the hits that all live streams have passed.
    fn release(&mut self, from: Option<&Frame>, ctx: &mut Context) -> Result<(), NodeError> {
        if !self.may_begin(ctx.data_ns()) {
            return Ok(());
        }
        // Before the watermark, which is meaningless once all streams are in the next epoch.
        if self.streams.have_left_epoch() {
            self.end_epoch(from, ctx)?;
        }
        let Some(watermark) = self.streams.watermark().filter(|watermark| *watermark > self.merged) else {
            return Ok(());
        };
        let Some(epoch) = self.epochs.front() else { return Ok(()) };
        // A long queue is scanned only when an eighth of its time span can leave, so that each hit is visited a few times at most.
        let span = epoch.newest.saturating_sub(self.merged);
        if epoch.waiting.len() > FEW && watermark - self.merged < span / 8 {
            return Ok(());
        }
        self.send(watermark, from, ctx)
    }

    fn may_begin(&mut self, now_ns: u64) -> bool {
        let is_time = self.begins_ns.is_some_and(|begins| now_ns >= begins);
        self.has_begun = self.has_begun || is_time || self.streams.are_complete(self.wanted.numbers());
        self.has_begun
    }

    /// Everything of the epoch that is being merged has come: it leaves, and the next one begins.
    fn end_epoch(&mut self, from: Option<&Frame>, ctx: &mut Context) -> Result<(), NodeError> {
        let (last, has_more) =
            self.epochs.front().map_or((0, false), |epoch| (epoch.newest, !epoch.waiting.is_empty()));
        // One tick more than the last hit, so that it leaves too.
        let sent = if has_more { self.send(last.saturating_add(1), from, ctx) } else { Ok(()) };
        self.epochs.pop_front();
        if self.epochs.is_empty() {
            self.epochs.push_back(Epoch::default());
        }
        self.streams.begin_epoch();
        self.params.epochs += 1;
        ctx.tell(format!("the clock was set back at {}: a new epoch of time begins", self.merged));
        self.merged = 0;
        sent
    }

    fn send(&mut self, watermark: u64, from: Option<&Frame>, ctx: &mut Context) -> Result<(), NodeError> {
        self.leaving.clear();
        if let Some(epoch) = self.epochs.front_mut() {
            // At the end nothing stays, not even at the very last tick.
            let leaves = |hit: &mut HitRow| hit.time_start < watermark || watermark == u64::MAX;
            self.leaving.extend(epoch.waiting.extract_if(.., leaves));
        }
        // Times alone are not unique; with channel and link the order is the same at every run.
        self.leaving.sort_unstable_by_key(|hit| (hit.time_start, hit.channel, hit.link));
        self.merged = watermark;
        self.params.hits += self.leaving.len() as u64;
        self.measure();
        let mut table = self.hits.frame(&self.leaving, ctx)?;
        // Without a causing table, as on a timer, the output has no times to inherit.
        if let Some(from) = from {
            inherit_times(&mut table, from);
        }
        self.hits.set_watermark(&mut table, watermark);
        self.hits.set_finder(&mut table, &self.name, ALL_PLANES);
        ctx.emit(table)
    }

    fn measure(&mut self) {
        if self.leaving.is_empty() {
            return;
        }
        let now_ns = time_of_day_ns().max(0) as u64;
        for hit in &self.leaving {
            let end_ns = hit.time_end(self.params.sample_step).saturating_mul(self.params.tick_ns);
            self.delays.add(end_ns, now_ns);
        }
    }

    fn tell_dead(&mut self, link: u16, begin: u64, end: u64, ctx: &mut Context) -> Result<(), NodeError> {
        if begin >= end {
            return Ok(());
        }
        let row = LedgerRow { link, begin, end, state: State::Dead as u8, bits: 0 };
        let table = self.ledger.frame(&[row], ctx)?;
        ctx.emit_to(1, table)
    }

    fn show(&mut self) {
        let p = &mut self.params;
        p.waiting = self.epochs.iter().map(|epoch| epoch.waiting.len()).sum();
        p.links_seen = self.streams.links();
        p.links_dead = self.streams.dead().count();
        p.slowest_link = self.streams.slowest().map_or(0, u32::from);
        p.skew = self.streams.skew() as f64 * p.tick_ns as f64 / 1e9;
        (p.delay_p50, p.delay_p99) = (self.delays.percentile(50), self.delays.percentile(99));
        p.delay_max = self.delays.max();
    }
}
