//! `trigger_records`: what was read out for triggers becomes files with the headers of DUNE.
//!
//! In: a [`TriggerRecord`] in each frame, as `readout_buffer` sends them. Out: nothing. A record in a file is a TriggerRecordHeader (version 4) with one
//! ComponentRequest for each fragment, then the fragments, each a FragmentHeader (version 5) and its data: raw frames as they came (ProtoWIB, WIB or
//! WIBEth; subsystem 1, number of the link), hits as trigger primitives of version 2 (subsystem 3, number of the link, or 65536 for merged
//! ones), and, when data are missing, the list of what is missing and why. The layout in words: `docs/formats/trigger-records.md`; the reader is
//! [`RecordReader`](livetime_formats::trigger::RecordReader), and `livetime inspect`.
//!
//! A record is written with one system call for up to 1024 pieces, from the memory into which the detector's frames were received: no byte of raw data
//! is copied here. A file is called `NAME.inprogress` until it is complete, and none is ever replaced. What has been written is with the system: if the
//! program is killed, all whole records can be read. When the disk is full, records are errors and counted, and once a second it is tried whether there is room again; what
//! was written of a record by halves is cut off.
//!
//! ```
//! use std::sync::Arc;
//! use livetime_engine::testing::Harness;
//! use livetime_formats::trigger::RecordReader;
//! use livetime_nodes::sinks::trigger_records::TriggerRecords;
//! use livetime_nodes::wire::{DecisionRow, TriggerRecord};
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

mod encode;
#[cfg(test)]
mod tests;

use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec};
use livetime_formats::trigger::RecordWriter;
use livetime_frame::Frame;

use super::file_name::{ensure_folder, file_name};
use super::next_file::next_file;
use super::write_status::WriteStatus;
use crate::wire::TriggerRecord;
use encode::Encoder;

/// After a failed write: when the next one is tried.
const RETRY_NS: u64 = 1_000_000_000;

/// Parameters of `trigger_records`.
#[derive(Params)]
pub struct TriggerRecordsParams {
    /// Folder of the files.
    #[param(pv = "FilePath")]
    pub path: String,
    /// Name of the files.
    #[param(default = "run", pv = "FileName")]
    pub file_name: String,
    /// Template of C's printf for folder, name and number.
    #[param(default = "%s%s_%4.4d.records", pv = "FileTemplate")]
    pub template: String,
    /// Number of the next file; it grows with each file, and past those that are there already.
    #[param(default = 1, min = 0, pv = "FileNumber")]
    pub file_number: u64,
    /// Which missing folders are created: 0 none, -n at most n, n those below the first n.
    #[param(pv = "CreateDirectory")]
    pub create_directory: i32,
    /// Whether records are written; a file is begun with the next record, and ended when this becomes false.
    #[param(default = true, pv = "Capture")]
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
    /// Records after which the next file is begun; 0 means that their number does not matter.
    pub max_records: u64,
    /// The file that is being written, or the last one.
    #[param(readback, pv = "FullFileName")]
    pub full_file_name: String,
    /// Records written.
    #[param(readback, pv = "NumCaptured")]
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
    /// How the last write fared.
    #[param(readback, pv = "WriteStatus")]
    pub write_status: WriteStatus,
    /// What went wrong with the last write; empty when nothing did.
    #[param(readback, pv = "WriteMessage")]
    pub write_message: String,
}

/// Writes trigger records to files.
pub struct TriggerRecords {
    params: TriggerRecordsParams,
    writer: Option<RecordWriter>,
    /// Records in the file.
    records: u64,
    encoder: Encoder,
    /// When writing is tried again.
    retry_ns: Option<u64>,
}

impl Node for TriggerRecords {
    type Params = TriggerRecordsParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "trigger_records",
        kind: NodeKind::Sink,
        summary: "Writes what was read out for triggers to files with the headers of DUNE.",
        inputs: &[PortSpec::value("in")],
        outputs: &[],
        parallel: false,
    };

    fn new(params: TriggerRecordsParams) -> Result<TriggerRecords, NodeError> {
        Ok(TriggerRecords { params, writer: None, records: 0, encoder: Encoder::default(), retry_ns: None })
    }

    fn params(&mut self) -> &mut TriggerRecordsParams {
        &mut self.params
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.name().map(drop)?;
        if self.params.capture { self.folder() } else { Ok(()) }
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let record: &TriggerRecord = frame.value()?;
        if !self.params.capture {
            self.params.ignored += 1;
            return Ok(());
        }
        let now_ns = ctx.now_ns();
        let written = match self.retry_ns {
            Some(retry_ns) if now_ns < retry_ns => Err(self.params.write_message.clone()),
            _ => self.write(record),
        };
        self.settle(written, now_ns)
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.specs().get(index).map_or("", |spec| spec.name) {
            "capture" if !self.params.capture => self.end().map_err(NodeError::new),
            "capture" | "path" | "create_directory" => self.folder(),
            "template" | "file_name" | "file_number" => self.name().map(drop),
            _ => Ok(()),
        }
    }

    fn drain(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.end().map_err(NodeError::new)
    }

    fn stop(&mut self) {
        // What went wrong is in the readbacks.
        let _ = self.end();
    }
}

impl TriggerRecords {
    fn folder(&self) -> Result<(), NodeError> {
        ensure_folder(&self.params.path, self.params.create_directory).map_err(NodeError::new)
    }

    fn name(&self) -> Result<String, NodeError> {
        let p = &self.params;
        file_name(&p.template, &p.path, &p.file_name, p.file_number).map_err(NodeError::new)
    }

    /// Writes a record; how many bytes it took.
    fn write(&mut self, record: &TriggerRecord) -> Result<u64, String> {
        let p = &mut self.params;
        let (run, detector) = (p.run, p.detector as u16);
        if self.writer.is_none() {
            ensure_folder(&p.path, p.create_directory)?;
            let path = next_file(&p.template, &p.path, &p.file_name, &mut p.file_number)?;
            let writer = RecordWriter::create(path.as_ref()).map_err(|e| e.to_string())?;
            p.full_file_name = writer.file().written_path().display().to_string();
            (self.writer, self.records) = (Some(writer), 0);
        }
        let Some(writer) = &mut self.writer else { return Ok(0) };
        let before = writer.file().len();
        p.channels_lost += self.encoder.hits(record).map_err(|e| e.to_string())?;
        writer.repair().map_err(|e| e.to_string())?;
        self.encoder.write(record, run, detector, writer).map_err(|e| e.to_string())?;
        Ok(writer.file().len() - before)
    }

    fn settle(&mut self, written: Result<u64, String>, now_ns: u64) -> Result<(), NodeError> {
        let p = &mut self.params;
        match written {
            Ok(bytes) => {
                self.records += 1;
                p.num_captured += 1;
                p.bytes_written += bytes;
                p.incomplete += u64::from(self.encoder.is_incomplete());
                p.write_status = WriteStatus::Ok;
                p.write_message.clear();
                self.retry_ns = None;
                if self.is_full() { self.end().map_err(NodeError::new) } else { Ok(()) }
            }
            Err(message) => {
                p.write_errors += 1;
                p.write_status = WriteStatus::Error;
                p.write_message.clone_from(&message);
                if self.retry_ns.is_none_or(|retry_ns| now_ns >= retry_ns) {
                    self.retry_ns = Some(now_ns + RETRY_NS);
                }
                Err(NodeError::new(message))
            }
        }
    }

    fn is_full(&self) -> bool {
        let p = &self.params;
        let bytes = self.writer.as_ref().map_or(0, |writer| writer.file().len());
        bytes >= p.max_bytes || p.max_records != 0 && self.records >= p.max_records
    }

    /// Ends the file that is being written, if there is one.
    fn end(&mut self) -> Result<(), String> {
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        let name = writer.file().path().display().to_string();
        // A half record at the end is read as such, if it cannot be cut off.
        let repaired = writer.repair();
        let ended = repaired.and(writer.finish()).map_err(|e| e.to_string());
        self.params.file_number += 1;
        match &ended {
            Ok(()) => self.params.full_file_name = name,
            Err(why) => {
                (self.params.write_status, self.params.write_message) = (WriteStatus::Error, why.clone());
            }
        }
        ended
    }
}
