//! `xtc_recorder`: frames become a run of LCLS-I (XTC), as `recording` and the facility's programs read it.
//!
//! In: uncompressed arrays of any dtype, dimensions, colours and strides. Each input is one detector and one stream of
//! the run: for readers of the run, frames of several inputs with the same event time are pieces of one event. Out:
//! nothing.
//!
//! A picture of u8, u16 or u32 without colours is written as a leaf of type Frame, which all readers know, everything
//! else as a leaf of our own type; number, conditions and attributes of a frame stand in a leaf beside it
//! ([`data`](livetime_formats::xtc1::data)). Before the first event come Configure, BeginRun, BeginCalibCycle and
//! Enable, behind the last one their counterparts. Event time is the frame's; the fiducial is its attribute `Fiducial`,
//! or invalid. A frame without an event time is recorded with its time of arrival, and with a condition that marks it.
//!
//! Frames are compressed by `threads` threads and written in the order of arrival. When the threads fall behind, so
//! that `queue` frames wait, frames are written uncompressed and counted (`degraded`), or the node waits, as `degrade`
//! sets; when the disk falls behind, the node waits, and its edge applies its policy. Written frames are with the
//! system: if the program is killed, all of them can be read; after a failure of the machine, the part that was on its
//! disk.
//!
//! A file is called `NAME.inprogress` until it is complete, and none is ever replaced. When the disk is full, frames
//! are errors and counted (`write_errors`), also frames that were under way just then: the ledger has a frame as
//! completed when it is written. Once a second the node tries again. The same holds for a folder that is missing at the
//! start, or is removed while frames are recorded; then the next run begins when the folder exists again. A file that
//! could not be flushed to the disk or renamed makes the run of the graph a failed one.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::{sinks::xtc_recorder::XtcRecorder, sources::recording::Recording};
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
//! let mut source = Harness::new::<Recording>(&[("file", file.to_str().unwrap_or_default().into())])?;
//! assert_eq!(source.run_source(1)?[0].array()?.elements::<i16>()?, [500, -600]);
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod encode;
mod error;
mod files;
mod line;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_filing::{Destination, Recorder, Series, Writing};
use livetime_formats::xtc1::Src;
use livetime_formats::xtc1::data::ArrayLeaf;
use livetime_frame::Frame;

use super::event_time::EventTime;
pub use encode::Compression;
use files::Files;
use line::{Account, Job, Line};

/// How long readbacks may be behind while no frame comes.
const LOOK_NS: u64 = 100_000_000;
/// Largest number of a run.
const LAST_RUN: u64 = 9999;

/// Parameters of `xtc_recorder`.
#[derive(Params)]
pub struct XtcRecorderParams {
    /// Number of the next run.
    #[param(default = 1, min = 0, max = 9999, pv = "FileNumber")]
    pub file_number: u64,
    /// Whether the number grows with each run, and past those that are there already.
    #[param(default = true, pv = "AutoIncrement")]
    pub auto_increment: bool,
    /// Whether frames are recorded; a run begins when it becomes true and ends when it becomes false.
    #[param(default = true, pv = "Capture", role = Capture, words = ["Done", "Capture"], shown = ["Done", "Capturing"])]
    pub capture: bool,
    /// Frames after which a run ends; 0 means that it has no end.
    #[param(pv = "NumCapture", role = CaptureSize)]
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
    /// Whether each finished file gets an index (`FILE.ltindex`), from which runs of many files are opened at once.
    pub index: bool,
    /// Frames written in this run.
    #[param(readback, pv = "NumCaptured", role = Captured)]
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
    /// Where they are written; the number of the stream and of the chunk are added to the names.
    #[param(flatten, default = Destination::new("run", "%s%s-r%4.4d"))]
    pub files: Destination,
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
    writing: Writing,
}

impl Node for XtcRecorder {
    type Params = XtcRecorderParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "xtc_recorder",
        "Records frames as a run of LCLS-I (XTC).",
        &[PortSpec::array("in"), PortSpec::array("in2"), PortSpec::array("in3"), PortSpec::array("in4")],
    );

    fn new(params: XtcRecorderParams) -> Result<XtcRecorder, NodeError> {
        Ok(XtcRecorder {
            params,
            line: None,
            detectors: Vec::new(),
            taken: 0,
            failed: 0,
            writing: Writing::default(),
        })
    }

    fn params(&mut self) -> &mut XtcRecorderParams {
        &mut self.params
    }

    fn writes(&self) -> Vec<PathBuf> {
        self.params.files.first()
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        // Names are refused at the start, not when the first run begins.
        self.writing.start(ctx);
        self.check_names()?;
        let p = &mut self.params;
        p.files.start(p.file_number, p.capture, ctx)?;
        // A path that is not there yet is tried again with the frames.
        if p.capture && p.files.file_path_exists { self.begin(ctx.now_ns()) } else { Ok(()) }
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        if !self.params.capture {
            self.params.ignored += 1;
            return Ok(());
        }
        // A frame that the format cannot hold is an error of this frame alone.
        // The check comes before a run is begun, so that no empty run is left.
        ArrayLeaf::of(frame.array()?.layout()).map_err(NodeError::new)?;
        let now_ns = ctx.now_ns();
        self.look_for_files(now_ns);
        self.begin_again(now_ns)?;
        let outcome = self.record(input, frame, now_ns, ctx);
        // The last frames become written without another frame, and the readbacks have to show it.
        ctx.set_timer(Some(now_ns + LOOK_NS));
        if self.params.num_capture != 0 && self.taken >= self.params.num_capture {
            // A failed end is in the report, and the frame itself was recorded.
            let _ = self.end_or_tell();
        }
        outcome
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.publish(ctx.now_ns());
        self.publish_path();
        if self.line.as_ref().is_some_and(|line| line.under_way() > 0) {
            ctx.set_timer(Some(ctx.now_ns() + LOOK_NS));
        }
        Ok(())
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "capture" if self.params.capture && self.line.is_none() => {
                let begun = self.begin(ctx.now_ns());
                // A run that could not begin must not look as if it were recording.
                self.params.capture = begun.is_ok();
                begun
            }
            "capture" if !self.params.capture => self.end_or_tell(),
            "capture" => Ok(()),
            "detector" => detectors(&self.params.detector).map(drop),
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

impl XtcRecorder {
    /// Names with which no run could ever be recorded.
    fn check_names(&self) -> Result<(), NodeError> {
        let stem = self.stem()?;
        Files::check_stem(&stem).map_err(NodeError::new)?;
        detectors(&self.params.detector).map(drop)
    }

    fn series(&self) -> Series<'_> {
        let p = &self.params;
        // A number without increment is the user's, so no other may be tried.
        let last = if p.auto_increment { LAST_RUN } else { p.file_number };
        Series { last, ..p.files.series() }
    }

    /// Folder, name and number of the run.
    fn stem(&self) -> Result<String, NodeError> {
        let path = self.series().path(self.params.file_number).map_err(NodeError::new)?;
        Ok(path.display().to_string())
    }

    /// Begins a run that should have begun before, once a second.
    fn begin_again(&mut self, now_ns: u64) -> Result<(), NodeError> {
        if self.line.is_some() {
            return Ok(());
        }
        let may_write = self.writing.may_write(&self.params.files.report, now_ns).map_err(NodeError::new);
        let begun = may_write.and_then(|()| self.begin(now_ns));
        // Each try that fails loses the frame that caused it.
        self.params.write_errors += u64::from(begun.is_err());
        begun
    }

    /// Creates the files of the next run.
    fn begin(&mut self, now_ns: u64) -> Result<(), NodeError> {
        let begun = self.create();
        let files = &mut self.params.files;
        files.file_path_exists = begun.is_ok() || files.is_there();
        if let Err(why) = &begun {
            // A disk that is full or away is not asked again with every frame.
            self.writing.wait(now_ns);
            files.report.failed(why.to_string());
        }
        begun
    }

    fn create(&mut self) -> Result<(), NodeError> {
        self.params.files.ensure().map_err(NodeError::new)?;
        self.detectors = detectors(&self.params.detector)?;
        let p = &self.params;
        let mut number = p.file_number;
        let is_taken = |stem: &Path| Files::is_taken(&stem.display().to_string());
        // A run may have been recorded by another program, so the next free number is searched.
        let create = |stem: &Path| {
            let stem = stem.display().to_string();
            Ok(Files::create_new(&stem, self.detectors.len(), (p.chunk_bytes, p.index))?)
        };
        let files = self.series().create_next(&mut number, is_taken, create).map_err(NodeError::new)?;
        let line =
            Line::start(files, p.compression, p.threads, p.queue, p.degrade).map_err(NodeError::new)?;
        self.params.file_number = number;
        self.line = Some(line);
        // The counts are the run's, so that they begin at 0 with it.
        (self.taken, self.failed) = (0, 0);
        self.writing.resume();
        self.publish(0);
        self.publish_path();
        Ok(())
    }

    fn record(
        &mut self,
        input: usize,
        frame: &Frame,
        now_ns: u64,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        let (Some(line), Some(src)) = (&mut self.line, self.detectors.get(input)) else { return Ok(()) };
        let is_retry = self.writing.has_failed();
        let is_awaited = is_retry || line.is_synchronous();
        // A frame whose result is awaited needs no entry for the time after the call.
        let under_way = (!is_awaited).then(|| ctx.under_way());
        // The time is taken here: a thread sees the frame later.
        let time = EventTime::of(frame.header(), ctx);
        let job = Job { frame: frame.clone(), time, stream: input, src: *src, under_way };
        if let Err(why) = self.writing.may_write(&self.params.files.report, now_ns) {
            self.params.write_errors += 1;
            return Err(NodeError::new(why));
        }
        if is_retry {
            // Only this frame is under way during a retry, so that its result is known here.
            line.flush();
            line.put(job);
            line.flush();
        } else {
            line.put(job);
        }
        self.publish(now_ns);
        // The frame that failed is reported by its own call, so that it counts as an error of the frame.
        if is_awaited && self.writing.has_failed() {
            return Err(NodeError::new(&self.params.files.report.write_message));
        }
        self.taken += 1;
        Ok(())
    }

    /// Publishes the changes since the last call.
    fn publish(&mut self, now_ns: u64) {
        let Some(line) = &self.line else { return };
        let Account { written, bytes, degraded, uncompressed, failed, error } = line.account();
        let p = &mut self.params;
        (p.num_captured, p.bytes_written) = (written, bytes);
        (p.degraded, p.uncompressed) = (degraded, uncompressed);
        p.write_errors += failed - self.failed;
        match error {
            Some(error) => {
                // Only a new failure begins a pause; an old one is over.
                if failed > self.failed {
                    self.writing.wait(now_ns);
                }
                p.files.report.failed(error);
            }
            None => {
                self.writing.resume();
                p.files.report.succeeded();
            }
        }
        self.failed = failed;
    }

    fn publish_path(&mut self) {
        if let Some(path) = self.line.as_ref().and_then(|line| line.path_of(0)) {
            self.params.files.full_file_name = path;
        }
    }
}

impl Recorder for XtcRecorder {
    fn writing(&mut self) -> &mut Writing {
        &mut self.writing
    }

    fn is_in_place(&self) -> bool {
        self.line.as_ref().is_none_or(Line::is_in_place)
    }

    /// Logs files that could not be finished, also here: they were ended beside the frames.
    fn look_for_files(&mut self, now_ns: u64) {
        let Some(line) = &self.line else { return };
        if !self.writing.is_time_to_check(now_ns) {
            return;
        }
        line.take_unfinished().into_iter().for_each(|why| self.writing.tell_unfinished(&why));
        // The files were moved or deleted, so further frames would go to nowhere.
        if !line.is_in_place() {
            let _ = self.end_or_tell();
            // The user still wants a recording, which begins again with the next frame.
            self.params.capture = true;
        }
    }

    fn end(&mut self) -> Result<(), NodeError> {
        let Some(line) = &self.line else { return Ok(()) };
        // All frames are in the files before the counts are read.
        line.flush();
        self.publish(0);
        self.publish_path();
        let ended = self.line.take().map_or(Ok(()), Line::finish);
        self.params.capture = false;
        self.writing.resume();
        self.params.file_number += u64::from(self.params.auto_increment);
        let files = &mut self.params.files;
        // The new name is told only if the file has it: a file with an error may keep its mark.
        let is_named = || !Path::new(&files.full_file_name).exists();
        if (ended.is_ok() || is_named())
            && let Some(name) = files.full_file_name.strip_suffix(".inprogress").map(str::to_owned)
        {
            files.full_file_name = name;
        }
        ended.map_err(|why| {
            files.report.failed(why.to_string());
            NodeError::new(why)
        })
    }
}

/// One for each input.
fn detectors(first: &str) -> Result<Vec<Src>, NodeError> {
    let first = Src::named(first).map_err(NodeError::new)?;
    let [detector, detector_id, device, device_id] = first.phy.to_be_bytes();
    // The number wraps within its byte, which is all that the format has.
    let device = |n: u8| Src::detector(detector, detector_id, device, device_id.wrapping_add(n));
    Ok((0..XtcRecorder::SPEC.inputs.len() as u8).map(device).collect())
}
