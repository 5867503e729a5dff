//! One stream: its chunks, scanned one after another.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{Files, Piece, Places, Problem};
use crate::file::{
    End, FileName, Growth, Head, Heads, IN_PROGRESS, RecordedFile, Stores, address, folder_of, index_path,
    read_index,
};
use crate::{Error, Result};

/// A datagram that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<H> {
    pub(crate) header: H,
    pub(crate) piece: Piece,
}

/// All streams of a run, in the order of their numbers.
#[derive(Debug)]
pub(crate) struct Streams<H> {
    list: Vec<Stream<H>>,
}

#[derive(Debug)]
pub(crate) struct Stream<H> {
    pub(crate) number: u32,
    chunks: BTreeMap<u32, Chunk<H>>,
    /// A chunk of it was still being written when it was added.
    was_growing: bool,
    /// Found and not merged yet.
    pub(crate) pending: Vec<Entry<H>>,
    /// The latest time found.
    pub(crate) newest_ns: u64,
}

#[derive(Debug)]
struct Chunk<H> {
    file: u32,
    path: PathBuf,
    heads: Heads<H, RecordedFile>,
    growth: Growth,
    is_over: bool,
    /// If set, only these places are scanned.
    places: Option<Vec<Range<u64>>>,
    index: Index,
}

/// Knowledge about the index of a chunk.
#[derive(Debug)]
enum Index {
    /// Nothing yet: the file is complete, and may have one.
    Unknown,
    /// The index was used, or the file is still being written.
    Done,
    /// There is none.
    Absent,
    /// The index does not fit its file.
    Ignored(Problem),
}

impl<H: Head> Stream<H> {
    fn new(number: u32) -> Stream<H> {
        Stream { number, chunks: BTreeMap::new(), was_growing: false, pending: Vec::new(), newest_ns: 0 }
    }

    fn add_chunk(
        &mut self,
        chunk: u32,
        index: u32,
        path: &Path,
        (file, places): (RecordedFile, Option<Vec<Range<u64>>>),
    ) -> Result<()> {
        let path = path.to_owned();
        let (heads, growth) = (Heads::new(file), Growth::of(&path));
        // A stream that was complete from the start gets no further chunks.
        self.was_growing |= growth.may_grow();
        let is_used = places.is_none() && !growth.may_grow();
        let known = if is_used { Index::Unknown } else { Index::Done };
        let added = Chunk { file: index, path, heads, growth, is_over: false, places, index: known };
        match self.chunks.insert(chunk, added) {
            None => Ok(()),
            Some(other) => {
                let found = format!("also {}", other.path.display());
                Err(Error::new("one file for each chunk of a stream", found))
            }
        }
    }

    /// Whether nothing will be added to its chunks.
    pub(crate) fn is_over(&self) -> bool {
        self.chunks.values().all(|c| c.is_over)
    }

    /// The names that the file behind the last chunk may have. The one with `.inprogress` first: a writer can
    /// only take that away.
    fn next_chunk(&self) -> Option<[PathBuf; 2]> {
        let (number, last) = self.chunks.last_key_value()?;
        let name = last.path.file_name()?.to_str()?;
        // The name ends in digits behind `-c` only if a recorder made it.
        let (stem, extension) = name.split_once('.')?;
        let extension = extension.trim_end_matches(".inprogress");
        let (stem, digits) = stem.rsplit_once("-c")?;
        let width = digits.len();
        let next = format!("{stem}-c{:0width$}.{extension}", number.checked_add(1)?);
        Some([format!("{next}.inprogress"), next].map(|name| last.path.with_file_name(name)))
    }

    /// The first chunk behind a gap.
    fn gap(&self) -> Option<Problem> {
        let pairs = self.chunks.iter().zip(self.chunks.iter().skip(1));
        let (before, behind, chunk) = pairs
            .map(|((a, _), (b, chunk))| (a, b, chunk))
            .find(|(a, b, _)| a.checked_add(1) != Some(**b))?;
        let error =
            Error::new(format!("chunk {} of stream {}", before + 1, self.number), format!("chunk {behind}"));
        Some(Problem { path: chunk.path.clone(), error })
    }

    fn scan(&mut self, stores: &Stores, problems: &mut Vec<Problem>) -> Result<()> {
        for chunk in self.chunks.values_mut() {
            chunk.scan(stores, &mut self.pending, &mut self.newest_ns, problems)?;
        }
        Ok(())
    }
}

impl<H: Head> Chunk<H> {
    fn scan(
        &mut self,
        stores: &Stores,
        found: &mut Vec<Entry<H>>,
        newest_ns: &mut u64,
        problems: &mut Vec<Problem>,
    ) -> Result<()> {
        if self.is_over {
            return Ok(());
        }
        if let Some(places) = self.places.take() {
            // The places are taken, so that they are scanned once.
            return self.scan_places(&places, found, newest_ns);
        }
        if self.take_index(stores, found, newest_ns) {
            return Ok(());
        }
        let outcome = self.scan_heads(found, newest_ns).and_then(|()| {
            // In this order: data that were written before the writer's end are found by the second scan.
            let is_over = self.growth.is_over()?;
            if is_over {
                self.scan_heads(found, newest_ns)?;
            }
            Ok(is_over)
        });
        match outcome {
            Ok(is_over) => self.is_over = is_over,
            // An error of the system says nothing about the content of the file.
            Err(error) if error.io_error().is_some() => return Err(error.in_file(&self.path)),
            Err(error) => {
                // Behind a broken datagram no next one can be found.
                self.is_over = true;
                self.heads.window().release();
                problems.push(Problem { path: self.path.clone(), error });
                return Ok(());
            }
        }
        if self.is_over {
            // A run may have thousands of files.
            self.heads.window().release();
        }
        // Only a file that is over is cut off; a growing one is just being written.
        if let (true, End::Partial { offset, has, wants }) = (self.is_over, self.heads.end()) {
            let wanted = wants.map_or_else(|| "a datagram".into(), |w| format!("a datagram of {w} bytes"));
            let error = Error::new(wanted, format!("{has} bytes up to the end of the file")).at(offset);
            problems.push(Problem { path: self.path.clone(), error });
        }
        Ok(())
    }

    /// Takes the datagrams from the index of the file. Returns whether there was one that could be believed.
    fn take_index(&mut self, stores: &Stores, found: &mut Vec<Entry<H>>, newest_ns: &mut u64) -> bool {
        if !matches!(self.index, Index::Unknown) {
            return false;
        }
        self.index = Index::Done;
        let listed = match read_index::<H>(&self.path, self.heads.window().source(), stores) {
            Ok(listed) => listed,
            Err(error) => {
                self.index = Index::Ignored(Problem { path: index_path(&self.path), error });
                None
            }
        };
        let Some(listed) = listed else {
            if matches!(self.index, Index::Done) {
                self.index = Index::Absent;
            }
            return false;
        };
        let newest = listed.iter().map(|(_, header)| header.time_ns()).max();
        *newest_ns = newest.map_or(*newest_ns, |newest| newest.max(*newest_ns));
        let piece = |offset, header: &H| Piece { file: self.file, offset, length: header.length() };
        found.extend(
            listed.into_iter().map(|(offset, header)| Entry { header, piece: piece(offset, &header) }),
        );
        self.is_over = true;
        true
    }

    /// Scans some places, which are known to begin and end with datagrams.
    fn scan_places(
        &mut self,
        places: &[Range<u64>],
        found: &mut Vec<Entry<H>>,
        newest_ns: &mut u64,
    ) -> Result<()> {
        for place in places {
            self.heads.move_to(place.start);
            // The offset moves with each datagram that was found.
            while self.heads.end().offset() < place.end {
                if !self.scan_head(found, newest_ns).map_err(|e| e.in_file(&self.path))? {
                    let error = Error::new("datagrams up to a place that is known", "the end of the file");
                    return Err(error.at(place.end).in_file(&self.path));
                }
            }
        }
        self.is_over = true;
        self.heads.window().release();
        Ok(())
    }

    fn scan_heads(&mut self, found: &mut Vec<Entry<H>>, newest_ns: &mut u64) -> Result<()> {
        while self.scan_head(found, newest_ns)? {}
        Ok(())
    }

    /// Returns whether there was one.
    fn scan_head(&mut self, found: &mut Vec<Entry<H>>, newest_ns: &mut u64) -> Result<bool> {
        let Some((offset, header)) = self.heads.next()? else { return Ok(false) };
        *newest_ns = (*newest_ns).max(header.time_ns());
        let length = header.length();
        found.push(Entry { header, piece: Piece { file: self.file, offset, length } });
        Ok(true)
    }
}

impl<H: Head> Streams<H> {
    /// Opens the files of one run.
    pub(crate) fn open<P: AsRef<Path>>(
        paths: &[P],
        files: &mut Files,
        problems: &mut Vec<Problem>,
    ) -> Result<Streams<H>> {
        if paths.is_empty() {
            return Err(Error::new("at least one file of a run", "none"));
        }
        let mut streams = Streams { list: Vec::new() };
        for path in paths {
            streams.add_file(path.as_ref(), None, files)?;
        }
        streams.list.sort_by_key(|s| s.number);
        problems.extend(streams.list.iter().filter_map(Stream::gap));
        Ok(streams)
    }

    /// Opens files of one run, to scan only these places. Each place begins and ends with a datagram.
    pub(crate) fn open_places(places: &[Places], files: &mut Files) -> Result<Streams<H>> {
        let mut streams = Streams { list: Vec::new() };
        for Places { path, ranges } in places {
            streams.add(path, None, Some(ranges.clone()), files)?;
        }
        streams.list.sort_by_key(|s| s.number);
        Ok(streams)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Stream<H>> {
        self.list.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Stream<H>> {
        self.list.iter_mut()
    }

    pub(crate) fn is_growing(&self) -> bool {
        self.list.iter().any(|s| !s.is_over())
    }

    /// The indices that do not fit their files, which were scanned instead.
    pub(crate) fn ignored_indices(&self) -> impl Iterator<Item = &Problem> {
        let chunks = self.list.iter().flat_map(|stream| stream.chunks.values());
        chunks.filter_map(|chunk| match &chunk.index {
            Index::Ignored(problem) => Some(problem),
            _ => None,
        })
    }

    /// The objects of stores that were scanned for want of an index.
    pub(crate) fn scanned_objects(&self) -> impl Iterator<Item = &Path> {
        let chunks = self.list.iter().flat_map(|stream| stream.chunks.values());
        let scanned =
            chunks.filter(|chunk| matches!(chunk.index, Index::Absent) && address(&chunk.path).is_some());
        scanned.map(|chunk| chunk.path.as_path())
    }

    /// Finds all datagrams there are now.
    pub(crate) fn scan(&mut self, files: &mut Files, problems: &mut Vec<Problem>) -> Result<()> {
        for position in 0..self.list.len() {
            self.list[position].scan(&files.stores, problems)?;
            while self.add_next_chunk(position, files)? {
                self.list[position].scan(&files.stores, problems)?;
            }
        }
        Ok(())
    }

    /// Takes out the entries earlier than `limit_ns`, or all, with the positions of the streams, in the order of time
    /// and then of streams.
    pub(crate) fn take_settled(&mut self, limit_ns: Option<u64>) -> Vec<(usize, Entry<H>)> {
        let mut settled = Vec::new();
        for (position, stream) in self.list.iter_mut().enumerate() {
            let is_settled = |e: &Entry<H>| limit_ns.is_none_or(|limit| e.header.time_ns() < limit);
            let all = std::mem::take(&mut stream.pending);
            // The order within a stream stays, also where times do not rise.
            let (now, later): (Vec<_>, Vec<_>) = all.into_iter().partition(is_settled);
            stream.pending = later;
            settled.extend(now.into_iter().map(|e| (position, e)));
        }
        // The sort is stable: entries of one time stay in the order of their streams.
        settled.sort_by_key(|(_, e)| e.header.time_ns());
        settled
    }

    /// Adds a file to the stream of its name, or to stream `number`.
    pub(crate) fn add_file(
        &mut self,
        path: &Path,
        place: Option<(u32, u32)>,
        files: &mut Files,
    ) -> Result<()> {
        self.add(path, place, None, files)
    }

    fn add(
        &mut self,
        path: &Path,
        place: Option<(u32, u32)>,
        ranges: Option<Vec<Range<u64>>>,
        files: &mut Files,
    ) -> Result<()> {
        let (index, file) = files.open(path)?;
        // A file whose name has no stream is a stream of its own, behind the numbered ones.
        let named = place.or_else(|| FileName::parse(path).map(|n| (n.stream, n.chunk)));
        let (number, chunk) = named.unwrap_or((u32::MAX - index, 0));
        let known = self.list.iter().position(|s| s.number == number);
        let position = known.unwrap_or_else(|| {
            self.list.push(Stream::new(number));
            self.list.len() - 1
        });
        self.list[position].add_chunk(chunk, index, path, (file, ranges)).map_err(|e| e.in_file(path))
    }

    /// Adds the next chunk of a stream, if there is one. Of a run that was complete from the beginning, the files that were given are
    /// the ones that are wanted.
    fn add_next_chunk(&mut self, position: usize, files: &mut Files) -> Result<bool> {
        let stream = &self.list[position];
        // A stream that grows has its next chunk only when the last one ended.
        let names = if stream.was_growing && stream.is_over() { stream.next_chunk() } else { None };
        for path in names.into_iter().flatten() {
            match self.add_file(&path, None, files) {
                Ok(()) => return Ok(true),
                // The file is not there yet.
                Err(e) if e.io_error().is_some_and(|e| e.kind() == ErrorKind::NotFound) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(false)
    }
}

/// Refuses files of several runs.
pub(crate) fn check_names<P: AsRef<Path>>(paths: &[P]) -> Result<()> {
    let mut names = paths.iter().filter_map(|p| FileName::parse(p.as_ref()).map(|n| (p.as_ref(), n)));
    let Some((_, first)) = names.next() else { return Ok(()) };
    // Files without a number may be put into any run by hand.
    match names.find(|(_, n)| (&n.experiment, n.run) != (&first.experiment, first.run)) {
        None => Ok(()),
        Some((path, _)) => {
            let wanted = format!("files of run {} of {}", first.run, first.experiment);
            Err(Error::new(wanted, "one of another run").in_file(path))
        }
    }
}

pub(crate) fn files_of(path: &Path, stores: &Stores) -> Result<Vec<PathBuf>> {
    // A name without a run stands for itself.
    let Some(wanted) = FileName::parse(path) else { return Ok(vec![path.to_owned()]) };
    let ending = ending(path);
    let folder = folder_of(path);
    let entries = match stores.list(folder) {
        // A server that lists nothing still has the file itself.
        Err(e) if e.kind() == ErrorKind::Unsupported => return Ok(vec![path.to_owned()]),
        listed => listed.map_err(|e| Error::io("to list the folder", e).in_file(folder))?,
    };
    let is_wanted = |p: &PathBuf| {
        let name = FileName::parse(p);
        self::ending(p) == ending
            && name.is_some_and(|n| (n.experiment, n.run) == (wanted.experiment.clone(), wanted.run))
    };
    let mut files: Vec<PathBuf> = entries.into_iter().filter(is_wanted).collect();
    // For a moment a file has two names: its writer gives it the new one before it takes the old one away.
    let finished: Vec<PathBuf> = files.iter().filter(|f| !Growth::of(f).may_grow()).cloned().collect();
    files.retain(|f| !(Growth::of(f).may_grow() && finished.contains(&f.with_extension(""))));
    files.sort();
    Ok(files)
}

/// The part of a file's name behind its first dot, without `.inprogress`: a run may lie beside its compressed copy, as
/// `.xtc` beside `.hist16.xtc`.
fn ending(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let ending = name.split_once('.').map_or("", |(_, ending)| ending);
    let growing = ending.strip_suffix(IN_PROGRESS);
    Some(growing.map_or(ending, |rest| rest.strip_suffix('.').unwrap_or(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xtc1::{Builder, DatagramHeader};

    #[test]
    fn a_file_that_is_scanned_holds_no_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = Vec::new();
        for ns in 1..9 {
            Builder::new(&mut bytes, &DatagramHeader::event(ns, 3)).finish().unwrap();
        }
        let broken = [&bytes[..], &[0xFF; 64]].concat();
        let mut paths = Vec::new();
        for (stream, bytes) in [&bytes, &broken].into_iter().enumerate() {
            paths.push(folder.path().join(format!("e1-r0001-s{stream:02}-c00.xtc")));
            std::fs::write(&paths[stream], bytes).unwrap();
        }
        let (mut files, mut problems) = (Files::default(), Vec::new());
        let mut streams = Streams::<DatagramHeader>::open(&paths, &mut files, &mut problems).unwrap();
        streams.scan(&mut files, &mut problems).unwrap();
        assert_eq!((streams.list.len(), problems.len()), (2, 1));
        for stream in streams.iter_mut() {
            assert_eq!(stream.pending.len(), 8);
            let memory = stream.chunks.values_mut().map(|chunk| chunk.heads.window().memory());
            assert_eq!(memory.sum::<usize>(), 0);
        }
    }
}
