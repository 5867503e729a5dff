//! Files of several links, read side by side.

use std::io::Read;
use std::path::{Path, PathBuf};

use livetime_engine::{Context, Next, NodeError};
use livetime_formats::wib::{DumpReader, Faults, RawFormat};

use crate::sources::raw_readings::{batch_frames, tell_losses};
use crate::{IngestCounts, LinkIngest, RawSender};

type Reader = DumpReader<Box<dyn Read + Send>>;

/// The files of a run.
pub(super) struct Dumps {
    dumps: Vec<Dump>,
    sender: RawSender,
    /// How often all files have been read to their end.
    passes: u64,
    /// Added to the timestamps in this pass.
    delay: u64,
    /// The first timestamp.
    begin: u64,
    /// When the first batch was sent, and its time, on the clocks of the run and of the detector.
    anchor: Option<(u64, u128)>,
    /// Bytes skipped in earlier passes.
    skipped: u64,
}

/// The file of a link.
struct Dump {
    path: PathBuf,
    reader: Reader,
    format: RawFormat,
    /// Number of the link in the sender.
    link: usize,
    batch: usize,
    /// The time of the reader's next frame; `None` at the end.
    next: Option<u64>,
}

/// A longer step in time is not waited for: it is a gap between recordings, or a damaged time.
const MOST_WAIT_NS: u64 = 10_000_000_000;

impl Dumps {
    /// Opens the files and looks for the first frame of each.
    ///
    /// # Errors
    /// [`NodeError`] naming the file that cannot be read or holds no frames, or more links than there are numbers.
    pub(super) fn open(
        files: Vec<PathBuf>,
        first_link: u32,
        batch: usize,
        ingest: impl Fn(RawFormat, u16) -> LinkIngest,
    ) -> Result<Dumps, NodeError> {
        let (mut dumps, mut sender) = (Vec::new(), RawSender::default());
        for (i, path) in files.into_iter().enumerate() {
            let number = u16::try_from(first_link as usize + i);
            let number =
                number.map_err(|_| NodeError::new(format_args!("wanted links up to 65535, found more")))?;
            let (reader, format, next) = open(&path)?;
            let batch = batch_frames(batch, format);
            let link = sender.add(ingest(format, number), batch);
            dumps.push(Dump { path, reader, format, link, batch, next: Some(next) });
        }
        // All links share the begin, so that their times stay aligned over passes.
        let begin = dumps.iter().filter_map(|dump| dump.next).min().unwrap_or(0);
        Ok(Dumps { dumps, sender, passes: 0, delay: 0, begin, anchor: None, skipped: 0 })
    }

    pub(super) fn links(&self) -> usize {
        self.dumps.len()
    }

    pub(super) fn counts(&self) -> IngestCounts {
        self.sender.counts()
    }

    pub(super) fn skipped(&self) -> u64 {
        self.skipped + self.dumps.iter().map(|dump| dump.reader.skipped()).sum::<u64>()
    }

    /// At the end: reports missing and damaged frames.
    pub(super) fn tell_losses(&self, ctx: &Context) {
        let frame_bytes = self.dumps.first().map_or(1, |dump| dump.format.bytes());
        tell_losses(&self.counts(), self.skipped(), frame_bytes, ctx);
    }

    /// Bytes of the largest batch.
    pub(super) fn batch_bytes(&self) -> usize {
        self.dumps.iter().map(|dump| dump.batch * dump.format.bytes()).max().unwrap_or(0)
    }

    /// Number of the frame that is sent next.
    pub(super) fn sent(&self) -> u64 {
        self.sender.sent()
    }

    /// The next frame that is sent has this number.
    pub(super) fn number_from(&mut self, number: u64) {
        self.sender.number_from(number);
    }

    /// Sends everything that has been read.
    ///
    /// # Errors
    /// As [`RawSender::finish`].
    pub(super) fn finish(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.sender.finish(ctx)
    }

    /// The contract of [`livetime_engine::Node::produce`]; without `speed` as fast as possible.
    pub(super) fn produce(
        &mut self,
        speed: Option<f64>,
        loops: u64,
        ctx: &mut Context,
    ) -> Result<Next, NodeError> {
        // The link that is behind goes first, so that links stay interleaved in time.
        let times =
            self.dumps.iter().enumerate().filter_map(|(i, dump)| Some((ns(dump.format, dump.next?), i)));
        let Some((time_ns, number)) = times.min() else { return self.at_the_end(loops, ctx) };
        // With timing, a batch is sent when its first frame is due.
        if let Some(speed) = speed {
            let now_ns = ctx.now_ns();
            let due_ns = self.due_ns(time_ns, speed, now_ns);
            if now_ns < due_ns {
                return Ok(Next::At(due_ns));
            }
        }
        let sent = self.send(number, ctx);
        let told = self.sender.tell(ctx);
        sent.and(told)?;
        // The end is reported with the last batch, not one call later.
        let is_done = self.dumps.iter().all(|dump| dump.next.is_none());
        if is_done { self.at_the_end(loops, ctx) } else { Ok(Next::Now) }
    }

    /// Reads a batch of one file.
    fn send(&mut self, number: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let Some(dump) = self.dumps.get_mut(number) else { return Ok(()) };
        // A file that cannot be read any further counts as ended.
        dump.next = None;
        let mut result = Ok(());
        let mut left = dump.batch;
        while left > 0 {
            let read = dump.reader.next_frames(left).map_err(|error| failed(&dump.path, &error));
            let Some(frames) = read? else { break };
            // In later passes the frames' own timestamps must go on.
            if self.delay > 0 {
                frames.chunks_mut(dump.format.bytes()).for_each(|frame| dump.format.delay(frame, self.delay));
            }
            left = left.saturating_sub(frames.len() / dump.format.bytes());
            result = result.and(self.sender.put(dump.link, frames, Faults::NONE, ctx));
        }
        let next = dump.reader.next_stamp().map_err(|error| failed(&dump.path, &error));
        dump.next = next?.map(|stamp| stamp.wrapping_add(self.delay));
        if dump.next.is_none() {
            if let Some(broken) = dump.reader.broken() {
                ctx.unreadable(1, failed(&dump.path, &broken).to_string());
            }
            // Links that are at their end would keep the last batches of the others waiting.
            result = result.and(self.sender.flush(ctx));
        }
        result
    }

    fn at_the_end(&mut self, loops: u64, ctx: &mut Context) -> Result<Next, NodeError> {
        self.passes += 1;
        if loops != 0 && self.passes >= loops {
            return self.finish(ctx).map(|()| Next::Finished);
        }
        self.skipped = self.skipped();
        for dump in &self.dumps {
            // Held frames are frames of this pass.
            self.sender.go_on_at(dump.link, 0, ctx)?;
        }
        let ends = self.dumps.iter().filter_map(|dump| self.sender.ingest(dump.link)?.expected());
        let step = self.dumps.iter().map(|dump| dump.format.step()).max().unwrap_or(1);
        let length = ends.max().unwrap_or(0).saturating_sub(self.begin);
        // The next pass begins a whole step after the last one, or every frame would be off its step.
        self.delay = length.checked_next_multiple_of(step).unwrap_or(0);
        for dump in &mut self.dumps {
            let (reader, _, next) = open(&dump.path)?;
            let next = next.wrapping_add(self.delay);
            (dump.reader, dump.next) = (reader, Some(next));
            self.sender.go_on_at(dump.link, next, ctx)?;
        }
        Ok(Next::Now)
    }

    /// When the frames of this time are due on the run's clock.
    fn due_ns(&mut self, time_ns: u128, speed: f64, now_ns: u64) -> u64 {
        let due_ns = |(begun_ns, first_ns): (u64, u128)| {
            let since_ns = time_ns.checked_sub(first_ns)? as f64 / speed.max(1e-9);
            let due_ns = begun_ns.saturating_add(since_ns as u64);
            // Further ahead than this the time is a jump, and the schedule begins anew there.
            (due_ns < now_ns + MOST_WAIT_NS).then_some(due_ns)
        };
        self.anchor.and_then(due_ns).unwrap_or_else(|| {
            // The first, or the clock of the detector has jumped.
            self.anchor = Some((now_ns, time_ns));
            now_ns
        })
    }
}

/// The reader of a file, with format and time of the first frame.
fn open(path: &Path) -> Result<(Reader, RawFormat, u64), NodeError> {
    let opened = DumpReader::open(path).and_then(|mut reader| Ok((reader.next_stamp()?, reader)));
    let (next, reader) = opened.map_err(|error| failed(path, &error))?;
    match reader.layout().zip(next) {
        Some((layout, next)) => Ok((reader, layout.format, next)),
        None => {
            let found = format_args!("{} bytes without", reader.skipped());
            Err(failed(path, &format_args!("wanted WIB1, WIB2 or WIBEth frames, found {found}")))
        }
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> NodeError {
    NodeError::new(format_args!("`{}`: {error}", path.display()))
}

/// Time of a stamp, ns since 1970.
fn ns(format: RawFormat, stamp: u64) -> u128 {
    u128::from(stamp) * u128::from(format.tick_ns())
}
