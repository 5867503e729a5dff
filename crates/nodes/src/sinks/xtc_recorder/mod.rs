//! `xtc_recorder`: frames become a run of LCLS-I (XTC), as `xtc` and the facility's programs read it.
//!
//! In: uncompressed arrays of any dtype, dimensions, colours and strides. Each input is one detector and one stream of the run: frames of
//! several inputs with the same event time are pieces of one event for whoever reads the run. Out: nothing.
//!
//! A picture of u8, u16 or u32 without colours is written as a leaf of type Frame, which all readers know, everything else as a leaf of our own
//! type; number, conditions and attributes of a frame stand in a leaf beside it ([`data`](livetime_formats::xtc1::data)). Before the first event
//! come Configure, BeginRun, BeginCalibCycle and Enable, behind the last one their counterparts. Event time is that of the frame; the
//! fiducial is its attribute `Fiducial`, or invalid.
//!
//! Frames are compressed by `threads` threads and written in the order in which they came. When they fall behind, so that `queue` frames
//! wait, frames are written as they are and counted (`degraded`), or the node waits, as `degrade` says; when the disk falls behind, the node waits.
//! Then its edge does what its policy says. What has been written is with the system: if the program is killed, all of it can be read, and of a machine that fails
//! what was on its disk.
//!
//! A file is called `NAME.inprogress` until it is complete, and none is ever replaced. When the disk is full, frames are errors and counted
//! (`write_errors`), also those that were under way just then: the ledger has a frame as completed when it is written. Once a second it is tried
//! whether there is room again.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::{sinks::xtc_recorder::XtcRecorder, sources::xtc::Xtc};
//!
//! let folder = std::env::temp_dir().join(format!("livetime-xtc-{}", std::process::id()));
//! let path = folder.to_str().unwrap_or_default();
//! let params = [("path", path.into()), ("create_directory", (-1).into()), ("compression", "blockpack".into())];
//! let mut recorder = Harness::new::<XtcRecorder>(&params)?;
//! let image = recorder.image::<i16>(&[1, 2], &[500, -600])?;
//! recorder.feed(&image)?;
//! recorder.drain()?;
//!
//! let file = folder.join("run-r0001-s00-c00.xtc");
//! let mut source = Harness::new::<Xtc>(&[("file", file.to_str().unwrap_or_default().into())])?;
//! assert_eq!(source.run_source(1)?[0].array()?.elements::<i16>()?, [500, -600]);
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod encode;
mod files;
mod line;
#[cfg(test)]
mod tests;

use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec};
use livetime_formats::xtc1::Src;
use livetime_formats::xtc1::data::ArrayLeaf;
use livetime_frame::Frame;

use super::file_name::{ensure_folder, file_name};
use super::write_status::WriteStatus;
pub use encode::Compression;
use files::Files;
use line::{Account, Job, Line};

/// After a failed write: when the next one is tried.
const RETRY_NS: u64 = 1_000_000_000;
/// How long readbacks may be behind while no frame comes.
const LOOK_NS: u64 = 100_000_000;
/// Run numbers that are tried for one that is free.
const MOST_TAKEN: u64 = 10_000;

/// Parameters of `xtc_recorder`.
#[derive(Params)]
pub struct XtcRecorderParams {
    /// Folder of the files.
    #[param(pv = "FilePath")]
    pub path: String,
    /// Name of the experiment.
    #[param(default = "run", pv = "FileName")]
    pub file_name: String,
    /// Template of C's printf for folder, name and number of the run; stream and chunk are added.
    #[param(default = "%s%s-r%4.4d", pv = "FileTemplate")]
    pub template: String,
    /// Number of the next run.
    #[param(default = 1, min = 0, max = 9999, pv = "FileNumber")]
    pub file_number: u64,
    /// Whether the number grows with each run, and past those that are there already.
    #[param(default = true, pv = "AutoIncrement")]
    pub auto_increment: bool,
    /// Which missing folders are created: 0 none, -n at most n, n those below the first n.
    #[param(pv = "CreateDirectory")]
    pub create_directory: i32,
    /// Whether frames are recorded; a run begins when it becomes true and ends when it becomes false.
    #[param(default = true, pv = "Capture")]
    pub capture: bool,
    /// Frames after which a run ends; 0 means that it has no end.
    #[param(pv = "NumCapture")]
    pub num_capture: u64,
    /// Place and device that the first input is recorded as; of further inputs the device has the numbers behind it.
    #[param(default = "DetLab-0|Opal1000-0")]
    pub detector: String,
    /// How data are compressed.
    pub compression: Compression,
    /// Threads that compress; 0 means that the node does it itself.
    #[param(default = 1, max = 64)]
    pub threads: usize,
    /// Frames that may wait for a thread.
    #[param(default = 8, min = 1, max = 1000)]
    pub queue: usize,
    /// Whether frames are written as they are when so many wait; if not, the node waits too.
    #[param(default = true)]
    pub degrade: bool,
    /// Size of a file after which the next one is begun.
    #[param(default = 100000000000, min = 1, unit = "B")]
    pub chunk_bytes: u64,
    /// The last file of the first input.
    #[param(readback, pv = "FullFileName")]
    pub full_file_name: String,
    /// Frames written in this run.
    #[param(readback, pv = "NumCaptured")]
    pub num_captured: u64,
    /// Bytes written in this run.
    #[param(readback, unit = "B")]
    pub bytes_written: u64,
    /// Frames that came while nothing was recorded.
    #[param(readback)]
    pub ignored: u64,
    /// Frames of this run written without compression because no thread had time.
    #[param(readback)]
    pub degraded: u64,
    /// Frames of this run written without compression because the codec does not take them, or makes nothing smaller of them.
    #[param(readback)]
    pub uncompressed: u64,
    /// Frames that could not be written.
    #[param(readback)]
    pub write_errors: u64,
    /// How the last write fared.
    #[param(readback, pv = "WriteStatus")]
    pub write_status: WriteStatus,
    /// What went wrong with the last write; empty when nothing did.
    #[param(readback, pv = "WriteMessage")]
    pub write_message: String,
}

/// Records frames.
pub struct XtcRecorder {
    params: XtcRecorderParams,
    line: Option<Line>,
    detectors: Vec<Src>,
    /// Frames taken in this run.
    taken: u64,
    /// Failures of this run that were counted already.
    failed: u64,
    /// When writing is tried again.
    retry_ns: Option<u64>,
}

impl Node for XtcRecorder {
    type Params = XtcRecorderParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "xtc_recorder",
        kind: NodeKind::Sink,
        summary: "Records frames as a run of LCLS-I (XTC).",
        inputs: &[
            PortSpec::array("in"),
            PortSpec::array("in2"),
            PortSpec::array("in3"),
            PortSpec::array("in4"),
        ],
        outputs: &[],
        parallel: false,
    };

    fn new(params: XtcRecorderParams) -> Result<XtcRecorder, NodeError> {
        Ok(XtcRecorder { params, line: None, detectors: Vec::new(), taken: 0, failed: 0, retry_ns: None })
    }

    fn params(&mut self) -> &mut XtcRecorderParams {
        &mut self.params
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        if self.params.capture { self.begin() } else { Ok(()) }
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        if self.line.is_none() {
            self.params.ignored += 1;
            return Ok(());
        }
        // What the format cannot hold is said of this frame.
        ArrayLeaf::of(frame.array()?.layout()).map_err(NodeError::new)?;
        let now_ns = ctx.now_ns();
        let outcome = self.record(input, frame, now_ns, ctx);
        ctx.set_timer(Some(now_ns + LOOK_NS));
        let is_done = self.params.num_capture != 0 && self.taken >= self.params.num_capture;
        let ended = if is_done { self.end() } else { Ok(()) };
        outcome.and(ended)
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.publish(ctx.now_ns());
        self.publish_path();
        if self.line.as_ref().is_some_and(|line| line.under_way() > 0) {
            ctx.set_timer(Some(ctx.now_ns() + LOOK_NS));
        }
        Ok(())
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.specs().get(index).map_or("", |spec| spec.name) {
            "capture" if self.params.capture && self.line.is_none() => self.begin(),
            "capture" if !self.params.capture => self.end(),
            "path" | "create_directory" => self.folder(),
            "template" | "file_name" | "file_number" => self.stem().map(drop),
            "detector" => detectors(&self.params.detector).map(drop),
            _ => Ok(()),
        }
    }

    fn drain(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.end()
    }

    fn stop(&mut self) {
        // What went wrong is in the readbacks.
        let _ = self.end();
    }
}

impl XtcRecorder {
    fn folder(&self) -> Result<(), NodeError> {
        ensure_folder(&self.params.path, self.params.create_directory).map_err(NodeError::new)
    }

    /// Folder, name and number of the run.
    fn stem(&self) -> Result<String, NodeError> {
        let p = &self.params;
        file_name(&p.template, &p.path, &p.file_name, p.file_number).map_err(NodeError::new)
    }

    /// Creates the files of the next run.
    fn begin(&mut self) -> Result<(), NodeError> {
        let begun = self.create();
        self.params.capture = begun.is_ok();
        begun
    }

    fn create(&mut self) -> Result<(), NodeError> {
        self.folder()?;
        self.detectors = detectors(&self.params.detector)?;
        let last = self.params.file_number.saturating_add(MOST_TAKEN);
        while self.params.auto_increment && self.params.file_number < last && Files::is_taken(&self.stem()?) {
            self.params.file_number += 1;
        }
        let p = &self.params;
        let files =
            Files::create(&self.stem()?, self.detectors.len(), p.chunk_bytes).map_err(NodeError::new)?;
        let line =
            Line::start(files, p.compression, p.threads, p.queue, p.degrade).map_err(NodeError::new)?;
        self.line = Some(line);
        (self.taken, self.failed, self.retry_ns) = (0, 0, None);
        self.publish(0);
        self.publish_path();
        Ok(())
    }

    /// Ends the run that is being recorded, if there is one.
    fn end(&mut self) -> Result<(), NodeError> {
        let Some(line) = &self.line else { return Ok(()) };
        line.flush();
        self.publish(0);
        self.publish_path();
        let ended = self.line.take().map_or(Ok(()), Line::finish);
        self.params.capture = false;
        self.params.file_number += u64::from(self.params.auto_increment);
        let name = self.params.full_file_name.strip_suffix(".inprogress").map(str::to_owned);
        self.params.full_file_name = name.unwrap_or_default();
        ended.map_err(|why| {
            (self.params.write_status, self.params.write_message) = (WriteStatus::Error, why.clone());
            NodeError::new(why)
        })
    }

    fn record(
        &mut self,
        input: usize,
        frame: &Frame,
        now_ns: u64,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        let (Some(line), Some(src)) = (&mut self.line, self.detectors.get(input)) else { return Ok(()) };
        let is_awaited = self.retry_ns.is_some() || line.is_synchronous();
        let under_way = (!is_awaited).then(|| ctx.under_way());
        let job = Job { frame: frame.clone(), stream: input, src: *src, under_way };
        match self.retry_ns {
            Some(retry_ns) if now_ns < retry_ns => {
                self.params.write_errors += 1;
                return Err(NodeError::new(&self.params.write_message));
            }
            Some(_) => {
                // Nothing but this frame is under way, so that what becomes of it can be said.
                line.flush();
                line.put(job);
                line.flush();
            }
            None => line.put(job),
        }
        self.publish(now_ns);
        if self.retry_ns.is_some() && is_awaited {
            return Err(NodeError::new(&self.params.write_message));
        }
        self.taken += 1;
        Ok(())
    }

    /// Shows what happened since it was asked last.
    fn publish(&mut self, now_ns: u64) {
        let Some(line) = &self.line else { return };
        let Account { written, bytes, degraded, uncompressed, failed, error } = line.account();
        let p = &mut self.params;
        (p.num_captured, p.bytes_written) = (written, bytes);
        (p.degraded, p.uncompressed) = (degraded, uncompressed);
        p.write_errors += failed - self.failed;
        self.retry_ns = match &error {
            Some(_) if failed > self.failed => Some(now_ns + RETRY_NS),
            Some(_) => self.retry_ns,
            None => None,
        };
        self.failed = failed;
        p.write_status = if error.is_some() { WriteStatus::Error } else { WriteStatus::Ok };
        p.write_message = error.unwrap_or_default();
    }

    fn publish_path(&mut self) {
        if let Some(path) = self.line.as_ref().and_then(|line| line.path_of(0)) {
            self.params.full_file_name = path;
        }
    }
}

/// One for each input.
fn detectors(first: &str) -> Result<Vec<Src>, NodeError> {
    let first = Src::named(first).map_err(NodeError::new)?;
    let [detector, detector_id, device, device_id] = first.phy.to_be_bytes();
    let device = |n: u8| Src::detector(detector, detector_id, device, device_id.wrapping_add(n));
    Ok((0..XtcRecorder::SPEC.inputs.len() as u8).map(device).collect())
}
