//! One link: its raw batches wait until their hits are known, then its blocks are cut.

use std::collections::VecDeque;

use livetime_engine::NodeError;
use livetime_frame::Frame;
use livetime_kernels::Level;

use super::marks::{GROUPS, LANES, Marked, Marks, Masks, TICKS};
use super::params::{BlockSize, RoiSelectorParams};
use super::wires::Wires;
use crate::{HitRow, RawBatch, RawFormat, RegionRow, unpack};

/// Samples of a region.
const REGION: usize = TICKS * LANES;

/// Regions cut from a batch, and their source.
#[derive(Debug, Default)]
pub(super) struct Regions {
    pub(super) rows: Vec<RegionRow>,
    /// 12 · 16 for each row.
    pub(super) samples: Vec<i16>,
    /// Groups of blocks there were.
    pub(super) groups: u64,
    /// Channels of blocks there were, and that were marked.
    pub(super) channels: u64,
    pub(super) marked: u64,
}

/// A block being put together: its samples may come from two batches.
#[derive(Debug)]
struct Block {
    number: u64,
    time_start: u64,
    masks: Masks,
    /// Bit `n`: tick `n` is there.
    ticks: u16,
    samples: Box<[i16; GROUPS * REGION]>,
}

/// Rows unpacked last.
#[derive(Debug, Default)]
struct Unpacked {
    frames: std::ops::Range<usize>,
    samples: Vec<i16>,
}

#[derive(Debug)]
pub(super) struct Link {
    link: u16,
    format: RawFormat,
    /// [`RawBatch::epoch`].
    epoch: Option<u64>,
    wires: Wires,
    marks: Marks,
    /// No hit starts before this any more.
    watermark: u64,
    waiting: VecDeque<Frame>,
    /// End of the newest batch.
    end: u64,
    block: Option<Block>,
    unpacked: Unpacked,
    /// The batch that was cut last: the block under way is sent in its name if no other comes.
    last: Option<Frame>,
}

impl Link {
    pub(super) fn new(params: &RoiSelectorParams, batch: &RawBatch) -> Link {
        let mut marks = Marks::default();
        // Blocks before the first frame are done with: hits there are too late.
        marks.done(sample(batch.first, batch.format) / TICKS as u64);
        Link {
            link: batch.link,
            format: batch.format,
            epoch: batch.epoch,
            wires: Wires::new(params.channel_map, batch),
            marks,
            watermark: 0,
            waiting: VecDeque::new(),
            end: 0,
            block: None,
            unpacked: Unpacked::default(),
            last: None,
        }
    }

    /// Batches that wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether this epoch of time is later than `batch`: the clock was set back.
    pub(super) fn is_after(&self, batch: &RawBatch) -> bool {
        batch.epoch.is_some() && batch.epoch != self.epoch && batch.first < self.end
    }

    /// Queues a batch.
    ///
    /// # Errors
    /// If the batch is of another format, or earlier than the batches before.
    pub(super) fn push(&mut self, frame: &Frame, batch: &RawBatch) -> Result<(), NodeError> {
        if batch.format != self.format || batch.first < self.end {
            return Err(NodeError::new(format_args!(
                "link {}: wanted {} frames from {} on, found {} frames from {}",
                batch.link,
                self.format.name(),
                self.end,
                batch.format.name(),
                batch.first
            )));
        }
        (self.end, self.epoch) = (batch.end(), batch.epoch);
        self.waiting.push_back(frame.clone());
        Ok(())
    }

    /// Adds a hit; `None` for a wire that this link does not read.
    pub(super) fn mark(&mut self, hit: &HitRow, params: &RoiSelectorParams) -> Option<Marked> {
        let channel = self.wires.channel(hit.channel)?;
        let first = sample(hit.time_start, self.format);
        // A hit has at least one sample.
        let last = first + u64::from(hit.samples_over.max(1)) - 1;
        let blocks =
            first.saturating_sub(params.margin) / TICKS as u64..=(last + params.margin) / TICKS as u64;
        let mut masks = [0; GROUPS];
        match params.block {
            BlockSize::Fine => masks[channel / LANES] = 1 << (channel % LANES),
            BlockSize::Coarse_2020
                if self.wires.collection[channel / LANES] >> (channel % LANES) & 1 == 1 =>
            {
                masks = self.wires.collection;
            }
            // Coarse blocks follow the collection plane only, as in 2020.
            BlockSize::Coarse_2020 => return Some(Marked::Yes),
        }
        Some(self.marks.mark(blocks, &masks))
    }

    /// No hit starts before `watermark` any more.
    pub(super) fn pass(&mut self, watermark: u64) {
        self.watermark = self.watermark.max(watermark);
    }

    /// The oldest batch, if all hits are known that mark blocks it has a part in.
    pub(super) fn settled(&mut self, params: &RoiSelectorParams) -> Option<Frame> {
        let known = sample(self.watermark, self.format);
        let needed = |frame: &mut Frame| {
            RawBatch::of(frame).is_ok_and(|batch| {
                // A block may begin in this batch and end in the next, so its length is added.
                sample(batch.end(), self.format).saturating_add(TICKS as u64 + params.margin) <= known
            })
        };
        self.waiting.pop_front_if(needed)
    }

    /// The oldest batch, if it has waited too long.
    pub(super) fn overdue(&mut self, params: &RoiSelectorParams) -> Option<Frame> {
        let longest = (params.wait * 1e6 / self.format.tick_ns() as f64) as u64;
        let too_many = self.waiting.len() > params.most_batches;
        let late = |frame: &mut Frame| {
            // By the time of the data, so that a replay drops the same batches.
            too_many || RawBatch::of(frame).is_ok_and(|batch| batch.end().saturating_add(longest) < self.end)
        };
        self.waiting.pop_front_if(late)
    }

    /// The oldest batch, also if hits for it may still come.
    pub(super) fn any(&mut self) -> Option<Frame> {
        self.waiting.pop_front()
    }

    /// The batch that was cut last.
    pub(super) fn last(&mut self) -> Option<Frame> {
        self.last.take()
    }

    /// Cuts the regions of the batch in `frame`, also of a block that began in the batch before. A block that ends in a
    /// later batch stays until that batch, or until [`Link::finish`].
    ///
    /// # Errors
    /// If `frame` is no batch.
    pub(super) fn cut(&mut self, frame: &Frame, level: Level, out: &mut Regions) -> Result<(), NodeError> {
        let batch = &RawBatch::of(frame)?;
        self.last = Some(frame.clone());
        self.unpacked.frames = 0..0;
        let (first, per_frame) = (sample(batch.first, self.format), self.format.samples());
        let rows = batch.len() * per_frame;
        let mut row = 0;
        while row < rows {
            let tick = ((first + row as u64) % TICKS as u64) as usize;
            let mut count = (TICKS - tick).min(rows - row);
            // Formats with several samples per frame are unpacked frame by frame.
            if per_frame > 1 {
                count = count.min(per_frame - row % per_frame);
            }
            let number = (first + row as u64) / TICKS as u64;
            if self.block.as_ref().is_none_or(|block| block.number != number) {
                let step = self.format.sample_step();
                let time = batch.first.saturating_add(step * row as u64);
                self.begin(number, time.saturating_sub(step * tick as u64), out);
            }
            self.fill(batch, row..row + count, tick, level)?;
            if tick + count == TICKS {
                self.finish(out);
            }
            row += count;
        }
        Ok(())
    }

    /// Begins a block, after the one before has been put out.
    fn begin(&mut self, number: u64, time_start: u64, out: &mut Regions) {
        self.finish(out);
        let masks = self.marks.take(number);
        let samples = self.block.take().map_or_else(|| Box::new([0; GROUPS * REGION]), |block| block.samples);
        self.block = Some(Block { number, time_start, masks, ticks: 0, samples });
    }

    /// Copies rows of the batch into the current block; the first row is tick `tick` of the block.
    fn fill(
        &mut self,
        batch: &RawBatch,
        rows: std::ops::Range<usize>,
        tick: usize,
        level: Level,
    ) -> Result<(), NodeError> {
        let Some(block) = &mut self.block else { return Ok(()) };
        let count = rows.len();
        block.ticks |= (((1u32 << count) - 1) << tick) as u16;
        if block.masks == [0; GROUPS] {
            return Ok(());
        }
        let channels = self.format.channels();
        let (per_frame, frames) = (self.format.samples(), rows.start / self.format.samples());
        let samples = self.unpacked.rows(batch, frames..(rows.end - 1) / per_frame + 1, level)?;
        let skipped = rows.start - frames * per_frame;
        let samples = samples.chunks_exact(channels).skip(skipped).take(count);
        for (row, tick) in samples.zip(tick..) {
            for (group, lanes) in row.as_chunks::<LANES>().0.iter().enumerate() {
                if block.masks[group] != 0 {
                    block.samples[group * REGION + tick * LANES..][..LANES].copy_from_slice(lanes);
                }
            }
        }
        Ok(())
    }

    /// Puts out the block that is under way.
    pub(super) fn finish(&mut self, out: &mut Regions) {
        let groups = self.format.channels() / LANES;
        let Some(block) = self.block.as_mut().filter(|block| block.ticks != 0) else { return };
        out.groups += groups as u64;
        out.channels += (groups * LANES) as u64;
        for (group, mask) in block.masks.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            // Missing samples must not show old content.
            let samples = &mut block.samples[group * REGION..][..REGION];
            let ticks = samples.as_chunks_mut::<LANES>().0.iter_mut().enumerate();
            ticks.filter(|(tick, _)| block.ticks >> tick & 1 == 0).for_each(|(_, lanes)| lanes.fill(0));
            out.marked += u64::from(mask.count_ones());
            out.rows.push(RegionRow {
                time_start: block.time_start,
                link: self.link,
                group: group as u16,
                channels: *mask,
                ticks: block.ticks,
            });
            out.samples.extend_from_slice(samples);
        }
        block.ticks = 0;
    }
}

impl Unpacked {
    /// The samples of these frames of the batch.
    fn rows(
        &mut self,
        batch: &RawBatch,
        frames: std::ops::Range<usize>,
        level: Level,
    ) -> Result<&[i16], NodeError> {
        if self.frames != frames {
            let format = batch.format;
            let bytes = &batch.bytes[frames.start * format.bytes()..frames.end * format.bytes()];
            self.samples.resize(frames.len() * format.samples() * format.channels(), 0);
            unpack(format, level, bytes, &mut self.samples)?;
            self.frames = frames;
        }
        Ok(&self.samples)
    }
}

/// Number of the sample at `time`, counted from 1970.
fn sample(time: u64, format: RawFormat) -> u64 {
    time / format.sample_step()
}
