//! `felix_blocks`: the raw frames in a recorded file of FELIX blocks.
//!
//! Out: `raw`, batches of frames ([`RawBatch`](crate::RawBatch)), a link for each e-link; `ledger`, the state of each
//! link's time ([`LedgerRow`](crate::LedgerRow)).
//!
//! Size and trailers of the blocks, and packing by Zstandard, are recognised by content. A chunk holds frames of one
//! format (WIB1, WIB2, WIBEth), one behind the other, as in a superchunk. Frames of a chunk with a wrong CRC, an error
//! or a cut end are sent as corrupt; frames of a lost chunk are absent, which the times of the next frames show. After
//! a cut in the file the next block is searched for, and the bytes up to there are counted.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_formats::felix::{BlockWriter, Trailer};
//! use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
//! use livetime_wire::{RawBatch, sources::felix_blocks::FelixBlocks};
//!
//! let mut superchunk = vec![0; 12 * Wib1Frame::BYTES];
//! for (i, bytes) in superchunk.chunks_mut(Wib1Frame::BYTES).enumerate() {
//!     Wib1FrameMut::new(bytes)?.set_timestamp(1000 + 25 * i as u64);
//! }
//! let (mut writer, mut blocks) = (BlockWriter::new(1024, Trailer::Bits32, 64)?, Vec::new());
//! writer.chunk(&superchunk, &mut blocks);
//! writer.flush(&mut blocks);
//! let file = std::env::temp_dir().join(format!("felix-{}.blocks", std::process::id()));
//! std::fs::write(&file, blocks)?;
//!
//! let mut source = Harness::new::<FelixBlocks>(&[("file", file.to_str().unwrap_or_default().into())])?;
//! let sent = source.run_source(1)?;
//! assert_eq!(RawBatch::of(&sent[0])?.bytes, superchunk);
//! # std::fs::remove_file(file)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::Read;
use std::path::{Path, PathBuf};

use livetime_engine::{Context, Next, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_formats::felix::{Assembler, Block, BlockReader, ChunkFaults, Counts};
use livetime_formats::file::there;
use livetime_formats::wib::{Faults, RawFormat};
use livetime_frame::PayloadKind;

use super::raw_readings::{FrameReadings, batch_frames, tell_losses};
use crate::{IngestOptions, LinkIngest, RawSender};

/// Blocks that one call of the source reads, so that it returns to the engine often enough for other requests.
const BLOCKS: usize = 256;
/// Longest chunk. A broken block whose end is missed would else collect the rest of the file as one chunk.
const MOST_CHUNK: usize = 1 << 20;

/// Parameters of `felix_blocks`.
#[derive(Params)]
pub struct FelixBlocksParams {
    /// The file.
    #[param(pv = "FilePath")]
    pub file: String,
    /// Number of the link of the first e-link in the file; the others follow in the order in which they appear.
    #[param(max = 65535)]
    pub first_link: u32,
    /// Frames of a batch; 0 means the frames of about 200 us: 384, of WIBEth 6.
    #[param(max = 100000)]
    pub batch: usize,
    /// Compare the checksums of WIB1 frames; not for data without.
    pub checksums: bool,
    /// Expect the convert counts of WIB1 frames to step by one; not for data without.
    pub convert_counts: bool,
    /// E-links, in the order of their links.
    #[param(readback)]
    pub elinks: Vec<f64>,
    /// Blocks read.
    #[param(readback)]
    pub blocks: u64,
    /// Blocks that could not be read.
    #[param(readback)]
    pub bad_blocks: u64,
    /// Missing blocks, according to their numbers (modulo 32).
    #[param(readback)]
    pub missing_blocks: u64,
    /// Chunks.
    #[param(readback)]
    pub chunks: u64,
    /// Chunks given up because a part was missing.
    #[param(readback)]
    pub lost_chunks: u64,
    /// Chunks with a wrong CRC, an error, or cut off.
    #[param(readback)]
    pub faulty_chunks: u64,
    /// Chunks that hold no frames of a known format.
    #[param(readback)]
    pub unknown_chunks: u64,
    /// Bytes that belong to no block.
    #[param(readback, unit = "B")]
    pub skipped_bytes: u64,
    /// What became of the frames.
    #[param(flatten)]
    pub readings: FrameReadings,
}

/// A recorded file of FELIX blocks.
pub struct FelixBlocks {
    params: FelixBlocksParams,
    reader: Option<BlockReader<Box<dyn Read + Send>>>,
    elinks: Vec<Elink>,
    sender: RawSender,
    /// The rest of the former file has to be sent after `file` was changed.
    is_changed: bool,
}

struct Elink {
    number: u16,
    assembler: Assembler,
    /// Number in the sender; `None` before the first chunk that is known.
    link: Option<usize>,
}

impl Node for FelixBlocks {
    type Params = FelixBlocksParams;

    const SPEC: NodeSpec = NodeSpec::source(
        "felix_blocks",
        "The raw frames in a recorded file of FELIX blocks, a link for each e-link.",
        &[PortSpec::bytes("raw"), PortSpec::table("ledger")],
    );

    const IS_STORED: bool = true;

    fn new(params: FelixBlocksParams) -> Result<FelixBlocks, NodeError> {
        let (reader, elinks, sender) = (None, Vec::new(), RawSender::default());
        Ok(FelixBlocks { params, reader, elinks, sender, is_changed: false })
    }

    fn params(&mut self) -> &mut FelixBlocksParams {
        &mut self.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Other(PayloadKind::Bytes), Stream::Other(PayloadKind::Table)])
    }

    fn look(&self) -> Result<(), NodeError> {
        there(&[PathBuf::from(&self.params.file)]).map_err(|why| NodeError::new(why).of_param("file"))
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        let failed = |error| {
            NodeError::new(format_args!(
                "`{}`: wanted a file of FELIX blocks, found: {error}",
                self.params.file
            ))
            .of_param("file")
        };
        self.reader = Some(BlockReader::open(Path::new(&self.params.file)).map_err(failed)?);
        Ok(())
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        // Frames cannot be sent while a parameter changes, so the new begin waits for the next call.
        if std::mem::take(&mut self.is_changed) {
            self.begin_anew(ctx)?;
        }
        let mut result = Ok(());
        for _ in 0..BLOCKS {
            match self.block(ctx) {
                Ok(true) => {}
                Ok(false) => {
                    self.tell_broken(ctx);
                    result = result.and(self.sender.finish(ctx));
                    self.read_back();
                    // A file without a single block is most likely another kind of file, and an empty result would hide
                    // this.
                    if self.params.blocks == 0 {
                        ctx.tell_error(format!("`{}`: wanted FELIX blocks, found none", self.params.file));
                    }
                    return result.map(|()| Next::Finished);
                }
                Err(error) => result = Err(error),
            }
        }
        result = result.and(self.sender.tell(ctx));
        self.read_back();
        result.map(|()| Next::Now)
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        // Every parameter acts on how the file is read, so the file is read from its begin again.
        let is_parameter = self.params.specs().get(index).is_some_and(|spec| !spec.readback);
        self.is_changed |= is_parameter;
        if is_parameter { self.start(ctx) } else { Ok(()) }
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let finished = self.sender.finish(ctx);
        self.read_back();
        self.tell_losses(ctx);
        finished
    }

    fn stop(&mut self) {
        self.reader = None;
    }
}

impl FelixBlocks {
    /// A file that breaks off has been sent up to there.
    fn tell_broken(&self, ctx: &Context) {
        if let Some(broken) = self.reader.as_ref().and_then(BlockReader::broken) {
            ctx.unreadable(1, format!("`{}`: {broken}", self.params.file));
        }
    }

    /// At the end of a file: reports missing and damaged frames. A chunk counts as a frame.
    fn tell_losses(&self, ctx: &Context) {
        let counts = self.sender.counts();
        tell_losses(&counts, 0, 1, ctx);
        let p = &self.params;
        if p.bad_blocks + p.missing_blocks + p.lost_chunks + p.unknown_chunks + p.skipped_bytes == 0 {
            return;
        }
        let told = format!(
            "`{}`: {} blocks could not be read, {} are missing, {} chunks were lost, {} have unknown content, {} bytes belong to no block",
            p.file, p.bad_blocks, p.missing_blocks, p.lost_chunks, p.unknown_chunks, p.skipped_bytes
        );
        match counts.missing + counts.dropped + counts.corrupt {
            // Chunks lost at the file's end leave no gap between frames, so the run counts them here as unreadable.
            0 => ctx.unreadable(1, told),
            _ => ctx.tell_error(told),
        }
    }

    /// Sends the rest of the former file, and forgets its links.
    fn begin_anew(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let finished = self.sender.finish(ctx);
        self.tell_losses(ctx);
        let number = self.sender.sent();
        (self.sender, self.elinks) = (RawSender::default(), Vec::new());
        // The outputs' frames go on with their numbers, as downstream nodes would count a fall as a loss.
        self.sender.number_from(number);
        (self.params.unknown_chunks, self.params.bad_blocks) = (0, 0);
        finished
    }

    /// Processes a block; false when there are no more.
    fn block(&mut self, ctx: &mut Context) -> Result<bool, NodeError> {
        let Some(reader) = &mut self.reader else { return Ok(false) };
        let bytes = match reader.next_block() {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(false),
            Err(error) => {
                // A file that cannot be read any further counts as ended.
                self.reader = None;
                return Err(NodeError::new(format_args!("`{}`: {error}", self.params.file)));
            }
        };
        let (sender, p) = (&mut self.sender, &mut self.params);
        let number = match Block::parse(bytes) {
            Ok(block) => block.elink(),
            // The next block of its e-link tells that one is missing.
            Err(_) => {
                p.bad_blocks += 1;
                return Ok(true);
            }
        };
        let Some(elink) = elink(&mut self.elinks, number) else { return Ok(true) };
        let (mut result, link) = (Ok(()), &mut elink.link);
        // The kind of an e-link's frames is known only from a chunk, so the link begins with the first known chunk.
        let read =
            elink.assembler.block(bytes, |chunk, faults| match link.or_else(|| begin(chunk, p, sender)) {
                Some(number) => {
                    *link = Some(number);
                    result = std::mem::replace(&mut result, Ok(())).and(sender.put(
                        number,
                        chunk,
                        faults_of(faults),
                        ctx,
                    ));
                }
                None => p.unknown_chunks += 1,
            });
        p.bad_blocks += u64::from(read.is_err());
        result.map(|()| true)
    }

    fn read_back(&mut self) {
        let (all, counts, p) = (self.assembled(), self.sender.counts(), &mut self.params);
        if let Some(reader) = &self.reader {
            (p.blocks, p.skipped_bytes) = (reader.blocks(), reader.skipped());
        }
        p.missing_blocks = all.missing_blocks;
        (p.chunks, p.lost_chunks, p.faulty_chunks) = (all.chunks, all.lost_chunks, all.faulty_chunks);
        p.readings.read(&counts);
        if p.elinks.len() != self.elinks.len() {
            p.elinks = self.elinks.iter().map(|elink| elink.number.into()).collect();
        }
    }

    fn assembled(&self) -> Counts {
        let mut all = Counts::default();
        for counts in self.elinks.iter().map(|elink| elink.assembler.counts()) {
            all.missing_blocks += counts.missing_blocks;
            all.chunks += counts.chunks;
            all.lost_chunks += counts.lost_chunks;
            all.faulty_chunks += counts.faulty_chunks;
        }
        all
    }
}

/// The e-link with this number, made if there is none yet. There are 2048 of them at most.
fn elink(elinks: &mut Vec<Elink>, number: u16) -> Option<&mut Elink> {
    let known = elinks.iter().position(|elink| elink.number == number);
    let at = known.unwrap_or_else(|| {
        elinks.push(Elink { number, assembler: Assembler::new(MOST_CHUNK), link: None });
        elinks.len() - 1
    });
    elinks.get_mut(at)
}

/// Begins the link of an e-link with its first chunk; `None` if that holds no frames.
fn begin(chunk: &[u8], p: &FelixBlocksParams, sender: &mut RawSender) -> Option<usize> {
    let format = RawFormat::of_chunk(chunk)?;
    let number = u16::try_from(p.first_link as usize + sender.links()).ok()?;
    let options = IngestOptions { identity: None, checksums: p.checksums, convert_counts: p.convert_counts };
    Some(sender.add(LinkIngest::new(format, number, options), batch_frames(p.batch, format)))
}

fn faults_of(chunk: ChunkFaults) -> Faults {
    Faults::NONE
        .with(Faults::CRC, chunk.crc_error)
        .with(Faults::CHUNK, chunk.error)
        .with(Faults::CUT, chunk.truncated)
}

#[cfg(test)]
mod tests {
    use livetime_engine::Value;
    use livetime_engine::testing::{Harness, assert_compliant};
    use livetime_formats::felix::{BlockWriter, Trailer};
    use livetime_frame::Frame;

    use super::*;
    use crate::{Interval, LedgerRow, LinkLedger, RawBatch, RowTable, State};

    const FIRST: u64 = 80_150_024_000_000_000;

    /// The golden frames as blocks of several e-links, which alternate.
    fn blocks(size: usize, trailer: Trailer, elinks: &[u16]) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
        let packed = std::fs::read(livetime_testkit::data("wib/wib1_frames.bin.zst")?).unwrap();
        let frames = zstd::decode_all(&packed[..]).unwrap();
        let writer = |elink: &u16| (BlockWriter::new(size, trailer, *elink).unwrap(), Vec::new());
        let mut writers: Vec<_> = elinks.iter().map(writer).collect();
        let mut blocks = Vec::new();
        for superchunk in frames.chunks(12 * 464) {
            for (writer, out) in &mut writers {
                writer.chunk(superchunk, out);
                blocks.extend(std::mem::take(out).chunks(size).map(<[u8]>::to_vec));
            }
        }
        for (writer, out) in &mut writers {
            writer.flush(out);
            blocks.extend(out.chunks(size).map(<[u8]>::to_vec));
        }
        Some((frames, blocks))
    }

    struct Outcome {
        source: Harness,
        batches: Vec<Frame>,
        ledger: LinkLedger,
        _folder: tempfile::TempDir,
    }

    /// Runs the source on a file to its end. The ledger is the one of link 0.
    fn run(file: &[u8]) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.blocks");
        std::fs::write(&path, file).unwrap();
        let mut source = Harness::new::<FelixBlocks>(&[("file", path.to_str().unwrap().into())]).unwrap();
        let (mut batches, mut ledger, mut rows) = (Vec::new(), LinkLedger::default(), Vec::new());
        loop {
            let (frames, next) = source.produce().unwrap();
            for frame in frames {
                if RawBatch::of(&frame).is_ok() {
                    batches.push(frame);
                } else {
                    RowTable::<LedgerRow>::default().read(&frame, &mut rows).unwrap();
                    rows.iter().filter(|row| row.link == 0).for_each(|row| ledger.tell(Interval::from(row)));
                }
            }
            if next == Next::Finished {
                return Outcome { source, batches, ledger, _folder: folder };
            }
        }
    }

    /// Entries that are not good, in frames.
    fn odd(ledger: &LinkLedger) -> Vec<(u64, u64, State, Faults)> {
        let odd = ledger.intervals().filter(|i| i.state != State::Good);
        odd.map(|i| ((i.begin - FIRST) / 25, (i.end - FIRST) / 25, i.state, Faults::of_bits(i.bits)))
            .collect()
    }

    #[test]
    fn golden_frames_come_out_unchanged() {
        for (size, trailer) in [(1024, Trailer::Bits16), (1024, Trailer::Bits32), (4096, Trailer::Bits32)] {
            let Some((frames, blocks)) = blocks(size, trailer, &[64, 7, 100]) else { return };
            let Outcome { mut source, batches, ledger, .. } = run(&blocks.concat());
            for link in 0..3 {
                let own = batches.iter().filter(|frame| RawBatch::of(frame).unwrap().link == link);
                assert!(own.flat_map(|frame| frame.bytes().iter().copied()).eq(frames.iter().copied()));
            }
            assert_eq!(source.get("elinks"), Some(Value::List(vec![64.0, 7.0, 100.0])));
            assert_eq!((source.number_of("frames"), source.number_of("chunks")), (9000.0, 750.0));
            assert_eq!((ledger.ticks(), odd(&ledger)), (75_000, vec![]));
        }
    }

    #[test]
    fn a_lost_block_is_absent_time() {
        let Some((_, mut blocks)) = blocks(1024, Trailer::Bits32, &[64]) else { return };
        // The 40th KiB holds the end of superchunk 6 and the begin of superchunk 7.
        let lost = 7 * 5568 / 1020;
        blocks.remove(lost);
        let Outcome { mut source, ledger, .. } = run(&blocks.concat());
        assert_eq!((source.number_of("missing_blocks"), source.number_of("skipped_bytes")), (1.0, 0.0));
        assert_eq!(odd(&ledger), [(72, 96, State::Absent, Faults::NONE)]);
    }

    #[test]
    fn faults_of_a_chunk_are_those_of_its_frames() {
        let Some((_, mut blocks)) = blocks(1024, Trailer::Bits32, &[64]) else { return };
        // CRC error (bit 26 of the trailer) in the first subchunk, which is the last of its block.
        blocks[0][1023] |= 1 << 2;
        let Outcome { mut source, ledger, batches, .. } = run(&blocks.concat());
        assert_eq!(odd(&ledger), [(0, 12, State::Corrupt, Faults::CRC)]);
        assert_eq!((source.number_of("corrupt"), source.number_of("faulty_chunks")), (12.0, 1.0));
        assert_eq!(RawBatch::of(&batches[0]).unwrap().faults, Faults::CRC.bits());
        assert_eq!(source.get("faults"), Some("CRC: 12".into()));
    }

    #[test]
    fn a_cut_file_is_read_on() {
        let Some((_, blocks)) = blocks(1024, Trailer::Bits32, &[64]) else { return };
        let mut file = blocks.concat();
        file.drain(100 * 1024 + 300..101 * 1024);
        let Outcome { mut source, ledger, .. } = run(&file);
        assert_eq!((source.number_of("skipped_bytes"), source.number_of("missing_blocks")), (300.0, 1.0));
        assert_eq!((ledger.ticks_in(State::Absent), ledger.ticks()), (300, 75_000));
        assert!(run(b"no blocks").batches.is_empty());
    }

    #[test]
    fn keeps_the_contract() {
        let Some((_, blocks)) = blocks(4096, Trailer::Bits32, &[1, 2]) else { return };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.blocks");
        std::fs::write(&path, blocks.concat()).unwrap();
        assert_compliant::<FelixBlocks>(&[("file", path.to_str().unwrap().into()), ("batch", 24.into())]);
    }
}
