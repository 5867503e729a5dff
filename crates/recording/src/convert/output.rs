//! The new files: written with large writes, read again, and only then given their names.

use std::fs::File;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_formats::file::{NewFile, ReadAt, Stores, address, read_exact_at};
use livetime_formats::xtc1::Writer;
use livetime_formats::{Error, Result};
use twox_hash::XxHash3_64;

use super::job::{BLOCK, Job, Written};
use super::split::{Split, chunk_path};

/// Writes jobs in their order. If it is dropped before [`Output::finish`], its files go.
pub(super) struct Output {
    stores: Stores,
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
    place: Place,
}

/// Where a new file is written.
enum Place {
    Disk {
        writer: Writer,
        /// Every job that waits to be read again has it too.
        reader: Arc<File>,
    },
    /// An object cannot be read before its end: its hash takes the place of its bytes.
    Store { object: NewFile, hash: Box<XxHash3_64> },
}

impl Place {
    fn len(&self) -> u64 {
        match self {
            Place::Disk { writer, .. } => writer.len(),
            Place::Store { object, .. } => object.len(),
        }
    }

    /// Whether jobs wait to be read again.
    fn is_awaited(&self) -> bool {
        matches!(self, Place::Disk { reader, .. } if Arc::strong_count(reader) > 1)
    }
}

impl Output {
    /// Creates the first file.
    pub(super) fn create(stores: &Stores, path: &Path, split: Split) -> Result<Output> {
        stores.check_new(path)?;
        let (path, open, files) = (path.to_owned(), Vec::new(), Vec::new());
        let stores = stores.clone();
        let mut output = Output { stores, path, split, number: 0, open, files, is_finished: false };
        output.begin_file()?;
        Ok(output)
    }

    /// Writes the output of `job`, and tells it where that is.
    pub(super) fn write(&mut self, job: &mut Job) -> Result<()> {
        let written = self.open.last().map_or(0, |new| new.place.len());
        let is_full = written + job.output.len() as u64 > self.split.bytes();
        // A file has at least one job, however large.
        if written > 0 && (job.starts_file || is_full) {
            self.begin_file()?;
        }
        match self.open.last_mut().map(|new| &mut new.place) {
            Some(Place::Disk { writer, reader }) => {
                let offset = writer.write(&job.output)?;
                job.written = Some(Written { file: reader.clone(), offset });
            }
            Some(Place::Store { object, hash }) => {
                object.append(&[&job.output])?;
                hash.write(&job.output);
            }
            None => {}
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
        let place = if address(&path).is_some() {
            Place::Store { object: self.stores.make(&path)?, hash: Box::default() }
        } else {
            let writer = Writer::make(&path)?;
            let reader = File::open(writer.written_path());
            let reader =
                reader.map_err(|e| Error::io("to read the new file", e).in_file(writer.written_path()))?;
            Place::Disk { writer, reader: Arc::new(reader) }
        };
        self.open.push(New { path, place });
        self.number += 1;
        self.name(1)
    }

    /// Gives all files but the last `but` their names; their bytes have all been read again.
    fn name(&mut self, but: usize) -> Result<()> {
        let mut at = 0;
        // Jobs hold the reader while they read their part again; the last job frees the file.
        while at + but < self.open.len() {
            if self.open[at].place.is_awaited() {
                at += 1;
                continue;
            }
            let New { path, place } = self.open.remove(at);
            let length = place.len();
            match place {
                Place::Disk { writer, reader } => finish_file(&path, writer, &reader)?,
                Place::Store { object, hash } => {
                    object.finish()?;
                    // From here on it is there, and goes if this fails.
                    self.files.push((path.clone(), length));
                    check_object(&self.stores, &path, length, hash.finish())?;
                    continue;
                }
            }
            self.files.push((path, length));
        }
        Ok(())
    }
}

fn finish_file(path: &Path, writer: Writer, reader: &File) -> Result<()> {
    let length = writer.len();
    // A last look at the length: the file must be as long as it was written.
    let found = reader.size().map_err(|e| Error::io("the size of the new file", e).in_file(path))?;
    if found != length {
        let wanted = format!("{length} bytes in the new file");
        return Err(Error::new(wanted, found.to_string()).in_file(path));
    }
    writer.finish()
}

/// Reads an object again, as every reader will read it.
fn check_object(stores: &Stores, path: &Path, length: u64, wanted: u64) -> Result<()> {
    let (object, mut hash) = (stores.open(path)?, XxHash3_64::new());
    let mut piece = vec![0; length.min(BLOCK as u64) as usize];
    let mut at = 0;
    while at < length {
        let piece = &mut piece[..(length - at).min(BLOCK as u64) as usize];
        read_exact_at(&object, piece, at).map_err(|e| e.in_file(path))?;
        hash.write(piece);
        at += piece.len() as u64;
    }
    let is_same = hash.finish() == wanted && object.size().is_ok_and(|size| size == length);
    let found = "other bytes: the store, the memory or the network is at fault";
    is_same
        .then_some(())
        .ok_or_else(|| Error::new("the bytes that were written to the new object", found).in_file(path))
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        // A failure here cannot be reported to anyone.
        self.files.iter().for_each(|(path, _)| drop(self.stores.remove(path)));
    }
}
