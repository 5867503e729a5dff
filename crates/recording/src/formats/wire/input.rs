//! The bytes of a file of frames, at any place, also of a packed one.

use std::io::{self, Read};
use std::path::Path;

use livetime_formats::file::{ReadAt, RecordedFile, Stores, unpacked_of};
use livetime_formats::{Error, Result};

/// Limit of an unpacked file: 0.3 s of a link of WIB1. Random access to Zstandard data needs the whole unpacked file in
/// memory, and a small hostile file may unpack to any size.
const MOST_UNPACKED: u64 = 256 << 20;
/// First bytes of Zstandard data.
const ZSTANDARD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// A file, or its unpacked content.
#[derive(Debug)]
pub(super) enum Input {
    File(RecordedFile),
    Unpacked(Vec<u8>),
}

impl Input {
    /// Opens a file. With it comes why its end could not be unpacked, if that is so.
    pub(super) fn open(path: &Path, stores: &Stores) -> Result<(Input, Option<Error>)> {
        let failed = |e| Error::io("to open the file", e).in_file(path);
        let file = stores.open(path)?;
        let mut head = [0; 4];
        let count = file.read_at(&mut head, 0).map_err(failed)?;
        if count == head.len() && head == ZSTANDARD {
            Input::unpack(path, file)
        } else {
            Ok((Input::File(file), None))
        }
    }

    fn unpack(path: &Path, file: RecordedFile) -> Result<(Input, Option<Error>)> {
        let failed = |e| Error::io("to unpack the file", e).in_file(path);
        let mut bytes = Vec::new();
        let read = unpacked_of(file).map_err(failed)?.take(MOST_UNPACKED + 1).read_to_end(&mut bytes);
        if bytes.len() as u64 > MOST_UNPACKED {
            let wanted = format!("at most {MOST_UNPACKED} bytes in a packed file (`zstd -d` unpacks it)");
            return Err(Error::new(wanted, "more").in_file(path));
        }
        match read {
            Err(error) if bytes.is_empty() => Err(failed(error)),
            Err(error) => {
                let broken = Error::new("a packed file to its end", error.to_string()).at(bytes.len() as u64);
                Ok((Input::Unpacked(bytes), Some(broken)))
            }
            Ok(_) => Ok((Input::Unpacked(bytes), None)),
        }
    }

    /// The bytes from a place on.
    pub(super) fn reader_from(&self, at: u64) -> impl Read {
        From { input: self, at }
    }
}

struct From<'a> {
    input: &'a Input,
    at: u64,
}

impl Read for From<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl ReadAt for Input {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Input::File(file) => ReadAt::read_at(file, buffer, offset),
            Input::Unpacked(bytes) => ReadAt::read_at(&bytes[..], buffer, offset),
        }
    }

    fn size(&self) -> io::Result<u64> {
        match self {
            Input::File(file) => file.size(),
            Input::Unpacked(bytes) => bytes[..].size(),
        }
    }
}
