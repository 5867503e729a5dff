//! `tiff_files`: each frame as a TIFF file (areaDetector's NDFileTIFF).
//!
//! In: arrays of any dtype: one- or two-dimensional, other dimensions of size 1, RGB1, RGB2, RGB3; views with
//! strides are written from where they lie. RGB1 is stored with colours side by side, RGB2 and RGB3 with one
//! strip per colour. No compression; a BigTIFF from 4 GiB on. Out: nothing.
//!
//! | tag | content |
//! |---|---|
//! | 65000 | event time in seconds since 1990 (double) |
//! | 65001 | sequence number, modulo 2^32 |
//! | 65002, 65003 | event time: seconds since 1990, ns |
//! | 65010 … | attributes as `name:value` |
//! | Make, Model, ImageDescription | attributes `Manufacturer`, `Model`, `TIFFImageDescription` |
//!
//! A file gets its name when it is complete, so that a crash leaves no half file under it, and an existing
//! file is only replaced when `overwrite` says so. A frame that could not be written is an error that names
//! the file; its number is used for the next frame.
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

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec};
use livetime_frame::Frame;

use super::file_name::{ensure_folder, file_name};
use super::write_status::WriteStatus;
use encode::{Strips, encode};

/// Parameters of `tiff_files`.
#[derive(Params)]
pub struct TiffFilesParams {
    /// Folder of the files.
    #[param(pv = "FilePath")]
    pub path: String,
    /// Name of the files.
    #[param(default = "frame", pv = "FileName")]
    pub file_name: String,
    /// Template of C's printf for folder, name and number.
    #[param(default = "%s%s_%3.3d.tif", pv = "FileTemplate")]
    pub template: String,
    /// Number of the next file.
    #[param(default = 1, min = 0, pv = "FileNumber")]
    pub file_number: u64,
    /// Whether the number grows with each file.
    #[param(default = true, pv = "AutoIncrement")]
    pub auto_increment: bool,
    /// Which missing folders are created: 0 none, -n at most n, n those below the first n.
    #[param(pv = "CreateDirectory")]
    pub create_directory: i32,
    /// Whether an existing file is replaced; if not, that is an error.
    pub overwrite: bool,
    /// Added to the name while the file is being written; empty means that it has its name from the start.
    #[param(default = ".tmp", pv = "TempSuffix")]
    pub temp_suffix: String,
    /// The last file.
    #[param(readback, pv = "FullFileName")]
    pub full_file_name: String,
    /// Files written.
    #[param(readback, pv = "NumCaptured")]
    pub num_captured: u64,
    /// Frames that could not be written.
    #[param(readback)]
    pub write_errors: u64,
    /// How the last file fared.
    #[param(readback, pv = "WriteStatus")]
    pub write_status: WriteStatus,
    /// What went wrong with the last file; empty when it was written.
    #[param(readback, pv = "WriteMessage")]
    pub write_message: String,
}

/// Writes each frame as a TIFF file.
pub struct TiffFiles {
    params: TiffFilesParams,
}

impl Node for TiffFiles {
    type Params = TiffFilesParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "tiff_files",
        kind: NodeKind::Sink,
        summary: "Writes each frame as a TIFF file.",
        inputs: &[PortSpec::array("in")],
        outputs: &[],
        parallel: false,
    };

    fn new(params: TiffFilesParams) -> Result<TiffFiles, NodeError> {
        Ok(TiffFiles { params })
    }

    fn params(&mut self) -> &mut TiffFilesParams {
        &mut self.params
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.next_name().map_err(NodeError::new)?;
        self.folder()
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.save(frame) {
            Ok(name) => {
                self.params.full_file_name = name;
                self.params.num_captured += 1;
                self.params.file_number += u64::from(self.params.auto_increment);
                self.params.write_status = WriteStatus::Ok;
                self.params.write_message.clear();
                Ok(())
            }
            Err(message) => {
                self.params.write_errors += 1;
                self.params.write_status = WriteStatus::Error;
                self.params.write_message.clone_from(&message);
                Err(NodeError::new(message))
            }
        }
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.specs().get(index).map_or("", |spec| spec.name) {
            "path" | "create_directory" => self.folder(),
            "template" => self.next_name().map(drop).map_err(NodeError::new),
            _ => Ok(()),
        }
    }
}

impl TiffFiles {
    fn folder(&self) -> Result<(), NodeError> {
        ensure_folder(&self.params.path, self.params.create_directory).map_err(NodeError::new)
    }

    fn next_name(&self) -> Result<String, String> {
        let p = &self.params;
        file_name(&p.template, &p.path, &p.file_name, p.file_number)
    }

    /// Writes the frame and returns the name of the file.
    fn save(&self, frame: &Frame) -> Result<String, String> {
        let array = frame.array().map_err(|e| e.to_string())?;
        let strips = Strips::of(array.layout())?;
        let name = self.next_name()?;
        let failed = |e: &dyn std::fmt::Display| format!("`{name}`: wanted to write a file, found: {e}");
        if !self.params.overwrite && Path::new(&name).exists() {
            return Err(format!("`{name}`: wanted a new file, found one of this name"));
        }
        let temporary = format!("{name}{}", self.params.temp_suffix);
        let written = File::create(&temporary).map_err(|e| failed(&e)).and_then(|file| {
            let mut out = BufWriter::with_capacity(1 << 16, file);
            encode(&mut out, &strips, &array, frame.header()).map_err(|e| failed(&e))?;
            out.flush().map_err(|e| failed(&e))?;
            // With an empty suffix this does nothing.
            fs::rename(&temporary, &name).map_err(|e| failed(&e))
        });
        if written.is_err() {
            // What is left of it has no use; that it may not be there is no further error.
            let _ = fs::remove_file(&temporary);
        }
        written.map(|()| name)
    }
}
