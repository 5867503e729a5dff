//! Files that are still being written.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::stores::is_named_growing;
use super::{End, Head, Raw, Reader};
use crate::{Error, Result};

/// Finds out whether a file may still grow.
///
/// A file may grow as long as it has the name with `.inprogress` under which it was opened. There is no time
/// limit: a writer that died leaves that name, and the caller decides how long to wait.
#[derive(Clone, Debug)]
pub struct Growth {
    path: Option<PathBuf>,
}

impl Growth {
    /// The growth of the file that was opened as `path`.
    pub fn of(path: &Path) -> Growth {
        Growth { path: is_named_growing(path).then(|| path.to_owned()) }
    }

    /// Whether its writer was at work when this was last asked.
    pub fn may_grow(&self) -> bool {
        self.path.is_some()
    }

    /// Whether nothing will be added any more. A read after this call then finds everything.
    ///
    /// # Errors
    /// If the operating system does not provide it.
    pub fn is_over(&mut self) -> Result<bool> {
        let Some(path) = &self.path else { return Ok(true) };
        let there = path.try_exists().map_err(|e| Error::io("to look for the file", e).in_file(path))?;
        if !there {
            self.path = None;
        }
        Ok(!there)
    }
}

/// The next item of a file that may grow.
#[derive(Debug)]
pub enum Progress<'a, H> {
    /// A datagram.
    Datagram(Raw<'a, H>),
    /// Nothing yet; the writer is at work, or died. Ask again later.
    Wait(End),
    /// The end: the writer has finished. If it is [`End::Partial`], the last datagram is cut off.
    End(End),
}

/// Reads a file that may still be written, to its very end.
#[derive(Debug)]
pub struct Follower<H> {
    reader: Reader<H, File>,
    growth: Growth,
    path: PathBuf,
}

impl<H: Head> Follower<H> {
    /// Opens `path`.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn open(path: &Path) -> Result<Follower<H>> {
        let file = File::open(path).map_err(|e| Error::io("to open the file", e).in_file(path))?;
        Ok(Follower { reader: Reader::new(file), growth: Growth::of(path), path: path.to_owned() })
    }

    /// Returns the next item without waiting.
    ///
    /// # Errors
    /// As [`Reader::next`].
    #[allow(clippy::should_implement_trait, reason = "an iterator cannot lend its buffer")]
    pub fn next(&mut self) -> Result<Progress<'_, H>> {
        let mut loaded = self.reader.load().map_err(|e| e.in_file(&self.path))?;
        let is_over = loaded.is_err() && self.growth.is_over()?;
        if is_over {
            // Reads again, for data written between the read and the check.
            loaded = self.reader.load().map_err(|e| e.in_file(&self.path))?;
        }
        match loaded {
            Ok(head) => Ok(Progress::Datagram(self.reader.hand_out(head))),
            Err(end) if is_over => Ok(Progress::End(end)),
            Err(end) => Ok(Progress::Wait(end)),
        }
    }
}
