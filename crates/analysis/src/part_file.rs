//! Files of parts: their names, what stands in front, and the content as numbers that are read once.

use std::hash::Hasher;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use livetime_formats::file::{ReadAt, RecordedFile, address};
use livetime_recording::Stores;
use twox_hash::XxHash3_64;

use crate::Loader;
use crate::error::{Error, Result};
use crate::whole_file;

/// The first bytes of a file of a part; the last one is the version of the format.
const MAGIC: [u8; 8] = *b"LTPART\0\x04";
/// Magic, hash of the plan, number of the first part and how many follow it ([`Heading::bytes`]).
const HEAD: usize = 24;
/// The checksum of all before it.
const TAIL: usize = 8;
/// Bytes that are read at a time.
const READ: usize = 64 << 10;
/// The ending of names of files of parts.
const ENDING: &str = "ltpart";

/// Where the number of parts behind the first one begins in the word of a file, and the bits of the first one's number.
const COUNT_AT: u32 = 32;
const FIRST: u64 = (1 << COUNT_AT) - 1;

/// The head of a part file: the hash of its plan, and the numbers of the parts.
pub(crate) struct Heading {
    pub(crate) plan: u64,
    pub(crate) numbers: Range<usize>,
}

impl Heading {
    /// A single part is written as its number.
    pub(crate) fn bytes(&self) -> [u8; HEAD] {
        let numbers = self.numbers.start as u64 | ((self.numbers.len() - 1) as u64) << COUNT_AT;
        let words = [u64::from_le_bytes(MAGIC), self.plan, numbers];
        let mut bytes = [0; HEAD];
        bytes.as_chunks_mut::<8>().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
        bytes
    }

    /// The heading of a file.
    ///
    /// # Errors
    /// If the file has none of this version, or the system refuses.
    pub(crate) fn read(stores: &Stores, path: &Path) -> Result<Heading> {
        let mut head = [0; HEAD];
        open(stores, path)?.read_exact(&mut head).map_err(|e| refused(path, e))?;
        if head[..8] != MAGIC {
            return Err(Error::refused(format!("a part of version {}", MAGIC[7]), "something else"));
        }
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| head[at + i]));
        let (first, more) = (word(16) & FIRST, word(16) >> COUNT_AT);
        // Both have 32 bits, so their sum does not overflow.
        Ok(Heading { plan: word(8), numbers: first as usize..(first + more + 1) as usize })
    }
}

/// A file of a part that is read from the beginning to the end, once. Its checksum is made on the way, so the file need not be in memory
/// as a whole, and what was loaded counts only after [`PartFile::end`].
pub(crate) struct PartFile {
    path: PathBuf,
    file: Bytes,
    hash: XxHash3_64,
    /// Bytes of the content that were not read yet.
    left: usize,
}

impl PartFile {
    /// Opens the file at its content.
    ///
    /// # Errors
    /// If the file is too short or begins otherwise, or the system refuses.
    pub(crate) fn open(stores: &Stores, path: &Path) -> Result<PartFile> {
        let mut file = open(stores, path)?;
        let bytes = file.get_ref().file.size().map_err(|e| refused(path, e))?;
        let content = usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_sub(HEAD + TAIL));
        let left = content.ok_or_else(|| broken(path))?;
        let mut head = [0; HEAD];
        file.read_exact(&mut head).map_err(|e| refused(path, e))?;
        let mut hash = XxHash3_64::new();
        hash.write(&head);
        if head.starts_with(&MAGIC) {
            Ok(PartFile { path: path.to_owned(), file, hash, left })
        } else {
            Err(broken(path))
        }
    }

    /// The numbers behind the heading.
    pub(crate) fn content(&mut self) -> Loader<'_> {
        let left = self.left;
        Loader::new(self, left)
    }

    /// Reads the rest, and compares the checksum.
    ///
    /// # Errors
    /// If the checksum is wrong, or the system refuses.
    pub(crate) fn end(mut self) -> Result<()> {
        let mut sum = [0; TAIL];
        let rest = io::copy(&mut self, &mut io::sink());
        let read = rest.and_then(|_| self.file.read_exact(&mut sum));
        read.map_err(|e| refused(&self.path, e))?;
        if self.left == 0 && self.hash.finish() == u64::from_le_bytes(sum) {
            Ok(())
        } else {
            Err(broken(&self.path))
        }
    }
}

/// Reads the content, and no byte behind it.
impl Read for PartFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(self.left);
        let read = self.file.read(&mut into[..most])?;
        self.hash.write(&into[..read]);
        self.left -= read;
        Ok(read)
    }
}

/// The bytes of a file or an object from the first one on.
pub(crate) type Bytes = BufReader<Forward>;

/// A file that is read from the beginning to the end.
pub(crate) struct Forward {
    file: RecordedFile,
    at: u64,
}

impl Read for Forward {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// The whole file as bytes. Nothing about them is checked.
pub(crate) fn open(stores: &Stores, path: &Path) -> Result<Bytes> {
    let wanted = |e: livetime_recording::Error| match e.io_error() {
        Some(why) => refused(path, io::Error::new(why.kind(), why.to_string())),
        None => e.into(),
    };
    Ok(BufReader::with_capacity(READ, Forward { file: stores.open(path).map_err(wanted)?, at: 0 }))
}

/// Whether the file has these bytes and no others.
pub(crate) fn is_same(mut file: Bytes, bytes: &mut dyn BufRead) -> io::Result<bool> {
    loop {
        let (there, wanted) = (file.fill_buf()?, bytes.fill_buf()?);
        let both = there.len().min(wanted.len());
        if both == 0 || there[..both] != wanted[..both] {
            return Ok(there.is_empty() && wanted.is_empty());
        }
        file.consume(both);
        bytes.consume(both);
    }
}

/// The name of a file of these parts.
pub(crate) fn name_of(numbers: &Range<usize>) -> String {
    match numbers.len() {
        1 => format!("part-{:05}.{ENDING}", numbers.start),
        _ => format!("parts-{:05}-{:05}.{ENDING}", numbers.start, numbers.end - 1),
    }
}

/// The parts that a file has by its name, if [`name_of`] makes such names.
pub(crate) fn numbers_in(path: &Path) -> Option<Range<usize>> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(ENDING)?.strip_suffix('.')?;
    let (first, last) = match stem.strip_prefix("part-") {
        Some(one) => (one, one),
        None => stem.strip_prefix("parts-")?.split_once('-')?,
    };
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    let numbers = first as usize..last as usize + 1;
    (!numbers.is_empty() && name_of(&numbers) == name).then_some(numbers)
}

/// The files of parts in these folders, and the files given by name.
pub(crate) fn files_in(stores: &Stores, paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let is_part = |path: &Path| path.extension().is_some_and(|ending| ending == ENDING);
    let mut files = Vec::new();
    for path in paths {
        // A store does not tell a folder from an object, so that a name tells it.
        let is_folder = if address(path).is_some() { !is_part(path) } else { path.is_dir() };
        if !is_folder {
            files.push(path.clone());
            continue;
        }
        let mut found = stores.list(path).map_err(|e| whole_file::io("to list the folder", path, e))?;
        found.retain(|file| is_part(file));
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

fn refused(path: &Path, error: io::Error) -> Error {
    whole_file::io("to read the part", path, error)
}

fn broken(path: &Path) -> Error {
    in_file(path, Error::refused("a part with a right checksum", "a file that is broken"))
}

/// The error with the file where it was found.
pub(crate) fn in_file(path: &Path, error: Error) -> Error {
    match error {
        Error::Refused { wanted, found } => Error::refused(wanted, format!("{found} in {}", path.display())),
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn names_tell_parts_or_nothing() {
        let of = |name: &str| numbers_in(&Path::new("parts").join(name));
        for numbers in [0..1, 7..8, 16..32, 123_456..123_457, 99_999..100_001] {
            assert_eq!(of(&name_of(&numbers)), Some(numbers));
        }
        for name in
            ["part-7.ltpart", "part-00007.npy", "part-.ltpart", "parts-00009-00003.ltpart", "x", "part"]
        {
            assert_eq!(of(name), None, "{name}");
        }
        assert_eq!(of("parts-00007-00007.ltpart"), None);
        assert_eq!(of("parts-00000-4294967295.ltpart"), Some(0..1 << 32));
    }

    #[test]
    fn files_are_compared_to_their_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let bytes: Vec<u8> = (0..30_000u32).map(|i| (i % 251) as u8).collect();
        fs::write(&path, &bytes).unwrap();
        let file = || open(&Stores::default(), &path).unwrap();
        assert!(is_same(file(), &mut &bytes[..]).unwrap());
        assert!(!is_same(file(), &mut &bytes[..29_999]).unwrap());
        assert!(!is_same(file(), &mut &[&bytes[..], &[0]].concat()[..]).unwrap());
        assert!(open(&Stores::default(), &folder.path().join("b")).is_err());
    }
}
