//! How a source sends raw frames: in batches, with the ledger beside them.

use livetime_engine::{Context, NodeError};
use livetime_formats::wib::Faults;
use livetime_frame::FrameMut;

use super::{IngestCounts, LedgerRow, LinkIngest, RawFormat, RawLabels, RowTable, Settled, State, Step};

/// Number of the output for batches of raw frames, in every source of them.
pub const RAW: usize = 0;
/// Number of the output for tables of [`LedgerRow`].
pub const LEDGER: usize = 1;

/// Time between two tables of the ledger, by the time of the data in a replay. Readers see the ledger at most this
/// late.
const TELL_EVERY_NS: u64 = 250_000_000;
/// When more rows than this wait, they are sent at once, so that a link with faults at every frame does not fill the
/// memory.
const MOST_ROWS: usize = 4096;

/// Sends the frames of some links: each is given to its [`LinkIngest`], copied into the batch of its link, and sent when the batch is full or
/// time does not continue. The fate of the time goes to the output beside. Missing frames, and frames with faults, are entered into the
/// ledger of the run as they are found.
///
/// Every frame given is either in a batch or reported as dropped: when there is no memory for a batch, as many frames as it would have
/// held are dropped, and one error is returned.
#[derive(Debug, Default)]
pub struct RawSender {
    links: Vec<LinkSender>,
    ledger: Ledger,
    /// Frames and tables sent.
    sequence: u64,
    /// When the ledger was sent.
    told_ns: u64,
    /// Missing frames that are in the ledger of the run.
    missing: u64,
    /// Frames with faults, or not sent, that are in the ledger of the run.
    unreadable: u64,
}

#[derive(Debug)]
struct LinkSender {
    ingest: LinkIngest,
    batches: Batches,
}

/// The batches of a link.
#[derive(Debug)]
struct Batches {
    link: u16,
    format: RawFormat,
    labels: RawLabels,
    /// Frames of a full batch.
    most: usize,
    batch: Option<Batch>,
    /// Frames that are dropped because there was no memory for their batch.
    without_memory: usize,
    /// Epoch and end of the batch sent last.
    before: Option<(u64, u64)>,
}

#[derive(Debug)]
struct Batch {
    frame: FrameMut,
    frames: usize,
    first: u64,
    epoch: u64,
    /// Faults of all frames that the frames themselves do not show.
    common: Faults,
    faults: Faults,
}

#[derive(Debug, Default)]
struct Ledger {
    table: RowTable<LedgerRow>,
    rows: Vec<LedgerRow>,
}

impl RawSender {
    /// A sender whose first frame or table has the number `sequence`.
    pub fn numbered_from(sequence: u64) -> RawSender {
        RawSender { sequence, ..RawSender::default() }
    }

    /// Adds a link with batches of `frames` frames, at least 1. Returns the link's number for [`RawSender::put`]: 0, 1
    /// and so on.
    pub fn add(&mut self, ingest: LinkIngest, frames: usize) -> usize {
        let (link, format, labels) = (ingest.link(), ingest.format(), RawLabels::new(ingest.format()));
        let (most, batch, without_memory, before) = (frames.max(1), None, 0, None);
        let batches = Batches { link, format, labels, most, batch, without_memory, before };
        self.links.push(LinkSender { ingest, batches });
        self.links.len() - 1
    }

    /// Number of links.
    pub fn links(&self) -> usize {
        self.links.len()
    }

    /// The account of a link.
    pub fn ingest(&self, link: usize) -> Option<&LinkIngest> {
        self.links.get(link).map(|link| &link.ingest)
    }

    /// The counts of all links.
    pub fn counts(&self) -> IngestCounts {
        let mut all = IngestCounts::default();
        self.links.iter().for_each(|link| all.add(link.ingest.counts()));
        all
    }

    /// Frames and tables sent.
    pub fn sent(&self) -> u64 {
        self.sequence
    }

    /// The next frame or table that is sent has this number.
    pub fn number_from(&mut self, number: u64) {
        self.sequence = number;
    }

    /// Takes in the frames of a link that lie one behind the other; a rest that is no whole frame is one that was cut off. `known` is wrong
    /// with all of them.
    ///
    /// # Errors
    /// [`NodeError`] when there is no memory or an edge refuses; all frames are accounted for nevertheless.
    pub fn put(
        &mut self,
        link: usize,
        frames: &[u8],
        known: Faults,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        let mut result = Ok(());
        let mut rest = frames;
        while !rest.is_empty() {
            let Some(link) = self.links.get_mut(link) else { break };
            // Frames without known faults mostly follow each other, so a whole run of them is checked and copied at
            // once.
            let mut taken = if known.is_empty() { link.put_calm(rest, &mut self.ledger) } else { 0 };
            if taken == 0 {
                // A frame that breaks a run goes through the full check alone, since a fault, gap or restart may begin
                // with that frame.
                taken = rest.len().min(link.ingest.format().bytes());
                result = result.and(link.put_one(
                    &rest[..taken],
                    known,
                    &mut self.ledger,
                    &mut self.sequence,
                    ctx,
                ));
            }
            if link.batches.is_full() {
                result = result.and(link.batches.send(&mut self.sequence, ctx));
            }
            rest = &rest[taken..];
        }
        result
    }

    /// As [`LinkIngest::go_on_at`] for a link.
    ///
    /// # Errors
    /// As [`RawSender::put`].
    pub fn go_on_at(&mut self, link: usize, stamp: u64, ctx: &mut Context) -> Result<(), NodeError> {
        let Some(link) = self.links.get_mut(link) else { return Ok(()) };
        let (batches, mut result) = (&mut link.batches, Ok(()));
        // Settled frames must still be sent after one of them failed, so the first error is kept and the loop goes on.
        link.ingest.go_on_at(stamp, |settled| {
            let put = batches.put(&settled, &mut self.ledger, &mut self.sequence, ctx);
            result = std::mem::replace(&mut result, Ok(())).and(put);
        });
        result
    }

    /// Sends the batches that have been begun, so that their frames need not wait.
    ///
    /// # Errors
    /// [`NodeError`] when an edge refuses.
    pub fn flush(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let mut result = Ok(());
        for link in &mut self.links {
            result = result.and(link.batches.send(&mut self.sequence, ctx));
        }
        result
    }

    /// Enters new losses into the ledger of the run, and sends the ledger of the links when it is time to.
    ///
    /// # Errors
    /// [`NodeError`] when there is no memory for it, then it is sent later, or an edge refuses.
    pub fn tell(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.enter_losses(ctx);
        let now_ns = ctx.data_ns();
        let waiting =
            self.ledger.rows.len() + self.links.iter().map(|link| link.ingest.waiting()).sum::<usize>();
        if now_ns < self.told_ns + TELL_EVERY_NS
            && waiting < MOST_ROWS + LinkIngest::LATE as usize * self.links.len()
        {
            // A ledger is a frame of its own, so rows wait for each other: one ledger for each frame would double the
            // frames.
            return Ok(());
        }
        self.told_ns = now_ns;
        self.links.iter_mut().for_each(|link| link.ingest.take_rows(&mut self.ledger.rows));
        self.send_ledger(ctx)
    }

    /// Sends a frame to another output, numbered with the others.
    ///
    /// # Errors
    /// [`NodeError`] when an edge refuses.
    pub fn emit(&mut self, output: usize, frame: FrameMut, ctx: &mut Context) -> Result<(), NodeError> {
        emit(output, frame, &mut self.sequence, ctx)
    }

    /// Sends everything that is left: no frame will come any more.
    ///
    /// # Errors
    /// [`NodeError`] as [`RawSender::flush`] and [`RawSender::tell`].
    pub fn finish(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let mut result = Ok(());
        for link in &mut self.links {
            let finished = link.finish(&mut self.ledger, &mut self.sequence, ctx);
            result = result.and(finished);
        }
        self.enter_losses(ctx);
        result.and(self.flush(ctx)).and(self.send_ledger(ctx))
    }

    /// Counts of links only grow, so that the excess over the former count is new.
    fn enter_losses(&mut self, ctx: &Context) {
        let counts = || self.links.iter().map(|link| link.ingest.counts());
        let missing: u64 = counts().map(|link| link.missing).sum();
        let unreadable: u64 = counts().map(|link| link.corrupt + link.dropped).sum();
        ctx.lost_at_source(missing.saturating_sub(self.missing));
        ctx.count_unreadable(unreadable.saturating_sub(self.unreadable));
        (self.missing, self.unreadable) = (missing, unreadable);
    }

    fn send_ledger(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        if self.ledger.rows.is_empty() {
            return Ok(());
        }
        let table = self.ledger.table.frame(&self.ledger.rows, ctx)?;
        self.ledger.rows.clear();
        emit(LEDGER, table, &mut self.sequence, ctx)
    }
}

impl LinkSender {
    /// Appends the frames at the begin of `frames` that come as they should, as far as the open batch has room: how many bytes.
    fn put_calm(&mut self, frames: &[u8], ledger: &mut Ledger) -> usize {
        let size = self.ingest.format().bytes();
        let begin = self.ingest.expected().unwrap_or(0);
        let run = self.ingest.calm_run(&frames[..frames.len().min(self.batches.room() * size)]);
        self.batches.append(&frames[..run * size], begin, Faults::NONE, ledger);
        run * size
    }

    /// Adds one frame, and makes room in batches for the frames that it settles.
    fn put_one(
        &mut self,
        frame: &[u8],
        known: Faults,
        ledger: &mut Ledger,
        sequence: &mut u64,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        let (batches, mut result) = (&mut self.batches, Ok(()));
        self.ingest.next_with(frame, known, |settled| {
            let put = batches.put(&settled, ledger, sequence, ctx);
            result = std::mem::replace(&mut result, Ok(())).and(put);
        });
        result
    }

    fn finish(
        &mut self,
        ledger: &mut Ledger,
        sequence: &mut u64,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        let (batches, mut result) = (&mut self.batches, Ok(()));
        // The rows are lent to the closure through `ledger`, so the rows of before are taken out and joined again
        // behind.
        let mut rows = std::mem::take(&mut ledger.rows);
        self.ingest.finish(&mut rows, |settled| {
            let put = batches.put(&settled, ledger, sequence, ctx);
            result = std::mem::replace(&mut result, Ok(())).and(put);
        });
        ledger.rows.append(&mut rows);
        result
    }
}

impl Batches {
    /// The number of frames that can be appended without allocating.
    fn room(&self) -> usize {
        match &self.batch {
            // Frames that come as they should have no faults.
            Some(batch) if !batch.common.is_empty() => 0,
            Some(batch) => self.most - batch.frames,
            // Without memory the frames of a whole batch are dropped in one run, before memory is asked for again.
            None => self.without_memory,
        }
    }

    fn put(
        &mut self,
        frame: &Settled<'_>,
        ledger: &mut Ledger,
        sequence: &mut u64,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        if frame.step == Step::Drop {
            return Ok(());
        }
        let common = self.common(frame);
        let is_other = self.batch.as_ref().is_some_and(|batch| batch.common != common);
        let ends = frame.step == Step::Begin || is_other || self.is_full();
        let sent = if ends { self.send(sequence, ctx) } else { Ok(()) };
        let begun = self.begin(frame.stamp, frame.epoch, common, ctx);
        self.append(frame.bytes, frame.stamp, frame.faults, ledger);
        sent.and(begun)
    }

    /// The faults of a frame that the frame itself does not show.
    fn common(&self, frame: &Settled<'_>) -> Faults {
        if frame.faults.is_empty() {
            return Faults::NONE;
        }
        frame.faults.without(self.format.faults(frame.bytes, false) | Faults::GAP)
    }

    fn is_full(&self) -> bool {
        self.batch.as_ref().is_some_and(|batch| batch.frames >= self.most)
    }

    fn begin(&mut self, first: u64, epoch: u64, common: Faults, ctx: &mut Context) -> Result<(), NodeError> {
        // Memory is asked for once in a batch, not once in a frame, as long as there is none.
        if self.batch.is_some() || self.without_memory > 0 {
            return Ok(());
        }
        match ctx.bytes(self.most * self.format.bytes()) {
            Ok(frame) => {
                self.batch = Some(Batch { frame, frames: 0, first, epoch, common, faults: Faults::NONE });
            }
            Err(error) => {
                self.without_memory = self.most;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Copies frames that begin at `begin` into the batch; if there is none they are reported as dropped.
    fn append(&mut self, frames: &[u8], begin: u64, faults: Faults, ledger: &mut Ledger) {
        let size = self.format.bytes();
        let count = frames.len() / size;
        let Some(batch) = &mut self.batch else {
            self.without_memory = self.without_memory.saturating_sub(count);
            let end = begin.wrapping_add(count as u64 * self.format.step());
            return ledger.dropped(self.link, begin, end);
        };
        let place = batch.frame.bytes_mut().get_mut(batch.frames * size..);
        if let Some(place) = place.and_then(|place| place.get_mut(..frames.len())) {
            place.copy_from_slice(frames);
        }
        batch.frames += count;
        // A gap lies between two frames and is told by the ledger, so the gap is no fault of the frames of a batch.
        batch.faults |= faults.without(Faults::GAP);
    }

    fn send(&mut self, sequence: &mut u64, ctx: &mut Context) -> Result<(), NodeError> {
        // The next batch asks for memory again.
        self.without_memory = 0;
        let Some(Batch { mut frame, frames, first, epoch, common, faults }) = self.batch.take() else {
            return Ok(());
        };
        // The memory is as large as a full batch, while a batch ends early at a gap, a fault or a flush.
        frame.shorten(frames * self.format.bytes());
        let header = frame.header_mut();
        header.event_time_ns = first.saturating_mul(self.format.tick_ns()) as i64;
        self.labels.put(header, self.link, first, faults.bits());
        // A batch begins where the one before in the same epoch ended; the first batch of an epoch has only the epoch's
        // begin.
        let after = self.before.filter(|(before, _)| *before == epoch).map_or(epoch, |(_, end)| end);
        self.labels.put_more(header, epoch, after, common.bits());
        self.before = Some((epoch, first.wrapping_add(frames as u64 * self.format.step())));
        emit(RAW, frame, sequence, ctx)
    }
}

impl Ledger {
    fn dropped(&mut self, link: u16, begin: u64, end: u64) {
        let state = State::Dropped as u8;
        match self.rows.last_mut() {
            Some(last) if (last.link, last.end, last.state, last.bits) == (link, begin, state, 0) => {
                last.end = end
            }
            _ if begin < end => self.rows.push(LedgerRow { link, begin, end, state, bits: 0 }),
            _ => {}
        }
    }
}

fn emit(output: usize, mut frame: FrameMut, sequence: &mut u64, ctx: &mut Context) -> Result<(), NodeError> {
    frame.header_mut().sequence = *sequence;
    *sequence += 1;
    ctx.emit_to(output, frame)
}
