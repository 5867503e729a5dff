//! The node around a format of files.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, Params, Teller, UnderWay};
use livetime_filing::{Writing, tell_missing};
use livetime_frame::Frame;

use super::error::{Unwritten, WriteError};
use super::steer::Steering;
use super::{FileMode, FileWriter, Fit, NdFileParams, NewFile};
use crate::error::Mismatch;

/// A sink that writes frames in the format `W`, as [`nd_file`](super) says.
pub struct FileNode<W: FileWriter> {
    params: W::Params,
    writer: W,
    /// The file that is open.
    file: Option<NewFile>,
    /// The empty file whose name clients of a stream know before its first frame comes.
    named: Option<NewFile>,
    /// The last frame in mode single, the frames of a capture in mode capture.
    held: Vec<Held>,
    held_bytes: usize,
    /// `capture` as it acts.
    is_capturing: bool,
    /// The mode as it acts: `mode` may be written during a capture, which ends then.
    mode: FileMode,
    /// When the capture began. Frames that were queued before do not belong to it.
    since_ns: u64,
    /// The attributes for writers of the frame before.
    steered: Steering,
    /// Reports files that are not complete at the end.
    writing: Writing,
    /// Reports frames that are lost after they were counted.
    teller: Option<Teller>,
}

/// A frame in memory.
struct Held {
    frame: Frame,
    /// Of a capture: whether it is completed or lost is known when it is written.
    under_way: Option<UnderWay>,
}

impl Held {
    fn settle(self, written: Result<(), &dyn Display>) {
        // A frame of single mode was completed when the handler returned.
        match (self.under_way, written) {
            (Some(under_way), Ok(())) => under_way.completed(),
            (Some(under_way), Err(why)) => under_way.lost(why.to_string()),
            (None, _) => {}
        }
    }
}

impl<W: FileWriter> Node for FileNode<W> {
    type Params = W::Params;

    const SPEC: NodeSpec = W::SPEC;

    const COUNTERPART: Option<Counterpart> = Some(W::COUNTERPART);

    fn new(mut params: W::Params) -> Result<FileNode<W>, NodeError> {
        let common = W::common_mut(&mut params);
        default_template::<W>(common);
        let mode = common.mode;
        let writer = W::new(&params)?;
        Ok(FileNode {
            params,
            writer,
            file: None,
            named: None,
            held: Vec::new(),
            held_bytes: 0,
            is_capturing: false,
            mode,
            since_ns: 0,
            steered: Steering::default(),
            writing: Writing::default(),
            teller: None,
        })
    }

    fn params(&mut self) -> &mut W::Params {
        &mut self.params
    }

    fn writes(&self) -> Vec<PathBuf> {
        W::common(&self.params).first_path().into_iter().collect()
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.writing.start(ctx);
        self.teller = Some(ctx.teller());
        let common = self.common();
        common.check_template().map_err(NodeError::new)?;
        tell_missing(&common.settle_path(), ctx);
        if self.common().capture { self.begin(ctx) } else { Ok(()) }
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let steering = Steering::of(frame, ctx.name());
        // Another writer's frame is no loss of this one.
        if steering.is_elsewhere {
            self.common().ignored += 1;
            return Ok(());
        }
        match self.mode {
            FileMode::Single => self.single(frame, &steering, ctx),
            _ if !self.is_wanted(ctx) => {
                self.common().ignored += 1;
                Ok(())
            }
            FileMode::Capture => self.keep(frame, ctx),
            FileMode::Stream if !self.writer.wants(frame, &mut self.params, ctx) => Ok(()),
            FileMode::Stream => self.stream(frame, &steering, ctx),
        }
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.writer.timer(&mut self.params, ctx)
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let name = self.params.name(index);
        match name {
            "path" => {
                tell_missing(&self.common().settle_path(), ctx);
                Ok(())
            }
            "template" => {
                default_template::<W>(self.common());
                self.common().check_template().map_err(NodeError::new)
            }
            "mode" => self.change_mode(),
            "capture" => self.change_capture(ctx),
            "write_file" => self.write_file(ctx),
            "read_file" => self.read_file(),
            "free_capture" => {
                self.free();
                self.common().free_capture = false;
                Ok(())
            }
            "file_name" | "file_number" | "auto_increment" | "create_directory" | "overwrite" => Ok(()),
            "temp_suffix" | "auto_save" | "lazy_open" | "delete_driver_file" | "num_capture" => Ok(()),
            own => self.writer.changed(own, &mut self.params, ctx),
        }
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let saved = self.end_capture(ctx);
        // At the end of the run a failure must reach the report, so it is not only shown.
        saved.map_err(NodeError::new)
    }

    fn stop(&mut self) {
        if let Err(why) = self.close() {
            self.writing.tell_unfinished(&why);
        }
        // Frames in memory without an order to write them are lost, and say so.
        let why = Mismatch::new("a capture that is written or freed", "the end of the run");
        self.held.drain(..).for_each(|held| held.settle(Err(&why)));
    }
}

// ---- Modes ----

impl<W: FileWriter> FileNode<W> {
    fn common(&mut self) -> &mut NdFileParams {
        W::common_mut(&mut self.params)
    }

    /// Whether a frame that is here now belongs to the capture.
    fn is_wanted(&self, ctx: &Context) -> bool {
        let queued_ns = ctx.queued_ns();
        self.is_capturing && (queued_ns == 0 || queued_ns >= self.since_ns)
    }

    fn single(&mut self, frame: &Frame, steering: &Steering, ctx: &mut Context) -> Result<(), NodeError> {
        // Single mode keeps the last frame for `write_file`.
        self.held.clear();
        self.held.push(Held { frame: frame.clone(), under_way: None });
        let common = self.common();
        if !common.auto_save || common.path.is_empty() {
            common.ignored += 1;
            return Ok(());
        }
        let written = self.write_alone(frame, steering, ctx);
        self.settle(written)
    }

    fn keep(&mut self, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let bytes = frame.bytes().len();
        // The other half is for the frames that are under way.
        let most = ctx.pool_statistics().limit_bytes / 2;
        if self.held_bytes + bytes > most {
            let (wanted, found) = (self.common().num_capture, self.held.len());
            let why = Mismatch::new(
                format!("memory for {wanted} frames in mode capture"),
                format!("room for {found}: half of the frame pool ({most} B)"),
            );
            self.stop_capture();
            return self.settle(Err(why.into()));
        }
        self.held_bytes += bytes;
        self.held.push(Held { frame: frame.clone(), under_way: Some(ctx.under_way()) });
        self.common().num_captured += 1;
        if !self.is_complete() {
            return Ok(());
        }
        // The end of the capture settles every held frame, this one among them.
        let saved = self.end_capture(ctx);
        let _ = self.settle(saved);
        Ok(())
    }

    fn stream(&mut self, frame: &Frame, steering: &Steering, ctx: &mut Context) -> Result<(), NodeError> {
        let written = self.write(frame, steering, ctx);
        // A broken file takes no further frame: the capture ends with it.
        let broken = self.file.is_some() && self.writer.is_broken();
        let is_over = broken || (written.is_ok() && self.is_complete());
        let ended = if is_over { self.end_capture(ctx) } else { Ok(()) };
        self.settle(written.and(ended))
    }

    fn is_complete(&mut self) -> bool {
        let common = self.common();
        common.num_capture != 0 && common.num_captured >= common.num_capture
    }

    /// The missing frames of a capture that ends now, if a number of frames was wanted.
    fn short_of(&mut self) -> Option<String> {
        let (is_capturing, common) = (self.is_capturing, self.common());
        let (wanted, found) = (common.num_capture, common.num_captured);
        (is_capturing && found < wanted).then(|| format!("wanted {wanted} frames, found {found}"))
    }

    fn change_capture(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        match W::common(&self.params).capture {
            true if self.is_capturing => Ok(()),
            // A capture that could not begin must read as off, so that clients do not wait for it.
            true => self.begin(ctx).inspect_err(|_| self.stop_capture()),
            // The last error is left in the message for clients to read.
            false => {
                let short = self.short_of();
                self.end_capture(ctx).or_else(|why| self.settle(Err(why)))?;
                short.into_iter().for_each(|short| self.common().report.write_message = short);
                Ok(())
            }
        }
    }

    fn begin(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let common = self.common();
        let refused = match common.mode {
            FileMode::Single => Err("wanted mode stream or capture for a capture, found single"),
            FileMode::Capture if common.num_capture == 0 => {
                Err("wanted at least 1 in num_capture for a capture in memory, found 0")
            }
            _ => Ok(()),
        };
        refused.map_err(NodeError::new)?;
        // Clients see 0 before `capture` reads true; see the order of the parameters.
        common.num_captured = 0;
        self.mode = self.common().mode;
        // Frames of an earlier capture that were neither written nor freed are released here.
        self.free();
        self.writer.begin(&mut self.params, ctx)?;
        (self.is_capturing, self.since_ns) = (true, ctx.now_ns());
        self.common().report.succeeded();
        // A missing folder does not end the capture: frames come later, and the folder may by then.
        let named = self.name_ahead();
        named.unwrap_or_else(|why| self.common().report.failed(why.to_string()));
        Ok(())
    }

    /// Gives the file of a stream its name before the first frame, unless `lazy_open` is set. Clients of areaDetector
    /// make the name out of the number that they read as soon as `capture` is true.
    fn name_ahead(&mut self) -> livetime_filing::Result<()> {
        let is_stream = W::HOLDS_MANY && self.mode == FileMode::Stream;
        let common = self.common();
        if !is_stream || common.lazy_open || common.path.is_empty() {
            return Ok(());
        }
        let file = common.create(true)?;
        common.file_path_exists = true;
        self.number_after(file.path(), file.number());
        self.named = Some(file);
        Ok(())
    }

    /// Ends the capture; writes the frames in memory if `auto_save` is set.
    fn end_capture(&mut self, ctx: &mut Context) -> Result<(), Unwritten> {
        let was_capturing = self.is_capturing;
        self.stop_capture();
        let is_kept = self.mode == FileMode::Capture && was_capturing && !self.held.is_empty();
        match is_kept && self.common().auto_save {
            true => self.write_held(ctx),
            false => self.close(),
        }
    }

    fn stop_capture(&mut self) {
        self.is_capturing = false;
        self.common().capture = false;
    }

    fn change_mode(&mut self) -> Result<(), NodeError> {
        let mode = self.common().mode;
        if mode == self.mode {
            return Ok(());
        }
        // A capture belongs to its mode, and ends with it.
        self.stop_capture();
        self.free();
        self.mode = mode;
        self.close().or_else(|why| self.settle(Err(why)))
    }

    fn write_file(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        // The flag goes back at once, so that a client can write again while the file is written.
        if !std::mem::take(&mut self.common().write_file) {
            return Ok(());
        }
        let written = match self.mode {
            FileMode::Stream => Err(Mismatch::new("mode single or capture to write a file", "stream").into()),
            _ if self.held.is_empty() => Err(Mismatch::new("a frame to write", "that none has come").into()),
            FileMode::Capture => self.write_held(ctx),
            FileMode::Single => {
                let frame = self.held[0].frame.clone();
                self.write_alone(&frame, &Steering::default(), ctx)
            }
        };
        self.settle(written)
    }

    fn read_file(&mut self) -> Result<(), NodeError> {
        if !std::mem::take(&mut self.common().read_file) {
            return Ok(());
        }
        Err(NodeError::new("wanted a node that reads files, found one that writes: use `image_files`"))
    }

    /// A client that frees the captured frames does not want them written: they do not count as lost.
    fn free(&mut self) {
        // Freed on request, so the frames count as completed.
        self.held.drain(..).for_each(|held| held.settle(Ok(())));
        self.held_bytes = 0;
    }
}

// ---- Files ----

impl<W: FileWriter> FileNode<W> {
    /// Enters how it went into the readbacks.
    fn settle(&mut self, written: Result<(), Unwritten>) -> Result<(), NodeError> {
        let common = self.common();
        match written {
            Ok(()) => {
                common.report.succeeded();
                Ok(())
            }
            Err(why) => {
                common.write_errors += 1;
                // The error may be a folder that was removed; its readback must not lag behind.
                common.look_for_folder();
                common.report.failed(why.to_string());
                Err(NodeError::new(why))
            }
        }
    }

    /// Writes the frame as a file of its own.
    fn write_alone(
        &mut self,
        frame: &Frame,
        steering: &Steering,
        ctx: &mut Context,
    ) -> Result<(), Unwritten> {
        self.write(frame, steering, ctx).inspect_err(|_| self.discard())?;
        self.close()
    }

    /// All frames of the capture in memory.
    fn write_held(&mut self, ctx: &mut Context) -> Result<(), Unwritten> {
        let (frames, counted) = (std::mem::take(&mut self.held), self.common().num_captured);
        self.held_bytes = 0;
        let mut written = Ok(());
        // After a failure the remaining frames are lost too: a file with a hole would hide it.
        for held in frames {
            if written.is_ok() {
                written = self.write(&held.frame, &Steering::of(&held.frame, ctx.name()), ctx);
            }
            held.settle(written.as_ref().copied().map_err(|why| why as &dyn Display));
        }
        // The frames were counted when they were taken, and `write` has counted them again.
        self.common().num_captured = counted;
        written.and(self.close())
    }

    /// Adds the frame to its file, which is opened if it has to be.
    fn write(&mut self, frame: &Frame, steering: &Steering, ctx: &mut Context) -> Result<(), Unwritten> {
        if steering.apply(&self.steered, W::common_mut(&mut self.params))? {
            // The change of name ends the file before, also if this frame cannot be written.
            self.close()?;
            self.steered = steering.clone();
        }
        if let Err(why) = self.prepare(frame, ctx) {
            // The writer must know of the gap, or its count of losses would miss this frame.
            self.writer.missed(frame, &mut self.params, ctx);
            self.take_name_back();
            return Err(why);
        }
        let written = self.writer.write(frame, &mut self.params, ctx).map_err(|why| self.not_written(why));
        if !W::HOLDS_MANY {
            written.inspect_err(|_| self.discard())?;
            self.close()?;
        } else {
            written?;
        }
        self.common().num_captured += 1;
        // Only after our own file has the frame may the detector's copy go.
        delete_driver_file(self.common(), frame, ctx);
        if steering.is_last { self.close() } else { Ok(()) }
    }

    /// Sees to it that there is an open file that takes the frame.
    fn prepare(&mut self, frame: &Frame, ctx: &mut Context) -> Result<(), Unwritten> {
        if self.writer.takes(frame, &self.params)? == Fit::NewFile {
            self.close()?;
        }
        if self.file.is_none() { self.open(frame, ctx) } else { Ok(()) }
    }

    fn open(&mut self, first: &Frame, ctx: &mut Context) -> Result<(), Unwritten> {
        let named = self.named.take();
        let is_named = named.is_some();
        let file = named.map_or_else(|| self.common().create(W::HOLDS_MANY), Ok)?;
        if let Err(why) = self.writer.open(&file, first, &mut self.params, ctx) {
            // The error gets the name while the file still has one.
            let why = file.not_written(why);
            file.discard();
            return Err(why.into());
        }
        self.common().file_path_exists = true;
        // Files of many frames show their name at once; single files only when they are complete.
        if W::HOLDS_MANY && !is_named {
            self.number_after(file.path(), file.number());
        }
        self.file = Some(file);
        Ok(())
    }

    /// Takes the empty file away whose name is known, after a frame that it cannot hold: the next frame gets its name.
    fn take_name_back(&mut self) {
        if let Some(named) = self.named.take() {
            self.common().file_number = named.number();
            named.discard();
        }
    }

    /// The file counts: the next one gets the next number.
    fn number_after(&mut self, path: &Path, number: u64) {
        let common = self.common();
        common.full_file_name = path.display().to_string();
        common.file_number = number + u64::from(common.auto_increment);
    }

    /// Completes the open file, if there is one.
    fn close(&mut self) -> Result<(), Unwritten> {
        // A capture without a frame leaves no file; an error does not matter, since nothing is in it.
        self.named.take().into_iter().for_each(NewFile::discard);
        let Some(file) = self.file.take() else { return Ok(()) };
        let (path, number) = (file.path().to_owned(), file.number());
        let complete = self.writer.close(&mut self.params).map_err(|why| file.not_written(why));
        match complete.and_then(|()| file.finish()) {
            Ok(()) if W::HOLDS_MANY => Ok(()),
            Ok(()) => {
                self.number_after(&path, number);
                Ok(())
            }
            Err(why) => {
                if let (unseen @ 1.., Some(teller)) = (self.writer.unseen(), &self.teller) {
                    // These frames counted as completed when they were written, so they are reported as unreadable now.
                    teller.unreadable(unseen, format!("{why}: its last {unseen} frames are lost"));
                }
                Err(why.into())
            }
        }
    }

    fn not_written(&self, why: WriteError) -> Unwritten {
        match &self.file {
            Some(file) => file.not_written(why).into(),
            None => why.into(),
        }
    }

    /// Takes the open file away, which holds nothing of use.
    fn discard(&mut self) {
        let Some(file) = self.file.take() else { return };
        // The file is thrown away, so an error of its end does not matter.
        let _ = self.writer.close(&mut self.params);
        file.discard();
    }
}

/// Removes the file that the detector has written for this frame, if that is wanted.
pub(in super::super) fn delete_driver_file(common: &NdFileParams, frame: &Frame, ctx: &Context) {
    if !common.delete_driver_file {
        return;
    }
    let Some(name) = frame.header().attributes.get("DriverFileName").map(ToString::to_string) else {
        return;
    };
    if let Err(e) = std::fs::remove_file(&name) {
        ctx.tell_error(format!("`{name}`: wanted to remove the detector's file, found: {e}"));
    }
}

fn default_template<W: FileWriter>(common: &mut NdFileParams) {
    if common.template.is_empty() {
        common.template = W::TEMPLATE.into();
    }
}
