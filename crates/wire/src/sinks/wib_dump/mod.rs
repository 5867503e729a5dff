//! `wib_dump`: raw frames of the wire readout become files, one for each link, so that a run can be kept and played again by `wib_file`.
//!
//! In: batches of raw frames ([`RawBatch`]) of any number of links. Out: nothing. A file holds the frames of one link one behind the other, each as it came, and nothing
//! else: the bytes that `wib_file` reads. Where frames are missing the times of those around it tell so. The files of a recording are called
//! `NAME_0001-l00.wib`, `NAME_0001-l01.wib` ... by the number of the recording and of the link.
//!
//! A file is called `NAME.inprogress` until it is complete, and none is ever replaced. What has been written is with the system: if the program is killed, all whole batches can be
//! read. When the disk is full, batches are errors and counted, writing is tried again once a second, and an incomplete batch at the
//! end is cut off.
//!
//! A link of WIB1 brings 928 MB/s. So a recording is bounded: with `stop_after_bytes`, `stop_after_frames` or `stop_after_seconds` it ends, the files get their names, and what
//! comes later is not recorded (`ignored`) until `capture` is set again.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
//! use livetime_wire::sinks::wib_dump::WibDump;
//! use livetime_wire::{RawFormat, RawLabels};
//!
//! let folder = std::env::temp_dir().join(format!("livetime-dump-{}", std::process::id()));
//! let params = [("path", folder.to_str().unwrap_or_default().into()), ("create_directory", (-1).into())];
//! let mut node = Harness::new::<WibDump>(&params)?;
//! let mut frame = node.pool().allocator().bytes(Wib1Frame::BYTES)?;
//! Wib1FrameMut::new(frame.bytes_mut())?.set_timestamp(1000);
//! RawLabels::new(RawFormat::Wib1).put(frame.header_mut(), 3, 1000, 0);
//! node.feed(&frame.freeze())?;
//! node.drain()?;
//! assert_eq!(std::fs::metadata(folder.join("link_0001-l03.wib"))?.len(), 464);
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use livetime_engine::files::{Recorded, StopAfter, WriteReport, Writing, found_folder};
use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec};
use livetime_formats::file::{GrowingFile, Series, ensure_folder};
use livetime_frame::Frame;

use crate::RawBatch;

/// Parameters of `wib_dump`.
#[derive(Params)]
pub struct WibDumpParams {
    /// Folder of the files.
    #[param(pv = "FilePath", role = Folder)]
    pub path: String,
    /// Name of the files.
    #[param(default = "link", pv = "FileName")]
    pub file_name: String,
    /// Template of C's printf for folder, name and number; `-l`, the number of the link and `.wib` follow.
    #[param(default = "%s%s_%4.4d", pv = "FileTemplate")]
    pub template: String,
    /// Number of the next recording; it grows with each, and past those that are there already.
    #[param(default = 1, min = 0, pv = "FileNumber")]
    pub file_number: u64,
    /// Which missing folders are created: 0 none, -n at most n, n those below the first n.
    #[param(pv = "CreateDirectory")]
    pub create_directory: i32,
    /// Whether frames are recorded; a recording begins with the next frames, and ends when this becomes false.
    #[param(default = true, pv = "Capture", role = Capture)]
    pub capture: bool,
    /// The recording ends when its files have this many bytes together; 0 means no limit.
    #[param(default = 10000000000, unit = "B")]
    pub stop_after_bytes: u64,
    /// The recording ends when it has this many frames of all links together; 0 means no limit.
    pub stop_after_frames: u64,
    /// The recording ends this long after its first frames; 0 means no limit.
    #[param(min = 0, max = 1e9, unit = "s")]
    pub stop_after_seconds: f64,
    /// Whether there is a folder that can be written to.
    #[param(readback, pv = "FilePathExists")]
    pub file_path_exists: bool,
    /// The file that was begun or named last.
    #[param(readback, pv = "FullFileName", role = LastFile)]
    pub full_file_name: String,
    /// Frames written.
    #[param(readback)]
    pub frames_written: u64,
    /// Bytes written.
    #[param(readback, unit = "B")]
    pub bytes_written: u64,
    /// Files written.
    #[param(readback, pv = "NumCaptured", role = Captured)]
    pub num_captured: u64,
    /// Batches that came while nothing was recorded.
    #[param(readback)]
    pub ignored: u64,
    /// Batches that could not be written.
    #[param(readback)]
    pub write_errors: u64,
    /// How writing fares.
    #[param(flatten)]
    pub report: WriteReport,
}

/// Writes raw frames to files.
pub struct WibDump {
    params: WibDumpParams,
    /// The files of the recording, by link.
    files: BTreeMap<u16, GrowingFile>,
    /// Names of the recording's files begin so; `None` between recordings.
    begin: Option<String>,
    recorded: Recorded,
    writing: Writing,
}

impl Node for WibDump {
    type Params = WibDumpParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "wib_dump",
        kind: NodeKind::Sink,
        summary: "Writes raw frames of the wire readout to a file for each link, to be played again by wib_file.",
        inputs: &[PortSpec::bytes("in")],
        outputs: &[],
        parallel: false,
    };

    fn new(params: WibDumpParams) -> Result<WibDump, NodeError> {
        let recorded = Recorded::default();
        Ok(WibDump { params, files: BTreeMap::new(), begin: None, recorded, writing: Writing::default() })
    }

    fn params(&mut self) -> &mut WibDumpParams {
        &mut self.params
    }

    fn writes(&self) -> Vec<PathBuf> {
        self.series().path(1).into_iter().collect()
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.writing.start(ctx);
        self.check_template()?;
        if self.params.capture {
            self.look_for_folder(ctx);
        }
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let batch = RawBatch::of(frame)?;
        if !self.params.capture {
            self.params.ignored += 1;
            return Ok(());
        }
        let now_ns = ctx.now_ns();
        self.look_for_files(now_ns);
        let may_write = self.writing.may_write(&self.params.report, now_ns);
        let written = may_write.and_then(|()| self.write(&batch));
        self.settle(written, &batch, now_ns)?;
        let p = &self.params;
        let wanted = StopAfter {
            what: "frames",
            count: p.stop_after_frames,
            bytes: p.stop_after_bytes,
            seconds: p.stop_after_seconds,
        };
        if let Some(why) = self.recorded.is_enough(&wanted, now_ns) {
            ctx.tell(format!("the recording has ended: {why}"));
            self.params.capture = false;
            // This batch has been written.
            let _ = self.end_or_tell();
        }
        Ok(())
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.specs().get(index).map_or("", |spec| spec.name) {
            "capture" if !self.params.capture => self.end_or_tell(),
            "capture" | "path" | "create_directory" => {
                self.look_for_folder(ctx);
                Ok(())
            }
            "template" | "file_name" | "file_number" => self.check_template(),
            _ => Ok(()),
        }
    }

    fn drain(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.end()
    }

    fn stop(&mut self) {
        let _ = self.end_or_tell();
    }
}

impl WibDump {
    /// A folder that is missing is an error at once, and frames are lost until there is one.
    fn look_for_folder(&mut self, ctx: &Context) {
        let p = &mut self.params;
        p.file_path_exists = found_folder(ensure_folder(&p.path, p.create_directory), ctx);
    }

    fn ensure_folder(&mut self) -> Result<(), String> {
        let found = ensure_folder(&self.params.path, self.params.create_directory);
        self.params.file_path_exists = found.is_ok();
        found
    }

    fn check_template(&self) -> Result<(), NodeError> {
        self.series().path(self.params.file_number).map(drop).map_err(NodeError::new)
    }

    /// Names of recordings; `-l`, the number of the link and `.wib` follow.
    fn series(&self) -> Series<'_> {
        let p = &self.params;
        Series { template: &p.template, folder: &p.path, name: &p.file_name, last: u64::MAX }
    }

    /// Looks whether somebody has taken a file away: what would be written to it could never be read.
    fn look_for_files(&mut self, now_ns: u64) {
        if self.writing.is_time_to_check(now_ns) && !self.files.values().all(GrowingFile::is_in_place) {
            let _ = self.end_or_tell();
        }
    }

    /// Ends the recording when no run ends with it: where its data are if it could not be ended is told, and the run ends as failed.
    fn end_or_tell(&mut self) -> Result<(), NodeError> {
        let ended = self.end();
        ended.inspect_err(|why| self.writing.tell_unfinished(why))
    }

    /// How the names of the next recording begin, of which no link has a file yet.
    fn next_recording(&mut self) -> Result<String, String> {
        let mut number = self.params.file_number;
        let begin = |path: &Path| format!("{}-l", path.display());
        let create = |path: &Path| {
            let begin = begin(path);
            is_taken(&begin).map(|is_taken| (!is_taken).then_some(begin))
        };
        // A folder that cannot be listed is an error of `create`.
        let is_taken = |path: &Path| is_taken(&begin(path)).unwrap_or(false);
        let (_, begin) = self.series().create_next(&mut number, is_taken, create)?;
        self.params.file_number = number;
        Ok(begin)
    }

    fn write(&mut self, batch: &RawBatch<'_>) -> Result<(), String> {
        let begin = match &self.begin {
            Some(begin) => begin.clone(),
            None => {
                self.ensure_folder()?;
                let begin = self.next_recording()?;
                self.begin.insert(begin).clone()
            }
        };
        let file = match self.files.entry(batch.link) {
            std::collections::btree_map::Entry::Occupied(file) => file.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                let path = PathBuf::from(format!("{begin}{:02}.wib", batch.link));
                let file = GrowingFile::create(&path).map_err(|e| e.to_string())?;
                self.params.full_file_name = file.written_path().display().to_string();
                place.insert(file)
            }
        };
        file.repair().and_then(|()| file.append(&[batch.bytes])).map(drop).map_err(|e| e.to_string())
    }

    fn settle(
        &mut self,
        written: Result<(), String>,
        batch: &RawBatch<'_>,
        now_ns: u64,
    ) -> Result<(), NodeError> {
        let p = &mut self.params;
        let settled = self.writing.settle(written, &mut p.report, now_ns);
        match settled {
            Ok(()) => {
                let (frames, bytes) = (batch.len() as u64, batch.bytes.len() as u64);
                self.recorded.add(frames, bytes, now_ns);
                p.frames_written += frames;
                p.bytes_written += bytes;
            }
            Err(_) => p.write_errors += 1,
        }
        settled
    }

    /// Ends the recording, if there is one: all of its files get their names, also behind one that cannot have it.
    fn end(&mut self) -> Result<(), NodeError> {
        self.recorded = Recorded::default();
        if self.begin.take().is_some() {
            self.params.file_number += 1;
        }
        let mut result = Ok(());
        for mut file in std::mem::take(&mut self.files).into_values() {
            let name = file.path().display().to_string();
            match file.repair().and_then(|()| file.finish_on_disk()) {
                Ok(()) => {
                    self.params.num_captured += 1;
                    self.params.full_file_name = name;
                }
                Err(error) => {
                    self.params.report.failed(error.to_string());
                    result = result.and(Err(NodeError::new(error)));
                }
            }
        }
        result
    }
}

/// Whether there is a file whose name begins so.
fn is_taken(begin: &str) -> Result<bool, String> {
    let path = Path::new(begin);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = std::fs::read_dir(folder).map_err(|e| format!("`{}`: {e}", folder.display()))?;
    Ok(files.flatten().any(|file| file.file_name().to_string_lossy().starts_with(&name)))
}
