//! Runs of several streams: the common parts of XTC1 and XTC2.
//!
//! A stream has the datagrams of one recorder, in one or more chunks. All heads are scanned; datagrams of one time
//! become one event, whose pieces can be read by any thread.

mod group;
mod stream;

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::file::{Head, RecordedFile, Stores, read_exact_at};
use crate::{Error, Result};

pub(crate) use group::{Group, groups};
pub(crate) use stream::{Entry, Stream, Streams, check_names, files_of};

/// Where a datagram is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Position of its file among the files of the run.
    pub file: u32,
    /// Where it begins.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
}

/// Which bytes of a file are scanned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// The file.
    pub path: PathBuf,
    /// Where datagrams begin and others end, in the order of the file. They neither overlap nor touch.
    pub ranges: Vec<Range<u64>>,
}

/// Something that is not as it should be.
#[derive(Debug)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The fault, and its place.
    pub error: Error,
}

/// The open files of a run.
#[derive(Default, Debug)]
pub(crate) struct Files {
    list: Vec<(PathBuf, RecordedFile)>,
    /// Where they are opened.
    pub(crate) stores: Stores,
}

impl Files {
    /// None yet, to be opened there.
    pub(crate) fn of(stores: &Stores) -> Files {
        Files { stores: stores.clone(), ..Files::default() }
    }

    /// Opens a file; returns its position too.
    pub(crate) fn open(&mut self, path: &Path) -> Result<(u32, RecordedFile)> {
        let file = self.stores.open(path)?;
        let index = self.list.len() as u32;
        self.list.push((path.to_owned(), file.clone()));
        Ok((index, file))
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().map(|(path, _)| path.as_path())
    }

    pub(crate) fn open_file(&self, piece: &Piece) -> Option<(&Path, &RecordedFile)> {
        self.list.get(piece.file as usize).map(|(path, file)| (path.as_path(), file))
    }

    pub(crate) fn path(&self, piece: &Piece) -> &Path {
        &self.list[piece.file as usize].0
    }

    /// Fills `bytes` with the beginning of a piece.
    pub(crate) fn read_into(&self, piece: &Piece, bytes: &mut [u8]) -> Result<()> {
        self.read_from(piece, 0, bytes)
    }

    /// Fills `bytes` with the bytes of a piece from `start` on.
    pub(crate) fn read_from(&self, piece: &Piece, start: usize, bytes: &mut [u8]) -> Result<()> {
        // An empty read would still ask the file, which may have ended.
        if bytes.is_empty() {
            return Ok(());
        }
        let (path, file) = &self.list[piece.file as usize];
        read_exact_at(file, bytes, piece.offset + start as u64).map_err(|e| e.in_file(path))
    }

    /// Reads a piece up to the last of its bytes that go elsewhere; returns where these end.
    fn read_apart(
        &self,
        piece: &Piece,
        number: usize,
        bytes: &mut [u8],
        apart: &mut Apart<'_>,
    ) -> Result<usize> {
        let mut done = 0;
        if !apart.is_used {
            return Ok(done);
        }
        for Aside { bytes: range, to, .. } in apart.asides.iter().filter(|aside| aside.piece == number) {
            // A place beyond the piece comes from a guess that does not fit, so the rest is read in one go.
            let Some(before) = bytes.get_mut(..range.end).and_then(|b| b.get_mut(done..range.start)) else {
                break;
            };
            if apart.leaves_out {
                self.read_from(piece, done, before)?;
                done = range.end;
                continue;
            }
            let Some(target) = apart.target.get_mut(*to..).and_then(|t| t.get_mut(..range.len())) else {
                break;
            };
            self.read_from(piece, done, before)?;
            self.read_from(piece, range.start, target)?;
            done = range.end;
        }
        Ok(done)
    }

    /// Reads a piece, and checks that it is still the datagram that was found. The bytes that `apart` names are left
    /// out of `bytes`.
    pub(crate) fn read<H: Head>(
        &self,
        piece: &Piece,
        bytes: &mut EventBytes,
        apart: &mut Apart<'_>,
    ) -> Result<()> {
        let path = self.path(piece);
        let number = bytes.pieces.len();
        let place = bytes.add(piece.length)?;
        let target = &mut bytes.bytes[place];
        let rest = self.read_apart(piece, number, target, apart)?;
        self.read_from(piece, rest, &mut target[rest..])?;
        // The file may have been written anew since the scan.
        if H::parse(target).is_ok_and(|head| head.length() == piece.length) {
            return Ok(());
        }
        Err(Error::new("the datagram that was there at the scan", "another one")
            .at(piece.offset)
            .in_file(path))
    }
}

/// Bytes of an event that are read into memory of their own, where they shall stay: pixels, without a second copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aside {
    /// Position among the pieces of the event.
    pub piece: usize,
    /// Which bytes of the piece.
    pub bytes: Range<usize>,
    /// Where they begin in that memory.
    pub to: usize,
}

/// Which bytes of an event are read elsewhere, and where to.
///
/// It is a guess from another event, and is ignored for one whose pieces have other lengths. The caller checks the
/// guess by parsing: in [`EventBytes`] there may be anything at the place of these bytes.
#[derive(Default, Debug)]
pub struct Apart<'a> {
    /// The lengths of the pieces of the event that the guess is from.
    pub lengths: &'a [u64],
    /// Which bytes, in the order of pieces and places. They do not overlap.
    pub asides: &'a [Aside],
    /// The memory.
    pub target: &'a mut [u8],
    /// They are read nowhere; the memory is not looked at.
    pub leaves_out: bool,
    /// Whether bytes were read elsewhere.
    pub is_used: bool,
}

impl Apart<'_> {
    /// Decides by the lengths of the pieces of an event whether the guess is for it.
    pub(crate) fn decide(&mut self, lengths: impl Iterator<Item = u64>) {
        // Equal lengths of all pieces make it very likely that the pixels lie at the same places.
        self.is_used = !self.asides.is_empty() && lengths.eq(self.lengths.iter().copied());
    }
}

/// The pieces of one event in memory. Keep it for the next event: it keeps its memory.
#[derive(Clone, Default, Debug)]
pub struct EventBytes {
    bytes: Vec<u8>,
    pieces: Vec<Range<usize>>,
}

impl EventBytes {
    /// The datagrams.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().map(|piece| &self.bytes[piece.clone()])
    }

    /// How many bytes the pieces have together.
    pub fn size(&self) -> u64 {
        self.pieces.iter().map(|p| p.len() as u64).sum()
    }

    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Room for `length` more bytes. Bytes that are in the buffer already are not set to zero again.
    fn add(&mut self, length: u64) -> Result<Range<usize>> {
        let start = self.pieces.last().map_or(0, |p| p.end);
        let end = usize::try_from(length).ok().and_then(|l| start.checked_add(l));
        let Some(end) = end else {
            return Err(Error::new("an event that fits into memory", length.to_string()));
        };
        // The buffer only grows, so that events of one run set it to zero once.
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.pieces.push(start..end);
        Ok(start..end)
    }
}
