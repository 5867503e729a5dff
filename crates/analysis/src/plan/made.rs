//! How plans are made: of a recorded run, or from a text.

use std::ops::Range;
use std::path::Path;

use livetime_formats::file::{Growth, ReadAt, absolute};
use livetime_recording::Stores;
use twox_hash::XxHash3_64;

use super::{Plan, PlannedFile, PlannedPart, ends_of_first, json, size_of};
use crate::error::{Error, Result};
use crate::whole_file::write_whole;
use crate::{Recording, Work};

/// Blocks of a part where no number of parts is given: 8 GiB. The cost of a part beside its events (a process, a partial result
/// written, read and merged) is then about a hundredth.
const BLOCKS_OF_PART: usize = 256;

/// Most parts of a plan, far more than any cluster starts; a larger number is a mistake.
const MOST_PARTS: usize = 1_000_000;

/// Most bytes of the text of a plan, far above the longest one that was made.
const MOST_TEXT: u64 = 1 << 30;

/// Parts begin at multiples of such a fraction of their size, so that no part is larger than another one by more than that.
const UNITS: usize = 4;

impl Plan {
    /// Plans `work` on a recorded run in `parts` parts; without a number, in parts of 8 GiB. With more parts than
    /// leaves some parts are empty. A run of datagrams (XTC) that is still being written is planned as far as it is complete.
    ///
    /// # Errors
    /// If a run of another format is still being written, more than a million parts are wanted, its files cannot be read, or their names are no UTF-8.
    pub fn new(recording: &Recording, work: &Work<'_>, parts: Option<usize>) -> Result<Plan> {
        if recording.is_growing() && !recording.format().has_places() {
            return Err(Error::refused("a run that is complete", "one that is still being written"));
        }
        let parts = parts.unwrap_or_else(|| work.blocks().div_ceil(BLOCKS_OF_PART));
        if !(1..=MOST_PARTS).contains(&parts) {
            return Err(Error::refused(format!("1 to {MOST_PARTS} parts"), parts.to_string()));
        }
        let part = |leaves: Range<usize>| {
            let places = recording.places(work.cut.span_of_leaves(&leaves));
            PlannedPart { leaves, places }
        };
        // As the files are named below.
        let name = |path: &Path| absolute(path).unwrap_or(path.to_owned()).display().to_string();
        let problems = recording.problems().into_iter();
        let state = recording.state_places();
        let parts: Vec<PlannedPart> = ranges(work.leaves(), parts).map(part).collect();
        let reads = || parts.iter().flat_map(|part| &part.places.reads).chain(&state);
        // Bytes behind the last planned event of a growing file may change yet.
        let end =
            |file| reads().filter(|piece| piece.file == file).map(|piece| piece.bytes.end).max().unwrap_or(0);
        let files = recording.files();
        let files = files
            .iter()
            .enumerate()
            .map(|(number, path)| PlannedFile::of(recording.stores(), path, || end(number)));
        let mut plan = Plan {
            files: files.collect::<Result<Vec<_>>>()?,
            problems: problems.map(|p| (name(&p.path), p.why)).collect(),
            state,
            detector: work.detector.clone(),
            layout: work.layout.clone(),
            cut: work.cut.clone(),
            select: work.select.clone(),
            reducers: work.describe(),
            parts,
            hash: 0,
            folder: None,
            memory: None,
            stores: recording.stores().clone(),
        };
        plan.hash = plan.content_hash();
        plan.check()?;
        Ok(plan)
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// If it is none, or was changed by hand, or the system refuses.
    pub fn read(path: &Path) -> Result<Plan> {
        Plan::read_from(&Stores::default(), path)
    }

    /// As [`Plan::read`], also at an address; the files of the run and of parts are opened in these stores.
    ///
    /// # Errors
    /// As [`Plan::read`].
    pub fn read_from(stores: &Stores, path: &Path) -> Result<Plan> {
        let refused = |e| livetime_recording::Error::io("to read the plan", e).in_file(path);
        let file = stores.open(path).map_err(|e| match e.io_error() {
            Some(why) => refused(std::io::Error::new(why.kind(), why.to_string())),
            None => e,
        })?;
        let size = file.size().map_err(refused)?;
        if size > MOST_TEXT {
            return Err(Error::refused(format!("a plan of at most {MOST_TEXT} bytes"), size.to_string()));
        }
        let mut bytes = vec![0; size as usize];
        livetime_formats::file::read_exact_at(&file, &mut bytes, 0).map_err(|e| e.in_file(path))?;
        let text = String::from_utf8(bytes).map_err(|e| refused(std::io::Error::other(e)))?;
        let plan = Plan::parse(&text);
        let plan = plan.map_err(|e| Error::refused("a plan", format!("{}: {e}", path.display())))?;
        Ok(plan.with_stores(stores))
    }

    /// Writes the plan, beside its place first, so that no process reads half of it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_whole(&self.stores, path, self.text().as_bytes())
    }

    /// The text of the plan, for processes that do not get it as a file.
    pub fn text(&self) -> String {
        format!("{:#}\n", self.json())
    }

    /// Takes a plan from its text.
    ///
    /// # Errors
    /// If it is none, or was changed by hand.
    pub fn parse(text: &str) -> Result<Plan> {
        let plan = json::parse(text)?;
        plan.check()?;
        let found = plan.content_hash();
        if found != plan.hash {
            let wanted = format!("a plan as it was written, with the hash {plan}");
            return Err(Error::refused(wanted, format!("one with {found:016x}")));
        }
        Ok(plan)
    }

    fn content_hash(&self) -> u64 {
        XxHash3_64::oneshot(self.content().to_string().as_bytes())
    }
}

impl PlannedFile {
    /// The file as it is, or up to `end` if it is still being written.
    fn of(stores: &Stores, path: &Path, end: impl FnOnce() -> u64) -> Result<PlannedFile> {
        let absolute = absolute(path)
            .map_err(|e| livetime_recording::Error::io("the path of the file", e).in_file(path))?;
        if absolute.to_str().is_none() {
            return Err(Error::refused("a path in UTF-8", path.display().to_string()));
        }
        // A plan is read by others, and a signature in it would be theirs.
        if stores.is_signed(&absolute) {
            let found = format!("{}, whose signature no plan keeps", absolute.display());
            return Err(Error::refused("files that every process may read", found));
        }
        let grows = Growth::of(&absolute).may_grow();
        let file = stores.open(&absolute)?;
        let bytes = if grows { end() } else { size_of(&file, &absolute)? };
        let ends = ends_of_first(&file, &absolute, bytes)?;
        Ok(PlannedFile { ends, path: absolute, grows })
    }
}

/// The leaves of `parts` parts, as even as possible. Parts begin at multiples of a fraction of their size: a partial
/// result of aligned leaves is fewer nodes of the tree, and so smaller.
fn ranges(leaves: usize, parts: usize) -> impl Iterator<Item = Range<usize>> {
    let unit = 1 << (leaves / parts / UNITS).max(1).ilog2();
    let begin = move |part: usize| (part * leaves / parts).next_multiple_of(unit).min(leaves);
    (0..parts).map(move |part| begin(part)..if part + 1 == parts { leaves } else { begin(part + 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_every_leaf_once_and_are_even() {
        for leaves in [1, 7, 38, 128, 250, 488] {
            for parts in [1, 2, 3, 8, 16, 100, 1000] {
                let all: Vec<Range<usize>> = ranges(leaves, parts).collect();
                assert_eq!(all.len(), parts);
                let found: Vec<usize> = all.iter().flat_map(Clone::clone).collect();
                assert_eq!(found, (0..leaves).collect::<Vec<_>>(), "{parts}: {all:?}");
                let most = all.iter().map(Range::len).max().unwrap();
                assert!(most <= leaves.div_ceil(parts) * 5 / 4 + 1, "{leaves} {parts}: {all:?}");
            }
        }
        assert_eq!(ranges(128, 8).nth(3), Some(48..64));
    }
}
