//! A file of frames, which may still be written, and its known content.

use std::path::{Path, PathBuf};

use livetime_formats::file::{Growth, IN_PROGRESS, ReadAt, Stores};
use livetime_formats::{Error, Result};

use super::input::Input;
use super::scan::Scan;

#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) input: Input,
    /// `None` as long as it has no frames.
    pub(super) scan: Option<Scan>,
    /// Whether the parts of the file that are in no event have been reported.
    pub(super) is_judged: bool,
    number: u32,
    growth: Growth,
    /// Whether the file counts as being written, whatever its name says.
    is_watched: bool,
    /// Bytes that it had when it was read last.
    size: u64,
}

impl Source {
    /// Opens the file with this number in its run. With it comes why its end could not be unpacked, if that is so.
    pub(super) fn open(path: &Path, number: u32, stores: &Stores) -> Result<(Source, Option<Error>)> {
        let growth = Growth::of(path);
        let (path, (input, broken)) = match Input::open(path, stores) {
            // The writer has finished, and renamed the file, since the file was listed.
            Err(_) if growth.may_grow() && !path.exists() => {
                let path = finished(path);
                let opened = Input::open(&path, stores)?;
                (path, opened)
            }
            opened => (path.to_owned(), opened?),
        };
        let growth = Growth::of(&path);
        let (scan, is_judged, is_watched, size) = (None, false, false, 0);
        let mut source = Source { path, input, scan, is_judged, number, growth, is_watched, size };
        source.read()?;
        Ok((source, broken))
    }

    /// Whether more frames may come.
    pub(super) fn is_growing(&self) -> bool {
        matches!(self.input, Input::File(_)) && (self.is_watched || self.growth.may_grow())
    }

    /// Makes the file count as being written, whatever its name says. Returns whether that is new.
    pub(super) fn watch(&mut self) -> bool {
        let is_new = !self.is_watched && matches!(self.input, Input::File(_));
        self.is_watched |= is_new;
        self.is_judged &= !is_new;
        is_new
    }

    /// Makes the file count as complete.
    pub(super) fn give_up(&mut self) {
        (self.is_watched, self.growth) = (false, Growth::of(Path::new("")));
        self.scan.iter_mut().for_each(|scan| scan.settle(true));
    }

    /// Reads added bytes. Returns whether there were any, or whether the file has become complete.
    pub(super) fn refresh(&mut self) -> Result<bool> {
        let was_growing = self.is_growing();
        // The growth is asked before the read: bytes written before the file's renaming are then found by this read.
        if self.growth.may_grow() && self.growth.is_over()? {
            self.path = finished(&self.path);
        }
        let size = self.input.size().map_err(|e| Error::io("the size of the file", e).in_file(&self.path))?;
        let is_new = was_growing && (size != self.size || !self.is_growing());
        if is_new {
            self.read()?;
        }
        Ok(is_new)
    }

    fn read(&mut self) -> Result<()> {
        let is_over = !self.is_growing();
        let failed = |e| Error::io("to read the file", e).in_file(&self.path);
        self.size = self.input.size().map_err(failed)?;
        let input = |offset| self.input.reader_from(offset);
        match &mut self.scan {
            Some(scan) => scan.more(input, is_over).map_err(failed),
            None => {
                self.scan = Scan::of(input(0), self.number, is_over).map_err(failed)?;
                Ok(())
            }
        }
    }
}

/// The name that a file gets when it is complete.
pub(super) fn finished(path: &Path) -> PathBuf {
    match path.extension() {
        Some(ending) if ending == IN_PROGRESS => path.with_extension(""),
        _ => path.to_owned(),
    }
}
