//! `hit_merger`: the hits of all links in one order of time.
//!
//! In: tables of [`HitRow`] with the attributes `link` and `watermark`, as `hit_finder` sends them; several edges may lead here. Out: tables of
//! [`HitRow`], strictly ordered by (`time_start`, `channel`, `link`), across tables too, with the attribute `watermark`; at `ledger` the time for
//! which a link was dead.
//!
//! A hit leaves when the watermarks of all links have passed it, so the output does not depend on which link is faster. A link that says
//! nothing for `dead_after`, while others do, is declared dead: it does not hold the others up any more, and its hits do not count until it has
//! caught up. That is the only way for a hit to be left out; each is counted in `hits_tardy`, and the time is in the ledger. With `links` given, it is
//! waited for those links from the beginning; without, nothing leaves for the first quarter of `dead_after`, so that all can come.
//!
//! Where the clock of the data is the time of day, `delay_p50` and `delay_p99` tell how long after its last sample over the threshold a hit was in the
//! output.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::hit_merger::HitMerger;
//! use livetime_nodes::wire::{HitRow, RowTable, watermark_of};
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

mod links;
#[cfg(test)]
mod tests;

use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, time_of_day_ns};
use livetime_frame::Frame;

use crate::wire::{
    Delays, HitRow, LedgerRow, LinkSet, RowTable, State, inherit_times, link_of, watermark_of,
};
use links::{Links, News};

/// Parameters of `hit_merger`.
#[derive(Params)]
pub struct HitMergerParams {
    /// Links that are waited for from the beginning, for example `0-9`; empty: those that come in the first quarter of `dead_after`.
    pub links: String,
    /// A link that is silent for this long while others are not is dead.
    #[param(default = 0.5, min = 0.001, max = 3600, unit = "s")]
    pub dead_after: f64,
    /// Ticks of the clock in a sample.
    #[param(default = 25, min = 1, max = 1000)]
    pub sample_step: u64,
    /// Length of a tick of the clock.
    #[param(default = 20, min = 1, max = 1000, unit = "ns")]
    pub tick_ns: u64,
    /// Hits that left so far.
    #[param(readback, count)]
    pub hits: u64,
    /// Hits that came after the output had passed them, because their link was dead.
    #[param(readback, count)]
    pub hits_tardy: u64,
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
    /// Half of the hits were in the output this long after they had happened, or earlier.
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
    links: Links,
    /// Hits that wait, in no order.
    waiting: Vec<HitRow>,
    /// Latest start among them.
    newest: u64,
    /// Nothing leaves before this time.
    begins_ns: Option<u64>,
    /// The output has gone so far.
    merged: u64,
    leaving: Vec<HitRow>,
    incoming: Vec<HitRow>,
    delays: Delays,
    hits: RowTable<HitRow>,
    ledger: RowTable<LedgerRow>,
}

/// So few waiting hits are looked through whenever the watermark moves.
const FEW: usize = 4096;

impl Node for HitMerger {
    type Params = HitMergerParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "hit_merger",
        kind: NodeKind::Process,
        summary: "Puts the hits of all links into one order of time.",
        inputs: &[PortSpec::table("in")],
        outputs: &[PortSpec::table("hits"), PortSpec::table("ledger")],
        parallel: false,
    };

    fn new(params: HitMergerParams) -> Result<HitMerger, NodeError> {
        LinkSet::parse(&params.links)?;
        Ok(HitMerger {
            params,
            links: Links::default(),
            waiting: Vec::new(),
            newest: 0,
            begins_ns: None,
            merged: 0,
            leaving: Vec::new(),
            incoming: Vec::new(),
            delays: Delays::default(),
            hits: RowTable::default(),
            ledger: RowTable::default(),
        })
    }

    fn params(&mut self) -> &mut HitMergerParams {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        for link in LinkSet::parse(&self.params.links)?.numbers() {
            self.links.expect(link, ctx.now_ns());
            self.begins_ns = Some(0);
        }
        self.set_timer(ctx);
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let mut incoming = std::mem::take(&mut self.incoming);
        let read = self.hits.read(frame, &mut incoming);
        let (Some(link), Some(watermark)) = (link_of(frame), watermark_of(frame)) else {
            self.incoming = incoming;
            read?;
            return Err(NodeError::new(
                "wanted a table with the attributes `link` and `watermark`, found none",
            ));
        };
        self.begins_ns.get_or_insert(ctx.now_ns() + self.quarter_ns());
        let news = self.links.table(link, watermark, self.merged, ctx.now_ns());
        self.take_in(&incoming);
        self.incoming = incoming;
        read?;
        if let News::Back(since, until) = news {
            ctx.tell(format!("link {link} is back"));
            self.tell_dead(link, since, until, ctx)?;
        }
        self.release(Some(frame), ctx)
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let after_ns = (self.params.dead_after * 1e9) as u64;
        let mut dead = Vec::new();
        self.links.bury(ctx.now_ns(), after_ns, self.merged, |link, _| dead.push(link));
        for link in &dead {
            ctx.tell_error(format!(
                "link {link} is dead: nothing for {} s while others go on; they do not wait for it any more",
                self.params.dead_after
            ));
        }
        self.params.deaths += dead.len() as u64;
        self.show();
        self.set_timer(ctx);
        self.release(None, ctx)
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let dead: Vec<(u16, u64)> = self.links.dead().collect();
        for (link, since) in dead {
            self.tell_dead(link, since, self.newest.max(self.merged), ctx)?;
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
        ctx.set_timer(Some(ctx.now_ns().saturating_add(self.quarter_ns())));
    }

    /// Keeps the hits that the output has not passed yet.
    fn take_in(&mut self, incoming: &[HitRow]) {
        for hit in incoming {
            if hit.time_start < self.merged {
                self.params.hits_tardy += 1;
            } else {
                self.newest = self.newest.max(hit.time_start);
                self.waiting.push(*hit);
            }
        }
    }

    /// Sends what all live links have passed.
    fn release(&mut self, from: Option<&Frame>, ctx: &mut Context) -> Result<(), NodeError> {
        if self.begins_ns.is_none_or(|begins| ctx.now_ns() < begins) {
            return Ok(());
        }
        let Some(watermark) = self.links.watermark().filter(|watermark| *watermark > self.merged) else {
            return Ok(());
        };
        // When much waits, it is looked through only when an eighth of its time may go: so each hit is looked at a few times only.
        let span = self.newest.saturating_sub(self.merged);
        if self.waiting.len() > FEW && watermark - self.merged < span / 8 {
            return Ok(());
        }
        self.send(watermark, from, ctx)
    }

    fn send(&mut self, watermark: u64, from: Option<&Frame>, ctx: &mut Context) -> Result<(), NodeError> {
        self.leaving.clear();
        self.leaving.extend(self.waiting.extract_if(.., |hit| hit.time_start < watermark));
        self.leaving.sort_unstable_by_key(|hit| (hit.time_start, hit.channel, hit.link));
        self.merged = watermark;
        self.params.hits += self.leaving.len() as u64;
        self.measure();
        let mut table = self.hits.frame(&self.leaving, ctx)?;
        if let Some(from) = from {
            inherit_times(&mut table, from);
        }
        self.hits.set_watermark(&mut table, watermark);
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
        p.waiting = self.waiting.len();
        p.links_seen = self.links.count();
        p.links_dead = self.links.dead().count();
        p.slowest_link = self.links.slowest().map_or(0, u32::from);
        p.skew = self.links.skew() as f64 * p.tick_ns as f64 / 1e9;
        (p.delay_p50, p.delay_p99) = (self.delays.percentile(50), self.delays.percentile(99));
        p.delay_max = self.delays.max();
    }
}
