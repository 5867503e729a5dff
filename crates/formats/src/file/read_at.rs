//! Reading at a place, from several threads at once.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::{Error, Result};

/// Bytes that can be read at any place without a shared position: an open file, or memory.
pub trait ReadAt: Send + Sync {
    /// Reads the bytes at `offset` into `buffer`; fewer bytes than asked for may come, none only at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// How many bytes there are now.
    fn size(&self) -> io::Result<u64>;

    /// Says that these bytes will be read soon. Advice only: a source may do nothing with it.
    fn will_need(&self, offset: u64, length: u64) {
        let _ = (offset, length);
    }
}

impl ReadAt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        loop {
            match FileExt::read_at(self, buffer, offset) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    fn size(&self) -> io::Result<u64> {
        self.metadata().map(|m| m.len())
    }
}

impl ReadAt for [u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).map_or(self.len(), |o| o.min(self.len()));
        let count = buffer.len().min(self.len() - start);
        buffer[..count].copy_from_slice(&self[start..start + count]);
        Ok(count)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }

    fn will_need(&self, offset: u64, length: u64) {
        (**self).will_need(offset, length);
    }
}

impl<T: ReadAt + ?Sized> ReadAt for Arc<T> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }

    fn will_need(&self, offset: u64, length: u64) {
        (**self).will_need(offset, length);
    }
}

/// Fills `buffer` from `offset` on as far as there are bytes; returns how many.
///
/// # Errors
/// If the system refuses.
pub fn fill_at(source: &(impl ReadAt + ?Sized), buffer: &mut [u8], offset: u64) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        let count = source.read_at(&mut buffer[filled..], offset + filled as u64);
        match count.map_err(|e| Error::io("to read the file", e).at(offset + filled as u64))? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

/// Fills `buffer` with the bytes at `offset`.
///
/// # Errors
/// If the operating system reports an error, or there are fewer bytes.
pub fn read_exact_at(source: &(impl ReadAt + ?Sized), buffer: &mut [u8], offset: u64) -> Result<()> {
    let filled = fill_at(source, buffer, offset)?;
    if filled < buffer.len() {
        return Err(Error::new(format!("{} bytes", buffer.len()), filled.to_string()).at(offset));
    }
    Ok(())
}
