//! One link: from raw frames to hits.

use livetime_engine::NodeError;
use livetime_formats::wib::{Faults, Wib1Frame, Wib1Identity};
use livetime_kernels::Level;
use livetime_kernels::hits::{Hit, HitBuffer, remove_coherent};

use super::HitFinderParams;
use super::constant::Constants;
use super::noisy::Noisy;
use super::search::Search;
use crate::wire::{Channel, HitRow, LedgerRow, RawBatch, RawFormat, State, channels, unpack};

/// Frames that are unpacked at once: their samples stay in the first cache.
const CHUNK: usize = 24;
/// Ticks for which the samples of a bad block stay as they were before it; then the pedestals stand in for them, because a
/// sample that is held for long would draw the pedestal to it.
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
        let start = samples.as_ptr().align_offset(64).min(32);
        Scratch { samples, start, hits: HitBuffer::with_capacity(256 * (CHUNK + 1)) }
    }

    /// Hits that found no room.
    pub(super) fn lost(&self) -> u64 {
        self.hits.lost()
    }
}

/// What is not searched, because the finder is late.
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
    constants: Constants,
    pub(super) noisy: Noisy,
    /// Ticks for which each block has been bad.
    held: [u32; 4],
    /// The last good row: what bad blocks are held at.
    last: Vec<i16>,
    /// Ticks with faults, of which hits are marked: the latest stretches.
    faulty: Vec<(i64, i64)>,
    pub(super) gaps: u64,
    pub(super) faulty_frames: u64,
}

impl Link {
    /// A link that begins with `batch`.
    pub(super) fn new(params: &HitFinderParams, batch: &RawBatch) -> Result<Link, NodeError> {
        let (channels, is_mapped) = channels(params.channel_map, batch);
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
            noisy: Noisy::new(&params.masked(), channels.iter().map(|c| c.offline)),
            channels,
            is_mapped,
            identity: identity(batch),
            shed: vec![false; searches.len()],
            searches,
            origin: batch.first,
            next: batch.first,
            constants: Constants::new(count),
            held: [0; 4],
            last: vec![0; count],
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
        self.tell_shed(batch, shed, out);
        if shed != Shed::Everything {
            for (i, frames) in batch.bytes.chunks(self.chunk() * self.format.bytes()).enumerate() {
                let first = batch.first + (i * self.chunk()) as u64 * self.format.step();
                self.search_chunk(frames, first, batch.faults, shed, params, scratch, out)?;
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

    /// The stream has ended: so have its hits.
    pub(super) fn end(&mut self, scratch: &mut Scratch, out: &mut Output) {
        self.interrupt(self.tick(self.next), scratch, out);
    }

    /// Frames in a chunk.
    fn chunk(&self) -> usize {
        (CHUNK / self.format.samples()).max(1)
    }

    fn tick(&self, time: u64) -> i64 {
        (time.wrapping_sub(self.origin) as i64) / self.format.sample_step() as i64
    }

    fn time(&self, tick: i64) -> u64 {
        self.origin.saturating_add_signed(tick.saturating_mul(self.format.sample_step() as i64))
    }

    /// What is missing before `batch`, if anything, ends the open hits.
    fn follow_time(&mut self, batch: &RawBatch, scratch: &mut Scratch, out: &mut Output) {
        if batch.first == self.next {
            return;
        }
        self.gaps += 1;
        let missing = batch.first.saturating_sub(self.next);
        self.interrupt(self.tick(self.next), scratch, out);
        if batch.first > self.next {
            out.tell(self.number, self.next, batch.first, State::Dropped, 0);
        }
        if batch.first < self.next || !missing.is_multiple_of(self.format.sample_step()) {
            // A new epoch.
            self.origin = batch.first;
        }
    }

    /// A search that was not fed finds a gap when it goes on.
    fn tell_shed(&mut self, batch: &RawBatch, shed: Shed, out: &mut Output) {
        let state = match shed {
            Shed::Nothing => return,
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
        faults: u32,
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
        if faults != 0 || self.held != [0; 4] {
            self.freeze(frames, samples, tick);
        }
        if let Some(row) = samples.chunks_exact(all).next_back() {
            self.last.copy_from_slice(row);
        }
        if params.remove_coherent && all.is_multiple_of(128) {
            self.remove_coherent(samples)?;
        }
        for i in 0..self.searches.len() {
            let skip = shed == Shed::Induction && i > 0;
            if !skip {
                self.search_part(i, count, tick, scratch, out)?;
            }
            self.shed[i] = skip;
        }
        Ok(())
    }

    fn search_part(
        &mut self,
        part: usize,
        count: usize,
        tick: i64,
        scratch: &mut Scratch,
        out: &mut Output,
    ) -> Result<(), NodeError> {
        let all = self.format.channels();
        let samples = &scratch.samples[scratch.start..][..count];
        scratch.hits.clear();
        if self.shed[part] {
            self.searches[part].interrupt(tick, &mut scratch.hits);
        }
        self.searches[part].find(samples, all, tick, &mut scratch.hits)?;
        self.give(part, scratch.hits.hits(), out);
        Ok(())
    }

    /// Makes rows of hits.
    fn give(&mut self, part: usize, hits: &[Hit], out: &mut Output) {
        for hit in hits {
            // Beyond the channels of the search are those that fill it up.
            let Some(channel) = self.searches[part].channels.get(usize::from(hit.channel)) else { continue };
            let channel = usize::from(*channel);
            let start = self.time(hit.start);
            if !self.noisy.lets_pass(channel) {
                continue;
            }
            let wire = self.channels[channel];
            out.hits.push(HitRow {
                time_start: start,
                channel: wire.offline,
                adc_integral: hit.sum.max(0) as u32,
                adc_peak: hit.peak.max(0) as u16,
                samples_over: hit.over,
                samples_to_peak: hit.to_peak,
                link: self.number,
                plane: wire.plane,
                flags: self.flags(channel, hit),
            });
        }
    }

    fn flags(&self, channel: usize, hit: &Hit) -> u8 {
        let overlaps = |(begin, end): &(i64, i64)| hit.start < *end && hit.end() > *begin;
        let is_faulty = self.faulty.iter().any(overlaps) || self.constants.is_constant(channel);
        let of = |is: bool, flag: u8| if is { flag } else { 0 };
        of(hit.flags & Hit::CUT != 0, HitRow::CUT)
            | of(hit.flags & Hit::GAP != 0, HitRow::GAP)
            | of(is_faulty, HitRow::FAULTY)
            | of(hit.sum == i32::MAX || hit.over == u16::MAX, HitRow::SATURATED)
    }

    fn interrupt(&mut self, tick: i64, scratch: &mut Scratch, out: &mut Output) {
        for part in 0..self.searches.len() {
            scratch.hits.clear();
            self.searches[part].interrupt(tick, &mut scratch.hits);
            self.give(part, scratch.hits.hits(), out);
        }
        let (number, origin, step) = (self.number, self.origin, self.format.sample_step());
        self.constants.interrupt(tick, |_, ticks| tell_constant(number, origin, step, ticks, out));
        self.held = [0; 4];
        self.faulty.clear();
    }

    fn follow_constants(&mut self, samples: &[i16], tick: i64, out: &mut Output) {
        let (number, origin, step) = (self.number, self.origin, self.format.sample_step());
        self.constants.follow(samples, tick, |_, ticks| tell_constant(number, origin, step, ticks, out));
    }

    /// Puts samples in the place of those that are not to be trusted.
    fn freeze(&mut self, frames: &[u8], samples: &mut [i16], tick: i64) {
        let rows = self.format.samples();
        self.faulty.retain(|(_, end)| *end > tick - FORGOTTEN);
        for (i, frame) in frames.chunks_exact(self.format.bytes()).enumerate() {
            let (faults, blocks) = faults_of(self.format, frame, self.identity);
            if !faults {
                self.held = [0; 4];
                continue;
            }
            self.faulty_frames += 1;
            let begin = tick + (i * rows) as i64;
            match self.faulty.last_mut() {
                Some(last) if last.1 == begin => last.1 = begin + rows as i64,
                _ => self.faulty.push((begin, begin + rows as i64)),
            }
            for (block, bad) in blocks.into_iter().enumerate() {
                self.held[block] = if bad { self.held[block] + 1 } else { 0 };
                if bad && rows == 1 {
                    let block = block * 64..block * 64 + 64;
                    self.hold(samples, i, block);
                }
            }
        }
    }

    /// Holds the channels `block` of row `row` at the row before it, or at their pedestals.
    fn hold(&mut self, samples: &mut [i16], row: usize, block: std::ops::Range<usize>) {
        let all = self.format.channels();
        if self.held[block.start / 64] > HELD {
            for search in &self.searches {
                for (i, channel) in search.channels.iter().enumerate().map(|(i, c)| (i, usize::from(*c))) {
                    if block.contains(&channel) {
                        samples[row * all + channel] = search.pedestal(i);
                    }
                }
            }
            return;
        }
        match row.checked_sub(1) {
            None => samples[block.clone()].copy_from_slice(&self.last[block]),
            Some(before) => samples
                .copy_within(before * all + block.start..before * all + block.end, row * all + block.start),
        }
    }

    fn remove_coherent(&self, samples: &mut [i16]) -> Result<(), NodeError> {
        let mut pedestals = vec![0; self.channels.len()];
        for search in &self.searches {
            for (i, channel) in search.channels.iter().enumerate() {
                pedestals[usize::from(*channel)] = search.pedestal(i);
            }
        }
        let planes: Vec<u8> = self.channels.iter().map(|c| c.plane).collect();
        remove_coherent(Level::best(), samples, &pedestals, &planes).map_err(NodeError::new)
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

/// Whether a frame has faults of its own, and its blocks of 64 channels that are not to be trusted.
fn faults_of(format: RawFormat, frame: &[u8], identity: Option<Wib1Identity>) -> (bool, [bool; 4]) {
    match format {
        RawFormat::Wib1 => {
            let Ok(frame) = Wib1Frame::parse(frame) else { return (true, [true; 4]) };
            let faults = frame.faults(false);
            let stranger = identity.is_some_and(|identity| identity != Wib1Identity::of(&frame));
            let blocks = if stranger { [true; 4] } else { faults.blocks() };
            (stranger || !faults.is_empty(), blocks)
        }
        // Nothing in their headers tells which samples are bad.
        RawFormat::Wib2 | RawFormat::WibEth => (true, [false; 4]),
    }
}
