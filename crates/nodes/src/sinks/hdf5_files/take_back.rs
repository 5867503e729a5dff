//! Frames that are taken back: a scan that has to repeat a point tells the file how many frames shall stay.

use livetime_engine::Context;
use livetime_formats::hdf5::{Hdf5, Scratch, StreamId};

use super::super::nd_file::{FileMode, WriteError};
use super::open::Open;
use super::params::Hdf5FilesParams;
use super::tree::Rows;
use super::writer::Hdf5Writer;
use crate::error::Mismatch;

impl Hdf5Writer {
    /// Keeps the first `rewind` frames of the capture.
    ///
    /// # Errors
    /// If there is no capture, or other frames cannot be taken back.
    pub(super) fn rewind(&mut self, p: &mut Hdf5FilesParams, ctx: &mut Context) -> Result<(), WriteError> {
        // The wish is used up, so that a later write of the same number is a new wish; -1 means no wish.
        let Ok(wanted) = u64::try_from(std::mem::replace(&mut p.rewind, -1)) else { return Ok(()) };
        // Only a stream has frames of which the number is known at the file; in the other modes the frames
        // are still in memory, or in files of their own.
        if !p.common.capture || p.common.mode != FileMode::Stream {
            return Err(Mismatch::new("a capture in mode stream to take frames back", "none").into());
        }
        // Frames in memory go to the file first, because the file's counts decide which frames are there.
        let lost = self.lost;
        if let Some(open) = &mut self.open {
            open.flush(lost, p)?;
            p.num_lost = lost + open.failed;
        }
        let captured = p.common.num_captured;
        // Frames of finished files stay: a reader may have taken these files already.
        let earlier = captured.saturating_sub(self.open.as_ref().map_or(0, |open| open.frames));
        if !(earlier..=captured).contains(&wanted) {
            let limits = format!(
                "a number of frames that stay from {earlier}, those of finished files, to {captured}"
            );
            return Err(Mismatch::new(limits, wanted.to_string()).into());
        }
        let taken = captured - wanted;
        // Without a frame to take, the file stays untouched.
        if let Some(open) = self.open.as_mut().filter(|_| taken > 0) {
            open.take_back(wanted - earlier)?;
        }
        self.rewound.now(ctx);
        p.common.num_captured = wanted;
        p.num_rewound += taken;
        ctx.taken_back(taken);
        ctx.tell(format!("{taken} frames are taken back, {wanted} stay"));
        Ok(())
    }
}

impl Open {
    /// Keeps the first `keep` frames of the file; readers see all of them.
    fn take_back(&mut self, keep: u64) -> Result<(), WriteError> {
        let counts = self.counts_of(keep);
        let collected = self.collected_of(&counts)?;
        let mut lengths: Vec<(StreamId, u64)> = self.rows.iter().map(|stream| (*stream, keep)).collect();
        for (pixels, count) in self.places.pixels.iter().zip(&counts) {
            let Rows::Stream(stream) = pixels.rows else {
                return Err(Mismatch::new(
                    "a file without the axes of a scan to take frames back",
                    "one with them: with `position_mode`, a frame for a place that is taken replaces the other one",
                )
                .into());
            };
            lengths.push((stream, *count));
        }
        self.file.take_back(&lengths)?;
        self.taken_back += self.frames - keep;
        (self.counts, self.collected) = (counts, collected);
        (self.frames, self.shown) = (keep, keep);
        self.targets.truncate(keep as usize);
        self.places.columns.forget_last();
        // The frames are taken back, whether all lengths could be written or not: the next flush, and the end of the file,
        // try it again.
        let told = self.tell_taken_back();
        self.is_unflushed = told.and_then(|()| self.file.flush()).is_err();
        Ok(())
    }

    pub(super) fn tell_taken_back(&mut self) -> livetime_formats::Result<()> {
        let (file, taken) = (&mut self.file, self.taken_back.to_le_bytes());
        let nodes = &self.places.taken_back;
        nodes.iter().try_for_each(|node| file.rewrite(*node, &taken))
    }

    /// How many of the first `keep` frames are in each data set of pixels.
    fn counts_of(&self, keep: u64) -> Vec<u64> {
        // With one data set the targets of the frames need not be known.
        if self.places.pixels.len() == 1 {
            return vec![keep];
        }
        let mut counts = vec![0; self.places.pixels.len()];
        self.targets.iter().take(keep as usize).for_each(|target| counts[usize::from(*target)] += 1);
        counts
    }

    /// The content of chunks of several frames that will be written on, as read from the file.
    fn collected_of(&self, counts: &[u64]) -> livetime_formats::Result<Vec<Vec<u8>>> {
        // Chunks without a filter are written row by row, so no content of them has to be kept.
        let is_shared = self.chunk > 1 && (self.packing.filter.is_some() || self.parts.is_some());
        let frame_bytes = self.layout.len() * self.layout.dtype().bytes();
        let read = |(path, count): (&str, u64)| {
            let rows = if is_shared { count % self.chunk } else { 0 };
            // Memory for these rows exists already while a chunk is collected, so the size is bounded.
            let mut frames = vec![0; rows as usize * frame_bytes];
            if rows > 0 {
                let array = Hdf5::open(self.file.path())?.array(path)?;
                array.read(count - rows, rows, &mut frames, &mut Scratch::default())?;
            }
            Ok(frames)
        };
        let paths = self.places.pixels.iter().map(|pixels| pixels.path.as_str());
        paths.zip(counts.iter().copied()).map(read).collect()
    }
}
