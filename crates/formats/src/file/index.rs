//! Indices beside recorded files: the heads of all datagrams of a file in one small file, so that a run of many files is opened without a
//! read at every datagram.
//!
//! An index lists every datagram, and not one in many, because the plan of an analysis hashes the place of every event. An index is a
//! hundredth of a file whose datagrams have 4 kB. It is believed only if it fits the file: size, hash of both ends, checksum, lengths that
//! add up to the end of the file, and some heads that are compared with the file. The datagrams themselves are checked when they are read.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::{
    End, FileEnds, GrowingFile, Growth, Head, Heads, NewFile, Purpose, ReadAt, RecordedFile, Stores, address,
    read_exact_at,
};
use crate::{Error, Result};

/// The first bytes of an index; the last one is the version of the format.
const MAGIC: [u8; 8] = *b"LTINDEX\x01";
/// Added to the name of the file.
const ENDING: &str = ".ltindex";
/// Five words: magic, size of the file, hash of its ends, bytes of a head, and how many heads there are.
const HEADING: usize = 40;
/// The checksum of all before it.
const TAIL: usize = 8;
/// Heads that are compared with the file. With more, opening a thousand files takes longer than reading their indices.
const SAMPLES: usize = 8;
/// The end of an index's name while it is written.
const BESIDE: &str = ".unproved";

/// The name of the index of a file: its own name with `.ltindex` behind it.
pub fn index_path(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ENDING);
    name.into()
}

/// Writes the index of a complete file beside it, in place of another one, and returns how many datagrams it lists. Several processes may
/// index the files of a run at once.
///
/// ```
/// use livetime_formats::file::{index_path, write_index};
/// use livetime_formats::xtc1::{Builder, DatagramHeader};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("e1-r0001-s00-c00.xtc");
/// let mut datagram = Vec::new();
/// Builder::new(&mut datagram, &DatagramHeader::event(1_000_000_000, 3)).finish()?;
/// std::fs::write(&path, datagram).unwrap();
/// assert_eq!(write_index::<DatagramHeader>(&path)?, 1);
/// assert!(index_path(&path).ends_with("e1-r0001-s00-c00.xtc.ltindex"));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// If the file is being written, is broken, or ends inside a datagram, or the system refuses.
pub fn write_index<H: Head>(file: &Path) -> Result<u64> {
    write_index_in::<H>(&Stores::default(), file)
}

/// As [`write_index`], also beside an object in a store.
///
/// # Errors
/// As [`write_index`]; before the object is read, if its store is only read.
pub fn write_index_in<H: Head>(stores: &Stores, file: &Path) -> Result<u64> {
    let path = index_path(file);
    stores.check_new(&path)?;
    let bytes = bytes_of::<H>(stores, file).map_err(|e| e.in_file(file))?;
    let mut index = match address(file) {
        Some(_) => stores.replace(&path)?,
        None => NewFile::Disk(GrowingFile::create_beside(
            &path,
            BESIDE,
            Purpose { is_kept: false, replaces: true },
        )?),
    };
    index.append(&[&bytes])?;
    index.finish()?;
    Ok(((bytes.len() - HEADING - TAIL) / H::LEN) as u64)
}

fn bytes_of<H: Head>(stores: &Stores, path: &Path) -> Result<Vec<u8>> {
    if Growth::of(path).may_grow() {
        return Err(Error::new("a file that is complete", "one that is being written"));
    }
    let file = stores.open(path)?;
    let ends = FileEnds::of_open(&file)?;
    let mut bytes = vec![0; HEADING];
    let mut heads = Heads::<H, _>::new(file);
    let mut count = 0;
    while let Some((offset, _)) = heads.next()? {
        bytes.extend_from_slice(heads.window().get(offset, H::LEN)?);
        count += 1;
    }
    if heads.end() != (End::Whole { offset: ends.bytes }) {
        let found = format!("the end of the file in the middle of the one at {}", heads.end().offset());
        return Err(Error::new("whole datagrams", found));
    }
    let words = [u64::from_le_bytes(MAGIC), ends.bytes, ends.hash, H::LEN as u64, count];
    bytes.as_chunks_mut::<8>().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
    bytes.extend_from_slice(&XxHash3_64::oneshot(&bytes).to_le_bytes());
    Ok(bytes)
}

/// The places and heads of all datagrams of a complete file, from the index beside it; `None` if there is no index.
///
/// # Errors
/// If the index is of another file or another time, is broken, or says what is not so. Then the file itself must be scanned.
pub(crate) fn read_index<H: Head>(
    path: &Path,
    file: &RecordedFile,
    stores: &Stores,
) -> Result<Option<Vec<(u64, H)>>> {
    FileEnds::will_need(file);
    let index = match stores.open(&index_path(path)) {
        Ok(index) => index,
        Err(e) if e.io_error().is_some_and(|e| e.kind() == ErrorKind::NotFound) => return Ok(None),
        Err(e) => return Err(e),
    };
    let ends = FileEnds::of_open(file)?;
    let size = index.size().map_err(|e| Error::io("the size of the index", e))?;
    // Datagrams are at least as long as their heads, so that an index can be no longer than its file.
    let most = ends.bytes.saturating_add((HEADING + TAIL) as u64);
    if size > most {
        return Err(Error::new(format!("an index of at most {most} bytes"), size.to_string()));
    }
    let mut bytes = vec![0; size as usize];
    read_exact_at(&index, &mut bytes, 0)?;
    let all = parse_index::<H>(&bytes, ends)?;
    check_samples(&bytes[HEADING..bytes.len() - TAIL], &all, file)?;
    Ok(Some(all))
}

/// The places and heads of all datagrams that the bytes of an index list, for a file with these ends.
///
/// # Errors
/// If it is no index, one of another file or of another format, or broken.
pub fn parse_index<H: Head>(bytes: &[u8], ends: FileEnds) -> Result<Vec<(u64, H)>> {
    parsed::<H>(heads_in(bytes, H::LEN, ends)?, ends.bytes)
}

/// The bytes of the heads in an index, if it is one of a file with these ends.
fn heads_in(bytes: &[u8], head: usize, ends: FileEnds) -> Result<&[u8]> {
    let wrong = |wanted: &'static str| Err(Error::new(wanted, "another one"));
    let whole = bytes
        .split_last_chunk::<TAIL>()
        .and_then(|(all, sum)| Some((all, all.split_at_checked(HEADING)?, sum)));
    let Some((all, (heading, heads), sum)) = whole else { return wrong("an index with a heading") };
    let (words, _) = heading.as_chunks::<8>();
    let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
    if word(0) != u64::from_le_bytes(MAGIC) {
        return wrong("an index of version 1");
    }
    if (FileEnds { bytes: word(1), hash: word(2) }) != ends {
        return wrong("an index of the file as it is");
    }
    if word(3) != head as u64 || (heads.len() as u64) != word(4).saturating_mul(head as u64) {
        return wrong("an index with all heads of the format");
    }
    if XxHash3_64::oneshot(all) != u64::from_le_bytes(*sum) {
        return wrong("an index with a right checksum");
    }
    Ok(heads)
}

/// The heads with their places. Datagrams follow each other without gaps, so the lengths say where each begins.
fn parsed<H: Head>(heads: &[u8], bytes: u64) -> Result<Vec<(u64, H)>> {
    let mut offset = 0;
    let mut all = Vec::with_capacity(heads.len() / H::LEN);
    for head in heads.chunks_exact(H::LEN) {
        let head = H::parse(head).map_err(|e| e.moved_by(offset))?;
        all.push((offset, head));
        offset = offset.saturating_add(head.length());
    }
    if offset == bytes {
        return Ok(all);
    }
    Err(Error::new(format!("datagrams of {bytes} bytes together"), offset.to_string()))
}

/// Compares some heads with the file.
fn check_samples<H: Head>(heads: &[u8], all: &[(u64, H)], file: &impl ReadAt) -> Result<()> {
    let mut there = vec![0; H::LEN];
    let step = all.len().div_ceil(SAMPLES).max(1);
    // Of an object, all samples come at once.
    all.iter().step_by(step).for_each(|(offset, _)| file.will_need(*offset, H::LEN as u64));
    let both = heads.chunks_exact(H::LEN).zip(all);
    for (head, (offset, _)) in both.step_by(step) {
        read_exact_at(file, &mut there, *offset)?;
        if head != there {
            return Err(Error::new("an index with the heads of the file", "another head").at(*offset));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use proptest::prelude::*;

    use super::*;
    use crate::xtc1::{Builder, DatagramHeader};

    /// A file of datagrams of several lengths.
    fn file(folder: &Path, events: u64) -> PathBuf {
        let mut bytes = Vec::new();
        for event in 0..events {
            let mut datagram = Vec::new();
            let header = DatagramHeader::event(1_000_000_000 + event, 3 * event as u32);
            Builder::new(&mut datagram, &header).finish().unwrap();
            // A longer payload than any head, which no scan looks into.
            let more = (event % 5 * 100) as u32;
            let extent = u32::from_le_bytes(datagram[36..40].try_into().unwrap()) + more;
            datagram[36..40].copy_from_slice(&extent.to_le_bytes());
            datagram.resize(datagram.len() + more as usize, 7);
            bytes.extend(datagram);
        }
        let path = folder.join("e1-r0001-s00-c00.xtc");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn read(path: &Path) -> Result<Option<Vec<(u64, DatagramHeader)>>> {
        read_index::<DatagramHeader>(path, &File::open(path).unwrap().into(), &Stores::default())
    }

    fn scanned(path: &Path) -> Vec<u64> {
        let mut heads = Heads::<DatagramHeader, _>::new(File::open(path).unwrap());
        std::iter::from_fn(|| heads.next().unwrap()).map(|(offset, _)| offset).collect()
    }

    #[test]
    fn an_index_lists_what_a_scan_finds() {
        let folder = tempfile::tempdir().unwrap();
        for events in [0, 1, 7, 100] {
            let path = file(folder.path(), events);
            let _ = std::fs::remove_file(index_path(&path));
            assert!(read(&path).unwrap().is_none());
            assert_eq!(write_index::<DatagramHeader>(&path).unwrap(), events);
            let offsets: Vec<u64> = read(&path).unwrap().unwrap().iter().map(|(offset, _)| *offset).collect();
            assert_eq!(offsets, scanned(&path));
        }
    }

    #[test]
    fn an_index_of_another_file_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 100);
        write_index::<DatagramHeader>(&path).unwrap();
        let good = std::fs::read(&path).unwrap();
        let error = || read(&path).unwrap_err().to_string();
        std::fs::write(&path, &good[..good.len() - 40]).unwrap();
        assert!(error().contains("an index of the file as it is"), "{}", error());
        // The ends are the same, and a head in the middle is not.
        let mut other = good.clone();
        let middle = scanned_of(&good)[52] as usize;
        other[middle] ^= 1;
        std::fs::write(&path, &other).unwrap();
        assert!(error().contains("an index with the heads of the file"), "{}", error());
        std::fs::write(&path, &good[..good.len() - 1]).unwrap();
        let error = write_index::<DatagramHeader>(&path).unwrap_err().to_string();
        assert!(error.contains("whole datagrams"), "{error}");
    }

    fn scanned_of(bytes: &[u8]) -> Vec<u64> {
        let mut heads = Heads::<DatagramHeader, _>::new(bytes);
        std::iter::from_fn(|| heads.next().unwrap()).map(|(offset, _)| offset).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

        #[test]
        fn any_bytes_are_an_index_of_the_file_or_an_error(
            cut in 0usize..2000,
            changes in proptest::collection::vec((0usize..1400, any::<u8>()), 0..4),
            has_sum in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = file(folder.path(), 30);
            write_index::<DatagramHeader>(&path).unwrap();
            let mut bytes = std::fs::read(index_path(&path)).unwrap();
            bytes.truncate(cut.max(1));
            for (at, change) in changes {
                let length = bytes.len();
                bytes[at % length] ^= change;
            }
            if has_sum && bytes.len() > TAIL {
                let end = bytes.len() - TAIL;
                let sum = XxHash3_64::oneshot(&bytes[..end]);
                bytes[end..].copy_from_slice(&sum.to_le_bytes());
            }
            std::fs::write(index_path(&path), &bytes).unwrap();
            // What is believed leads to places in the file; what such places hold is checked by the reader.
            if let Ok(Some(found)) = read(&path) {
                prop_assert_eq!(found.len(), 30);
                let size = std::fs::metadata(&path).unwrap().len();
                prop_assert!(found.iter().all(|(offset, head)| offset + head.length() <= size));
            }
        }

        #[test]
        fn random_bytes_are_no_index(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let folder = tempfile::tempdir().unwrap();
            let path = file(folder.path(), 30);
            std::fs::write(index_path(&path), bytes).unwrap();
            prop_assert!(read(&path).is_err());
        }
    }
}
