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
//! A frame without an event time gets its time of arrival, which the attribute `TimeStampSource:arrival`
//! marks.
//!
//! A file gets its name when it is complete, so that a crash leaves no half file under it, and an existing
//! file is only replaced with `overwrite`; otherwise its number is skipped. A frame that could not be written
//! is an error that names the file; its number is used for the next frame. A missing folder is reported at
//! once, and frames are lost until there is one.
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
mod new_file;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use livetime_engine::files::{WriteReport, found_folder};
use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec};
use livetime_formats::file::{Series, ensure_folder};
use livetime_frame::Frame;

use super::event_time::EventTime;
use encode::{Strips, encode};
use new_file::{NewFile, not_written};

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
    /// Number of the next file; it grows past those that are there already, unless they are replaced.
    #[param(default = 1, min = 0, pv = "FileNumber")]
    pub file_number: u64,
    /// Whether the number grows with each file; if not, a file that is there is an error or is replaced.
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
    /// Whether there is a folder that can be written to.
    #[param(readback, pv = "FilePathExists")]
    pub file_path_exists: bool,
    /// The last file.
    #[param(readback, pv = "FullFileName")]
    pub full_file_name: String,
    /// Files written.
    #[param(readback, pv = "NumCaptured")]
    pub num_captured: u64,
    /// Frames that could not be written.
    #[param(readback)]
    pub write_errors: u64,
    /// How writing fares.
    #[param(flatten)]
    pub report: WriteReport,
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

    fn writes(&self) -> Vec<PathBuf> {
        self.series().path(1).into_iter().collect()
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.check_template()?;
        self.look_for_folder(ctx);
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let saved = self.save(frame, EventTime::of(frame.header(), ctx));
        self.params.file_path_exists = saved.is_ok() || Path::new(&self.params.path).is_dir();
        match saved {
            Ok((path, number)) => {
                self.params.full_file_name = path.display().to_string();
                self.params.num_captured += 1;
                self.params.file_number = number + u64::from(self.params.auto_increment);
                self.params.report.succeeded();
                Ok(())
            }
            Err(message) => {
                self.params.write_errors += 1;
                self.params.report.failed(&*message);
                Err(NodeError::new(message))
            }
        }
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.specs().get(index).map_or("", |spec| spec.name) {
            "path" | "create_directory" => {
                self.look_for_folder(ctx);
                Ok(())
            }
            "template" => self.check_template(),
            _ => Ok(()),
        }
    }
}

impl TiffFiles {
    fn look_for_folder(&mut self, ctx: &Context) {
        let p = &mut self.params;
        p.file_path_exists = found_folder(ensure_folder(&p.path, p.create_directory), ctx);
    }

    fn check_template(&self) -> Result<(), NodeError> {
        self.series().path(self.params.file_number).map(drop).map_err(NodeError::new)
    }

    fn series(&self) -> Series<'_> {
        let p = &self.params;
        Series { template: &p.template, folder: &p.path, name: &p.file_name, last: u64::MAX }
    }

    /// Writes the frame; the name of the file and its number.
    fn save(&self, frame: &Frame, time: EventTime) -> Result<(PathBuf, u64), String> {
        let array = frame.array().map_err(|e| e.to_string())?;
        let strips = Strips::of(array.layout())?;
        let (mut number, p) = (self.params.file_number, &self.params);
        let (path, new) = if p.auto_increment && !p.overwrite {
            let suffix = &p.temp_suffix;
            let is_taken = |path: &Path| NewFile::is_taken(path, suffix);
            self.series().create_next(&mut number, is_taken, |path| self.create(path))?
        } else {
            let path = self.series().path(number)?;
            let new = self.create(&path)?;
            let taken = || format!("`{}`: wanted a new file, found one of this name", path.display());
            (path.clone(), new.ok_or_else(taken)?)
        };
        new.write(&path, |out| encode(out, &strips, &array, frame.header(), time))?;
        Ok((path, number))
    }

    /// A new file, and its folder if that has gone; `None` if the name is taken.
    fn create(&self, path: &Path) -> Result<Option<NewFile>, String> {
        let p = &self.params;
        let create = || NewFile::create(path, &p.temp_suffix, p.overwrite);
        match create() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                ensure_folder(&p.path, p.create_directory)?;
                create().map_err(|e| not_written(path, &e))
            }
            created => created.map_err(|e| not_written(path, &e)),
        }
    }
}
