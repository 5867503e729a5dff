//! The begin of a file, as if it were all of it.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

/// The begin of a file, as if it were all of it: behind a Parquet file another one may have been begun, or bytes without use.
#[derive(Debug)]
pub struct Begin {
    file: File,
    bytes: u64,
}

impl Begin {
    /// The first `bytes` of `file`.
    ///
    /// # Errors
    /// If the operating system has no handle left.
    pub fn new(file: &File, bytes: u64) -> Result<Begin> {
        Ok(Begin { file: file.try_clone()?, bytes })
    }
}

impl Length for Begin {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for Begin {
    type T = BufReader<std::io::Take<File>>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(BufReader::new(file.take(self.bytes.saturating_sub(start))))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.bytes);
        if end.is_none() {
            let wanted = format!("wanted {length} bytes from byte {start} on, found {}", self.bytes);
            return Err(ParquetError::EOF(wanted));
        }
        let mut bytes = vec![0; length];
        self.get_read(start)?.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}
