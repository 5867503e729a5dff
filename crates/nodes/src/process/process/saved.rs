//! Background and flat field out of a file, which areaDetector reads through the plugin `Proc1:TIFF`.

use std::path::Path;

use livetime_engine::{Context, NodeError, Params};
use livetime_filing::{WriteStatus, file_name};
use livetime_frame::Frame;

use crate::picture_file::{self, PictureError, read_file};

/// The file that a background or a flat field is read from.
#[derive(Params)]
pub struct SavedFile {
    /// Writing true reads the file as background; reads false.
    pub read_background: bool,
    /// Writing true reads the file as flat field; reads false.
    pub read_flat_field: bool,
    /// Folder of the file; it reads back with a slash at its end.
    #[param(pv = "TIFF:FilePath")]
    pub tiff_path: String,
    /// Name of the file.
    #[param(pv = "TIFF:FileName")]
    pub tiff_name: String,
    /// Template of C's printf for folder, name and number.
    #[param(default = "%s%s_%3.3d.tif", pv = "TIFF:FileTemplate")]
    pub tiff_template: String,
    /// Number of the file.
    #[param(min = 0, pv = "TIFF:FileNumber")]
    pub tiff_number: u64,
    /// Whether the number grows with each file that is read.
    #[param(pv = "TIFF:AutoIncrement")]
    pub tiff_auto_increment: bool,
    /// Whether the folder is there.
    #[param(readback, pv = "TIFF:FilePathExists")]
    pub tiff_path_exists: bool,
    /// The last file that was read.
    #[param(readback, pv = "TIFF:FullFileName")]
    pub tiff_full_name: String,
    /// Whether it could be read.
    #[param(readback, pv = "TIFF:WriteStatus", form = Plain)]
    pub tiff_status: WriteStatus,
    /// Why it could not be read; empty if it could.
    #[param(readback, pv = "TIFF:WriteMessage", form = Plain)]
    pub tiff_message: String,
}

impl SavedFile {
    /// The folder was written.
    pub(super) fn settle_path(&mut self) {
        if !self.tiff_path.is_empty() && !self.tiff_path.ends_with('/') {
            self.tiff_path.push('/');
        }
        self.tiff_path_exists = Path::new(&self.tiff_path).is_dir();
    }

    /// The picture in the file: TIFF, PNG or JPEG.
    ///
    /// # Errors
    /// With the name of the file, and the wanted and the found value.
    pub(super) fn read(&mut self, ctx: &mut Context) -> Result<Frame, NodeError> {
        let path = file_name(&self.tiff_template, &self.tiff_path, &self.tiff_name, self.tiff_number);
        self.tiff_full_name = path.map_err(NodeError::new)?;
        let named = |why: PictureError| NodeError::new(format_args!("`{}`: {why}", self.tiff_full_name));
        // A file cannot be larger than the memory for frames, where its pixels go.
        let (most, mut bytes) = (ctx.pool_statistics().limit_bytes, Vec::new());
        read_file(Path::new(&self.tiff_full_name), most, &mut bytes).map_err(named)?;
        let picture = picture_file::open(&bytes, most).map_err(named)?;
        let mut output = ctx.array(picture.layout)?;
        picture.read(output.bytes_mut()).map_err(named)?;
        self.tiff_number += u64::from(self.tiff_auto_increment);
        Ok(output.freeze())
    }

    /// Shows how reading fared.
    pub(super) fn settle(&mut self, read: &Result<(), NodeError>) {
        self.tiff_status = if read.is_ok() { WriteStatus::Ok } else { WriteStatus::Error };
        self.tiff_message = read.as_ref().err().map(ToString::to_string).unwrap_or_default();
    }
}
