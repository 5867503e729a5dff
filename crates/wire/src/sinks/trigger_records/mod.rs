//! `trigger_records`: data that were read out for triggers become files with DUNE's headers.
//!
//! In: a [`TriggerRecord`] in each frame, as `readout_buffer` sends them. Out: nothing. A record in a file is a TriggerRecordHeader (version 4) with one
//! ComponentRequest for each fragment, then the fragments, each a FragmentHeader (version 5) and its data: raw frames as they came (ProtoWIB, WIB or
//! WIBEth; subsystem 1, number of the link), hits as trigger primitives of version 2 (subsystem 3, number of the link, or 65536 for merged
//! ones), and, when data are missing, the list of missing data with the reasons. The layout in words: `docs/formats/trigger-records.md`; the reader is
//! [`RecordReader`](livetime_formats::trigger::RecordReader), and `livetime inspect`.
//!
//! A record is written with one system call for up to 1024 pieces, from the memory into which the detector's frames
//! were received: no byte of raw data is copied here. A file is called `NAME.inprogress` until it is complete, and none
//! is ever replaced. Written bytes are with the system: if the program is killed, all whole records can be read. A
//! folder that is missing or is removed, and a file that could not be flushed to the disk or renamed, are treated as in
//! `xtc_recorder`. When the disk is full, records are errors and counted, and writing is tried again once a second; an
//! incomplete record at the end is cut off.
//!
//! A recording may be bounded: after `stop_after_records`, `stop_after_bytes` or `stop_after_seconds` it ends, and
//! later records are not recorded (`ignored`) until `capture` is set again.
//!
//! ```
//! use std::sync::Arc;
//! use livetime_engine::testing::Harness;
//! use livetime_formats::trigger::RecordReader;
//! use livetime_wire::sinks::trigger_records::TriggerRecords;
//! use livetime_wire::{DecisionRow, TriggerRecord};
//!
//! let folder = std::env::temp_dir().join(format!("livetime-records-{}", std::process::id()));
//! let params = [("path", folder.to_str().unwrap_or_default().into()), ("create_directory", (-1).into())];
//! let mut node = Harness::new::<TriggerRecords>(&params)?;
//! let decision = DecisionRow { number: 7, window_begin: 100, window_end: 200, ..DecisionRow::default() };
//! let record = TriggerRecord { decision, ..TriggerRecord::default() };
//! let frame = node.pool().allocator().value(Arc::new(record))?;
//! node.feed(&frame.freeze())?;
//! node.drain()?;
//!
//! let mut reader = RecordReader::new(std::fs::File::open(folder.join("run_0001.records"))?);
//! assert_eq!(reader.next()?.unwrap().header.trigger_number, 7);
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_filing::{Destination, Error, Recorded, Recorder, Result, StopAfter, Writing};
use livetime_formats::trigger::RecordWriter;
use livetime_frame::Frame;

use crate::TriggerRecord;
use crate::encode::Encoder;

/// Parameters of `trigger_records`.
#[derive(Params)]
pub struct TriggerRecordsParams {
    /// Number of the next file; it grows with each file, and past those that are there already.
    #[param(default = 1, min = 0, pv = "FileNumber")]
    pub file_number: u64,
    /// Whether records are written; a file is begun with the next record, and ended when this becomes false.
    #[param(default = true, pv = "Capture", role = Capture, words = ["Done", "Capture"], shown = ["Done", "Capturing"])]
    pub capture: bool,
    /// Number of the run.
    #[param(default = 1)]
    pub run: u32,
    /// Number of the detector: 3 for wire readout of horizontal drift, 10 and 11 for vertical drift, bottom and top.
    #[param(default = 3, min = 0, max = 65535)]
    pub detector: u32,
    /// Size of a file after which the next one is begun.
    #[param(default = 10000000000, min = 1, unit = "B")]
    pub max_bytes: u64,
    /// Records after which the next file is begun; 0 means no limit.
    pub max_records: u64,
    /// The recording ends when it has this many records; 0 means no limit.
    pub stop_after_records: u64,
    /// The recording ends when its files have this many bytes together; 0 means no limit.
    #[param(unit = "B")]
    pub stop_after_bytes: u64,
    /// The recording ends this long after its first record; 0 means no limit.
    #[param(min = 0, max = 1e9, unit = "s")]
    pub stop_after_seconds: f64,
    /// Records written.
    #[param(readback, pv = "NumCaptured", role = Captured)]
    pub num_captured: u64,
    /// Of these: records of which data are missing.
    #[param(readback)]
    pub incomplete: u64,
    /// Bytes written.
    #[param(readback, unit = "B")]
    pub bytes_written: u64,
    /// Hits with a channel that a trigger primitive cannot hold: written without one.
    #[param(readback)]
    pub channels_lost: u64,
    /// Records that came while nothing was written.
    #[param(readback)]
    pub ignored: u64,
    /// Records that could not be written.
    #[param(readback)]
    pub write_errors: u64,
    /// Where they are written.
    #[param(flatten, default = Destination::new("run", "%s%s_%4.4d.records"))]
    pub files: Destination,
}

/// Writes trigger records to files.
pub struct TriggerRecords {
    params: TriggerRecordsParams,
    writer: Option<RecordWriter>,
    /// Records in the file.
    records: u64,
    /// The counts of the recording since `capture` was set.
    recorded: Recorded,
    encoder: Encoder,
    writing: Writing,
}

impl Node for TriggerRecords {
    type Params = TriggerRecordsParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "trigger_records",
        "Writes what was read out for triggers to files with the headers of DUNE.",
        &[PortSpec::value("in")],
    );

    fn new(params: TriggerRecordsParams) -> Result<TriggerRecords, NodeError> {
        Ok(TriggerRecords {
            params,
            writer: None,
            records: 0,
            recorded: Recorded::default(),
            encoder: Encoder::default(),
            writing: Writing::default(),
        })
    }

    fn params(&mut self) -> &mut TriggerRecordsParams {
        &mut self.params
    }

    fn writes(&self) -> Vec<PathBuf> {
        self.params.files.first()
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.writing.start(ctx);
        let p = &mut self.params;
        p.files.start(p.file_number, p.capture, ctx)
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let record: &TriggerRecord = frame.value()?;
        if !self.params.capture {
            self.params.ignored += 1;
            return Ok(());
        }
        let now_ns = ctx.now_ns();
        self.look_for_files(now_ns);
        let may_write = self.writing.may_write(&self.params.files.report, now_ns);
        let written = may_write.and_then(|()| self.write(record));
        if let Ok(bytes) = written {
            self.recorded.add(1, bytes, now_ns);
        }
        self.settle(written, now_ns)?;
        self.stop_if_enough(now_ns, ctx);
        Ok(())
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "capture" if !self.params.capture => {
                self.recorded = Recorded::default();
                self.end_or_tell()
            }
            name => self.params.files.changed(name, self.params.file_number, ctx),
        }
    }

    fn drain(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.end()
    }

    fn stop(&mut self) {
        let _ = self.end_or_tell();
    }
}

impl TriggerRecords {
    /// Ends the recording at its wanted size; later records are not recorded.
    fn stop_if_enough(&mut self, now_ns: u64, ctx: &mut Context) {
        let p = &self.params;
        let wanted = StopAfter {
            what: "records",
            count: p.stop_after_records,
            bytes: p.stop_after_bytes,
            seconds: p.stop_after_seconds,
        };
        let Some(why) = self.recorded.is_enough(&wanted, now_ns) else { return };
        ctx.tell(format!("the recording has ended: {why}"));
        (self.params.capture, self.recorded) = (false, Recorded::default());
        // The last record is written even if the file could not be renamed.
        let _ = self.end_or_tell();
    }

    /// Writes a record; how many bytes it took.
    fn write(&mut self, record: &TriggerRecord) -> Result<u64> {
        let p = &mut self.params;
        if self.writer.is_none() {
            let file = p.files.create_next(&mut p.file_number)?;
            (self.writer, self.records) = (Some(RecordWriter::new(file)), 0);
        }
        let (run, detector) = (p.run, p.detector as u16);
        let Some(writer) = &mut self.writer else { return Ok(0) };
        let before = writer.file().len();
        p.channels_lost += self.encoder.hits(record).map_err(Error::writer)?;
        writer.repair()?;
        self.encoder.write(record, (run, detector), |header, fragments| writer.write(header, fragments))?;
        Ok(writer.file().len() - before)
    }

    fn settle(&mut self, written: Result<u64>, now_ns: u64) -> Result<(), NodeError> {
        let p = &mut self.params;
        let settled = self.writing.settle(written, &mut p.files.report, now_ns);
        let bytes = settled.inspect_err(|_| p.write_errors += 1)?;
        self.records += 1;
        p.num_captured += 1;
        p.bytes_written += bytes;
        p.incomplete += u64::from(self.encoder.is_incomplete());
        if self.is_full() {
            // The record is written even if the file could not be renamed.
            let _ = self.end_or_tell();
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        let p = &self.params;
        let bytes = self.writer.as_ref().map_or(0, |writer| writer.file().len());
        bytes >= p.max_bytes || p.max_records != 0 && self.records >= p.max_records
    }
}

impl Recorder for TriggerRecords {
    fn writing(&mut self) -> &mut Writing {
        &mut self.writing
    }

    fn is_in_place(&self) -> bool {
        self.writer.as_ref().is_none_or(|writer| writer.file().is_in_place())
    }

    fn end(&mut self) -> Result<(), NodeError> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        self.params.file_number += 1;
        self.params.files.end(writer.into_file())
    }
}
