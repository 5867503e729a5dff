//! Parts of a plan as files: made by many processes, merged by one, or by a tree of processes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use livetime_frame::ByteSize;
use livetime_recording::{FileEnds, MemoryLimit, Problem};
use twox_hash::XxHash3_64;

use crate::account::MOST_EVENTS;
use crate::error::{Error, Result};
use crate::leaves::Leaves;
use crate::whole_file::{io, write_whole};
use crate::{Account, Found, GoOn, Loader, Partial, Plan, Progress, Recording, ReduceError, Saver, Work};

/// The first bytes of a file of a part; the last one is the version of the format.
const MAGIC: [u8; 8] = *b"LTPART\0\x04";
/// Magic, hash of the plan, number of the first part and how many follow it ([`word_of`]).
const HEAD: usize = 24;
/// The checksum of all before it.
const TAIL: usize = 8;
/// The ending of names of files of parts.
const ENDING: &str = "ltpart";

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
        fs::create_dir_all(folder).map_err(|e| io("to make the folder", folder, e))?;
        let path = folder.join(format!("{}.{ENDING}", name_of(&self.numbers)));
        match fs::read(&path) {
            // Repeating a part is no error, because schedulers do it.
            Ok(there) if there == self.bytes => return Ok(WrittenPart { path, is_repeated: true }),
            // A broken file is no part.
            Ok(there) if is_whole(&there) => {
                let wanted = format!("{} with the same bits, or none", words_of(&self.numbers));
                return Err(Error::refused(
                    wanted,
                    format!("other bits, or of another plan, in {}", path.display()),
                ));
            }
            _ => {}
        }
        write_whole(&path, &self.bytes)?;
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
            let recording =
                Recording::open_part(&files, self.detector.format(), &self.state, &planned.places)?;
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
        let word = word_of(&numbers).to_le_bytes();
        // The hash of the plan is in every part, so that parts of another plan are refused.
        let mut head = Saver { bytes: [&MAGIC[..], &self.hash().to_le_bytes(), &word].concat() };
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
        self.check_memory(work, files.iter().flat_map(|(_, files)| files))?;
        let (mut all, mut copies, mut breaks) = (None, 0, Vec::new());
        // Used for all files: to touch new memory takes longer than to read into it.
        let (mut bytes, mut copy) = (Vec::new(), Vec::new());
        for (numbers, files) in &files {
            let Some((first, others)) = files.split_first() else { continue };
            read_part(first, &mut bytes)?;
            // Copies of a part come from repeated tasks; they must agree bit by bit.
            for other in others {
                read_part(other, &mut copy)?;
                if copy != bytes {
                    let found = format!("others in {} and {}", first.display(), other.display());
                    let wanted = format!("the same bits in all files of {}", words_of(numbers));
                    return Err(Error::refused(wanted, found));
                }
                copies += 1;
            }
            let mut rest = Loader::new(&bytes[HEAD..bytes.len() - TAIL]);
            let found = load_breaks(&mut rest, self.files.len());
            breaks.extend(
                found.map_err(|e| in_file(first, Error::refused("the breaks of a part", e.to_string())))?,
            );
            let partial = work.load(rest.rest()).map_err(|e| in_file(first, e))?;
            let leaves = self.parts[numbers.start].leaves.start..self.parts[numbers.end - 1].leaves.end;
            if partial.leaves != Leaves::of(leaves) {
                let wanted = format!("the leaves of {}", words_of(numbers));
                return Err(in_file(first, Error::refused(wanted, "others")));
            }
            match &mut all {
                None => all = Some(partial),
                Some(all) => work.merge(all, partial)?,
            }
        }
        let all = all.ok_or_else(|| Error::refused("a plan with parts", "one without"))?;
        Ok((all, breaks, copies))
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
        for ((start, end), found) in self.files_by_parts(paths)? {
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

    /// Refuses a merge that needs more memory than it may take: two files at a time, the partial result in one of them, and results that wait for others.
    fn check_memory<'p>(&self, work: &Work<'_>, files: impl Iterator<Item = &'p PathBuf>) -> Result<()> {
        let size = |file: &PathBuf| fs::metadata(file).map_or(0, |metadata| metadata.len());
        let largest = files.map(size).max().unwrap_or(0);
        // Two files at a time, and the loaded result.
        let needed = largest.saturating_mul(3).saturating_add(work.merging_bytes());
        let what = format!("a merge of {} parts of up to {}", self.parts(), ByteSize(largest));
        Ok(self.memory.unwrap_or_else(MemoryLimit::half_of_free).check(needed, what)?)
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
            let bytes = match fs::metadata(&path) {
                Ok(metadata) => metadata.len(),
                Err(e) if e.kind() == ErrorKind::NotFound => return Err(no_file(&path)),
                Err(e) => return Err(io("to look at the file", &path, e)),
            };
            let found = if bytes != file.ends.bytes {
                format!("another one, with {bytes}")
            } else if read.contains(&number) && FileEnds::of(&path)? != file.ends {
                "another one of that size, which begins or ends otherwise".to_owned()
            } else {
                continue;
            };
            let wanted = format!("{} as it was at the plan, with {} bytes", path.display(), file.ends.bytes);
            return Err(Error::refused(wanted, found));
        }
        Ok(())
    }

    /// All files of parts in folders, and the given files, by the first part and the part behind the last one that each says it has.
    fn files_by_parts(&self, paths: &[PathBuf]) -> Result<BTreeMap<(usize, usize), Vec<PathBuf>>> {
        let mut by_parts: BTreeMap<(usize, usize), Vec<PathBuf>> = BTreeMap::new();
        for path in files_in(paths)? {
            let parts = self.parts_of(&path).map_err(|e| in_file(&path, e))?;
            by_parts.entry((parts.start, parts.end)).or_default().push(path);
        }
        Ok(by_parts)
    }

    /// The numbers of the parts that a file says it has.
    fn parts_of(&self, path: &Path) -> Result<Range<usize>> {
        let mut head = [0; HEAD];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
        read.map_err(|e| io("to read the part", path, e))?;
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| head[at + i]));
        if head[..8] != MAGIC {
            return Err(Error::refused(format!("a part of version {}", MAGIC[7]), "something else"));
        }
        if word(8) != self.hash() {
            return Err(Error::refused(
                format!("a part of the plan {self}"),
                format!("one of {:016x}", word(8)),
            ));
        }
        let (first, more) = (word(16) & FIRST, word(16) >> COUNT_AT);
        match usize::try_from(first + more) {
            Ok(last) if last < self.parts() => Ok(last - more as usize..last + 1),
            _ => Err(Error::refused(
                format!("a part from 0 to {}", self.parts() - 1),
                (first + more).to_string(),
            )),
        }
    }
}

/// Where the number of parts behind the first one begins in the word of a file, and the bits of the first one's number.
const COUNT_AT: u32 = 32;
const FIRST: u64 = (1 << COUNT_AT) - 1;

/// The word for these parts in a file: a single part is its number.
fn word_of(numbers: &Range<usize>) -> u64 {
    numbers.start as u64 | ((numbers.len() - 1) as u64) << COUNT_AT
}

/// The name of a file of these parts, without its ending.
fn name_of(numbers: &Range<usize>) -> String {
    match numbers.len() {
        1 => format!("part-{:05}", numbers.start),
        _ => format!("parts-{:05}-{:05}", numbers.start, numbers.end - 1),
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

/// The files of parts in these folders, and the files given by name.
fn files_in(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = fs::read_dir(path).map_err(|e| io("to list the folder", path, e))?;
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        found.retain(|file| file.extension().is_some_and(|ending| ending == ENDING));
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

/// A file with a right checksum, in place of the content of `bytes`.
fn read_part(path: &Path, bytes: &mut Vec<u8>) -> Result<()> {
    bytes.clear();
    File::open(path)
        .and_then(|mut file| file.read_to_end(bytes))
        .map_err(|e| io("to read the part", path, e))?;
    if is_whole(bytes) {
        return Ok(());
    }
    Err(in_file(path, Error::refused("a part with a right checksum", "a file that is broken")))
}

fn is_whole(bytes: &[u8]) -> bool {
    let split = bytes.split_last_chunk::<TAIL>().filter(|(all, _)| all.len() >= HEAD);
    split.is_some_and(|(all, sum)| {
        all.starts_with(&MAGIC) && XxHash3_64::oneshot(all) == u64::from_le_bytes(*sum)
    })
}

fn no_file(path: &Path) -> Error {
    let wanted = format!("the file {} of the run that was planned", path.display());
    Error::refused(wanted, "none (--run FOLDER says where the run lies)")
}

fn in_file(path: &Path, error: Error) -> Error {
    match error {
        Error::Refused { wanted, found } => Error::refused(wanted, format!("{found} in {}", path.display())),
        error => error,
    }
}
