//! `tiff_files`: each frame as a TIFF file (areaDetector's NDFileTIFF).
//!
//! In: arrays of any dtype: one- or two-dimensional, other dimensions of size 1, RGB1, RGB2, RGB3; views with strides
//! are written from their memory without a copy. RGB1 is stored with colours side by side, RGB2 and RGB3 with one strip
//! per colour. No compression; a BigTIFF from 4 GiB on. Out: nothing.
//!
//! | tag | content |
//! |---|---|
//! | 65000 | event time in seconds since 1990 (double) |
//! | 65001 | sequence number, modulo 2^32 |
//! | 65002, 65003 | event time: seconds since 1990, ns |
//! | 65010 … | attributes as `name:value` |
//! | Make, Model, ImageDescription | attributes `Manufacturer`, `Model`, `TIFFImageDescription` |
//!
//! A frame without an event time gets its time of arrival, which the attribute `TimeStampSource:arrival`
//! marks.
//!
//! Modes, folders, names and counts are the same as in every writer, see [`nd_file`](super::nd_file). A file gets its
//! name when it is complete, so that a crash leaves no half file under it, and an existing file is only replaced with
//! `overwrite`; otherwise its number is skipped. A frame that could not be written is an error that names the file; its
//! number is used for the next frame.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sinks::tiff_files::TiffFiles;
//!
//! let folder = std::env::temp_dir().join(format!("livetime-tiff-{}", std::process::id()));
//! let path = folder.to_str().unwrap_or_default();
//! let params = [("path", path.into()), ("file_name", "run".into()), ("create_directory", (-1).into())];
//! let mut tiff = Harness::new::<TiffFiles>(&params)?;
//! let image = tiff.image::<u16>(&[1, 2], &[500, 600])?;
//! tiff.feed(&image)?;
//! assert!(folder.join("run_001.tif").is_file());
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod encode;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{BufWriter, Write};

use livetime_engine::{Context, Counterpart, NodeError, NodeSpec, ParamEnum, Params, PortSpec};
use livetime_frame::Frame;

use super::nd_file::{EventTime, FileNode, FileWriter, Fit, NdFileParams, NewFile, WriteError};
use crate::error::Mismatch;
use encode::{Strips, encode};

/// Format of the files; the choices of FileFormat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum TiffFormat {
    /// TIFF without compression.
    #[default]
    #[pv("TIFF")]
    Tiff,
}

/// Parameters of `tiff_files`.
#[derive(Params)]
pub struct TiffFilesParams {
    /// Format of the files.
    #[param(pv = "FileFormat")]
    pub file_format: TiffFormat,
    /// Folders, names, modes.
    #[param(flatten)]
    pub common: NdFileParams,
}

/// Writes frames as TIFF files.
pub type TiffFiles = FileNode<TiffWriter>;

/// Writes a frame as a TIFF file.
pub struct TiffWriter {
    out: Option<BufWriter<File>>,
}

impl FileWriter for TiffWriter {
    type Params = TiffFilesParams;

    const SPEC: NodeSpec =
        NodeSpec::sink("tiff_files", "Writes each frame as a TIFF file.", &[PortSpec::array("in")]);
    const COUNTERPART: Counterpart = Counterpart::new("NDFileTIFF", "TIFF");

    const TEMPLATE: &'static str = "%s%s_%3.3d.tif";
    const HOLDS_MANY: bool = false;

    fn common(params: &TiffFilesParams) -> &NdFileParams {
        &params.common
    }

    fn common_mut(params: &mut TiffFilesParams) -> &mut NdFileParams {
        &mut params.common
    }

    fn new(_params: &TiffFilesParams) -> Result<TiffWriter, NodeError> {
        Ok(TiffWriter { out: None })
    }

    fn takes(&mut self, frame: &Frame, _params: &TiffFilesParams) -> Result<Fit, WriteError> {
        let array = frame.array()?;
        Strips::of(array.layout())?;
        Ok(Fit::Yes)
    }

    fn open(
        &mut self,
        file: &NewFile,
        _first: &Frame,
        _params: &mut TiffFilesParams,
        _ctx: &mut Context,
    ) -> Result<(), WriteError> {
        self.out = Some(BufWriter::with_capacity(1 << 16, file.file()?));
        Ok(())
    }

    fn write(
        &mut self,
        frame: &Frame,
        _params: &mut TiffFilesParams,
        ctx: &mut Context,
    ) -> Result<(), WriteError> {
        let out = self.out.as_mut().ok_or_else(|| Mismatch::new("an open file", "none"))?;
        let array = frame.array()?;
        let strips = Strips::of(array.layout())?;
        let time = EventTime::of(frame.header(), ctx);
        encode(&mut *out, &strips, &array, frame.header(), time)?;
        Ok(out.flush()?)
    }

    fn close(&mut self, _params: &mut TiffFilesParams) -> Result<(), WriteError> {
        // Unwritten bytes belong to a file that failed, and must not be flushed into the next one.
        if let Some(out) = self.out.take() {
            drop(out.into_parts());
        }
        Ok(())
    }
}
