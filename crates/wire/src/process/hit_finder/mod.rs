//! `hit_finder`: pulses on all wires of one or more links.
//!
//! In: raw frames of any number of links ([`RawBatch`]: WIB1, WIB2, WIBEth). Out: for each batch one table of [`HitRow`], with the attributes
//! `link` and `watermark` (no later table of the link has a hit that starts before it; also without hits); at `ledger` the time that was lost, not searched,
//! or constant.
//!
//! All planes are searched in the order of the frame; plane and wire are looked up for the hits. To share the work, give each of several
//! `hit_finder`s some of the `links`, or some of the `planes`.
//!
//! - **Gaps.** Frames missing before a batch end the open hits, marked [`HitRow::GAP`]. Pedestals stay; the filter forgets the last
//!   samples, so that no hit is made of a gap. A gap that the source has not entered in the ledger as absent is entered here as dropped.
//! - **Faults.** Blocks of 64 channels with capture or checksum errors, and frames of another link, are held at the samples before them for 8
//!   ticks, then at their pedestals, so that no fault moves a pedestal or makes a hit. Hits around any fault are marked [`HitRow::FAULTY`].
//!   A chip whose samples are the same for 64 ticks is entered in the ledger as corrupt (`constant`).
//! - **Noisy channels.** A channel over `noisy_rate` for a second passes on one hit in a hundred until its rate is
//!   below half of the limit for ten seconds; channels in `masked` pass on none.
//! - **Too slow.** With `shed_after`, batches that have waited longer than this are searched on the collection plane
//!   only. Of batches that have waited twice as long, every second one of a link is not searched. Both are in the
//!   ledger. Raw frames are not affected.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::hit_finder::HitFinder;
//! use livetime_wire::{HitRow, RawFormat, RawLabels, RowTable, watermark_of};
//! use livetime_kernels::wib::{WIB1_BYTES, pack_wib1};
//!
//! let mut node = Harness::new::<HitFinder>(&[("channel_map", "none".into())])?;
//! let mut samples = vec![900i16; 256 * 240];
//! for (tick, value) in [(149, 30), (150, 100), (151, 110), (152, 60), (153, 20)] {
//!     samples[tick * 256 + 7] += value;
//! }
//! let mut frames = vec![0; 240 * WIB1_BYTES];
//! pack_wib1(&samples, &mut frames)?;
//! let batch = node.bytes_with(&frames, |header| RawLabels::new(RawFormat::Wib1).put(header, 3, 1_000_000, 0))?;
//! let tables = node.feed(&batch)?;
//! let mut hits = Vec::new();
//! RowTable::<HitRow>::default().read(&tables[0], &mut hits)?;
//! assert_eq!((hits[0].channel, hits[0].link, hits[0].time_peak(25)), (3 << 16 | 7, 3, 1_000_000 + 151 * 25));
//! assert_eq!(watermark_of(&tables[0]), Some(1_000_000 + (240 - 3) * 25));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod constant;
#[cfg(test)]
mod faults;
mod link;
mod noisy;
mod params;
mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{Frame, PayloadKind};

use crate::{HitRow, LedgerRow, LinkSet, RawBatch, RowTable, inherit_times};
use link::{Link, Output, Scratch, Shed};

pub use crate::ChannelMap;
pub use params::{Algorithm, HitFinderParams, Planes};

/// Finds hits.
pub struct HitFinder {
    params: HitFinderParams,
    wanted: LinkSet,
    links: BTreeMap<u16, Link>,
    scratch: Scratch,
    output: Output,
    /// Name of this node: distinguishes its hits from the hits of other finders.
    name: Arc<str>,
    hits: RowTable<HitRow>,
    ledger: RowTable<LedgerRow>,
    /// How long batches wait at present.
    waited_ns: u64,
}

/// Ledger rows that are sent at once.
const LEDGER_ROWS: usize = 64;

impl Node for HitFinder {
    type Params = HitFinderParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "hit_finder",
        "Finds pulses on the wires of one or more links.",
        &[PortSpec::bytes("in")],
        &[PortSpec::table("hits"), PortSpec::table("ledger")],
    );

    fn new(params: HitFinderParams) -> Result<HitFinder, NodeError> {
        let bad = params.masked.split(',').find(|n| !n.trim().is_empty() && n.trim().parse::<u32>().is_err());
        if let Some(bad) = bad {
            return Err(NodeError::new(format_args!("`masked`: wanted numbers of channels, found `{bad}`")));
        }
        Ok(HitFinder {
            wanted: LinkSet::parse(&params.links)?,
            params,
            links: BTreeMap::new(),
            scratch: Scratch::new(),
            output: Output::default(),
            name: Arc::from(""),
            hits: RowTable::default(),
            ledger: RowTable::default(),
            waited_ns: 0,
        })
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Other(PayloadKind::Table); 2])
    }

    fn params(&mut self) -> &mut HitFinderParams {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.name = Arc::from(ctx.name());
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let batch = RawBatch::of(frame)?;
        if !self.wanted.contains(batch.link) || batch.is_empty() {
            return Ok(());
        }
        self.begin_link(&batch, ctx)?;
        let shed = self.shed(frame, &batch, ctx);
        self.follow_clock(frame, &batch, ctx)?;
        let Some(link) = self.links.get_mut(&batch.link) else { return Ok(()) };
        self.output.hits.clear();
        let before = (link.gaps, link.faulty_frames, link.noisy.held_back());
        let result = link.search(&batch, shed, &self.params, &mut self.scratch, &mut self.output);
        let p = &mut self.params;
        p.gaps += link.gaps - before.0;
        p.faulty_frames += link.faulty_frames - before.1;
        p.hits_held_back += link.noisy.held_back() - before.2;
        let lost = self.scratch.lost() - p.hits_lost;
        if lost > 0 {
            ctx.late(lost);
        }
        p.hits_lost += lost;
        p.batches_shed += u64::from(shed != Shed::Nothing);
        let watermark = link.watermark();
        let is_second = link.noisy.follow_time(batch.end());
        result?;
        self.send_hits(frame, batch.link, watermark, ctx)?;
        if is_second {
            self.show(batch.link);
        }
        if self.output.ledger.len() >= LEDGER_ROWS || is_second {
            self.send_ledger(ctx)?;
        }
        Ok(())
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "links" => self.wanted = LinkSet::parse(&self.params.links)?,
            "noisy_rate" => {
                let limit = self.params.noisy_rate;
                self.links.values_mut().for_each(|link| link.noisy.set_limit(limit));
            }
            _ => {}
        }
        Ok(())
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        for (number, link) in &mut self.links {
            self.output.hits.clear();
            link.end(&mut self.scratch, &mut self.output);
            self.params.hits += self.output.hits.len() as u64;
            let mut table = self.hits.frame(&self.output.hits, ctx)?;
            self.hits.set_link(&mut table, *number);
            self.hits.set_finder(&mut table, &self.name, self.params.planes.bits());
            // Nothing comes any more.
            self.hits.set_watermark(&mut table, u64::MAX);
            ctx.emit(table)?;
        }
        self.send_ledger(ctx)
    }
}

impl HitFinder {
    /// A batch of a new link, or of another format, begins it.
    fn begin_link(&mut self, batch: &RawBatch, ctx: &mut Context) -> Result<(), NodeError> {
        if self.links.get(&batch.link).is_some_and(|link| link.format() == batch.format) {
            return Ok(());
        }
        let mut link = Link::new(&self.params, batch)?;
        link.noisy.set_limit(self.params.noisy_rate);
        if !link.is_mapped {
            ctx.tell_error(format_args!(
                "link {}: the channel map does not know its crate, slot and fiber; channels are numbered 65536 · link + channel",
                batch.link
            ).to_string());
        }
        if link.searches.is_empty() {
            return Err(NodeError::new(format_args!(
                "link {} has no channel on the chosen planes",
                batch.link
            )));
        }
        self.links.insert(batch.link, link);
        self.params.links_found = self.links.len();
        self.params.links_unmapped = self.links.values().filter(|link| !link.is_mapped).count();
        Ok(())
    }

    /// When the clock of a link was set back, the last hits of the epoch before go into a table of their own, behind which the watermark goes back.
    fn follow_clock(&mut self, frame: &Frame, batch: &RawBatch, ctx: &mut Context) -> Result<(), NodeError> {
        let Some(link) = self.links.get_mut(&batch.link).filter(|link| link.is_set_back(batch)) else {
            return Ok(());
        };
        self.output.hits.clear();
        let watermark = link.end_epoch(&mut self.scratch, &mut self.output);
        ctx.tell(format!("link {}: the clock was set back from {watermark} to {}", batch.link, batch.first));
        self.send_hits(frame, batch.link, watermark, ctx)
    }

    /// The planes of a batch that are left out because of its waiting time.
    fn shed(&mut self, frame: &Frame, batch: &RawBatch, ctx: &mut Context) -> Shed {
        // A recording waits for as long as the search takes.
        if self.params.shed_after <= 0.0 || ctx.is_replay() {
            return Shed::Nothing;
        }
        // Not every frame carries the time of its entry.
        if frame.header().entry_ns != 0 {
            self.waited_ns = ctx.now_ns().saturating_sub(frame.header().entry_ns);
        }
        let limit = (self.params.shed_after * 1e9) as u64;
        let is_second = batch.first / (batch.end() - batch.first).max(1) % 2 == 1;
        match self.waited_ns / limit.max(1) {
            0 => Shed::Nothing,
            1 => Shed::Induction,
            _ if is_second => Shed::Everything,
            _ => Shed::Induction,
        }
    }

    fn send_hits(
        &mut self,
        frame: &Frame,
        link: u16,
        watermark: u64,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        self.params.hits += self.output.hits.len() as u64;
        let mut table = self.hits.frame(&self.output.hits, ctx)?;
        inherit_times(&mut table, frame);
        self.hits.set_link(&mut table, link);
        self.hits.set_finder(&mut table, &self.name, self.params.planes.bits());
        self.hits.set_watermark(&mut table, watermark);
        ctx.emit(table)
    }

    fn send_ledger(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        if self.output.ledger.is_empty() {
            return Ok(());
        }
        let table = self.ledger.frame(&self.output.ledger, ctx)?;
        self.output.ledger.clear();
        ctx.emit_to(1, table)
    }

    /// Readbacks that are renewed once a second.
    fn show(&mut self, number: u16) {
        let noisy =
            self.links.values().flat_map(|l| l.noisy.noisy().map(|c| l.channels[c].offline.to_string()));
        self.params.noisy = noisy.collect::<Vec<_>>().join(",");
        let Some(link) = self.links.get(&number).filter(|_| u32::from(number) == self.params.monitor_link)
        else {
            return;
        };
        let p = &mut self.params;
        p.rates.clear();
        p.rates.extend(link.noisy.rates().map(f64::from));
        for values in [&mut p.pedestals, &mut p.channel_noise] {
            values.clear();
            values.resize(link.channels.len(), 0.0);
        }
        for search in &link.searches {
            for (i, channel) in search.channels.iter().enumerate() {
                p.pedestals[usize::from(*channel)] = search.pedestal(i).unwrap_or(0).into();
                p.channel_noise[usize::from(*channel)] = search.noise(i);
            }
        }
    }
}
