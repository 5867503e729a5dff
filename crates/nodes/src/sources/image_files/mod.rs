//! `image_files`: the pictures of a folder, or one file, as frames.
//!
//! Out: arrays as the files have them, packed, numbered from 1: JPEG and PNG u8 or u16, mono or RGB1; TIFF any dtype
//! except 16-bit floats, mono, RGB1, or RGB3 where colours are stored in planes (the first picture of a file).
//! Transparency is left out. Attribute `FileName`: the name without its folder. Event time is the file's time of
//! modification: the same at every run.
//!
//! Files are taken in natural order (`a9` before `a10`), found again with each run. A file that cannot be
//! decoded is an error that names it, and the next one is tried; a pass in which no file could be decoded
//! ends the source. Decoded pictures are kept for the next pass in memory of their own (`keep_bytes`) and
//! sent again without copying a pixel.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sources::image_files::ImageFiles;
//!
//! let error = Harness::new::<ImageFiles>(&[("path", "/no/such/folder".into())]).err().unwrap();
//! assert!(error.to_string().starts_with("`/no/such/folder`: wanted a file or a folder"));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use livetime_engine::{Context, Next, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_formats::file::{list, matches, name_of};
use livetime_frame::{Allocator, AttributeValue, Frame, FrameMut, FramePool, Layout};

use super::schedule::Schedule;
use crate::error::Mismatch;
use crate::picture_file::{self, PictureError, read_file};

/// Parameters of `image_files`.
#[derive(Params)]
pub struct ImageFilesParams {
    /// Folder or file.
    #[param(pv = "FilePath")]
    pub path: String,
    /// Names of the files to take from a folder, with `*` and `?`; empty means jpg, jpeg, png, tif and tiff.
    pub pattern: String,
    /// Frames per second; 0 means as fast as possible.
    #[param(default = 10.0, min = 0.0, max = 1e9, unit = "Hz")]
    pub rate_hz: f64,
    /// How often all files are sent; 0 means without end.
    #[param(default = 1)]
    pub loops: u64,
    /// Whether decoded pictures are kept for the next pass.
    #[param(default = true)]
    pub decode_once: bool,
    /// Memory for kept pictures, beside that of the run; what does not fit is decoded in each pass.
    #[param(default = 268435456, unit = "B")]
    pub keep_bytes: usize,
    /// Largest file, and largest picture once decoded.
    #[param(default = 1073741824, min = 1, unit = "B")]
    pub max_bytes: usize,
    /// Whether a picture of another size, type or colour than the first is an error.
    pub same_size: bool,
    /// Files found.
    #[param(readback)]
    pub files: usize,
    /// Files that could not be sent, counted in each pass.
    #[param(readback)]
    pub failures: u64,
    /// Frames since the start of the run; the sequence number of the last one.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub array_counter: u64,
    /// The file of the last frame.
    #[param(readback, pv = "FullFileName")]
    pub full_file_name: String,
}

/// The pictures of a folder as frames.
pub struct ImageFiles {
    params: ImageFilesParams,
    schedule: Option<Schedule>,
    files: Vec<Entry>,
    /// Number of the next file.
    next: usize,
    passes: u64,
    /// Files of this pass that were in order, whether they could be sent or not.
    good_in_pass: u64,
    /// Present while pictures are kept.
    keeper: Option<Allocator>,
    /// The first picture, and the one before.
    first: Option<Layout>,
    last: Option<Layout>,
    bytes: Vec<u8>,
    attribute: Arc<str>,
}

struct Entry {
    path: PathBuf,
    name: Arc<str>,
    /// When it was written last, ns since 1970; 0 if that is unknown.
    written_ns: i64,
    kept: Option<Frame>,
}

impl Node for ImageFiles {
    type Params = ImageFilesParams;

    const SPEC: NodeSpec = NodeSpec::source(
        "image_files",
        "The JPEG, PNG and TIFF pictures of a folder as frames.",
        &[PortSpec::array_of_dims("out", 2, 3)],
    );

    const IS_STORED: bool = true;

    fn new(params: ImageFilesParams) -> Result<ImageFiles, NodeError> {
        Ok(ImageFiles {
            params,
            schedule: None,
            files: Vec::new(),
            next: 0,
            passes: 0,
            good_in_pass: 0,
            keeper: None,
            first: None,
            last: None,
            bytes: Vec::new(),
            attribute: "FileName".into(),
        })
    }

    fn params(&mut self) -> &mut ImageFilesParams {
        &mut self.params
    }

    fn look(&self) -> Result<(), NodeError> {
        self.list().map(drop)
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.open()
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        if self.next >= self.files.len() && !self.turn(ctx) {
            return Ok(Next::Finished);
        }
        let now_ns = ctx.now_ns();
        // The schedule begins with the first picture, not with the start: reading the list may take long.
        let mut schedule = self.schedule.unwrap_or(Schedule::starting(now_ns));
        let period_ns = period_ns(self.params.rate_hz);
        let due_ns = schedule.due_ns(0, period_ns);
        if now_ns < due_ns {
            // The schedule is kept, because `rate_hz` may change before the picture is due.
            self.schedule = Some(schedule);
            return Ok(Next::At(due_ns));
        }
        let frame = self.next_frame(ctx)?;
        schedule.met(now_ns, 0, period_ns);
        self.schedule = Some(schedule);
        ctx.emit(frame)?;
        // The end is told with the last frame, so that no further call is needed to find it.
        if self.next >= self.files.len() && self.is_last_pass() {
            return Ok(Next::Finished);
        }
        let next_ns = schedule.due_ns(0, period_ns);
        Ok(if next_ns <= now_ns { Next::Now } else { Next::At(next_ns) })
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "path" | "pattern" => self.open(),
            "decode_once" | "keep_bytes" => {
                self.keep();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Kept pictures are abandoned.
    fn stop(&mut self) {
        (self.files, self.keeper, self.schedule) = (Vec::new(), None, None);
    }
}

impl ImageFiles {
    /// Looks for the files and starts at the first one.
    fn list(&self) -> Result<Vec<PathBuf>, NodeError> {
        let (path, pattern) = (&self.params.path, &*self.params.pattern);
        let files = match pattern {
            "" => list(path, &ENDINGS.join(" or "), is_picture),
            pattern => list(path, pattern, |name| matches(name, pattern)),
        };
        files.map_err(NodeError::new)
    }

    fn open(&mut self) -> Result<(), NodeError> {
        let files = self.list()?;
        let entry = |path: PathBuf| {
            // A file without a time of writing is sent all the same; 0 means unknown.
            let (name, written_ns) = (name_of(&path).into(), written_ns(&path).unwrap_or(0));
            Entry { path, name, written_ns, kept: None }
        };
        self.files = files.into_iter().map(entry).collect();
        self.params.files = self.files.len();
        // The numbers of files mean other files now, so every count of a pass begins again.
        (self.next, self.passes, self.good_in_pass) = (0, 0, 0);
        (self.first, self.last) = (None, None);
        self.keep();
        Ok(())
    }

    /// Pictures are kept in a pool of their own: in the run's pool they could leave no memory for frames.
    fn keep(&mut self) {
        self.files.iter_mut().for_each(|file| file.kept = None);
        let pool = self.params.decode_once.then(|| FramePool::new(self.params.keep_bytes));
        self.keeper = pool.map(|pool| pool.allocator());
    }

    fn is_last_pass(&self) -> bool {
        self.params.loops != 0 && self.passes + 1 >= self.params.loops
    }

    /// All files have been tried: starts the next pass, if there is one.
    fn turn(&mut self, ctx: &Context) -> bool {
        if self.good_in_pass == 0 {
            let (path, count) = (&self.params.path, self.files.len());
            ctx.tell_error(format!(
                "`{path}`: wanted a picture, found none in {count} files; the source ends"
            ));
            return false;
        }
        if self.is_last_pass() {
            return false;
        }
        self.passes += 1;
        (self.next, self.good_in_pass) = (0, 0);
        true
    }

    /// The next file as a frame. The file after it is next also when this one cannot be read.
    fn next_frame(&mut self, ctx: &mut Context) -> Result<FrameMut, NodeError> {
        let (index, good) = (self.next, self.good_in_pass);
        self.next += 1;
        let frame = match &self.files[index].kept {
            Some(kept) => ctx.relabel(kept).inspect_err(|_| self.good_in_pass += 1),
            None => self.decode(index, ctx),
        };
        if frame.is_err() && self.good_in_pass == good {
            self.params.failures += 1;
        }
        let mut frame = frame?;
        self.good_in_pass = good + 1;
        self.params.array_counter += 1;
        let header = frame.header_mut();
        (header.sequence, header.event_time_ns) = (self.params.array_counter, self.files[index].written_ns);
        self.params.full_file_name.clear();
        self.params.full_file_name.push_str(&self.files[index].path.to_string_lossy());
        Ok(frame)
    }

    fn decode(&mut self, index: usize, ctx: &mut Context) -> Result<FrameMut, NodeError> {
        let path = self.files[index].path.clone();
        let refuse = |why: PictureError| NodeError::new(format_args!("`{}`: {why}", path.display()));
        read_file(&path, self.params.max_bytes, &mut self.bytes).map_err(refuse)?;
        let bytes = std::mem::take(&mut self.bytes);
        let frame = self.decode_bytes(index, &bytes, ctx, refuse);
        self.bytes = bytes;
        frame
    }

    fn decode_bytes(
        &mut self,
        index: usize,
        bytes: &[u8],
        ctx: &mut Context,
        refuse: impl Fn(PictureError) -> NodeError,
    ) -> Result<FrameMut, NodeError> {
        let picture = picture_file::open(bytes, self.params.max_bytes).map_err(&refuse)?;
        let layout = picture.layout;
        self.compare(layout, ctx, &self.files[index].name).map_err(&refuse)?;
        let keeper = self.keeper.as_mut().filter(|_| self.params.loops != 1);
        let kept = keeper.and_then(|keeper| keeper.array(layout).ok());
        let keeps = kept.is_some();
        let frame = kept.map_or_else(|| ctx.array(layout), Ok);
        // No memory is no fault of the file.
        let mut frame = frame.inspect_err(|_| self.good_in_pass += 1)?;
        picture.read(frame.bytes_mut()).map_err(&refuse)?;
        (self.first, self.last) = (self.first.or(Some(layout)), Some(layout));
        let name = AttributeValue::Text(self.files[index].name.clone());
        frame.header_mut().attributes.set(&self.attribute, name);
        if !keeps {
            return Ok(frame);
        }
        let kept = frame.freeze();
        let frame = ctx.relabel(&kept);
        self.files[index].kept = Some(kept);
        frame
    }

    /// Tells of pictures that differ from the one before, in the first pass, or refuses them.
    fn compare(&self, layout: Layout, ctx: &Context, name: &str) -> Result<(), PictureError> {
        let same = |other: &Layout| *other == layout;
        match (&self.first, &self.last) {
            (Some(first), _) if self.params.same_size && !same(first) => {
                Err(Mismatch::new(format!("{first} as in the first picture"), layout.to_string()).into())
            }
            (_, Some(last)) if self.passes == 0 && !same(last) => {
                ctx.tell(format!("`{name}` is {layout}, the picture before was {last}"));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Names that are taken from a folder when no pattern is given.
const ENDINGS: [&str; 5] = [".jpg", ".jpeg", ".png", ".tif", ".tiff"];

fn is_picture(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // Hidden files are often halves that a copying program has not renamed yet.
    !name.starts_with('.') && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// When the file was written last, ns since 1970.
fn written_ns(path: &Path) -> Option<i64> {
    let written = path.metadata().and_then(|about| about.modified()).ok()?;
    i64::try_from(written.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

fn period_ns(rate_hz: f64) -> u64 {
    // 0 means as fast as the pictures are decoded.
    if rate_hz > 0.0 { (1e9 / rate_hz).round() as u64 } else { 0 }
}
