//! Where the files of a recorder go.

use std::path::{Path, PathBuf};

use livetime_engine::{Context, NodeError, Params};
use livetime_formats::file::GrowingFile;

use crate::{Result, Series, WriteReport, ensure_folder};

/// The parameters of a recorder for folder, names and numbers of its files, and readbacks of its writing. They come
/// behind the node's own parameters.
///
/// ```
/// use livetime_engine::Params;
/// use livetime_filing::Destination;
///
/// /// Parameters of a recorder.
/// #[derive(Params)]
/// struct RecorderParams {
///     /// Number of the next file.
///     #[param(default = 1, pv = "FileNumber")]
///     file_number: u64,
///     #[param(flatten, default = Destination::new("run", "%s%s_%4.4d.x"))]
///     files: Destination,
/// }
///
/// let folder = tempfile::tempdir()?;
/// let mut p = RecorderParams::default();
/// p.files.path = folder.path().display().to_string();
/// std::fs::write(folder.path().join("run_0001.x"), "of another run")?;
/// let mut file = p.files.create_next(&mut p.file_number)?;
/// file.append(&[b"data"])?;
/// p.files.end(file)?;
/// assert_eq!((p.file_number, p.files.full_file_name.ends_with("run_0002.x")), (2, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Params)]
pub struct Destination {
    /// Folder of the files.
    #[param(pv = "FilePath", role = Folder)]
    pub path: String,
    /// Name of the files.
    #[param(pv = "FileName")]
    pub file_name: String,
    /// Template of C's printf for folder, name and number. Recordings of several files add what tells these apart.
    #[param(pv = "FileTemplate")]
    pub template: String,
    /// Which missing folders are created: 0 none, -n at most n, n those below the first n.
    #[param(pv = "CreateDirectory", drv_info = "CREATE_DIR")]
    pub create_directory: i32,
    /// Whether there is a folder that can be written to.
    #[param(readback, pv = "FilePathExists")]
    pub file_path_exists: bool,
    /// The file that is being written, or the last one.
    #[param(readback, pv = "FullFileName", role = LastFile)]
    pub full_file_name: String,
    /// How writing fares.
    #[param(flatten)]
    pub report: WriteReport,
}

impl Destination {
    /// With these names when none are given.
    pub fn new(file_name: &str, template: &str) -> Destination {
        let (file_name, template) = (file_name.into(), template.into());
        Destination { file_name, template, ..Destination::default() }
    }

    /// The names of the files.
    pub fn series(&self) -> Series<'_> {
        Series { template: &self.template, folder: &self.path, name: &self.file_name, last: u64::MAX }
    }

    /// The first of the names that are written to, as a node tells them before it starts.
    pub fn first(&self) -> Vec<PathBuf> {
        self.series().path(1).into_iter().collect()
    }

    /// For the start of the run, with the next number: a recorder that captures needs its folder.
    ///
    /// # Errors
    /// For a template from which no name can be made.
    pub fn start(&mut self, number: u64, is_capturing: bool, ctx: &Context) -> Result<(), NodeError> {
        self.check(number)?;
        match is_capturing {
            true => self.look(ctx),
            false => self.file_path_exists = self.is_there(),
        }
        Ok(())
    }

    /// For a parameter that was written; others than these are none of its business.
    ///
    /// # Errors
    /// For a template from which no name can be made.
    pub fn changed(&mut self, name: &str, number: u64, ctx: &Context) -> Result<(), NodeError> {
        match name {
            "capture" | "path" | "create_directory" => {
                self.look(ctx);
                Ok(())
            }
            "template" | "file_name" | "file_number" => self.check(number),
            _ => Ok(()),
        }
    }

    /// Looks whether there is a folder, and creates it if that is allowed; for moments when there is nothing to write yet. A
    /// missing folder is reported at once, but the node does not fail: clients of areaDetector often name or create it later.
    fn look(&mut self, ctx: &Context) {
        tell_missing(&self.ensure(), ctx);
    }

    /// Whether there is a folder, just now.
    pub fn is_there(&self) -> bool {
        Path::new(&self.path).is_dir()
    }

    fn check(&self, number: u64) -> Result<(), NodeError> {
        self.series().path(number).map(drop).map_err(NodeError::new)
    }

    /// Sees to it that there is a folder that can be written to.
    ///
    /// # Errors
    /// If there is none.
    pub fn ensure(&mut self) -> Result<()> {
        // Not only at the start: another program may remove the folder, or make it.
        let found = ensure_folder(&self.path, self.create_directory);
        self.file_path_exists = found.is_ok();
        found
    }

    /// Creates the next file of a series, which keeps its `.inprogress` if it is not finished.
    ///
    /// # Errors
    /// If there is no folder that can be written to, no number is free, or the system refuses.
    pub fn create_next(&mut self, number: &mut u64) -> Result<GrowingFile> {
        self.ensure()?;
        let create = |path: &Path| Ok(GrowingFile::create_new(path)?);
        let file = self.series().create_next(number, GrowingFile::is_taken, create)?;
        self.full_file_name = file.written_path().display().to_string();
        Ok(file)
    }

    /// Cuts off half a piece at the end of a file, brings it to the disk and gives it its name, and enters how that fared.
    ///
    /// # Errors
    /// If the system refuses: why, and where the data are.
    pub fn end(&mut self, mut file: GrowingFile) -> Result<(), NodeError> {
        let path = file.path().display().to_string();
        // A half-written item at the end is cut off before the file gets its name.
        file.repair().and_then(|()| file.finish_on_disk()).map_err(|why| {
            self.report.failed(why.to_string());
            NodeError::new(why)
        })?;
        self.full_file_name = path;
        Ok(())
    }
}

/// Reports a folder that is missing when there is nothing to write yet.
pub fn tell_missing(found: &Result<()>, ctx: &Context) {
    if let Err(why) = found {
        ctx.tell_error(format!("{why}; frames are lost until there is one"));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::WriteStatus;

    #[test]
    fn what_cannot_be_written_is_said_and_leaves_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        let (mut files, mut number) = (Destination::new("run", "%s%s_%d.x"), 1);
        files.path = below.display().to_string();
        let error = files.create_next(&mut number).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("`{}`: wanted a folder, found none (create_directory is 0)", below.display())
        );
        files.create_directory = -1;
        let file = files.create_next(&mut number).unwrap();
        assert!(files.file_path_exists && files.full_file_name.ends_with("below/run_1.x.inprogress"));
        // Nothing was recorded in it: the number is free again.
        drop(file);
        let mut file = files.create_next(&mut number).unwrap();
        assert_eq!((number, fs::read_dir(&below).unwrap().count()), (1, 1));
        // The recorded bytes are kept, also when another program takes the name.
        file.append(&[b"data"]).unwrap();
        fs::write(below.join("run_1.x"), "theirs").unwrap();
        let error = files.end(file).unwrap_err().to_string();
        assert!(error.contains("all data are in `") && error.contains("run_1.x.inprogress`"), "{error}");
        assert_eq!((files.report.write_status, &files.report.write_message), (WriteStatus::Error, &error));
        assert_eq!(fs::read(below.join("run_1.x")).unwrap(), b"theirs");
        assert!(files.create_next(&mut number).unwrap().path().ends_with("run_2.x"));
        // A file in the place of the folder.
        files.path = below.join("run_1.x").display().to_string();
        assert!(files.create_next(&mut number).is_err() && !files.file_path_exists);
    }
}
