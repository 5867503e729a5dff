//! `roi_selector`: keeps the raw samples around hits, in blocks of 12 ticks and 16 channels, and drops the others.
//!
//! In: `raw`, batches of raw frames; `hits`, tables of [`HitRow`] with `watermark`, merged or with `link`. Out: for every batch with regions, `regions`,
//! a table of [`RegionRow`] in the order of time and channel, and `samples`, an array \[n, 12, 16\] of the samples of each, i16, counts; both with `link`.
//!
//! A hit marks its channel in all blocks from `margin` ticks before its start to `margin` ticks after its end. Blocks
//! are cut at multiples of 12 samples since 1970, wherever batches begin; a block with missing frames states which
//! ticks it has. (ROI readout as in ProtoDUNE-SP in 2020, which flagged 12 ticks of all 96 collection channels of a
//! link at once: `block: coarse_2020`.)
//!
//! A batch waits, by reference, until the watermarks of all streams of hits of its link have passed the last hit that
//! could mark it. So the frame pool must hold the batches of that time: about the latency of hit finding and merging.
//! Batches that have waited for longer than `wait` are dropped and counted. These batches are a loss of the run
//! (`late`), as are hits whose blocks had been dealt with, and hits without room.
//!
//! When the clock of a link is set back, its batches belong to a new epoch of time; when the watermarks of its hits
//! have gone back too, the remaining batches of the old epoch are cut.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::roi_selector::RoiSelector;
//! use livetime_wire::{HitRow, RawFormat, RawLabels, RegionRow, RowTable};
//!
//! let mut node = Harness::new::<RoiSelector>(&[("channel_map", "none".into()), ("margin", 6.into())])?;
//! let raw = node.bytes_with(&[0; 48 * 464], |header| RawLabels::new(RawFormat::Wib1).put(header, 0, 12_000 * 25, 0))?;
//! node.feed(&raw)?;
//! let hit = HitRow { time_start: 12_020 * 25, channel: 33, samples_over: 3, ..HitRow::default() };
//! let hits = RowTable::with(node.pool(), &[hit], None, 12_100 * 25)?;
//! let (out, mut rows) = (node.feed_to(1, &hits)?, Vec::new());
//! RowTable::<RegionRow>::default().read(&out[0], &mut rows)?;
//! assert_eq!(rows.iter().map(|r| r.time_start / 25).collect::<Vec<_>>(), [12_012, 12_024]);
//! assert_eq!((rows[0].group, rows[0].channels, rows[0].ticks), (2, 0b10, 0xFFF));
//! assert_eq!(out[1].array()?.elements::<i16>()?.len(), 2 * 12 * 16);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod link;
mod marks;
mod params;
#[cfg(test)]
mod tests;
mod wires;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use livetime_engine::{Context, Node, NodeError, NodeSpec, PortSpec};
use livetime_frame::{ColorMode, DType, Frame, Layout};
use livetime_kernels::Level;

use crate::{HitRow, RawBatch, RegionRow, RowTable, finder_of, inherit_times, link_of, watermark_of};
use link::{Link, Regions};
use marks::{LANES, Marked, TICKS};
pub use params::{BlockSize, RoiSelectorParams};

/// Keeps raw samples around hits.
pub struct RoiSelector {
    params: RoiSelectorParams,
    level: Level,
    links: BTreeMap<u16, Epochs>,
    /// How far each stream of hits has come: by link (`None`: merged) and finder.
    streams: BTreeMap<(Option<u16>, Arc<str>), Stream>,
    table: RowTable<HitRow>,
    hits: Vec<HitRow>,
    /// Hits of links that no batch has come from yet, with the number of their epoch.
    early: Vec<(HitRow, usize)>,
    regions: RowTable<RegionRow>,
    cut: Regions,
}

/// The epochs of time of a link, oldest first.
#[derive(Default)]
struct Epochs {
    links: VecDeque<Link>,
    /// Number of the first.
    first: usize,
}

/// A stream of hits.
#[derive(Clone, Copy, Default)]
struct Stream {
    watermark: u64,
    /// Times that it has gone back.
    epoch: usize,
}

const RAW: usize = 0;
const REGIONS: usize = 0;
const SAMPLES: usize = 1;

/// Hits of links without batches that are held at most.
const MOST_EARLY: usize = 1 << 16;

impl RoiSelector {
    fn take_raw(&mut self, frame: &Frame, ctx: &Context) -> Result<u16, NodeError> {
        let batch = RawBatch::of(frame)?;
        self.params.batches += 1;
        let epochs = self.links.entry(batch.link).or_default();
        let is_new = epochs.links.back().is_none_or(|link| link.is_after(&batch));
        // A clock that was set back begins another line of time; the old one is still being cut.
        if is_new {
            epochs.links.push_back(Link::new(&self.params, &batch));
        }
        if let Some(link) = epochs.links.back_mut() {
            link.push(frame, &batch)?;
        }
        // Hits may come before the first frames of their link.
        if is_new {
            let mut early = std::mem::take(&mut self.early);
            early.retain(|(hit, epoch)| hit.link != batch.link || self.mark(hit, *epoch, ctx).is_none());
            self.early = early;
        }
        Ok(batch.link)
    }

    fn take_hits(&mut self, frame: &Frame, ctx: &Context) -> Result<(), NodeError> {
        self.table.read(frame, &mut self.hits)?;
        let watermark = watermark_of(frame).ok_or_else(|| {
            NodeError::new("wanted hits with the attribute `watermark`, found none; the hit finder sends it")
        })?;
        let key = (link_of(frame), finder_of(frame).unwrap_or_else(|| Arc::from("")));
        let stream = self.streams.entry(key).or_default();
        // A watermark that goes back is the stream's next epoch.
        stream.epoch += usize::from(watermark < stream.watermark);
        stream.watermark = watermark;
        let epoch = stream.epoch;
        for number in 0..self.hits.len() {
            let hit = self.hits[number];
            self.params.hits += 1;
            if self.mark(&hit, epoch, ctx).is_none() {
                self.keep_early(hit, epoch);
            }
        }
        Ok(())
    }

    /// `None` when no batch has come from the hit's link in its epoch.
    fn mark(&mut self, hit: &HitRow, epoch: usize, ctx: &Context) -> Option<()> {
        let epochs = self.links.get_mut(&hit.link)?;
        let marked = match epoch.checked_sub(epochs.first) {
            Some(number) => epochs.links.get_mut(number)?.mark(hit, &self.params),
            // The epoch of this hit has been cut.
            None => Some(Marked::TooLate),
        };
        match marked {
            Some(Marked::Yes) => return Some(()),
            Some(Marked::TooLate) => self.params.late_hits += 1,
            Some(Marked::NoRoom) => self.params.hits_left_out += 1,
            // A channel that the link does not have; kept out of the losses, but counted.
            None => {
                self.params.unknown_hits += 1;
                return Some(());
            }
        }
        ctx.late(1);
        Some(())
    }

    /// Tells the first epoch of a link how far its hits have come; whether they have left it.
    fn pass(&mut self, number: u16) -> bool {
        let own = self.streams.iter().filter(|((link, _), _)| link.is_none_or(|link| link == number));
        let Some(epochs) = self.links.get_mut(&number) else { return false };
        // Only streams that are still in the first epoch hold it up.
        let in_first = own.clone().filter(|(_, stream)| stream.epoch <= epochs.first);
        let watermark = in_first.map(|(_, stream)| stream.watermark).min();
        let Some(watermark) = watermark else {
            // Not before its own frames of the next epoch have come: some of this one may still be on their way.
            return own.count() > 0 && epochs.links.len() > 1;
        };
        if let Some(link) = epochs.links.front_mut() {
            link.pass(watermark);
        }
        false
    }

    fn keep_early(&mut self, hit: HitRow, epoch: usize) {
        if self.early.len() < MOST_EARLY {
            self.early.push((hit, epoch));
        } else {
            self.params.unknown_hits += 1;
        }
    }

    /// Cuts the settled batches of a link, and drops batches that have waited too long.
    fn work_on(&mut self, number: u16, ctx: &mut Context) -> Result<(), NodeError> {
        let mut result = Ok(());
        while self.pass(number) {
            let Some(epochs) = self.links.get_mut(&number) else { return result };
            epochs.first += 1;
            let Some(link) = epochs.links.pop_front() else { return result };
            result = result.and(self.cut_all(number, link, ctx));
        }
        // Taken out, because sending borrows the node.
        let Some(mut epochs) = self.links.remove(&number) else { return result };
        for link in &mut epochs.links {
            let cut = self.cut_settled(number, link, ctx);
            result = result.and(cut);
            // Batches wait by reference, and must not hold the pool for hits that never come.
            while link.overdue(&self.params).is_some() {
                self.drop_batch(number, ctx);
            }
        }
        self.links.insert(number, epochs);
        self.params.waiting = self.links.values().flat_map(|epochs| &epochs.links).map(Link::waiting).sum();
        result
    }

    fn drop_batch(&mut self, number: u16, ctx: &Context) {
        self.params.batches_dropped += 1;
        ctx.late(1);
        if self.params.batches_dropped.is_power_of_two() {
            let so_far = self.params.batches_dropped;
            ctx.tell_error(format!(
                "link {number}: wanted the hits of raw frames within {} ms, found none; {so_far} batches dropped so far",
                self.params.wait
            ));
        }
    }

    /// Cuts all that is left of an epoch of a link: no hit of it will come any more.
    fn cut_all(&mut self, number: u16, mut link: Link, ctx: &mut Context) -> Result<(), NodeError> {
        while let Some(frame) = link.any() {
            self.cut_one(number, &mut link, &frame, ctx)?;
        }
        link.finish(&mut self.cut);
        match link.last() {
            Some(last) => self.send(number, &last, ctx),
            None => Ok(()),
        }
    }

    fn cut_settled(&mut self, number: u16, link: &mut Link, ctx: &mut Context) -> Result<(), NodeError> {
        while let Some(frame) = link.settled(&self.params) {
            self.cut_one(number, link, &frame, ctx)?;
        }
        Ok(())
    }

    fn cut_one(
        &mut self,
        number: u16,
        link: &mut Link,
        frame: &Frame,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        link.cut(frame, self.level, &mut self.cut)?;
        self.send(number, frame, ctx)
    }

    /// Sends the cut regions, in the name of `frame`.
    fn send(&mut self, link: u16, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let p = &mut self.params;
        p.regions += self.cut.rows.len() as u64;
        p.kept_fraction = p.regions as f64 / self.cut.groups.max(1) as f64;
        p.marked_fraction = self.cut.marked as f64 / self.cut.channels.max(1) as f64;
        if self.cut.rows.is_empty() {
            return Ok(());
        }
        // Both outputs are made before either is sent, so that a region never goes without its samples.
        let layout = Layout::packed(DType::I16, ColorMode::Mono, &[self.cut.rows.len(), TICKS, LANES])?;
        let made = self.regions.frame(&self.cut.rows, ctx).and_then(|table| Ok((table, ctx.array(layout)?)));
        let copied = made.and_then(|(table, mut samples)| {
            samples.elements_mut::<i16>()?.copy_from_slice(&self.cut.samples);
            Ok((table, samples))
        });
        // Cleared also after a failure: the regions are lost with the frame's error.
        self.cut.rows.clear();
        self.cut.samples.clear();
        let (mut table, mut samples) = copied?;
        inherit_times(&mut table, frame);
        inherit_times(&mut samples, frame);
        self.regions.set_link(&mut table, link);
        self.regions.set_link(&mut samples, link);
        ctx.emit_to(REGIONS, table)?;
        ctx.emit_to(SAMPLES, samples)
    }
}

impl Node for RoiSelector {
    type Params = RoiSelectorParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "roi_selector",
        "Keeps the raw samples around hits.",
        &[PortSpec::bytes("raw"), PortSpec::table("hits")],
        &[PortSpec::table("regions"), PortSpec::array("samples")],
    );

    fn new(params: RoiSelectorParams) -> Result<RoiSelector, NodeError> {
        Ok(RoiSelector {
            params,
            level: Level::best(),
            links: BTreeMap::new(),
            table: RowTable::default(),
            hits: Vec::new(),
            streams: BTreeMap::new(),
            early: Vec::new(),
            regions: RowTable::default(),
            cut: Regions::default(),
        })
    }

    fn params(&mut self) -> &mut RoiSelectorParams {
        &mut self.params
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        if input == RAW {
            let link = self.take_raw(frame, ctx)?;
            return self.work_on(link, ctx);
        }
        self.take_hits(frame, ctx)?;
        let links: Vec<u16> =
            link_of(frame).map_or_else(|| self.links.keys().copied().collect(), |link| vec![link]);
        links.into_iter().try_for_each(|link| self.work_on(link, ctx))
    }

    /// No hit will come any more, so all are known.
    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.params.unknown_hits += self.early.drain(..).count() as u64;
        for (number, epochs) in std::mem::take(&mut self.links) {
            for link in epochs.links {
                self.cut_all(number, link, ctx)?;
            }
        }
        self.params.waiting = 0;
        Ok(())
    }

    fn stop(&mut self) {
        self.links.clear();
    }
}
