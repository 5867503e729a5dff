//! `wib_dump`: raw frames of the wire readout become files, one for each link, so that a run can be kept and played again by `wib_file`.
//!
//! In: batches of raw frames ([`RawBatch`]) of any number of links. Out: nothing. A file holds the frames of one link
//! one behind the other, unchanged, and nothing else: the bytes that `wib_file` reads. A gap shows in the times of the
//! frames around it. The files of a recording are called
//!
//! A file is called `NAME.inprogress` until it is complete, and none is ever replaced. Written bytes are with the system: if the program is killed, all whole batches can be
//! read. When the disk is full, batches are errors and counted, writing is tried again once a second, and an incomplete batch at the
//! end is cut off.
//!
//! A link of WIB1 brings 928 MB/s. So a recording is bounded: with `stop_after_bytes`, `stop_after_frames` or
//! `stop_after_seconds` it ends, the files get their names, and later frames are not recorded (`ignored`) until
//! `capture` is set again.
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

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_filing::{Destination, Error, Recorded, Recorder, Result, StopAfter, Writing};
use livetime_formats::file::GrowingFile;
use livetime_frame::Frame;

use crate::RawBatch;

/// Parameters of `wib_dump`.
#[derive(Params)]
pub struct WibDumpParams {
    /// Number of the next recording; it grows with each, and past those that are there already.
    #[param(default = 1, min = 0, pv = "FileNumber")]
    pub file_number: u64,
    /// Whether frames are recorded; a recording begins with the next frames, and ends when this becomes false.
    #[param(default = true, pv = "Capture", role = Capture, words = ["Done", "Capture"], shown = ["Done", "Capturing"])]
    pub capture: bool,
    /// The recording ends when its files have this many bytes together; 0 means no limit.
    #[param(default = 10000000000, unit = "B")]
    pub stop_after_bytes: u64,
    /// The recording ends when it has this many frames of all links together; 0 means no limit.
    pub stop_after_frames: u64,
    /// The recording ends this long after its first frames; 0 means no limit.
    #[param(min = 0, max = 1e9, unit = "s")]
    pub stop_after_seconds: f64,
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
    /// Where they are written; `-l`, the number of the link and `.wib` are added to the names.
    #[param(flatten, default = Destination::new("link", "%s%s_%4.4d"))]
    pub files: Destination,
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

    const SPEC: NodeSpec = NodeSpec::sink(
        "wib_dump",
        "Writes raw frames of the wire readout to a file for each link, to be played again by wib_file.",
        &[PortSpec::bytes("in")],
    );

    fn new(params: WibDumpParams) -> Result<WibDump, NodeError> {
        let recorded = Recorded::default();
        Ok(WibDump { params, files: BTreeMap::new(), begin: None, recorded, writing: Writing::default() })
    }

    fn params(&mut self) -> &mut WibDumpParams {
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
        let batch = RawBatch::of(frame)?;
        if !self.params.capture {
            self.params.ignored += 1;
            return Ok(());
        }
        let now_ns = ctx.now_ns();
        self.look_for_files(now_ns);
        let may_write = self.writing.may_write(&self.params.files.report, now_ns);
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
            // The batch is written even if a file could not be renamed.
            let _ = self.end_or_tell();
        }
        Ok(())
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "capture" if !self.params.capture => self.end_or_tell(),
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

impl WibDump {
    /// The begin of the names of the next recording, which has no file yet.
    fn next_recording(&mut self) -> Result<String> {
        let p = &mut self.params;
        p.files.ensure()?;
        let begin = |path: &Path| format!("{}-l", path.display());
        let create = |path: &Path| {
            let begin = begin(path);
            is_taken(&begin).map(|is_taken| (!is_taken).then_some(begin))
        };
        // A folder that cannot be listed is an error of `create`.
        let is_taken = |path: &Path| is_taken(&begin(path)).unwrap_or(false);
        p.files.series().create_next(&mut p.file_number, is_taken, create)
    }

    fn write(&mut self, batch: &RawBatch<'_>) -> Result<()> {
        let begin = match &self.begin {
            Some(begin) => begin.clone(),
            None => {
                let begin = self.next_recording()?;
                self.begin.insert(begin).clone()
            }
        };
        let file = match self.files.entry(batch.link) {
            std::collections::btree_map::Entry::Occupied(file) => file.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                let path = PathBuf::from(format!("{begin}{:02}{ENDING}", batch.link));
                let file = GrowingFile::create(&path)?;
                self.params.files.full_file_name = file.written_path().display().to_string();
                place.insert(file)
            }
        };
        file.repair()?;
        file.append(&[batch.bytes])?;
        Ok(())
    }

    fn settle(&mut self, written: Result<()>, batch: &RawBatch<'_>, now_ns: u64) -> Result<(), NodeError> {
        let p = &mut self.params;
        let settled = self.writing.settle(written, &mut p.files.report, now_ns);
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
}

impl Recorder for WibDump {
    fn writing(&mut self) -> &mut Writing {
        &mut self.writing
    }

    fn is_in_place(&self) -> bool {
        self.files.values().all(GrowingFile::is_in_place)
    }

    /// All files of the recording get their names, also behind one that cannot have it.
    fn end(&mut self) -> Result<(), NodeError> {
        self.recorded = Recorded::default();
        let p = &mut self.params;
        p.file_number += u64::from(self.begin.take().is_some());
        let mut result = Ok(());
        for file in std::mem::take(&mut self.files).into_values() {
            let ended = p.files.end(file);
            p.num_captured += u64::from(ended.is_ok());
            result = result.and(ended);
        }
        result
    }
}

/// How the names of finished files end.
const ENDING: &str = ".wib";

/// The link whose frames are in a finished file of this recorder, by the file's name; `None` for another file.
///
/// ```
/// use livetime_wire::sinks::wib_dump::link_of_file;
/// assert_eq!(link_of_file("run7/link_0001-l04.wib".as_ref()), Some(4));
/// assert_eq!(link_of_file("run7/link_0001-l04.wib.inprogress".as_ref()), None);
/// ```
pub fn link_of_file(path: &Path) -> Option<u16> {
    let (_, link) = path.file_name()?.to_str()?.strip_suffix(ENDING)?.rsplit_once("-l")?;
    link.parse().ok()
}

/// Whether a file exists whose name begins with `begin`.
fn is_taken(begin: &str) -> Result<bool> {
    let path = Path::new(begin);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files =
        std::fs::read_dir(folder).map_err(|found| Error::Unlisted { folder: folder.to_owned(), found })?;
    Ok(files.flatten().any(|file| file.file_name().to_string_lossy().starts_with(&name)))
}
