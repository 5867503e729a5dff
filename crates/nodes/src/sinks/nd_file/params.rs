//! The names of NDFile.

use livetime_engine::{ParamEnum, Params};
use livetime_filing::WriteReport;

/// When frames are written; the choices of areaDetector's FileWriteMode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum FileMode {
    /// Each frame is a file.
    #[default]
    Single,
    /// Frames are kept in memory and written together.
    Capture,
    /// Frames are written as they come, while `capture` is true.
    Stream,
}

/// Parameters of every sink that writes pictures to files; they come behind the parameters of its format
/// (`#[param(flatten)]`).
///
/// Clients see changes in the order of the fields: counts come before `capture`, so that a client that sees a capture
/// begin reads 0 frames of it.
#[derive(Params)]
pub struct NdFileParams {
    /// Whether there is a folder that can be written to.
    #[param(readback, pv = "FilePathExists")]
    pub file_path_exists: bool,
    /// Folder of the files; it reads back with a slash at its end. Empty: nothing is written.
    #[param(pv = "FilePath", role = Folder)]
    pub path: String,
    /// Name of the files.
    #[param(default = "frame", pv = "FileName")]
    pub file_name: String,
    /// Template of C's printf for folder, name and number; empty is that of the format.
    #[param(pv = "FileTemplate")]
    pub template: String,
    /// Number of the next file; it grows past those that are there already, unless they are replaced.
    #[param(default = 1, min = 0, pv = "FileNumber")]
    pub file_number: u64,
    /// Whether the number grows with each file; if not, a file that is there is an error or is replaced.
    #[param(default = true, pv = "AutoIncrement")]
    pub auto_increment: bool,
    /// Which missing folders are created when `path` is written: 0 none, -n at most n, n those below the first n.
    #[param(pv = "CreateDirectory", drv_info = "CREATE_DIR")]
    pub create_directory: i32,
    /// Whether an existing file is replaced; if not, that is an error.
    pub overwrite: bool,
    /// Added to the name while the file is being written. Empty: a format with one frame per file adds `.tmp`,
    /// others add nothing.
    #[param(pv = "TempSuffix", drv_info = "FILE_TEMP_SUFFIX")]
    pub temp_suffix: String,
    /// What is written when.
    #[param(pv = "FileWriteMode", role = WriteMode, drv_info = "WRITE_MODE")]
    pub mode: FileMode,
    /// Whether frames are written without being asked for: each one in mode single, at the end of a capture in
    /// mode capture.
    #[param(default = true, pv = "AutoSave")]
    pub auto_save: bool,
    /// Whether the file of a stream gets its name with the first frame; if not, with `capture`.
    #[param(pv = "LazyOpen", drv_info = "FILE_LAZY_OPEN")]
    pub lazy_open: bool,
    /// Whether the file that the attribute `DriverFileName` of a frame names is removed when the frame is written.
    #[param(pv = "DeleteDriverFile")]
    pub delete_driver_file: bool,
    /// Frames of a capture; 0 means that it has no end.
    #[param(pv = "NumCapture", role = CaptureSize)]
    pub num_capture: u64,
    /// The last file.
    #[param(readback, pv = "FullFileName", role = LastFile)]
    pub full_file_name: String,
    /// Frames written, or kept in mode capture, since `capture` became true; else since the start.
    #[param(readback, pv = "NumCaptured", role = Captured)]
    pub num_captured: u64,
    /// Whether frames are captured; it becomes false when there are `num_capture`.
    #[param(pv = "Capture", role = Capture, words = ["Done", "Capture"], shown = ["Done", "Capturing"])]
    pub capture: bool,
    /// Writes the last frame, or those that were captured in memory.
    #[param(pv = "WriteFile", role = Work, words = ["Done", "Write"], shown = ["Done", "Writing"])]
    pub write_file: bool,
    /// Refused: files are read by sources such as `image_files`.
    #[param(pv = "ReadFile", role = Work, words = ["Done", "Read"], shown = ["Done", "Reading"])]
    pub read_file: bool,
    /// Forgets the frames that were captured in memory.
    #[param(pv = "FreeCapture", role = Once, form = Setpoint, words = ["Done", "Free"])]
    pub free_capture: bool,
    /// Frames that came while nothing was to be written.
    #[param(readback)]
    pub ignored: u64,
    /// Frames that could not be written.
    #[param(readback)]
    pub write_errors: u64,
    /// How writing fares.
    #[param(flatten)]
    pub report: WriteReport,
}
