//! The new files: written with large writes, read again, and only then given their names.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_formats::file::ReadAt;
use livetime_formats::xtc1::Writer;
use livetime_formats::{Error, Result};

use super::job::{Job, Written};
use super::split::{Split, chunk_path};

/// Writes jobs in their order. If it is dropped before [`Output::finish`], its files go.
pub(super) struct Output {
    path: PathBuf,
    split: Split,
    /// How many files were begun.
    number: u32,
    /// The last file is being written; earlier ones wait until all their bytes were read again.
    open: Vec<New>,
    /// Files that have their names, with their bytes.
    files: Vec<(PathBuf, u64)>,
    is_finished: bool,
}

/// A file without a name.
struct New {
    path: PathBuf,
    writer: Writer,
    /// Every job that waits to be read again has it too.
    reader: Arc<File>,
}

impl Output {
    /// Creates the first file.
    pub(super) fn create(path: &Path, split: Split) -> Result<Output> {
        let (path, open, files) = (path.to_owned(), Vec::new(), Vec::new());
        let mut output = Output { path, split, number: 0, open, files, is_finished: false };
        output.begin_file()?;
        Ok(output)
    }

    /// Writes the output of `job`, and tells it where that is.
    pub(super) fn write(&mut self, job: &mut Job) -> Result<()> {
        let written = self.open.last().map_or(0, |new| new.writer.len());
        let is_full = written + job.output.len() as u64 > self.split.bytes();
        // A file has at least one job, however large.
        if written > 0 && (job.starts_file || is_full) {
            self.begin_file()?;
        }
        if let Some(New { writer, reader, .. }) = self.open.last_mut() {
            let offset = writer.write(&job.output)?;
            job.written = Some(Written { file: reader.clone(), offset });
        }
        Ok(())
    }

    /// Gives the files their names; returns them with their bytes. All that was written must have been read again.
    pub(super) fn finish(mut self) -> Result<Vec<(PathBuf, u64)>> {
        self.name(0)?;
        self.is_finished = true;
        // Numbers of chunks may have more digits than two.
        self.files.sort_by_key(|(path, _)| (path.as_os_str().len(), path.clone()));
        Ok(std::mem::take(&mut self.files))
    }

    fn begin_file(&mut self) -> Result<()> {
        let path = match self.split {
            Split::Not => self.path.clone(),
            _ => chunk_path(&self.path, self.number),
        };
        let writer = Writer::make(&path)?;
        let reader = File::open(writer.written_path());
        let reader =
            reader.map_err(|e| Error::io("to read the new file", e).in_file(writer.written_path()))?;
        self.open.push(New { path, writer, reader: Arc::new(reader) });
        self.number += 1;
        self.name(1)
    }

    /// Gives all files but the last `but` their names; their bytes have all been read again.
    fn name(&mut self, but: usize) -> Result<()> {
        let mut at = 0;
        // Jobs hold the reader while they read their part again; the last job frees the file.
        while at + but < self.open.len() {
            if Arc::strong_count(&self.open[at].reader) > 1 {
                at += 1;
                continue;
            }
            let New { path, writer, reader } = self.open.remove(at);
            let length = writer.len();
            // A last look at the length: the file must be as long as it was written.
            let found = reader.size().map_err(|e| Error::io("the size of the new file", e).in_file(&path))?;
            if found != length {
                let wanted = format!("{length} bytes in the new file");
                return Err(Error::new(wanted, found.to_string()).in_file(&path));
            }
            writer.finish()?;
            self.files.push((path, length));
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        // A failure here cannot be reported to anyone.
        self.files.iter().for_each(|(path, _)| drop(std::fs::remove_file(path)));
    }
}
