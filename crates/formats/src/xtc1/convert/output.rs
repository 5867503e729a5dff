//! The new files: written with large writes, read again, and only then given their names.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::hash;
use super::job::Job;
use super::split::{Split, chunk_path};
use crate::file::{ReadAt, read_exact_at};
use crate::parallel::{Worker, in_order};
use crate::xtc1::Writer;
use crate::{Error, Result};

/// Writes jobs in their order. If it is dropped before [`Output::finish`], its files go.
pub(super) struct Output {
    path: PathBuf,
    split: Split,
    writer: Option<Writer>,
    /// What is in the file that is written.
    units: Vec<Unit>,
    /// Files that have their names, with their bytes.
    files: Vec<(PathBuf, u64)>,
    is_finished: bool,
}

/// What one job wrote.
#[derive(Clone, Copy, Debug)]
struct Unit {
    offset: u64,
    length: usize,
    hash: u64,
}

impl Output {
    /// Creates the first file.
    pub(super) fn create(path: &Path, split: Split) -> Result<Output> {
        let mut output = Output {
            path: path.to_owned(),
            split,
            writer: None,
            units: Vec::new(),
            files: Vec::new(),
            is_finished: false,
        };
        output.writer = Some(Writer::create(&output.next_path())?);
        Ok(output)
    }

    pub(super) fn write(&mut self, job: &Job) -> Result<()> {
        let written = self.writer.as_ref().map_or(0, Writer::len);
        let is_full = written + job.output.len() as u64 > self.split.bytes();
        if written > 0 && (job.starts_file || is_full) {
            self.close(1)?;
        }
        if self.writer.is_none() {
            self.writer = Some(Writer::create(&self.next_path())?);
        }
        if let Some(writer) = &mut self.writer {
            let offset = writer.write(&job.output)?;
            self.units.push(Unit { offset, length: job.output.len(), hash: job.hash });
        }
        Ok(())
    }

    /// Closes the last file; returns all of them with their bytes.
    pub(super) fn finish(mut self, workers: usize) -> Result<Vec<(PathBuf, u64)>> {
        self.close(workers)?;
        self.is_finished = true;
        Ok(std::mem::take(&mut self.files))
    }

    /// Reads the file again, and gives it its name if it holds what was written.
    fn close(&mut self, workers: usize) -> Result<()> {
        let (Some(writer), path) = (&self.writer, self.next_path()) else { return Ok(()) };
        check(writer.written_path(), writer.len(), std::mem::take(&mut self.units), workers)?;
        if let Some(writer) = self.writer.take() {
            let length = writer.len();
            writer.finish()?;
            self.files.push((path, length));
        }
        Ok(())
    }

    fn next_path(&self) -> PathBuf {
        match self.split {
            Split::Not => self.path.clone(),
            _ => chunk_path(&self.path, self.files.len() as u32),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        // Nobody is left who could be told that this fails.
        let _ = self.writer.take().map(Writer::discard);
        self.files.iter().for_each(|(path, _)| drop(std::fs::remove_file(path)));
    }
}

/// Whether the file at `path` has `length` bytes, and they are what was written.
fn check(path: &Path, length: u64, units: Vec<Unit>, workers: usize) -> Result<()> {
    let file = File::open(path).map_err(|e| Error::io("to read the new file", e).in_file(path))?;
    let found = file.size().map_err(|e| Error::io("the size of the new file", e).in_file(path))?;
    if found != length {
        return Err(Error::new(format!("{length} bytes in the new file"), found.to_string()).in_file(path));
    }
    let mut units = units.into_iter();
    let mut workers: Vec<Checker<'_>> =
        (0..workers.max(1)).map(|_| Checker { file: &file, path, buffer: Vec::new() }).collect();
    let jobs = vec![None; workers.len()];
    let take = |job: &mut Option<Unit>| {
        *job = units.next();
        Ok(job.is_some())
    };
    in_order(jobs, &mut workers, take, |_| Ok(()), || true)
}

struct Checker<'a> {
    file: &'a File,
    path: &'a Path,
    buffer: Vec<u8>,
}

impl Worker<Option<Unit>> for Checker<'_> {
    fn work(&mut self, job: &mut Option<Unit>) -> Result<()> {
        let Some(Unit { offset, length, hash: wanted }) = *job else { return Ok(()) };
        if self.buffer.len() < length {
            self.buffer.resize(length, 0);
        }
        let buffer = &mut self.buffer[..length];
        read_exact_at(self.file, buffer, offset).map_err(|e| e.in_file(self.path))?;
        if hash(buffer) == wanted {
            return Ok(());
        }
        let found = "other bytes: the disk, the memory or the system is at fault";
        Err(Error::new("what was written", found).at(offset).in_file(self.path))
    }
}
