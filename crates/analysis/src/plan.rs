//! A plan: all that a process must know to do a part of an analysis.

mod json;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_recording::select::Selected;
use livetime_recording::{EventPlaces, FileEnds, FileRange, MemoryLimit};
use twox_hash::XxHash3_64;

use crate::account::MOST_EVENTS;
use crate::cut::{Cut, MOST_EVENTS as MOST_IN_BLOCK};
use crate::error::{Error, Result};
use crate::{Detector, Layout, Recording, Reducers, Work};

/// Blocks of a part where nobody says how many parts there are: 8 GiB. What a part costs beside its events (a process, a partial result
/// written, read and merged) is then about a hundredth.
const BLOCKS_OF_PART: usize = 256;
/// More parts than anybody starts.
const MOST_PARTS: usize = 1_000_000;
/// Parts begin at multiples of such a fraction of their size, so that no part is larger than another one by more than that.
const UNITS: usize = 4;
/// More bytes than the pictures of an event have.
const MOST_BYTES: usize = 1 << 32;
/// More values than those of all events together that sums can hold.
const MOST_VALUES: u64 = 1 << 60;

/// An analysis that is shared out: the run, the blocks and leaves that its events are cut into, the reducers, and parts.
///
/// A plan is a text file. Each of its parts can be reduced by any process that has the plan and the files of the run, as often as one likes; what
/// these find is merged by one that needs only the plan. The results have the same bits as those of one process.
///
/// ```no_run
/// use std::path::Path;
///
/// use livetime_analysis::{GoOn, Options, Plan, Recording, Reducers, Work, detector};
///
/// let recording = Recording::open(&["e236-r0003-s04-c00.xtc"])?;
/// let detector = detector(&recording, None)?;
/// let reducers = Reducers::described(&["pixels mean,std".to_owned()])?;
/// let work = Work::new(&recording, &detector, &Options::default(), &reducers)?;
/// Plan::new(&recording, &work, Some(8))?.write(Path::new("plan.json"))?;
///
/// // Somewhere else, for each part:
/// let plan = Plan::read(Path::new("plan.json"))?;
/// let reducers = plan.reducers()?;
/// let part = plan.reduce(&plan.work(&reducers)?, 3, 1, &mut |_| GoOn::Yes)?;
/// part.write(Path::new("parts"))?;
///
/// // And at the end:
/// let merged = plan.merge(&plan.work(&reducers)?, &["parts".into()])?;
/// println!("{} events used", merged.found.account.used);
/// # Ok::<(), livetime_analysis::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    pub(crate) files: Vec<PlannedFile>,
    /// What was wrong with files: their names, and what it was.
    problems: Vec<(String, String)>,
    /// Where the changes of state are that events are read with.
    pub(crate) state: Vec<FileRange>,
    pub(crate) detector: Detector,
    layout: Layout,
    cut: Cut,
    /// Which events are selected. The verdicts are part of the plan: no part need judge again.
    select: Option<Arc<Selected>>,
    reducers: Vec<String>,
    pub(crate) parts: Vec<PlannedPart>,
    hash: u64,
    /// Where the files of the run lie for this process, if not where they were planned. It is no part of the plan.
    folder: Option<PathBuf>,
    /// What a part may take in this process, if not half of what is free. It is no part of the plan either.
    pub(crate) memory: Option<MemoryLimit>,
}

/// A file of the run, as it was when the plan was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlannedFile {
    pub(crate) path: PathBuf,
    pub(crate) ends: FileEnds,
}

/// A part, and where its events are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlannedPart {
    pub(crate) leaves: Range<usize>,
    pub(crate) places: EventPlaces,
}

/// The hash as 16 digits: what partial results and plans are known by.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.hash)
    }
}

impl Plan {
    /// Plans `work` on a recorded run, in so many parts; without a number, in parts of 8 GiB. Of more parts than leaves some are empty.
    ///
    /// # Errors
    /// If the run is still being written, more than a million parts are wanted, its files cannot be read, or their names are no UTF-8.
    pub fn new(recording: &Recording, work: &Work<'_>, parts: Option<usize>) -> Result<Plan> {
        if recording.is_growing() {
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
        let problems = recording.problems().into_iter();
        let mut plan = Plan {
            files: recording.files().iter().map(|path| PlannedFile::of(path)).collect::<Result<Vec<_>>>()?,
            problems: problems.map(|p| (p.path.display().to_string(), p.why)).collect(),
            state: recording.state_places(),
            detector: work.detector.clone(),
            layout: work.layout.clone(),
            cut: work.cut.clone(),
            select: work.select.clone(),
            reducers: work.describe(),
            parts: ranges(work.leaves(), parts).map(part).collect(),
            hash: 0,
            folder: None,
            memory: None,
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
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|e| livetime_recording::Error::io("to read the plan", e).in_file(path))?;
        Plan::parse(&text).map_err(|e| Error::refused("a plan", format!("{}: {e}", path.display())))
    }

    /// The same plan for a process to which the files of the run lie in `folder`, whatever their paths were where it was made. A file is
    /// known by its name, its size and a hash of its ends; [`Plan::reduce`] compares them.
    ///
    /// # Errors
    /// If two files of the run have one name, and so cannot lie in one folder.
    pub fn in_folder(self, folder: &Path) -> Result<Plan> {
        let mut names: Vec<_> = self.files().map(Path::file_name).collect();
        names.sort();
        if let Some([Some(name), _]) = names.array_windows().find(|[a, b]| a == b) {
            return Err(Error::refused(
                "files of a run in one folder",
                format!("two named {}", name.display()),
            ));
        }
        Ok(Plan { folder: Some(folder.to_owned()), ..self })
    }

    /// The same plan for a process in which a part may take this much memory; without it, half of what is free.
    #[must_use]
    pub fn with_memory(self, memory: MemoryLimit) -> Plan {
        Plan { memory: Some(memory), ..self }
    }

    /// Writes the plan, beside its place first, so that nobody reads half of it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> Result<()> {
        crate::parts::write_whole(path, self.text().as_bytes())
    }

    /// Its text, for a process that gets it in another way than as a file.
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

    /// How the reducers of the plan describe themselves.
    pub fn described(&self) -> &[String] {
        &self.reducers
    }

    /// The reducers of the plan, if all of them are of this crate.
    ///
    /// # Errors
    /// If they are not: then give reducers of your own to [`Plan::work`].
    pub fn reducers(&self) -> Result<Reducers> {
        Reducers::described(&self.reducers)
    }

    /// The work that was planned, by reducers that describe themselves as those of the plan do.
    ///
    /// # Errors
    /// If they do not.
    pub fn work<'r>(&self, reducers: &'r Reducers) -> Result<Work<'r>> {
        if reducers.describe() != self.reducers {
            let [wanted, found] = [&self.reducers, &reducers.describe()].map(|all| all.join("; "));
            return Err(Error::refused(format!("the reducers of the plan: {wanted}"), found));
        }
        let select = self.select.clone();
        Ok(Work {
            select,
            ..Work::of(self.detector.clone(), self.layout.clone(), self.cut.clone(), reducers)
        })
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The leaves of a part.
    pub fn leaves_of(&self, part: usize) -> Option<Range<usize>> {
        self.parts.get(part).map(|part| part.leaves.clone())
    }

    /// The numbers of the events of a part, from the first to behind the last.
    pub fn events_of(&self, part: usize) -> Option<Range<usize>> {
        self.parts.get(part).map(|part| part.places.events.clone())
    }

    /// The events that are selected, if not all are.
    pub fn select(&self) -> Option<&Selected> {
        self.select.as_deref()
    }

    /// The detector.
    pub fn detector(&self) -> &Detector {
        &self.detector
    }

    /// The files of the run, where they were when the plan was made.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| &*file.path)
    }

    /// The files of the run as this process finds them.
    pub(crate) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.files().map(|path| match (&self.folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        })
    }

    /// What was wrong with files when the plan was made: name, and what it was.
    pub fn problems(&self) -> &[(String, String)] {
        &self.problems
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    fn content_hash(&self) -> u64 {
        XxHash3_64::oneshot(self.content().to_string().as_bytes())
    }

    /// Whether all numbers fit each other, so that nothing that is done with the plan can overflow or take more memory than there is.
    fn check(&self) -> Result<()> {
        let refuse = |wanted: &str| Err(Error::refused(format!("a plan with {wanted}"), "another one"));
        let cut = &self.cut;
        let is_cut =
            cut.range.start <= cut.range.end && cut.every > 0 && (1..=MOST_IN_BLOCK).contains(&cut.block);
        if !is_cut || cut.range.end as u64 > MOST_EVENTS || cut.events() == 0 {
            return refuse("1 to 2^30 events, and at most 1024 in a block");
        }
        if !self.layout.panels.windows(2).all(|pair| pair[0].number < pair[1].number) {
            return refuse("panels in the order of their numbers");
        }
        if self.layout.panels.is_empty() {
            return refuse("panels");
        }
        let values = layout_bytes(&self.layout).and_then(|bytes| bytes.checked_mul(cut.events() as u64));
        if values.is_none_or(|values| values > MOST_VALUES) {
            return refuse("pictures of at most 4 GiB, and at most 2^60 values");
        }
        let pieces = self.parts.iter().flat_map(|part| part.places.reads.iter().chain([&part.places.first]));
        if !pieces.chain(&self.state).all(|piece| piece.is_in(self.files.len())) {
            return refuse("places in its files");
        }
        let ends = self.parts.iter().map(|part| part.leaves.end);
        let starts = std::iter::once(0).chain(ends);
        let follow = self.parts.iter().zip(starts).all(|(part, start)| {
            let is_next = part.leaves.start == start && part.leaves.end >= start;
            is_next
                && part.leaves.end <= cut.leaves()
                && part.places.events == cut.span_of_leaves(&part.leaves)
        });
        if !follow || self.parts.last().map(|part| part.leaves.end) != Some(cut.leaves()) {
            return refuse("parts that have every leaf once, in their order");
        }
        Ok(())
    }
}

impl PlannedFile {
    fn of(path: &Path) -> Result<PlannedFile> {
        let absolute = std::path::absolute(path);
        let absolute =
            absolute.map_err(|e| livetime_recording::Error::io("the path of the file", e).in_file(path))?;
        if absolute.to_str().is_none() {
            return Err(Error::refused("a path in UTF-8", path.display().to_string()));
        }
        Ok(PlannedFile { ends: FileEnds::of(&absolute)?, path: absolute })
    }
}

/// The leaves of so many parts, as even as can be. Parts begin at multiples of a fraction of their size: a partial result of aligned
/// leaves is fewer nodes of the tree, and so smaller.
fn ranges(leaves: usize, parts: usize) -> impl Iterator<Item = Range<usize>> {
    let unit = 1 << (leaves / parts / UNITS).max(1).ilog2();
    let begin = move |part: usize| (part * leaves / parts).next_multiple_of(unit).min(leaves);
    (0..parts).map(move |part| begin(part)..if part + 1 == parts { leaves } else { begin(part + 1) })
}

/// How many bytes the pictures of an event have, if they are not too many.
fn layout_bytes(layout: &Layout) -> Option<u64> {
    let sizes = layout.panels.iter().map(|panel| {
        let pixels = panel.shape.iter().try_fold(1usize, |product, n| product.checked_mul(*n))?;
        pixels.checked_mul(panel.dtype.bytes()).filter(|bytes| *bytes <= MOST_BYTES)
    });
    let bytes = sizes.collect::<Option<Vec<usize>>>()?.into_iter().sum::<usize>();
    (bytes <= MOST_BYTES).then_some(bytes as u64)
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
