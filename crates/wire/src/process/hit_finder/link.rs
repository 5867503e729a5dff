//! One link: from raw frames to hits.

use livetime_engine::NodeError;
use livetime_formats::wib::{Faults, Wib1Frame, Wib1Identity};
use livetime_kernels::Level;
use livetime_kernels::hits::{Hit, HitBuffer, remove_coherent};

use super::constant::Constants;
use super::noisy::Noisy;
use super::params::HitFinderParams;
use super::search::Search;
use crate::{Channel, HitRow, LedgerRow, RawBatch, RawFormat, State, channels, unpack};

/// Frames that are unpacked at once: their samples stay in the first cache.
const CHUNK: usize = 24;
/// Ticks for which the samples of a bad block are held at the last good row. Afterwards the pedestals replace them,
/// because a sample that is held for long would draw the pedestal to itself.
const HELD: u32 = 8;

/// Memory that all links of a node share.
#[derive(Debug)]
pub(super) struct Scratch {
    samples: Vec<i16>,
    /// Where in `samples` a cache line begins.
    start: usize,
    hits: HitBuffer,
}

impl Scratch {
    pub(super) fn new() -> Scratch {
        // A WIBEth frame has 4096 samples, a chunk of others 24 · 256.
        let samples = vec![0; CHUNK * 256 + 32];
        // Vectors of 64 bytes load fastest from aligned memory.
        let start = samples.as_ptr().align_offset(64).min(32);
        Scratch { samples, start, hits: HitBuffer::with_capacity(256 * (CHUNK + 1)) }
    }

    /// Hits that found no room.
    pub(super) fn lost(&self) -> u64 {
        self.hits.lost()
    }
}

/// The planes that are not searched, because the finder is late.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Shed {
    #[default]
    Nothing,
    Induction,
    Everything,
}

/// State of one link.
pub(super) struct Link {
    number: u16,
    format: RawFormat,
    pub(super) channels: Vec<Channel>,
    /// The channel map knew the link.
    pub(super) is_mapped: bool,
    identity: Option<Wib1Identity>,
    /// Collection first, when it is searched apart.
    pub(super) searches: Vec<Search>,
    /// For each search, whether its last batch was not searched.
    shed: Vec<bool>,
    /// Time of tick 0.
    origin: u64,
    /// Time of the next frame when nothing is missing.
    next: u64,
    /// Of the last batch: [`RawBatch::epoch`].
    epoch: Option<u64>,
    constants: Constants,
    pub(super) noisy: Noisy,
    /// Number of consecutive bad ticks of each block.
    held: [u32; 4],
    /// Whether a block has had a row: there is something to hold it at.
    has_row: [bool; 4],
    /// The last row as it came: the values at which bad blocks are held.
    last: Vec<i16>,
    /// The pedestals at the tick from which on they stand in for a block, if they do.
    has_substitute: [bool; 4],
    substitute: Vec<i16>,
    /// The pedestals that are taken for [`remove_coherent`], renewed at multiples of [`CHUNK`] ticks so that results do not depend on batches.
    pedestals: Vec<i16>,
    has_pedestals: bool,
    /// The latest stretches of ticks with faults; hits in them are marked.
    faulty: Vec<(i64, i64)>,
    pub(super) gaps: u64,
    pub(super) faulty_frames: u64,
}

impl Link {
    /// A link that begins with `batch`.
    pub(super) fn new(params: &HitFinderParams, batch: &RawBatch) -> Result<Link, NodeError> {
        let (channels, is_mapped) = channels(params.channel_map, batch);
        // A search without channels of its planes is none, so a map without induction wires costs nothing.
        let searches: Vec<Search> = params
            .searches()
            .iter()
            .filter_map(|planes| {
                Search::new(params, batch.format, &channels, |p| planes.contains(&p)).transpose()
            })
            .collect::<Result<_, _>>()?;
        let count = batch.format.channels();
        Ok(Link {
            number: batch.link,
            format: batch.format,
            noisy: Noisy::new(
                &params.masked(),
                channels.iter().map(|c| c.offline),
                1_000_000_000 / batch.format.tick_ns(),
            ),
            channels,
            is_mapped,
            identity: identity(batch),
            shed: vec![false; searches.len()],
            searches,
            origin: batch.first,
            next: batch.first,
            epoch: batch.epoch,
            constants: Constants::new(count),
            held: [0; 4],
            has_row: [false; 4],
            last: vec![0; count],
            has_substitute: [false; 4],
            substitute: vec![0; count],
            pedestals: vec![0; count],
            has_pedestals: false,
            faulty: Vec::new(),
            gaps: 0,
            faulty_frames: 0,
        })
    }

    pub(super) fn format(&self) -> RawFormat {
        self.format
    }

    /// Finds the hits of a batch. `hits` and `ledger` are added to.
    pub(super) fn search(
        &mut self,
        batch: &RawBatch,
        shed: Shed,
        params: &HitFinderParams,
        scratch: &mut Scratch,
        out: &mut Output,
    ) -> Result<(), NodeError> {
        self.follow_time(batch, scratch, out);
        // The ledger says first that the batch is shed, also where its search fails.
        self.tell_shed(batch, shed, out);
        if shed == Shed::Everything {
            self.interrupt(self.tick(batch.first), Hit::GAP, scratch, out);
        } else {
            // Chunks of frames keep the unpacked samples in the first cache for all searches.
            for (i, frames) in batch.bytes.chunks(self.chunk() * self.format.bytes()).enumerate() {
                let first = batch.first + (i * self.chunk()) as u64 * self.format.step();
                self.search_chunk(frames, first, batch, shed, params, scratch, out)?;
            }
        }
        self.next = batch.end();
        Ok(())
    }

    /// No hit with an earlier start will come any more.
    pub(super) fn watermark(&self) -> u64 {
        let tick = self.tick(self.next);
        let open = self.searches.iter().map(|search| search.open_since(tick)).min();
        self.time(open.unwrap_or(tick))
    }

    /// Whether the link's clock was set back before `batch`.
    pub(super) fn is_set_back(&self, batch: &RawBatch) -> bool {
        batch.first < self.next
    }

    /// Nothing comes any more of this epoch: ends its hits. No other hit of it will come before the time that is given.
    pub(super) fn end_epoch(&mut self, scratch: &mut Scratch, out: &mut Output) -> u64 {
        self.interrupt(self.tick(self.next), Hit::GAP, scratch, out);
        self.next
    }

    /// The run has ended: so have the hits.
    pub(super) fn end(&mut self, scratch: &mut Scratch, out: &mut Output) {
        self.interrupt(self.tick(self.next), 0, scratch, out);
    }

    /// Frames in a chunk.
    fn chunk(&self) -> usize {
        (CHUNK / self.format.samples()).max(1)
    }

    fn tick(&self, time: u64) -> i64 {
        // As signed: after a reset of the clock a time may be before the origin.
        (time.wrapping_sub(self.origin) as i64) / self.format.sample_step() as i64
    }

    fn time(&self, tick: i64) -> u64 {
        self.origin.saturating_add_signed(tick.saturating_mul(self.format.sample_step() as i64))
    }

    /// Missing time before `batch` ends the open hits.
    fn follow_time(&mut self, batch: &RawBatch, scratch: &mut Scratch, out: &mut Output) {
        let is_epoch = batch.begins_epoch(self.epoch, self.next);
        // The usual case costs two comparisons per batch.
        if batch.first == self.next && !is_epoch {
            return;
        }
        self.gaps += 1;
        self.interrupt(self.tick(self.next), Hit::GAP, scratch, out);
        // Time that the source lost is in its own ledger already; only time lost on the way here is entered.
        if let Some((begin, end)) = batch.lost_before(self.epoch, self.next) {
            out.tell(self.number, begin, end, State::Dropped, 0);
        }
        // A reset clock may be between the steps of the old one, and ticks are counted from a new origin then.
        let is_off_step = !batch.first.wrapping_sub(self.origin).is_multiple_of(self.format.sample_step());
        if is_epoch || is_off_step {
            self.origin = batch.first;
        }
        self.epoch = batch.epoch;
    }

    /// A search that was not fed finds a gap when it continues.
    fn tell_shed(&mut self, batch: &RawBatch, shed: Shed, out: &mut Output) {
        let state = match shed {
            Shed::Nothing => return,
            // With a single search there is no plane to drop.
            Shed::Induction if self.searches.len() < 2 => return,
            Shed::Induction => State::InductionShed,
            Shed::Everything => State::Shed,
        };
        out.tell(self.number, batch.first, batch.end(), state, 0);
    }

    #[allow(clippy::too_many_arguments, reason = "the state of one batch, handed down")]
    fn search_chunk(
        &mut self,
        frames: &[u8],
        first: u64,
        batch: &RawBatch,
        shed: Shed,
        params: &HitFinderParams,
        scratch: &mut Scratch,
        out: &mut Output,
    ) -> Result<(), NodeError> {
        let (level, all, tick) = (Level::best(), self.format.channels(), self.tick(first));
        let count = frames.len() / self.format.bytes() * self.format.samples() * all;
        let samples = &mut scratch.samples[scratch.start..][..count];
        unpack(self.format, level, frames, samples)?;
        self.follow_constants(samples, tick, out);
        let rows = count / all;
        // Without faults, and with no block held, frames need not be looked at one by one.
        let is_faulty = batch.faults != 0 || self.held != [0; 4];
        let mut from = 0;
        while from < rows {
            let most = if params.remove_coherent {
                // Pedestals for the common mode are renewed at multiples of a chunk, so that the result does not depend
                // on batches.
                self.until_renewal(tick + from as i64).min(rows - from)
            } else {
                rows - from
            };
            let samples = &mut scratch.samples[scratch.start..][..(from + most) * all];
            let to = if is_faulty {
                self.freeze(frames, samples, tick, from, batch.common)
            } else {
                self.has_row = [true; 4];
                from + most
            };
            let part = &mut samples[from * all..to * all];
            if let Some(row) = part.chunks_exact(all).next_back() {
                self.last.copy_from_slice(row);
            }
            // Common mode is defined for groups of 128 channels; other formats have none.
            if params.remove_coherent && all.is_multiple_of(128) {
                self.remove_coherent(part, tick + from as i64)?;
            }
            for i in 0..self.searches.len() {
                let skip = shed == Shed::Induction && i > 0;
                if skip {
                    self.skip(i, tick + from as i64, scratch, out);
                } else {
                    self.search_part(i, from * all..to * all, tick + from as i64, scratch, out)?;
                }
                self.shed[i] = skip;
            }
            from = to;
        }
        Ok(())
    }

    /// Rows from `tick` on are not searched.
    fn skip(&mut self, part: usize, tick: i64, scratch: &mut Scratch, out: &mut Output) {
        // Only where leaving out begins is there something to interrupt.
        if !self.shed[part] {
            self.interrupt_part(part, tick, Hit::GAP, scratch, out);
        }
    }

    fn search_part(
        &mut self,
        part: usize,
        range: std::ops::Range<usize>,
        tick: i64,
        scratch: &mut Scratch,
        out: &mut Output,
    ) -> Result<(), NodeError> {
        let all = self.format.channels();
        let samples = &scratch.samples[scratch.start..][range];
        scratch.hits.clear();
        self.searches[part].find(samples, all, tick, &mut scratch.hits)?;
        self.give(part, scratch.hits.hits(), Hit::CUT | Hit::GAP, out);
        Ok(())
    }

    /// Makes rows of hits, with their flags as far as these are in `flags`.
    fn give(&mut self, part: usize, hits: &[Hit], flags: u16, out: &mut Output) {
        let begun = self.searches[part].begun();
        for hit in hits {
            // The channels of the search are followed by padding channels.
            let Some(channel) = self.searches[part].channels.get(usize::from(hit.channel)) else { continue };
            let channel = usize::from(*channel);
            // With the filter's delay taken off, a pulse in the first samples after a gap would begin inside the gap.
            let cut = begun.saturating_sub(hit.start).clamp(0, i64::from(u16::MAX)) as u16;
            let start = self.time(hit.start + i64::from(cut));
            if !self.noisy.lets_pass(channel, start) {
                continue;
            }
            let wire = self.channels[channel];
            // The flag of a gap without a gap means the end of the run.
            let is_open = hit.flags & Hit::GAP != 0 && flags & Hit::GAP == 0;
            out.hits.push(HitRow {
                time_start: start,
                channel: wire.offline,
                adc_integral: hit.sum.max(0) as u32,
                adc_peak: hit.peak.max(0) as u16,
                samples_over: hit.over.saturating_sub(cut).max(1),
                samples_to_peak: hit.to_peak.saturating_sub(cut),
                link: self.number,
                plane: wire.plane,
                flags: self.flags(channel, hit, hit.flags & flags) | if is_open { HitRow::OPEN } else { 0 },
            });
        }
    }

    fn flags(&self, channel: usize, hit: &Hit, flags: u16) -> u8 {
        // A hit over any faulty tick is marked, wherever its peak is.
        let overlaps = |(begin, end): &(i64, i64)| hit.start < *end && hit.end() > *begin;
        let found = hit.end() + i64::from(hit.late);
        let is_faulty = self.faulty.iter().any(overlaps) || self.constants.was_constant(channel, found);
        let of = |is: bool, flag: u8| if is { flag } else { 0 };
        of(flags & Hit::CUT != 0, HitRow::CUT)
            | of(flags & Hit::GAP != 0, HitRow::GAP)
            | of(is_faulty, HitRow::FAULTY)
            | of(hit.sum == i32::MAX || hit.over == u16::MAX, HitRow::SATURATED)
    }

    /// The rows from `tick` on are missing. `flag`: [`Hit::GAP`], or 0 at the end of the run.
    fn interrupt(&mut self, tick: i64, flag: u16, scratch: &mut Scratch, out: &mut Output) {
        for part in 0..self.searches.len() {
            // A search that was left out has been interrupted where that began.
            if !std::mem::take(&mut self.shed[part]) {
                self.interrupt_part(part, tick, flag, scratch, out);
            }
        }
        let (number, origin, step) = (self.number, self.origin, self.format.sample_step());
        self.constants.interrupt(tick, |_, ticks| tell_constant(number, origin, step, ticks, out));
        (self.held, self.has_row, self.has_substitute) = ([0; 4], [false; 4], [false; 4]);
        self.faulty.clear();
    }

    fn interrupt_part(&mut self, part: usize, tick: i64, flag: u16, scratch: &mut Scratch, out: &mut Output) {
        scratch.hits.clear();
        self.searches[part].interrupt(tick, &mut scratch.hits);
        self.give(part, scratch.hits.hits(), Hit::CUT | flag, out);
        self.searches[part].begin_anew();
    }

    fn follow_constants(&mut self, samples: &[i16], tick: i64, out: &mut Output) {
        let (number, origin, step) = (self.number, self.origin, self.format.sample_step());
        self.constants.follow(samples, tick, |_, ticks| tell_constant(number, origin, step, ticks, out));
    }

    /// Replaces samples that are not to be trusted, from row `from` on: up to the row that is given, since the pedestals at
    /// that row have to be known first. The rows before `from` have been searched.
    fn freeze(
        &mut self,
        frames: &[u8],
        samples: &mut [i16],
        tick: i64,
        from: usize,
        common: Option<u32>,
    ) -> usize {
        let rows = self.format.samples();
        let end = samples.len() / self.format.channels();
        // Faults must be kept until no hit that overlaps them can be found any more.
        self.faulty.retain(|(_, end)| *end > tick - FORGOTTEN);
        for (i, frame) in frames.chunks_exact(self.format.bytes()).enumerate() {
            let row = i * rows;
            if row < from || row >= end {
                continue;
            }
            let (faults, blocks) = faults_of(self.format, frame, self.identity, common);
            let lacks =
                |block: &usize| blocks[*block] && self.held[*block] >= HELD && !self.has_substitute[*block];
            let lacking = [0, 1, 2, 3].map(|block| lacks(&block));
            // A substitute is taken between rows; the part before it is searched first.
            if rows == 1 && lacking.contains(&true) {
                if row > from {
                    return row;
                }
                (0..4).filter(|block| lacking[*block]).for_each(|block| self.take_substitute(block));
            }
            for (block, bad) in blocks.into_iter().enumerate() {
                self.held[block] = if bad { self.held[block] + 1 } else { 0 };
                // A good row ends the substitute, so that the next bad one begins with the held samples again.
                self.has_substitute[block] &= bad;
                if bad && rows == 1 {
                    self.hold(samples, row, from, block);
                }
                self.has_row[block] |= !bad;
            }
            if faults {
                self.enter_fault(tick + row as i64, tick + (row + rows) as i64);
            }
        }
        end
    }

    fn enter_fault(&mut self, begin: i64, end: i64) {
        self.faulty_frames += 1;
        // Consecutive faulty frames are one stretch, which keeps the list short.
        match self.faulty.last_mut() {
            Some(last) if last.1 == begin => last.1 = end,
            _ => self.faulty.push((begin, end)),
        }
    }

    /// The pedestals at the end of the rows that have been searched are the block's pedestals until it is good again.
    fn take_substitute(&mut self, block: usize) {
        let channels = block * 64..block * 64 + 64;
        // Channels whose search has no pedestal yet keep their last sample.
        self.substitute[channels.clone()].copy_from_slice(&self.last[channels.clone()]);
        for search in &self.searches {
            for (i, channel) in search.channels.iter().enumerate().map(|(i, c)| (i, usize::from(*c))) {
                if let Some(pedestal) = search.pedestal(i).filter(|_| channels.contains(&channel)) {
                    self.substitute[channel] = pedestal;
                }
            }
        }
        self.has_substitute[block] = true;
    }

    /// Replaces the samples of a block in row `row` by the row before it, or by the pedestals. A block that has never
    /// had a good row stays as it is. `last` has the row before row `from`.
    fn hold(&self, samples: &mut [i16], row: usize, from: usize, block: usize) {
        let (all, channels) = (self.format.channels(), block * 64..block * 64 + 64);
        let own = row * all + channels.start..row * all + channels.end;
        if self.has_substitute[block] && self.has_row[block] {
            samples[own].copy_from_slice(&self.substitute[channels]);
        } else if self.has_row[block] && row == from {
            samples[own].copy_from_slice(&self.last[channels]);
        } else if self.has_row[block] {
            samples.copy_within(own.start - all..own.end - all, own.start);
        }
    }

    /// Ticks until the pedestals for [`remove_coherent`] are renewed.
    fn until_renewal(&self, tick: i64) -> usize {
        CHUNK - tick.rem_euclid(CHUNK as i64) as usize
    }

    fn remove_coherent(&mut self, samples: &mut [i16], tick: i64) -> Result<(), NodeError> {
        if tick.rem_euclid(CHUNK as i64) == 0 {
            self.has_pedestals = true;
            for search in &self.searches {
                for (i, channel) in search.channels.iter().enumerate() {
                    let pedestal = search.pedestal(i);
                    self.has_pedestals &= pedestal.is_some();
                    self.pedestals[usize::from(*channel)] = pedestal.unwrap_or(0);
                }
            }
        }
        // Without frames there are no common faults.
        if !self.has_pedestals {
            return Ok(());
        }
        let planes: Vec<u8> = self.channels.iter().map(|c| c.plane).collect();
        remove_coherent(Level::best(), samples, &self.pedestals, &planes).map_err(NodeError::new)
    }
}

/// Ticks after which a fault marks no hit any more: longer than any hit.
const FORGOTTEN: i64 = 1 << 16;

/// Hits and ledger rows of one or more batches.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) hits: Vec<HitRow>,
    pub(super) ledger: Vec<LedgerRow>,
}

impl Output {
    fn tell(&mut self, link: u16, begin: u64, end: u64, state: State, bits: u32) {
        let state = state as u8;
        match self.ledger.last_mut() {
            Some(last) if (last.link, last.end, last.state, last.bits) == (link, begin, state, bits) => {
                last.end = end;
            }
            _ => self.ledger.push(LedgerRow { link, begin, end, state, bits }),
        }
    }
}

fn tell_constant(link: u16, origin: u64, step: u64, ticks: std::ops::Range<i64>, out: &mut Output) {
    let time = |tick: i64| origin.saturating_add_signed(tick.saturating_mul(step as i64));
    out.tell(link, time(ticks.start), time(ticks.end), State::Corrupt, Faults::CONSTANT.bits());
}

fn identity(batch: &RawBatch) -> Option<Wib1Identity> {
    let frame = batch.frames().next().filter(|_| batch.format == RawFormat::Wib1)?;
    Some(Wib1Identity::of(&Wib1Frame::parse(frame).ok()?))
}

/// Whether a frame has faults, its own or those in `common`, and its blocks of 64 channels that are not to be trusted.
fn faults_of(
    format: RawFormat,
    frame: &[u8],
    identity: Option<Wib1Identity>,
    common: Option<u32>,
) -> (bool, [bool; 4]) {
    let mut faults = format.faults(frame, false) | Faults::of_bits(common.unwrap_or(0));
    if let (Some(identity), Ok(frame)) = (identity, Wib1Frame::parse(frame)) {
        faults = faults.with(Faults::IDENTITY, identity != Wib1Identity::of(&frame));
    }
    // If the source does not say which frames of the batch have faults, any of them may.
    let is_unknown = common.is_none() && format != RawFormat::Wib1;
    (is_unknown || !faults.is_empty(), faults.blocks())
}
