//! A file that is written: where the parts of a frame go, and when readers see them.

use std::path::PathBuf;

use livetime_engine::Context;
use livetime_formats::hdf5::{StreamId, Writer};
use livetime_frame::{ArrayRef, Attributes, Frame, Layout};

use super::super::nd_file::{EventTime, FileMode, NotWritten, WriteError};
use super::columns::Facts;
use super::crew::{Done, Packed, Packers, Row};
use super::grid::Axes;
use super::packing::{Packer, Packing};
use super::params::Hdf5FilesParams;
use super::parts::Parts;
use super::tree::{Places, Rows, TIMES};
use crate::error::Mismatch;
use crate::ntndarray::number_of;

/// Longest time that packed frames wait until the node enters them into the index, if no other frame comes.
const PACKING_NS: u64 = 1_000_000;
/// Bytes of rows of columns that may wait in memory before they are written together.
const MOST_PENDING: usize = 1 << 20;

/// The file that is written.
pub(super) struct Open {
    pub(super) file: Writer,
    pub(super) places: Places,
    /// All data sets of `places` but the pixels.
    pub(super) rows: Vec<StreamId>,
    pub(super) layout: Layout,
    pub(super) packing: Packing,
    /// Parts of a frame that chunks of their own hold.
    pub(super) parts: Option<Parts>,
    /// Axes before a frame's own axes.
    pub(super) axes: Option<Axes>,
    /// Frames of a chunk.
    pub(super) chunk: u64,
    pub(super) frames: u64,
    /// Frames in each data set of pixels.
    pub(super) counts: Vec<u64>,
    /// The data set of the pixels of each frame, if there are several.
    pub(super) targets: Vec<u16>,
    /// Frames that were in the file and are not any more.
    pub(super) taken_back: u64,
    /// Frames that readers see.
    pub(super) shown: u64,
    pub(super) flushed_ns: u64,
    pub(super) has_timer: bool,
    /// The last flush failed; it is tried again with the next frame.
    pub(super) is_unflushed: bool,
    pub(super) clock: Clock,
    pub(super) path: PathBuf,
    pub(super) packer: Packer,
    /// Threads that compress and write instead.
    pub(super) packers: Option<Packers>,
    /// Frames that these could not compress or write.
    pub(super) failed: u64,
    /// When it was last looked.
    pub(super) now_ns: u64,
    /// Frames of chunks of several, for each data set of pixels.
    pub(super) collected: Vec<Vec<u8>>,
}

/// Times of writing, on the clock of the run.
pub(super) struct Clock {
    pub(super) first_ns: u64,
    pub(super) last_ns: u64,
    pub(super) bytes: u64,
}

impl Open {
    pub(super) fn fits(&self, layout: &Layout) -> bool {
        let ours = (self.layout.dtype(), self.layout.color());
        ours == (layout.dtype(), layout.color())
            && self.layout.shape().eq(layout.shape())
            && self.packing.is_for(layout.codec())
    }

    /// Writes a frame, or gives it to the threads that do; nothing of it is in the file after an error.
    pub(super) fn take(
        &mut self,
        frame: &Frame,
        missing: u64,
        p: &mut Hdf5FilesParams,
        ctx: &mut Context,
    ) -> Result<(), WriteError> {
        if self.is_unflushed {
            // Memory of unwritten columns must not grow while the disk is full.
            self.file.flush()?;
            self.is_unflushed = false;
        }
        self.now_ns = ctx.now_ns();
        let header = frame.header();
        // Place and target are decided before the frame goes to a thread, so that a refusal is this frame's own error.
        let target = self.places.target(&header.attributes);
        let place = self.place(target, &header.attributes, p)?;
        let row = Row { target, place, missing, time: EventTime::of(header, ctx), begun_ns: self.now_ns };
        // Frames that are kept in memory until the capture ends are reported by the code that keeps them.
        if self.packers.is_none() || p.common.mode != FileMode::Stream {
            self.write_pixels(frame, &row, p)?;
            self.now_ns = ctx.now_ns();
            self.counts[target] += 1;
            return self.add_row(frame, &row, p);
        }
        let settings = self.packing.settings(p)?;
        // The node waits here when all threads are busy, and its edge applies its policy.
        while self.packers.as_ref().is_some_and(Packers::are_busy) {
            self.write_packed(true, p);
        }
        self.counts[target] += 1;
        if let Some(packers) = &mut self.packers {
            packers.put(frame, row, settings, ctx.under_way());
        }
        // Frames that are ready are entered at once, so that a flush has little left to do.
        while self.write_packed(false, p) {}
        Ok(())
    }

    /// Writes the oldest frame that is being compressed, if it is ready or `waits`; whether there was one.
    fn write_packed(&mut self, waits: bool, p: &mut Hdf5FilesParams) -> bool {
        let Some(packers) = &mut self.packers else { return false };
        let Some(Done { frame, row, under_way, packed }) = packers.take(waits) else { return false };
        let written = packed.and_then(|packed| self.enter(packed, &row, p));
        let written = written.and_then(|()| self.add_row(&frame, &row, p));
        match written {
            Ok(()) => under_way.completed(),
            // The frame was counted when it was taken; a failure later takes that back.
            Err(why) => {
                self.failed += 1;
                p.common.num_captured = p.common.num_captured.saturating_sub(1);
                p.common.write_errors += 1;
                p.common.report.failed(why.to_string());
                under_way.lost(NotWritten::new(&self.path, why).to_string());
            }
        }
        true
    }

    /// Writes a frame that threads have packed, or names it in the index if they have written it.
    fn enter(&mut self, packed: Packed, row: &Row, p: &mut Hdf5FilesParams) -> Result<(), WriteError> {
        match (packed, &self.places.pixels[row.target].rows) {
            (Packed::InFile(written, bytes), Rows::Stream(stream)) => {
                let stream = *stream;
                self.clock.bytes += bytes;
                // Rows of the columns are reserved before the frame is entered: a frame in the index always has its
                // columns.
                if let Err(e) = self.file.reserve(&self.rows) {
                    self.file.discard(written);
                    return Err(e.into());
                }
                Ok(self.file.enter(stream, written)?)
            }
            (Packed::InFile(..), Rows::Grid(_)) => {
                Err(Mismatch::new("a data set that grows", "a grid").into())
            }
            (Packed::Bytes(packed), _) => {
                let written = self.write_stream(&packed, row, p);
                if let Some(packers) = &mut self.packers {
                    packers.give_back(packed);
                }
                written
            }
        }
    }

    /// Waits for all frames that are being compressed, and writes them.
    pub(super) fn write_all_packed(&mut self, p: &mut Hdf5FilesParams) {
        while self.write_packed(true, p) {}
    }

    /// Writes the columns of a frame.
    fn add_row(&mut self, frame: &Frame, row: &Row, p: &mut Hdf5FilesParams) -> Result<(), WriteError> {
        let header = frame.header();
        let (number, color) = (number_of(header), self.layout.color());
        let facts = Facts { header, number, time: row.time, color, missing: row.missing };
        // Only the default data set follows the axes of a scan, and so only its frames have a place in their columns.
        let place = row.place.as_deref().filter(|_| row.target == self.places.default);
        p.attributes_left_out += self.places.columns.push(&facts, place, &mut self.file)?;
        self.frames += 1;
        if self.places.pixels.len() > 1 {
            self.targets.push(row.target as u16);
        }
        self.push_times(row.begun_ns, self.now_ns);
        Ok(())
    }

    /// Where in the axes of a scan a frame goes, if there are any.
    fn place(
        &self,
        target: usize,
        attributes: &Attributes,
        p: &mut Hdf5FilesParams,
    ) -> Result<Option<Vec<u64>>, WriteError> {
        let Some(axes) = &self.axes else { return Ok(None) };
        let place = match axes.is_by_position() && target == self.places.default {
            // Frames for other data sets do not move the scan on, and count their own order.
            true => axes.by_position(attributes).inspect_err(|_| p.grid.wrong_positions += 1),
            false => axes.in_order(self.counts[target]),
        };
        Ok(Some(place?))
    }

    fn write_pixels(&mut self, frame: &Frame, row: &Row, p: &mut Hdf5FilesParams) -> Result<(), WriteError> {
        let array = frame.array()?;
        self.file.reserve(&self.rows)?;
        match self.places.pixels[row.target].rows {
            Rows::Stream(stream) if self.packing.filter.is_none() && self.parts.is_none() => {
                let pixels = self.packer.elements(&array);
                self.clock.bytes += pixels.len() as u64;
                Ok(self.file.write_row(stream, pixels)?)
            }
            Rows::Stream(_) if self.chunk > 1 || self.parts.is_some() => {
                self.share_chunk(&array, row.target, p)
            }
            _ => {
                let mut packer = std::mem::take(&mut self.packer);
                let packed = packer.stream(&array, &self.packing, self.packing.settings(p)?);
                let written = packed.and_then(|packed| self.write_stream(packed, row, p));
                self.packer = packer;
                written
            }
        }
    }

    /// Writes the pixels of a frame as they are in the file.
    fn write_stream(&mut self, packed: &[u8], row: &Row, p: &mut Hdf5FilesParams) -> Result<(), WriteError> {
        let bytes = (self.layout.len() * self.layout.dtype().bytes()) as u64;
        let (head, head_bytes) = self.packing.head(bytes, packed.len());
        self.clock.bytes += packed.len() as u64;
        let parts: [&[u8]; 2] = [&head[..head_bytes], packed];
        // The usual case, plain frames one behind another, goes from the frame's memory to the file in one write.
        // Frames that were compressed at the same time have filled the room that was reserved when they came.
        self.file.reserve(&self.rows)?;
        match self.places.pixels[row.target].rows {
            Rows::Stream(stream) => {
                let number = self.file.rows(stream);
                Ok(self.file.write_chunk(stream, number, 1, &parts)?)
            }
            Rows::Grid(grid) => {
                let place = row.place.as_deref().unwrap_or_default();
                let again = self.file.write_at(grid, place, &parts)?;
                // A scan may return to a point; the last frame wins, and the count shows it.
                p.grid.positions_again += u64::from(again);
                Ok(())
            }
        }
    }

    /// Adds a frame to a chunk of several, which is compressed when it is full, or when readers want to see it.
    fn share_chunk(
        &mut self,
        array: &ArrayRef<'_>,
        target: usize,
        p: &Hdf5FilesParams,
    ) -> Result<(), WriteError> {
        let frame_bytes = self.layout.len() * self.layout.dtype().bytes();
        let pixels = self.packer.elements(array);
        self.collected[target].extend_from_slice(pixels);
        match self.collected[target].len() / frame_bytes.max(1) {
            frames if frames as u64 == self.chunk => {
                self.write_shared_chunk(target, p).inspect_err(|_| {
                    // The chunk could not be written: this frame leaves it again, and its neighbours stay for the next
                    // try.
                    let kept = self.collected[target].len() - frame_bytes;
                    self.collected[target].truncate(kept);
                })?;
                self.collected[target].clear();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Writes the chunk that is being collected as far as it is filled.
    fn write_shared_chunk(&mut self, target: usize, p: &Hdf5FilesParams) -> Result<(), WriteError> {
        let frame_bytes = self.layout.len() * self.layout.dtype().bytes();
        let rows = (self.collected[target].len() / frame_bytes.max(1)) as u64;
        if rows == 0 {
            return Ok(());
        }
        let Rows::Stream(stream) = self.places.pixels[target].rows else { return Ok(()) };
        // A chunk that readers have seen in part is written again.
        let number = self.file.rows(stream) / self.chunk;
        let settings = self.packing.settings(p)?;
        if let Some(parts) = &mut self.parts {
            let how = (&mut self.packer, &self.packing, settings);
            let chunks = parts.chunks(&self.collected[target], self.chunk, how)?;
            self.clock.bytes += chunks.0.len() as u64;
            return Ok(self.file.write_layer(stream, number, rows, chunks)?);
        }
        let chunk = self.chunk as usize;
        let packed =
            self.packer.chunk(&self.layout, chunk, &self.collected[target], &self.packing, settings)?;
        let bytes = self.chunk * frame_bytes as u64;
        let (head, head_bytes) = self.packing.head(bytes, packed.len());
        self.clock.bytes += packed.len() as u64;
        let parts: [&[u8]; 2] = [&head[..head_bytes], packed];
        Ok(self.file.write_chunk(stream, number, rows, &parts)?)
    }

    pub(super) fn default_path(&self) -> String {
        self.places.pixels[self.places.default].path.clone()
    }

    pub(super) fn default_rows(&self) -> u64 {
        self.counts[self.places.default]
    }

    fn push_times(&mut self, begun_ns: u64, now_ns: u64) {
        // The period is the time from one end of writing to the next.
        let last_ns = std::mem::replace(&mut self.clock.last_ns, now_ns);
        let Some(stream) = self.places.times else { return };
        let seconds = |from: u64, to: u64| to.saturating_sub(from) as f64 / 1e9;
        let period = seconds(last_ns, now_ns);
        let run = seconds(self.clock.first_ns, now_ns);
        let bits = 8e-6 * (self.layout.len() * self.layout.dtype().bytes()) as f64;
        let rate = |seconds: f64| if seconds > 0.0 { bits / seconds } else { 0.0 };
        let times = [seconds(begun_ns, now_ns), period, run, rate(period), rate(run) * self.frames as f64];
        let mut row = [0; 8 * TIMES];
        row.chunks_exact_mut(8).zip(times).for_each(|(to, time)| to.copy_from_slice(&time.to_le_bytes()));
        self.file.push(stream, &row);
    }

    /// Writes frames that were being compressed when no other came, and flushes if it is time.
    pub(super) fn timer(
        &mut self,
        lost: u64,
        p: &mut Hdf5FilesParams,
        ctx: &mut Context,
    ) -> Result<(), WriteError> {
        self.has_timer = false;
        self.now_ns = ctx.now_ns();
        self.write_all_packed(p);
        p.num_lost = lost + self.failed;
        let period_ns = (p.flush_period * 1e9) as u64;
        if self.packers.is_none() || (period_ns != 0 && self.now_ns - self.flushed_ns >= period_ns) {
            self.flushed_ns = self.now_ns;
            // Without threads the timer is set only for a flush.
            return self.show(lost, p);
        }
        self.flush_if_due(lost, p, ctx);
        Ok(())
    }

    /// Flushes if it is time, or sees to it that it will be done in time when no frame comes.
    pub(super) fn flush_if_due(&mut self, lost: u64, p: &mut Hdf5FilesParams, ctx: &mut Context) {
        let period_ns = (p.flush_period * 1e9) as u64;
        let now_ns = self.clock.last_ns.max(self.flushed_ns);
        let new = self.frames - self.shown;
        // A flush in the middle of a chunk writes it twice, so at least a chunk of frames is waited for.
        let is_many = p.flush_frames != 0 && new >= u64::from(p.flush_frames).max(self.chunk);
        let is_late = period_ns != 0 && now_ns - self.flushed_ns >= period_ns;
        if is_many || is_late {
            self.flushed_ns = now_ns;
            if let Err(why) = self.show(lost, p) {
                ctx.tell_error(format!("`{}`: {why}", self.path.display()));
            }
        } else if self.packers.as_ref().is_some_and(|packers| !packers.are_idle()) {
            // Frames under way must reach the index even if no other frame comes.
            ctx.set_timer(Some(self.now_ns + PACKING_NS));
            self.has_timer = true;
        } else if !self.has_timer && period_ns != 0 {
            ctx.set_timer(Some(self.flushed_ns + period_ns));
            self.has_timer = true;
        } else if self.file.pending_bytes() > MOST_PENDING {
            // Long captures without flushes must not collect columns in memory.
            // A full disk is tried again with the next frame, before it takes more memory.
            self.is_unflushed = self.file.write_out().is_err();
        }
    }

    /// Shows readers all frames, also frames that are being compressed.
    pub(super) fn flush(&mut self, lost: u64, p: &mut Hdf5FilesParams) -> Result<(), WriteError> {
        self.write_all_packed(p);
        self.show(lost, p)
    }

    /// Shows readers the written frames.
    fn show(&mut self, lost: u64, p: &mut Hdf5FilesParams) -> Result<(), WriteError> {
        if self.shown == self.frames {
            return Ok(());
        }
        // Readers trust the length of the last column; everything else is written before it.
        self.end_shared_chunks(p)?;
        let told = self.tell_lost(lost + self.failed);
        let flushed = told.and_then(|()| self.file.flush());
        // A flush that failed is repeated before the next frame.
        self.is_unflushed = flushed.is_err();
        flushed?;
        self.shown = self.frames;
        p.flushes += 1;
        self.tell_times(p);
        Ok(())
    }

    /// How long the file has been written, and how fast.
    fn tell_times(&self, p: &mut Hdf5FilesParams) {
        p.run_time = self.clock.last_ns.saturating_sub(self.clock.first_ns) as f64 / 1e9;
        p.io_speed = if p.run_time > 0.0 { self.clock.bytes as f64 * 8e-6 / p.run_time } else { 0.0 };
    }

    /// Writes the chunks that are being collected as far as they are filled.
    fn end_shared_chunks(&mut self, p: &Hdf5FilesParams) -> Result<(), WriteError> {
        (0..self.collected.len()).try_for_each(|target| self.write_shared_chunk(target, p))
    }

    fn tell_lost(&mut self, lost: u64) -> livetime_formats::Result<()> {
        let (file, nodes) = (&mut self.file, &self.places.lost);
        nodes.iter().try_for_each(|node| file.rewrite(*node, &lost.to_le_bytes()))
    }

    pub(super) fn finish(&mut self, lost: u64, p: &mut Hdf5FilesParams) -> Result<(), WriteError> {
        self.write_all_packed(p);
        self.tell_times(p);
        self.end_shared_chunks(p)?;
        self.tell_lost(lost + self.failed)?;
        self.tell_taken_back()?;
        self.places.columns.finish(&mut self.file)?;
        let (file, nodes) = (&mut self.file, &self.places.finished);
        // `finished` is set last, so that the file of a killed program lacks it.
        let told = nodes.iter().try_for_each(|node| file.rewrite(*node, &1u64.to_le_bytes()));
        Ok(told.and_then(|()| file.close())?)
    }
}
