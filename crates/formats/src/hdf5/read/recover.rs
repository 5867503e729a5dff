//! Files whose writer was killed.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::super::superblock::{Mark, Superblock};
use super::input::Input;
use super::start::start;
use super::survey::{Survey, survey_of};
use crate::{Error, Result};

/// The findings and the repair.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The file had the mark that it is being written; it has it no more.
    pub was_open: bool,
    /// The content of the file.
    pub survey: Survey,
}

/// Takes away the mark of the file `path` that says that it is being written, so that every reader opens it. Nothing
/// else is changed: everything that the writer had shown is complete. Only for a file without a writer.
///
/// # Errors
/// If the system refuses, it is no HDF5 file of superblock 0 to 3, or its beginning is damaged.
pub fn recover(path: &Path) -> Result<Recovered> {
    let refused = |e| Error::io("to open the file for writing", e).in_file(path);
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(refused)?;
    let input = Input::new(&file).map_err(|e| e.in_file(path))?;
    let found = start(&input).map_err(|e| e.in_file(path))?;
    if found.is_open {
        // The last writes may lie behind the end that the file knows of.
        let block = Superblock { mark: Mark::Closed, end: input.size.max(found.end), root: found.root };
        let written = if input.size < found.end { file.set_len(found.end) } else { Ok(()) };
        let written = written.and_then(|()| file.write_all_at(&block.bytes(), 0));
        written.map_err(|e| Error::io("to write the file", e).in_file(path))?;
    }
    let survey = survey_of(&file).map_err(|e| e.in_file(path))?;
    Ok(Recovered { was_open: found.is_open, survey })
}
