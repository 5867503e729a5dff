//! The file as space that is taken from front to back, and the writing of bytes into it.

use std::fs::File;
use std::io::IoSlice;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rustix::fs::FallocateFlags;

use crate::{Error, Result};

/// A page of memory: when a program is killed, the bytes within one page are written whole or not at all.
const PAGE: u64 = 4096;

/// The end of the taken space. All clones share it, so that several threads may take.
#[derive(Clone)]
pub(super) struct Space {
    end: Arc<AtomicU64>,
}

/// A taken range, with the bytes before it up to the former end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) at: u64,
    before: u64,
    end: u64,
}

impl Space {
    /// The first `bytes` are taken.
    pub(super) fn behind(bytes: u64) -> Space {
        Space { end: Arc::new(AtomicU64::new(bytes)) }
    }

    pub(super) fn end(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// Takes `bytes` for something that is rewritten: within one page if it fits into one.
    pub(super) fn take_whole(&self, bytes: u64) -> u64 {
        let place = |end: u64| {
            let at = end.next_multiple_of(8);
            // Pages bound only small pieces; larger ones cannot be within one.
            let left = PAGE - at % PAGE;
            if bytes > left && bytes <= PAGE { at + left } else { at }
        };
        self.take_at(bytes, place).at
    }

    /// Takes `bytes` for data; whole pages start at a page.
    pub(super) fn take(&self, bytes: u64) -> Taken {
        // Whole pages at a page let the system write them without reading.
        let step = if bytes.is_multiple_of(PAGE) { PAGE } else { 8 };
        self.take_at(bytes, |end| end.next_multiple_of(step))
    }

    fn take_at(&self, bytes: u64, place: impl Fn(u64) -> u64) -> Taken {
        let mut before = self.end();
        loop {
            let at = place(before);
            let end = at + bytes;
            // Relaxed: the exchange alone divides the space, and no other memory depends on it.
            match self.end.compare_exchange_weak(before, end, Ordering::Relaxed, Ordering::Relaxed) {
                // The spurious failure of the weak exchange only repeats the loop.
                Ok(_) => return Taken { at, before, end },
                Err(found) => before = found,
            }
        }
    }

    /// After a failed write: the range is free again, if nothing was taken behind it.
    ///
    /// Bytes written there take room that a full disk needs for complete frames; if the room cannot be freed, they stay.
    pub(super) fn give_back(&self, taken: Taken, out: &Out) {
        let Taken { before, end, .. } = taken;
        // No other thread writes meanwhile, and none has written behind the range if nothing is taken there.
        let _lock = out.resized();
        match self.end.compare_exchange(end, before, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => _ = out.file.set_len(before),
            Err(_) => out.free(taken.at, end - taken.at),
        }
    }
}

/// The file that is written, by any number of threads.
pub(super) struct Out {
    file: File,
    path: PathBuf,
    /// Held by every thread that writes. A thread that cuts the file or makes it longer holds it alone: the system may
    /// cut off bytes that another thread has written between two readings of the length.
    length: RwLock<()>,
}

impl Out {
    pub(super) fn new(file: File, path: &Path) -> Out {
        Out { file, path: path.to_owned(), length: RwLock::new(()) }
    }

    fn writing(&self) -> RwLockReadGuard<'_, ()> {
        self.length.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn resized(&self) -> RwLockWriteGuard<'_, ()> {
        self.length.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives room on the disk back; file systems that cannot do this keep it.
    pub(super) fn free(&self, at: u64, bytes: u64) {
        let how = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        // Only room on the disk is lost if the system cannot do this.
        let _ = rustix::fs::fallocate(&self.file, how, at, bytes);
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn write(&self, bytes: &[u8], at: u64) -> Result<()> {
        let _lock = self.writing();
        let written = self.file.write_all_at(bytes, at);
        written.map_err(|e| Error::io("to write the file", e).at(at).in_file(&self.path))
    }

    /// The bytes that were written at `at`.
    pub(super) fn read(&self, at: u64, bytes: usize) -> Result<Vec<u8>> {
        let mut out = vec![0; bytes];
        let read = self.file.read_exact_at(&mut out, at);
        read.map_err(|e| Error::io("to read what was written", e).at(at).in_file(&self.path))?;
        Ok(out)
    }

    /// Writes `parts` behind one another, with one call of the system as a rule.
    pub(super) fn write_parts(&self, parts: &[&[u8]], at: u64) -> Result<()> {
        if let [part] = parts {
            return self.write(part, at);
        }
        let slices: Vec<IoSlice> = parts.iter().map(|part| IoSlice::new(part)).collect();
        let refused = |e| Error::io("to write the file", e).at(at).in_file(&self.path);
        let lock = self.writing();
        let mut written = rustix::io::pwritev(&self.file, &slices, at).map_err(|e| refused(e.into()))?;
        drop(lock);
        // The system may write less than it is given, so the rest follows part by part.
        let mut at = at;
        for part in parts {
            let done = written.min(part.len());
            self.write(&part[done..], at + done as u64)?;
            (written, at) = (written - done, at + part.len() as u64);
        }
        Ok(())
    }

    /// Takes room on the disk without changing anything in the file; file systems that cannot do this are trusted.
    pub(super) fn reserve(&self, at: u64, bytes: u64) -> Result<()> {
        use rustix::io::Errno;
        match rustix::fs::fallocate(&self.file, FallocateFlags::KEEP_SIZE, at, bytes) {
            Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG | Errno::IO)) => {
                Err(Error::io("room on the disk", error.into()).at(at).in_file(&self.path))
            }
            // File systems without this call refuse later, when the bytes are written.
            _ => Ok(()),
        }
    }

    /// Makes the file at least `bytes` long.
    pub(super) fn reach(&self, bytes: u64) -> Result<()> {
        let refused = |e| Error::io("to make the file longer", e).at(bytes).in_file(&self.path);
        if self.file.metadata().map_err(refused)?.len() >= bytes {
            return Ok(());
        }
        // Another thread may have made it longer meanwhile.
        let _lock = self.resized();
        if self.file.metadata().map_err(refused)?.len() < bytes {
            self.file.set_len(bytes).map_err(refused)?;
        }
        Ok(())
    }
}
