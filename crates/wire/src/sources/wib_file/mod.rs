//! `wib_file`: recorded raw frames of the wire readout, a file for each link.
//!
//! Out: `raw`, batches of frames ([`RawBatch`](crate::RawBatch)), several links interleaved in the order of time;
//! `ledger`, the state of each link's time ([`LedgerRow`](crate::LedgerRow)).
//!
//! A file holds the frames of one link, bare or packed by Zstandard: WIB1 frames of 464 bytes, with a CRC word (468),
//! or with header and trailer of FELIX (480); WIB2 frames (472); WIBEth frames (7200). The format is recognised by
//! content. After a cut or garbage the next frame is searched for, and the bytes up to there are counted
//! (`skipped_bytes`). Repeated and late frames are not sent; the ledger has missing frames and faults ([`LinkIngest`]).
//! A file that is cut off or damaged, also in the middle of Zstandard data, is sent up to there. At the end all
//! missing, damaged or cut off data are entered into the run's ledger (`source_gap`, `unreadable`), so that the run
//! ends with the same judgement as `livetime inspect` of the files.
//!
//! Several files are read side by side, the earliest in time first. When they are read again (`loops`), time continues:
//! timestamps and sequence numbers go on as if the detector never stopped; convert counts stay as recorded.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
//! use livetime_wire::{RawBatch, sources::wib_file::WibFile};
//!
//! let mut frames = vec![0; 100 * Wib1Frame::BYTES];
//! for (i, bytes) in frames.chunks_mut(Wib1Frame::BYTES).enumerate() {
//!     let mut frame = Wib1FrameMut::new(bytes)?;
//!     frame.set_identity(5, 2, 1);
//!     frame.set_timestamp(1000 + 25 * i as u64);
//! }
//! let file = std::env::temp_dir().join(format!("wib-file-{}.bin", std::process::id()));
//! std::fs::write(&file, frames)?;
//!
//! let mut source = Harness::new::<WibFile>(&[("file", file.to_str().unwrap_or_default().into())])?;
//! let sent = source.run_source(1)?;
//! let batch = RawBatch::of(&sent[0])?;
//! assert_eq!((batch.len(), batch.first, batch.end(), batch.faults), (100, 1000, 3500, 0));
//! # std::fs::remove_file(file)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dump;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use livetime_engine::files::Timing;
use livetime_engine::{Context, Next, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_formats::file::{ListError, Stores, files, there};
use livetime_frame::PayloadKind;

use super::raw_readings::FrameReadings;
use crate::{IngestOptions, LinkIngest};
use dump::Dumps;

/// Parameters of `wib_file`.
#[derive(Params)]
pub struct WibFileParams {
    /// A file, or a pattern with `*` and `?` for the files of several links in natural order, or lines with a file in each.
    #[param(pv = "FilePath")]
    pub file: String,
    /// Number of the first file's link; the others follow.
    #[param(max = 65535)]
    pub first_link: u32,
    /// Frames of a batch; 0 means the frames of about 200 us: 384, of WIBEth 6.
    #[param(max = 100000)]
    pub batch: usize,
    /// Compare the checksums of WIB1 frames; not for data without.
    pub checksums: bool,
    /// Expect the convert counts of WIB1 frames to step by one; not for data without.
    pub convert_counts: bool,
    /// When frames are sent.
    pub timing: Timing,
    /// How many times faster than recorded, with timing `recorded`.
    #[param(default = 1.0, min = 1e-6, max = 1e6)]
    pub speed: f64,
    /// How often the files are read; 0 means without end.
    #[param(default = 1)]
    pub loops: u64,
    /// Links.
    #[param(readback)]
    pub links: usize,
    /// Times that the clock of a link began again, with the first.
    #[param(readback)]
    pub epochs: u64,
    /// Bytes that belong to no frame.
    #[param(readback, unit = "B")]
    pub skipped_bytes: u64,
    /// What became of the frames.
    #[param(flatten)]
    pub readings: FrameReadings,
}

/// Recorded links.
pub struct WibFile {
    params: WibFileParams,
    dumps: Option<Dumps>,
    /// The files before a parameter was changed, until the rest of them has been sent.
    ended: Option<Dumps>,
}

impl Node for WibFile {
    type Params = WibFileParams;

    const SPEC: NodeSpec = NodeSpec::source(
        "wib_file",
        "Recorded raw frames of the wire readout, a file for each link.",
        &[PortSpec::bytes("raw"), PortSpec::table("ledger")],
    );

    const IS_STORED: bool = true;

    fn new(params: WibFileParams) -> Result<WibFile, NodeError> {
        Ok(WibFile { params, dumps: None, ended: None })
    }

    fn params(&mut self) -> &mut WibFileParams {
        &mut self.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Other(PayloadKind::Bytes), Stream::Other(PayloadKind::Table)])
    }

    fn look(&self) -> Result<(), NodeError> {
        there(&self.files()?).map_err(|why| NodeError::new(why).of_param("file"))
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let p = &self.params;
        let options =
            IngestOptions { identity: None, checksums: p.checksums, convert_counts: p.convert_counts };
        let files = self.files()?;
        let dumps =
            Dumps::open(files, p.first_link, p.batch, |format, link| LinkIngest::new(format, link, options))?;
        self.params.links = dumps.links();
        ctx.preallocate_for_queues(dumps.batch_bytes());
        self.dumps = Some(dumps);
        Ok(())
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let p = &self.params;
        let Some(dumps) = &mut self.dumps else { return Ok(Next::Finished) };
        if let Some(mut ended) = self.ended.take() {
            let finished = ended.finish(ctx);
            ended.tell_losses(ctx);
            dumps.number_from(ended.sent());
            finished?;
        }
        let speed = (p.timing == Timing::Recorded).then_some(p.speed);
        let next = dumps.produce(speed, p.loops, ctx);
        self.read_back();
        next
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "timing" | "speed" | "loops" => Ok(()),
            _ => {
                let before = self.dumps.take();
                self.ended = self.ended.take().or(before);
                self.start(ctx)
            }
        }
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let Some(dumps) = &mut self.dumps else { return Ok(()) };
        let finished = dumps.finish(ctx);
        dumps.tell_losses(ctx);
        self.read_back();
        finished
    }

    fn stop(&mut self) {
        (self.dumps, self.ended) = (None, None);
    }
}

impl WibFile {
    /// The files that are named.
    fn files(&self) -> Result<Vec<PathBuf>, NodeError> {
        let named = files(&self.params.file, &Stores::default(), |path| Ok(vec![path.to_owned()]));
        named.map_err(|why: ListError| NodeError::new(why).of_param("file"))
    }

    fn read_back(&mut self) {
        let Some(dumps) = &self.dumps else { return };
        let (counts, p) = (dumps.counts(), &mut self.params);
        p.readings.read(&counts);
        (p.epochs, p.skipped_bytes) = (counts.epochs, dumps.skipped());
    }
}
