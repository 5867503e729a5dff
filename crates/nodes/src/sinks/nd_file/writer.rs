//! The trait of a format of files.

use livetime_engine::{Context, Counterpart, NodeError, NodeSpec, Params};
use livetime_frame::Frame;

use super::error::WriteError;
use super::new_file::NewFile;
use super::params::NdFileParams;

/// Whether a frame belongs into the open file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// The frame goes into the open file, or opens one.
    Yes,
    /// The open file is closed first, and the frame begins the next one.
    NewFile,
}

/// A format of files, as [`FileNode`](super::FileNode) drives it, which handles folders, names, modes and counts.
///
/// The node opens a file with the first frame that belongs into it ([`open`](FileWriter::open)), writes this and the
/// following ones ([`write`](FileWriter::write)) and closes it. Errors of these state the found value; the node puts
/// the name of the file in front and shows the text in WriteMessage, and the frame counts as lost.
pub trait FileWriter: Sized + Send + 'static {
    /// Parameters of the format, with [`NdFileParams`] behind them.
    type Params: Params + Default;

    /// The declaration of the node; a sink with one input.
    const SPEC: NodeSpec;
    /// The node's name in areaDetector.
    const COUNTERPART: Counterpart;
    /// FileTemplate when none is given, such as `%s%s_%3.3d.tif`.
    const TEMPLATE: &'static str;
    /// Whether a file holds any number of frames; else each frame is a file.
    const HOLDS_MANY: bool;

    /// The common parameters.
    fn common(params: &Self::Params) -> &NdFileParams;

    /// The common parameters, to be written.
    fn common_mut(params: &mut Self::Params) -> &mut NdFileParams;

    /// A writer without an open file.
    ///
    /// # Errors
    /// [`NodeError`] for parameters with which nothing could be written.
    fn new(params: &Self::Params) -> Result<Self, NodeError>;

    /// Whether a frame can be written, and to which file. Asked before a file is opened.
    ///
    /// # Errors
    /// For a frame that the format, or the open file, cannot hold.
    fn takes(&mut self, frame: &Frame, params: &Self::Params) -> Result<Fit, WriteError>;

    /// Whether a frame of a capture in mode stream is to be written at all. One that is not counts nowhere here.
    fn wants(&mut self, frame: &Frame, params: &mut Self::Params, ctx: &mut Context) -> bool {
        let _ = (frame, params, ctx);
        true
    }

    /// Begins `file`, which exists, is empty and has its place and number; `first` is its first frame, which
    /// [`write`](FileWriter::write) gets afterwards.
    ///
    /// # Errors
    /// [`WriteError`]; the file is removed then.
    fn open(
        &mut self,
        file: &NewFile,
        first: &Frame,
        params: &mut Self::Params,
        ctx: &mut Context,
    ) -> Result<(), WriteError>;

    /// Adds a frame to the open file.
    ///
    /// # Errors
    /// [`WriteError`]; of a format with one frame per file the file is removed, of others it stays open.
    fn write(
        &mut self,
        frame: &Frame,
        params: &mut Self::Params,
        ctx: &mut Context,
    ) -> Result<(), WriteError>;

    /// A frame of the capture is lost before it came to [`write`](FileWriter::write): no file could be opened for it, or the
    /// open one does not take it.
    fn missed(&mut self, frame: &Frame, params: &mut Self::Params, ctx: &mut Context) {
        let _ = (frame, params, ctx);
    }

    /// Whether nothing more can be written to the open file, so that the capture ends.
    fn is_broken(&self) -> bool {
        false
    }

    /// Makes written frames visible to programs that read the file meanwhile. Called for the parameter `flush_now` of
    /// formats that have it, never by the node itself.
    ///
    /// # Errors
    /// [`WriteError`], when the system refuses.
    fn flush(&mut self, params: &mut Self::Params) -> Result<(), WriteError> {
        let _ = params;
        Ok(())
    }

    /// Completes the open file, which gets its name afterwards. Has no effect without an open file.
    ///
    /// # Errors
    /// [`WriteError`]; of a format with one frame per file the file is removed, of others it keeps its temporary name.
    fn close(&mut self, params: &mut Self::Params) -> Result<(), WriteError>;

    /// Frames that were written to a file whose [`close`](FileWriter::close) failed, and that its readers do not see.
    fn unseen(&mut self) -> u64 {
        0
    }

    /// Begins a capture: settings that hold for all of it are fixed now. `num_captured` is 0 already.
    ///
    /// # Errors
    /// [`NodeError`]; the capture does not begin.
    fn begin(&mut self, params: &mut Self::Params, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = (params, ctx);
        Ok(())
    }

    /// The parameter `name` of the format was written.
    ///
    /// # Errors
    /// [`NodeError`] when the value cannot be used; the client gets it.
    fn changed(&mut self, name: &str, params: &mut Self::Params, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = (name, params, ctx);
        Ok(())
    }

    /// The time set with [`Context::set_timer`] has come.
    ///
    /// # Errors
    /// [`NodeError`], handled by the node's policy.
    fn timer(&mut self, params: &mut Self::Params, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = (params, ctx);
        Ok(())
    }
}
