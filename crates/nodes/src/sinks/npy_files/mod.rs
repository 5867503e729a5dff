//! `npy_files`: arrays become files of NumPy, to be read with `numpy.load`.
//!
//! In: arrays of any element type and shape, not compressed; views are packed while they are written. Out: nothing.
//!
//! | `grouping` | a file holds |
//! |---|---|
//! | `stack` (default) | arrays of the same type and shape one behind the other, along a new first axis: `[frames, height, width]` |
//! | `single` | one array |
//!
//! A stack grows: after each array the header at the begin of the file has the current number of arrays. So the file
//! can be read while it is written (also with `mmap_mode="r"`), and after the program was killed: all arrays but the
//! one that was being written are there, and NumPy ignores bytes behind them. An array of another type or shape begins
//! the next file, and so does reaching `max_frames` or `max_bytes`.
//!
//! A file is called `NAME.inprogress` until it is complete, and none is ever replaced. When the disk is full, arrays
//! are errors and counted, the node tries again once a second, and the written part of an incomplete array is cut off.
//! Event times and numbers of the frames are not in these files.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sinks::npy_files::NpyFiles;
//!
//! let folder = std::env::temp_dir().join(format!("livetime-npy-{}", std::process::id()));
//! let params = [("path", folder.to_str().unwrap_or_default().into()), ("create_directory", (-1).into())];
//! let mut node = Harness::new::<NpyFiles>(&params)?;
//! let frame = node.image(&[2, 3], &[1u16, 2, 3, 4, 5, 6])?;
//! node.feed(&frame)?;
//! node.feed(&frame)?;
//! node.drain()?;
//! let file = std::fs::read(folder.join("stack_0001.npy"))?;
//! assert!(file.starts_with(b"\x93NUMPY\x01\x00") && file.len() == 128 + 2 * 12);
//! assert!(String::from_utf8_lossy(&file).contains("'descr': '<u2', 'fortran_order': False, 'shape': (2, 2, 3)"));
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod encode;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use livetime_engine::{Context, Node, NodeError, NodeSpec, ParamEnum, Params, PortSpec};
use livetime_filing::{Destination, Error, Recorder, Result, Writing};
use livetime_formats::file::GrowingFile;
use livetime_frame::{ArrayRef, Frame};

use encode::{Elements, header, packed};

/// The content of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum NpyMode {
    /// Arrays along a new first axis.
    #[default]
    Stack,
    /// One array.
    Single,
}

/// Parameters of `npy_files`.
#[derive(Params)]
pub struct NpyFilesParams {
    /// Number of the next file; it grows with each file, and past those that are there already.
    #[param(default = 1, min = 0, pv = "FileNumber")]
    pub file_number: u64,
    /// What a file holds.
    pub grouping: NpyMode,
    /// Whether arrays are written; a stack ends when this becomes false.
    #[param(default = true, pv = "Capture", role = Capture, words = ["Done", "Capture"], shown = ["Done", "Capturing"])]
    pub capture: bool,
    /// Arrays after which the next stack is begun; 0 means no limit.
    pub max_frames: u64,
    /// Size of a stack after which the next one is begun.
    #[param(default = 10000000000, min = 1, unit = "B")]
    pub max_bytes: u64,
    /// Arrays written.
    #[param(readback, pv = "NumCaptured", role = Captured)]
    pub num_captured: u64,
    /// Files written.
    #[param(readback)]
    pub files_written: u64,
    /// Arrays that came while nothing was written.
    #[param(readback)]
    pub ignored: u64,
    /// Arrays that could not be written.
    #[param(readback)]
    pub write_errors: u64,
    /// Where they are written.
    #[param(flatten, default = Destination::new("stack", "%s%s_%4.4d.npy"))]
    pub files: Destination,
}

/// Writes arrays to files of NumPy.
pub struct NpyFiles {
    params: NpyFilesParams,
    stack: Option<Stack>,
    /// Elements of an array that does not lie packed.
    bytes: Vec<u8>,
    writing: Writing,
}

/// A file that grows.
struct Stack {
    file: GrowingFile,
    elements: Elements,
    frames: u64,
}

impl Node for NpyFiles {
    type Params = NpyFilesParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "npy_files",
        "Writes arrays to files of NumPy: one file for each, or one that grows.",
        &[PortSpec::array("in")],
    );

    fn new(params: NpyFilesParams) -> Result<NpyFiles, NodeError> {
        Ok(NpyFiles { params, stack: None, bytes: Vec::new(), writing: Writing::default() })
    }

    fn params(&mut self) -> &mut NpyFilesParams {
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
        if !self.params.capture {
            self.params.ignored += 1;
            return Ok(());
        }
        let array = frame.array()?;
        // The form is checked before a file is created, so that a refused array leaves no empty file.
        let elements = Elements::of(array.layout()).map_err(NodeError::new)?;
        let now_ns = ctx.now_ns();
        self.look_for_files(now_ns);
        let may_write = self.writing.may_write(&self.params.files.report, now_ns);
        let written = may_write.and_then(|()| self.write(&array, elements));
        self.settle(written, now_ns)?;
        if self.is_full() {
            // The array is written even if a file could not be renamed.
            let _ = self.end_or_tell();
        }
        Ok(())
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "capture" if !self.params.capture => self.end_or_tell(),
            "grouping" => self.end_or_tell(),
            name => self.params.files.changed(name, self.params.file_number, ctx),
        }
    }

    fn drain(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.end()
    }

    fn stop(&mut self) {
        // The node has no caller any more; `end_or_tell` has logged an error.
        let _ = self.end_or_tell();
    }
}

impl Recorder for NpyFiles {
    fn writing(&mut self) -> &mut Writing {
        &mut self.writing
    }

    fn is_in_place(&self) -> bool {
        self.stack.as_ref().is_none_or(|stack| stack.file.is_in_place())
    }

    fn end(&mut self) -> Result<(), NodeError> {
        let Some(stack) = self.stack.take() else { return Ok(()) };
        let p = &mut self.params;
        p.file_number += 1;
        // The disk had no room for the first array.
        if stack.frames == 0 {
            // A file without an array would be read as a stack of length 0.
            return stack.file.discard().map_err(NodeError::new);
        }
        p.files.end(stack.file)?;
        p.files_written += 1;
        Ok(())
    }
}

impl NpyFiles {
    fn write(&mut self, array: &ArrayRef<'_>, elements: Elements) -> Result<()> {
        // A stack has one shape and one type, so another kind of array begins the next file.
        if self.stack.as_ref().is_some_and(|stack| stack.elements != elements) {
            self.end().map_err(Error::writer)?;
        }
        if self.stack.is_none() {
            let p = &mut self.params;
            let file = p.files.create_next(&mut p.file_number)?;
            self.stack = Some(Stack { file, elements, frames: 0 });
        }
        let Some(stack) = &mut self.stack else { return Ok(()) };
        let bytes = packed(array, &mut self.bytes);
        // A single array has no axis of frames.
        let frames = |count| (self.params.grouping == NpyMode::Stack).then_some(count);
        stack.write(bytes, frames)
    }

    fn settle(&mut self, written: Result<()>, now_ns: u64) -> Result<(), NodeError> {
        let p = &mut self.params;
        let settled = self.writing.settle(written, &mut p.files.report, now_ns);
        match settled {
            Ok(()) => p.num_captured += 1,
            Err(_) => p.write_errors += 1,
        }
        settled
    }

    fn is_full(&self) -> bool {
        let p = &self.params;
        self.stack.as_ref().is_some_and(|stack| {
            p.grouping == NpyMode::Single
                || stack.file.len() >= p.max_bytes
                || p.max_frames != 0 && stack.frames >= p.max_frames
        })
    }
}

impl Stack {
    /// Appends an array, and only then says in the header that it is there; `frames` makes the first axis of the number of arrays.
    fn write(&mut self, bytes: &[u8], frames: impl Fn(u64) -> Option<u64>) -> Result<()> {
        self.file.repair()?;
        if self.file.len() == 0 {
            self.file.append(&[&header(&self.elements, frames(0))])?;
        }
        let before = self.file.len();
        self.file.append(&[bytes])?;
        // The header comes after the array: a reader that looks between the two misses the array, and never
        // reads too far.
        let told = self.file.rewrite(0, &header(&self.elements, frames(self.frames + 1)));
        if let Err(error) = told {
            // A rest of the array would come between the arrays that are counted.
            self.file.cut(before)?;
            return Err(error.into());
        }
        self.frames += 1;
        Ok(())
    }
}
