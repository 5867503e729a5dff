//! Saves the sound part of a Parquet file whose writer has been killed, or that was damaged.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use livetime_formats::file::{GrowingFile, ReadAt};
use livetime_formats::parquet::{Begin, Checked, MAGIC, Survey, index};
use parquet::errors::Result;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};

/// Bytes of a file that are searched at once.
const WINDOW: u64 = 1 << 20;
/// Bytes at the end of a file behind the index: its length and the magic word.
const TAIL: u64 = 8;

/// The saved part of a file.
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
    /// Bytes behind the last index.
    pub behind: u64,
    /// Rows of damaged row groups, which are left out.
    pub damaged_rows: u64,
    /// Damaged row groups.
    pub damaged_row_groups: usize,
    /// Every page and the index have checksums: the saved bytes are the written ones. Without them damage may have passed.
    pub is_proved: bool,
}

/// Why nothing was saved of a Parquet file.
#[derive(Debug)]
pub enum RecoverError {
    /// The file cannot be read or written.
    Io(PathBuf, io::Error),
    /// The new file is there already, or cannot be given its name.
    Output(livetime_formats::Error),
}

impl fmt::Display for RecoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecoverError::Io(path, error) => write!(f, "`{}`: {error}", path.display()),
            RecoverError::Output(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RecoverError {}

impl Saved {
    /// Whether all that is known to have been in the file is saved.
    pub fn is_complete(&self) -> bool {
        self.behind == 0 && self.damaged_row_groups == 0
    }
}

/// Saves the readable part of the Parquet file `input` to the new file `output`: all row groups of its last index that are as they were written.
/// `hits_parquet` writes an index again and again. A file that is whole is saved whole. `None`, and no file, when there is no index, or
/// all is damaged.
///
/// # Errors
/// If the input cannot be read, or the output is there or cannot be written.
pub fn recover(input: &Path, output: &Path) -> std::result::Result<Option<Saved>, RecoverError> {
    let failed = |error| RecoverError::Io(input.to_owned(), error);
    let file = File::open(input).map_err(failed)?;
    let input_bytes = file.metadata().map_err(failed)?.len();
    let mut end = input_bytes;
    // From the end: the last index covers the most hits.
    while let Some(found) = last_index(&file, end).map_err(failed)? {
        // Not an index, or one that a failing machine has not kept: perhaps the index before.
        if let Some(sound) = Sound::of(&file, found).ok().filter(Sound::is_something) {
            let saved = Saved { input_bytes, behind: input_bytes - found, ..sound.saved };
            return sound.write(&file, output).map(|bytes| Some(Saved { bytes, ..saved }));
        }
        end = found - 1;
    }
    Ok(None)
}

/// Where the last thing ends, at or before `end`, that may be an index.
fn last_index(file: &File, end: u64) -> io::Result<Option<u64>> {
    let mut behind = end;
    let mut window = Vec::new();
    while behind >= TAIL + MAGIC.len() as u64 {
        let begin = behind.saturating_sub(WINDOW);
        window.resize((behind - begin) as usize, 0);
        let read = file.read_at(&mut window, begin)?;
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

/// The sound part of the file that ends with an index.
struct Sound {
    /// The number of bytes in front of the index, or in the whole file if all of it is sound.
    bytes: u64,
    /// The index of the sound row groups, if others are damaged.
    index: Vec<u8>,
    saved: Saved,
}

impl Sound {
    fn of(file: &File, end: u64) -> Result<Sound> {
        let mut survey = Survey::new(file, end)?;
        let reader = SerializedFileReader::new(Begin::new(file, end)?)?;
        let (mut groups, mut all) = (Vec::new(), Checked::default());
        let mut damaged = (0, 0);
        for number in 0..survey.metadata().num_row_groups() {
            let group = survey.metadata().row_group(number).clone();
            let rows = group.num_rows().unsigned_abs();
            // Checksums first; reading through finds damage that no checksum covers.
            match survey.check(number).and_then(|checked| read_through(&reader, number).map(|()| checked)) {
                Ok(checked) => {
                    all.pages += checked.pages;
                    all.proved += checked.proved;
                    groups.push(group);
                }
                Err(_) => damaged = (damaged.0 + rows, damaged.1 + 1),
            }
        }
        let is_proved = survey.is_sealed() && all.pages == all.proved;
        let saved = Saved {
            rows: groups.iter().map(|group: &RowGroupMetaData| group.num_rows().unsigned_abs()).sum(),
            row_groups: groups.len(),
            bytes: 0,
            input_bytes: 0,
            behind: 0,
            damaged_rows: damaged.0,
            damaged_row_groups: damaged.1,
            is_proved,
        };
        // Of a sound file the bytes are copied unchanged.
        if damaged.1 == 0 {
            return Ok(Sound { bytes: end, index: Vec::new(), saved });
        }
        let index = index(survey.metadata().file_metadata(), &groups)?;
        Ok(Sound { bytes: survey.index_begin(), index, saved })
    }

    // An index without any sound group may still be a whole, empty file.
    fn is_something(&self) -> bool {
        self.saved.row_groups > 0 || self.saved.damaged_row_groups == 0
    }

    /// The bytes of the new file.
    fn write(&self, file: &File, output: &Path) -> std::result::Result<u64, RecoverError> {
        let mut new = GrowingFile::make(output).map_err(RecoverError::Output)?;
        let copied = file
            .try_clone()
            .and_then(|mut file| file.seek(SeekFrom::Start(0)).map(|_| file))
            .and_then(|file| io::copy(&mut file.take(self.bytes), &mut new))
            .and_then(|_| new.write_all(&self.index));
        copied.map_err(|error| RecoverError::Io(output.to_owned(), error))?;
        let bytes = new.len();
        new.finish_on_disk().map(|()| bytes).map_err(RecoverError::Output)
    }
}

/// Unpacks all pages of a row group: some files have no checksums.
fn read_through(reader: &SerializedFileReader<Begin>, group: usize) -> Result<()> {
    let group = reader.get_row_group(group)?;
    for column in 0..group.num_columns() {
        let mut pages = group.get_column_page_reader(column)?;
        while pages.get_next_page()?.is_some() {}
    }
    Ok(())
}
