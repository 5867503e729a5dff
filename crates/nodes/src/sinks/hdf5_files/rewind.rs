//! Frames that are taken back: a scan that has to repeat a point tells the file how many frames shall stay.

use livetime_engine::{Context, time_of_day_ns};
use livetime_formats::hdf5::{Hdf5, Scratch, StreamId};
use livetime_frame::{Flags, Header};

use super::super::nd_file::FileMode;
use super::open::Open;
use super::params::Hdf5FilesParams;
use super::tree::Rows;
use super::writer::Hdf5Writer;

/// When frames were taken back in this capture, and what tells frames from before.
#[derive(Default)]
pub(super) struct Rewound {
    at: Option<Moment>,
    /// The shortest time from the event time of a frame to now, when it came here.
    least_delay_ns: Option<i64>,
}

struct Moment {
    /// On the clock of the run.
    run_ns: u64,
    /// Since 1970.
    day_ns: i64,
}

impl Rewound {
    /// Looks at how late a frame is that is written.
    pub(super) fn see(&mut self, header: &Header) {
        if let Some(ns) = detectors_time(header) {
            let delay_ns = time_of_day_ns().saturating_sub(ns);
            self.least_delay_ns = Some(self.least_delay_ns.map_or(delay_ns, |least| least.min(delay_ns)));
        }
    }

    /// Whether a frame is from before the last time that frames were taken back: it was on its way in the graph then, or
    /// its event time is earlier. The clock of a detector may differ from ours, by no more than the frames were late that came
    /// from it.
    pub(super) fn leaves_out(&self, header: &Header, p: &Hdf5FilesParams, ctx: &Context) -> bool {
        let Some(Moment { run_ns, day_ns }) = self.at else { return false };
        let came_ns = if header.entry_ns == 0 { ctx.queued_ns() } else { header.entry_ns };
        if came_ns != 0 && came_ns < run_ns {
            return true;
        }
        let time = detectors_time(header).filter(|_| p.rewind_by_event_time);
        time.zip(self.least_delay_ns).is_some_and(|(ns, delay_ns)| ns < day_ns.saturating_sub(delay_ns))
    }
}

/// The time that a frame has from its detector.
fn detectors_time(header: &Header) -> Option<i64> {
    let is_known = header.event_time_ns > 0 && !header.flags.contains(Flags::ARRIVAL_TIME);
    is_known.then_some(header.event_time_ns)
}

impl Hdf5Writer {
    /// Keeps the first `rewind` frames of the capture.
    ///
    /// # Errors
    /// Text, if there is no capture, or other frames cannot be taken back.
    pub(super) fn rewind(&mut self, p: &mut Hdf5FilesParams, ctx: &mut Context) -> Result<(), String> {
        let Ok(wanted) = u64::try_from(std::mem::replace(&mut p.rewind, -1)) else { return Ok(()) };
        if !p.common.capture || p.common.mode != FileMode::Stream {
            return Err("wanted a capture in mode stream to take frames back, found none".into());
        }
        let lost = self.lost;
        if let Some(open) = &mut self.open {
            open.flush(lost, p)?;
            p.num_lost = lost + open.failed;
        }
        let captured = p.common.num_captured;
        let earlier = captured.saturating_sub(self.open.as_ref().map_or(0, |open| open.frames));
        if !(earlier..=captured).contains(&wanted) {
            return Err(format!(
                "wanted a number of frames that stay from {earlier}, those of finished files, to {captured}, found {wanted}"
            ));
        }
        let taken = captured - wanted;
        if let Some(open) = self.open.as_mut().filter(|_| taken > 0) {
            open.take_back(wanted - earlier)?;
        }
        self.rewound.at = Some(Moment { run_ns: ctx.now_ns(), day_ns: time_of_day_ns() });
        p.common.num_captured = wanted;
        p.num_rewound += taken;
        ctx.taken_back(taken);
        ctx.tell(format!("{taken} frames are taken back, {wanted} stay"));
        Ok(())
    }
}

impl Open {
    /// Keeps the first `keep` frames of the file, all of which readers see.
    fn take_back(&mut self, keep: u64) -> Result<(), String> {
        let counts = self.counts_of(keep);
        let collected = self.collected_of(&counts)?;
        let mut lengths: Vec<(StreamId, u64)> = self.rows.iter().map(|stream| (*stream, keep)).collect();
        for (pixels, count) in self.places.pixels.iter().zip(&counts) {
            let Rows::Stream(stream) = pixels.rows else {
                return Err(
                    "wanted a file without the axes of a scan to take frames back, found one with them: \
                            with `position_mode`, a frame for a place that is taken replaces the other one"
                        .into(),
                );
            };
            lengths.push((stream, *count));
        }
        self.file.take_back(&lengths).map_err(|e| e.reason())?;
        self.taken_back += self.frames - keep;
        (self.counts, self.collected) = (counts, collected);
        (self.frames, self.shown) = (keep, keep);
        self.targets.truncate(keep as usize);
        self.places.columns.forget_last();
        // The frames are taken back, whether all lengths could be written or not: the next flush, and the end of the file,
        // try it again.
        let told = self.tell_taken_back();
        self.unflushed = told.and_then(|()| self.file.flush().map_err(|e| e.reason())).err();
        Ok(())
    }

    pub(super) fn tell_taken_back(&mut self) -> Result<(), String> {
        let (file, taken) = (&mut self.file, self.taken_back.to_le_bytes());
        let nodes = &self.places.taken_back;
        nodes.iter().try_for_each(|node| file.rewrite(*node, &taken)).map_err(|e| e.reason())
    }

    /// How many of the first `keep` frames are in each data set of pixels.
    fn counts_of(&self, keep: u64) -> Vec<u64> {
        if self.places.pixels.len() == 1 {
            return vec![keep];
        }
        let mut counts = vec![0; self.places.pixels.len()];
        self.targets.iter().take(keep as usize).for_each(|target| counts[usize::from(*target)] += 1);
        counts
    }

    /// What the chunks of several frames hold that will be written on, which is read from the file.
    fn collected_of(&self, counts: &[u64]) -> Result<Vec<Vec<u8>>, String> {
        let is_shared = self.chunk > 1 && (self.packing.filter.is_some() || self.parts.is_some());
        let frame_bytes = self.layout.len() * self.layout.dtype().bytes();
        let read = |(path, count): (&str, u64)| {
            let rows = if is_shared { count % self.chunk } else { 0 };
            let mut frames = vec![0; rows as usize * frame_bytes];
            if rows > 0 {
                let array = Hdf5::open(self.file.path()).and_then(|file| file.array(path));
                let array = array.map_err(|e| e.reason())?;
                array
                    .read(count - rows, rows, &mut frames, &mut Scratch::default())
                    .map_err(|e| e.reason())?;
            }
            Ok(frames)
        };
        let paths = self.places.pixels.iter().map(|pixels| pixels.path.as_str());
        paths.zip(counts.iter().copied()).map(read).collect()
    }
}
