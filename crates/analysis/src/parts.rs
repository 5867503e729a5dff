//! Parts of a plan as files: made by many processes, merged by one, or by a tree of processes.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use livetime_formats::file::{ReadAt, address};
use livetime_frame::ByteSize;
use livetime_recording::{FileEnds, MemoryLimit, Problem, Stores};
use twox_hash::XxHash3_64;

use crate::account::MOST_EVENTS;
use crate::error::{Error, Result};
use crate::leaves::Leaves;
use crate::part_file::{self, Heading, PartFile, files_in, in_file, is_same, name_of, numbers_in};
use crate::plan::{ends_of_first, size_of};
use crate::tree::nodes_of;
use crate::whole_file::{io, write_whole};
use crate::{Account, Found, GoOn, Loader, Partial, Plan, Progress, Recording, ReduceError, Saver, Work};

/// The result of one part of a plan, or of several parts in a row. Every machine that makes it writes the same bytes.
pub struct Part {
    numbers: Range<usize>,
    account: Account,
    breaks: Vec<Break>,
    bytes: Vec<u8>,
}

/// A broken part of an event, found when the event is read: the plan reads the headers of events alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Break {
    event: usize,
    /// Number of the file in the plan.
    file: usize,
    why: String,
}

/// A file of a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenPart {
    /// Path of the file.
    pub path: PathBuf,
    /// The file existed with the same bytes.
    pub is_repeated: bool,
}

/// The results of all parts.
#[derive(Clone, PartialEq, Debug)]
pub struct Merged {
    /// The results.
    pub found: Found,
    /// Faults of files that the plan and the parts found: name and reason.
    pub problems: Vec<(String, String)>,
    /// Files that were read beside one for each part, with the same bytes.
    pub copies: usize,
}

impl Part {
    /// Number of the part, from 0 on; of several parts, of the first one.
    pub fn number(&self) -> usize {
        self.numbers.start
    }

    /// Numbers of all its parts.
    pub fn numbers(&self) -> Range<usize> {
        self.numbers.clone()
    }

    /// The fate of its events.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// How many places inside of its events mean nothing, places that the plan knows left out.
    pub fn breaks(&self) -> usize {
        self.breaks.len()
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes `part-00017.ltpart`, or `parts-00016-00031.ltpart`, into `folder`, which is made if need be. The file is written under another name and renamed, so that
    /// a process that is killed leaves nothing that looks like a part.
    ///
    /// # Errors
    /// If a part of this number is there with other bits, or of another plan, or the system refuses.
    pub fn write(&self, folder: &Path) -> Result<WrittenPart> {
        self.write_in(&Stores::default(), folder)
    }

    /// As [`Part::write`], also below an address, where readers see whole files only.
    ///
    /// # Errors
    /// As [`Part::write`].
    pub fn write_in(&self, stores: &Stores, folder: &Path) -> Result<WrittenPart> {
        stores.make_folder(folder).map_err(|e| io("to make the folder", folder, e))?;
        let path = folder.join(name_of(&self.numbers));
        // Repeating a part is no error, because schedulers do it.
        let there = part_file::open(stores, &path);
        if there.is_ok_and(|there| is_same(there, &mut &self.bytes[..]).is_ok_and(|is_same| is_same)) {
            return Ok(WrittenPart { path, is_repeated: true });
        }
        // A broken file is no part.
        if PartFile::open(stores, &path).is_ok_and(|there| there.end().is_ok()) {
            let wanted = format!("{} with the same bits, or none", words_of(&self.numbers));
            let found = format!("other bits, or of another plan, in {}", path.display());
            return Err(Error::refused(wanted, found));
        }
        write_whole(stores, &path, &self.bytes)?;
        Ok(WrittenPart { path, is_repeated: false })
    }
}

impl Plan {
    /// Analyses one part of the plan with `workers` threads. `tell` is called after each block, and several times a second, by the
    /// calling thread; it returns whether to go on.
    ///
    /// # Errors
    /// If there is no such part, if the files of the run have changed since the plan, or as [`Work::reduce`].
    pub fn reduce(
        &self,
        work: &Work<'_>,
        part: usize,
        workers: usize,
        tell: &mut dyn FnMut(Progress) -> GoOn,
    ) -> Result<Part> {
        let Some(planned) = self.parts.get(part) else {
            return Err(Error::refused(format!("a part from 0 to {}", self.parts() - 1), part.to_string()));
        };
        self.check_run(part)?;
        // An empty part opens no file, so that it can be reduced anywhere.
        let (partial, breaks) = if planned.leaves.is_empty() {
            (work.nothing(), Vec::new())
        } else {
            let files: Vec<PathBuf> = self.paths().collect();
            let recording = Recording::open_part_from(
                &self.stores,
                &files,
                self.detector.format(),
                &self.state,
                &planned.places,
            )?;
            let recording = self.memory.map_or(recording.clone(), |memory| recording.with_memory(memory));
            let partial = work.reduce(&recording, planned.leaves.clone(), workers, tell)?;
            (partial, self.breaks(&files, recording.problems()))
        };
        self.part(work, part..part + 1, partial, breaks)
    }

    /// The file of a partial result of these parts.
    fn part(
        &self,
        work: &Work<'_>,
        numbers: Range<usize>,
        partial: Partial,
        breaks: Vec<Break>,
    ) -> Result<Part> {
        // The hash of the plan is in every part, so that parts of another plan are refused.
        let heading = Heading { plan: self.hash(), numbers: numbers.clone() };
        let mut head = Saver { bytes: heading.bytes().to_vec() };
        save_breaks(&breaks, &mut head);
        let mut bytes = work.save_behind(head.bytes, &partial)?;
        bytes.extend_from_slice(&XxHash3_64::oneshot(&bytes).to_le_bytes());
        Ok(Part { numbers, account: partial.account, breaks, bytes })
    }

    /// The `problems` inside of events that the plan does not know, in an order that no thread changes. `files` are the files of the plan as this
    /// process finds them.
    fn breaks(&self, files: &[PathBuf], problems: Vec<Problem>) -> Vec<Break> {
        let of = |Problem { path, event, why }| {
            let (event, file) = (event?, files.iter().position(|file| *file == path)?);
            let is_known = self.problems().contains(&(self.file_name(file), why.clone()));
            // Problems that the plan knows are reported once, by the plan.
            (!is_known).then_some(Break { event, file, why })
        };
        let mut breaks: Vec<Break> = problems.into_iter().filter_map(of).collect();
        // Sorted, because workers find them in any order, and the bytes must not depend on it.
        breaks.sort();
        breaks
    }

    /// The name of a file in [`Plan::problems`].
    fn file_name(&self, file: usize) -> String {
        self.files().nth(file).map_or_else(String::new, |path| path.display().to_string())
    }

    /// Merges the parts in these folders and files. Every part must be there, alone or in one file of several; copies must have the
    /// same bytes.
    ///
    /// # Errors
    /// [`Error::MissingParts`] with their numbers, [`Error::Memory`], that a part is in two files of different parts, or that a file is broken, of another
    /// plan, or has other bits than another one of the same parts.
    pub fn merge(&self, work: &Work<'_>, paths: &[PathBuf]) -> Result<Merged> {
        let (all, breaks, copies) = self.partial(work, 0..self.parts(), paths)?;
        Ok(Merged { found: work.finish(all)?, problems: self.with_breaks(breaks), copies })
    }

    /// Merges the parts `numbers` in these folders and files into one, which can be merged in turn; files of other parts are left alone.
    /// So a tree of processes merges any number of parts, and none of them reads all.
    ///
    /// The bits of the last result do not depend on the tree. Numbers from i 2^k to (i + 1) 2^k make the smallest files.
    ///
    /// # Errors
    /// As [`Plan::merge`]; also if there are no such parts, or a file has some of them and others.
    pub fn merge_some(&self, work: &Work<'_>, numbers: Range<usize>, paths: &[PathBuf]) -> Result<Part> {
        if numbers.is_empty() || numbers.end > self.parts() {
            let found = format!("{}..{}", numbers.start, numbers.end);
            return Err(Error::refused(format!("some parts of 0..{}", self.parts()), found));
        }
        let (all, mut breaks, _) = self.partial(work, numbers.clone(), paths)?;
        // As one process that has reduced all these events would find them.
        breaks.sort();
        self.part(work, numbers, all, breaks)
    }

    /// The result of the parts `wanted`, what is broken in them, and how many files were copies.
    fn partial(
        &self,
        work: &Work<'_>,
        wanted: Range<usize>,
        paths: &[PathBuf],
    ) -> Result<(Partial, Vec<Break>, usize)> {
        let files = self.files_of(&wanted, paths)?;
        self.check_memory(work, &files)?;
        let (mut all, mut copies, mut breaks) = (None, 0, Vec::new());
        for (numbers, files) in &files {
            let Some((first, others)) = files.split_first() else { continue };
            let (found, partial) = self.load_part(work, numbers, first)?;
            breaks.extend(found);
            for other in others {
                check_copy(&self.stores, first, other, numbers)?;
                copies += 1;
            }
            match &mut all {
                None => all = Some(partial),
                Some(all) => work.merge(all, partial)?,
            }
        }
        let all = all.ok_or_else(|| Error::refused("a plan with parts", "one without"))?;
        Ok((all, breaks, copies))
    }

    /// The content of the parts `numbers`, straight from the file: takes the memory of one partial result.
    fn load_part(
        &self,
        work: &Work<'_>,
        numbers: &Range<usize>,
        path: &Path,
    ) -> Result<(Vec<Break>, Partial)> {
        let mut file = PartFile::open(&self.stores, path)?;
        let mut from = file.content();
        let breaks = load_breaks(&mut from, self.files.len())
            .map_err(|e| Error::refused("the breaks of a part", e.to_string()));
        let loaded = breaks.and_then(|breaks| Ok((breaks, work.load_from(&mut from)?)));
        // A broken file is reported as broken, wherever in it the first wrong number was met.
        file.end()?;
        let (breaks, partial) = loaded.map_err(|e| in_file(path, e))?;
        if partial.leaves != Leaves::of(self.leaves_of_all(numbers)) {
            let wanted = format!("the leaves of {}", words_of(numbers));
            return Err(in_file(path, Error::refused(wanted, "others")));
        }
        Ok((breaks, partial))
    }

    /// The files of the parts `wanted`, in their order, each with its copies.
    ///
    /// # Errors
    /// [`Error::MissingParts`], or that a part is in two files of different parts, or that a file has other parts too.
    fn files_of(
        &self,
        wanted: &Range<usize>,
        paths: &[PathBuf],
    ) -> Result<Vec<(Range<usize>, Vec<PathBuf>)>> {
        let mut files: Vec<(Range<usize>, Vec<PathBuf>)> = Vec::new();
        let (mut missing, mut next) = (Vec::new(), wanted.start);
        for ((start, end), found) in self.files_by_parts(wanted, paths)? {
            if end <= wanted.start || start >= wanted.end {
                continue;
            }
            if start < wanted.start || end > wanted.end {
                let only = format!("parts of {}..{} alone", wanted.start, wanted.end);
                return Err(in_file(&found[0], Error::refused(only, words_of(&(start..end)))));
            }
            // A part that counts twice would change the result without a sign.
            if let Some((_, before)) = files.last().filter(|_| start < next) {
                let twice = format!("part {start} in {} and {}", before[0].display(), found[0].display());
                return Err(Error::refused("every part once", twice));
            }
            missing.extend(next..start);
            next = end;
            files.push((start..end, found));
        }
        missing.extend(next..wanted.end);
        if missing.is_empty() { Ok(files) } else { Err(Error::MissingParts(missing)) }
    }

    /// Refuses a merge that needs more memory than it may take: the merged result, the one that is being loaded, results of the tree that wait
    /// for others, and the last results.
    fn check_memory(&self, work: &Work<'_>, files: &[(Range<usize>, Vec<PathBuf>)]) -> Result<()> {
        let size =
            |file: &PathBuf| self.stores.open(file).ok().and_then(|file| file.size().ok()).unwrap_or(0);
        let largest = files.iter().flat_map(|(_, files)| files).map(size).max().unwrap_or(0);
        // Two files of a tree have few nodes between them, however many leaves the plan has.
        let nodes =
            |(numbers, _): &(Range<usize>, _)| nodes_of(&[self.leaves_of_all(numbers)], work.leaves()).len();
        let waiting = files.iter().map(nodes).sum::<usize>() as u64;
        let needed = largest.saturating_mul(2).saturating_add(work.merging_bytes(waiting));
        let what = format!("a merge of {} parts of up to {}", files.len(), ByteSize(largest));
        Ok(self.memory.unwrap_or_else(MemoryLimit::half_of_free).check(needed, what)?)
    }

    /// The leaves of some parts, at least one.
    fn leaves_of_all(&self, numbers: &Range<usize>) -> Range<usize> {
        self.parts[numbers.start].leaves.start..self.parts[numbers.end - 1].leaves.end
    }

    /// The problems that the plan knows, and the problems that parts found.
    fn with_breaks(&self, mut breaks: Vec<Break>) -> Vec<(String, String)> {
        breaks.sort();
        let found = breaks.into_iter().map(|Break { file, why, .. }| (self.file_name(file), why));
        self.problems().iter().cloned().chain(found).collect()
    }

    /// Whether the files of the run are the planned ones: all by their names and sizes, the files that the part reads also by their ends.
    fn check_run(&self, part: usize) -> Result<()> {
        let reads = self.parts[part].places.reads.iter().chain(&self.state);
        let read: Vec<usize> = reads.map(|piece| piece.file).collect();
        for (number, (path, file)) in self.paths().zip(&self.files).enumerate() {
            let bytes = self.bytes_of(&path)?;
            let is_long = if file.grows { bytes >= file.ends.bytes } else { bytes == file.ends.bytes };
            let found = if !is_long {
                format!("another one, with {bytes}")
            } else if read.contains(&number) && self.ends_of(&path, file.ends.bytes)? != file.ends {
                "another one of that size, which begins or ends otherwise".to_owned()
            } else {
                continue;
            };
            let wanted = format!("{} as it was at the plan, with {} bytes", path.display(), file.ends.bytes);
            return Err(Error::refused(wanted, found));
        }
        Ok(())
    }

    /// How many bytes a file of the run has.
    fn bytes_of(&self, path: &Path) -> Result<u64> {
        if address(path).is_some() {
            return match self.stores.open(path) {
                Err(e) if e.io_error().is_some_and(|e| e.kind() == ErrorKind::NotFound) => Err(no_file(path)),
                opened => size_of(&opened?, path),
            };
        }
        match fs::metadata(path) {
            Ok(metadata) => Ok(metadata.len()),
            Err(e) if e.kind() == ErrorKind::NotFound => Err(no_file(path)),
            Err(e) => Err(io("to look at the file", path, e)),
        }
    }

    fn ends_of(&self, path: &Path, bytes: u64) -> Result<FileEnds> {
        ends_of_first(&self.stores.open(path)?, path, bytes)
    }

    /// The files of parts in folders, and the given files, by the first part and the part behind the last one that each says it has. Files
    /// whose names say that they have none of the parts `wanted` are not opened.
    fn files_by_parts(
        &self,
        wanted: &Range<usize>,
        paths: &[PathBuf],
    ) -> Result<BTreeMap<(usize, usize), Vec<PathBuf>>> {
        let mut by_parts: BTreeMap<(usize, usize), Vec<PathBuf>> = BTreeMap::new();
        // Else each of the merges of a tree would open all files of its folder. A name that no part of the plan has is of another plan.
        let is_elsewhere = |path: &PathBuf| {
            let named = numbers_in(path).filter(|named| named.end <= self.parts());
            named.is_some_and(|named| named.end <= wanted.start || named.start >= wanted.end)
        };
        for path in files_in(&self.stores, paths)?.into_iter().filter(|path| !is_elsewhere(path)) {
            let parts = self.parts_of(&path).map_err(|e| in_file(&path, e))?;
            by_parts.entry((parts.start, parts.end)).or_default().push(path);
        }
        Ok(by_parts)
    }

    /// The numbers of the parts that a file says it has.
    fn parts_of(&self, path: &Path) -> Result<Range<usize>> {
        let heading = Heading::read(&self.stores, path)?;
        if heading.plan != self.hash() {
            let found = format!("one of {:016x}", heading.plan);
            return Err(Error::refused(format!("a part of the plan {self}"), found));
        }
        if heading.numbers.end > self.parts() {
            let found = (heading.numbers.end - 1).to_string();
            return Err(Error::refused(format!("a part from 0 to {}", self.parts() - 1), found));
        }
        Ok(heading.numbers)
    }
}

/// These parts in a message.
fn words_of(numbers: &Range<usize>) -> String {
    match numbers.len() {
        1 => format!("part {}", numbers.start),
        _ => format!("parts {} to {}", numbers.start, numbers.end - 1),
    }
}

fn save_breaks(breaks: &[Break], out: &mut Saver) {
    out.number(breaks.len() as u64);
    for Break { event, file, why } in breaks {
        out.number(*event as u64);
        out.number(*file as u64);
        out.text(why);
    }
}

/// # Errors
/// If they are none of a plan with this number of files.
fn load_breaks(from: &mut Loader<'_>, files: usize) -> Result<Vec<Break>, ReduceError> {
    let mut breaks = Vec::new();
    for _ in 0..from.at_most(MOST_EVENTS)? {
        let event = usize::try_from(from.number()?)?;
        let file = from.size_at_most(files.saturating_sub(1))?;
        breaks.push(Break { event, file, why: from.text()? });
    }
    Ok(breaks)
}

/// Refuses a copy of a part, from a repeated task, that differs in any bit.
fn check_copy(stores: &Stores, first: &Path, other: &Path, numbers: &Range<usize>) -> Result<()> {
    let mut original = part_file::open(stores, first)?;
    let copy = part_file::open(stores, other)?;
    if is_same(copy, &mut original).map_err(|e| io("to read the part", other, e))? {
        return Ok(());
    }
    PartFile::open(stores, other)?.end()?;
    let found = format!("others in {} and {}", first.display(), other.display());
    Err(Error::refused(format!("the same bits in all files of {}", words_of(numbers)), found))
}

fn no_file(path: &Path) -> Error {
    let wanted = format!("the file {} of the run that was planned", path.display());
    Error::refused(wanted, "none (--run FOLDER says where the run lies)")
}
