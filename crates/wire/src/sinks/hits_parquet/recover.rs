//! What can be saved of a Parquet file whose writer has been killed.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use bytes::Bytes;
use livetime_formats::file::{GrowingFile, ReadAt};
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};

const MAGIC: &[u8; 4] = b"PAR1";
/// Bytes of a file that are searched at once.
const WINDOW: u64 = 1 << 20;
/// Of the index: its length and the magic word.
const TAIL: u64 = 8;

/// What was saved of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Saved {
    /// Rows.
    pub rows: u64,
    /// Row groups.
    pub row_groups: usize,
    /// Bytes of the new file.
    pub bytes: u64,
    /// Bytes of the old one.
    pub input_bytes: u64,
}

/// Saves to the new file `output` what of the Parquet file `input` can be read: all up to its last index behind which everything is as it should be. `hits_parquet` writes one again
/// and again. A file that is whole is saved whole. `None`, and no file, when there is no index.
///
/// # Errors
/// Text, if the input cannot be read, or the output is there or cannot be written.
pub fn recover(input: &Path, output: &Path) -> std::result::Result<Option<Saved>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("`{}`: {error}", input.display());
    let file = File::open(input).map_err(|e| failed(&e))?;
    let input_bytes = file.metadata().map_err(|e| failed(&e))?.len();
    let mut end = input_bytes;
    while let Some(found) = last_index(&file, end).map_err(|e| failed(&e))? {
        match read_through(&file, found) {
            Ok((rows, row_groups)) => {
                copy(&file, found, output)?;
                return Ok(Some(Saved { rows, row_groups, bytes: found, input_bytes }));
            }
            // Not an index, or one of what a failing machine has not kept: perhaps the one before.
            Err(_) => end = found - 1,
        }
    }
    Ok(None)
}

/// Where the last thing ends, at or before `end`, that may be an index.
fn last_index(file: &File, end: u64) -> livetime_formats::Result<Option<u64>> {
    let mut behind = end;
    let mut window = Vec::new();
    while behind >= TAIL + MAGIC.len() as u64 {
        let begin = behind.saturating_sub(WINDOW);
        window.resize((behind - begin) as usize, 0);
        let read = file
            .read_at(&mut window, begin)
            .map_err(|e| livetime_formats::Error::io("to read the file", e))?;
        window.truncate(read);
        let is_index = |at: &usize| window[*at..].starts_with(MAGIC) && begin + *at as u64 >= TAIL;
        if let Some(at) = (0..window.len()).rev().find(is_index) {
            return Ok(Some(begin + at as u64 + MAGIC.len() as u64));
        }
        if begin == 0 {
            break;
        }
        // The magic word may lie across the edge.
        behind = begin + MAGIC.len() as u64 - 1;
    }
    Ok(None)
}

/// Rows and row groups of the file that ends at `end`, when all of its pages can be read.
fn read_through(file: &File, end: u64) -> Result<(u64, usize)> {
    let reader = SerializedFileReader::new(Begin { file: file.try_clone()?, bytes: end })?;
    let metadata = reader.metadata();
    let groups = metadata.num_row_groups();
    for group in 0..groups {
        let group = reader.get_row_group(group)?;
        for column in 0..group.num_columns() {
            let mut pages = group.get_column_page_reader(column)?;
            while pages.get_next_page()?.is_some() {}
        }
    }
    Ok((metadata.file_metadata().num_rows().unsigned_abs(), groups))
}

fn copy(file: &File, bytes: u64, output: &Path) -> std::result::Result<(), String> {
    let mut new = GrowingFile::create(output).map_err(|e| e.to_string())?;
    let copied = file
        .try_clone()
        .and_then(|mut file| file.seek(SeekFrom::Start(0)).map(|_| file))
        .and_then(|file| std::io::copy(&mut file.take(bytes), &mut new));
    if let Err(error) = copied {
        let _ = new.discard();
        return Err(format!("`{}`: {error}", output.display()));
    }
    new.sync().and_then(|()| new.finish()).map_err(|e| e.to_string())
}

/// The begin of a file, as if it were all of it.
struct Begin {
    file: File,
    bytes: u64,
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
            return Err(parquet::errors::ParquetError::EOF(wanted));
        }
        let mut bytes = vec![0; length];
        self.get_read(start)?.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}
