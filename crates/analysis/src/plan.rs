//! A plan: all that a process must know to do a part of an analysis.

mod json;
mod made;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_formats::file::{ReadAt, RecordedFile};
use livetime_recording::select::Selected;
use livetime_recording::{EventPlaces, FileEnds, FileRange, MemoryLimit, Stores};

use crate::account::MOST_EVENTS;
use crate::cut::{Cut, MOST_EVENTS as MOST_IN_BLOCK};
use crate::error::{Error, Result};
use crate::{Detector, Layout, Reducers, Work};

/// Limit of the bytes of an event's pictures in a plan, above any real detector. A plan is a file and may be hostile.
const MOST_BYTES: usize = 1 << 32;
/// A number of values that sums can hold, larger than the values of all events together.
const MOST_VALUES: u64 = 1 << 60;

/// An analysis that is divided for several processes: the run, the blocks and leaves of its events, the reducers, and
/// parts.
///
/// A plan is a text file. Any process with the plan and the files of the run can reduce each of its parts, any number
/// of times; a process that needs only the plan merges the results. The results have the same bits as the results of
/// one process.
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
    /// Faults of files: their names, and the reasons.
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
    /// Folder of the run's files for this process, if it differs from the planned one. The folder is not saved in the
    /// plan.
    folder: Option<PathBuf>,
    /// Limit of the memory of a part or the merge in this process; by default half of the free memory. The limit is not
    /// saved in the plan.
    pub(crate) memory: Option<MemoryLimit>,
    /// Where this process opens addresses.
    pub(crate) stores: Stores,
}

/// A file of the run, as it was when the plan was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlannedFile {
    pub(crate) path: PathBuf,
    /// Of the whole file, or of its bytes up to the last planned event if it `grows`.
    pub(crate) ends: FileEnds,
    /// The file was still being written. It may have more bytes by now, and its final name.
    pub(crate) grows: bool,
}

/// A part, and where its events are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlannedPart {
    pub(crate) leaves: Range<usize>,
    pub(crate) places: EventPlaces,
}

/// The hash as 16 digits: the identity of partial results and plans.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.hash)
    }
}

impl Plan {
    /// The plan for a process that sees the files of the run in `folder`, whatever their paths in the plan. A file is
    /// recognised by its name, its size and a hash of its ends; [`Plan::reduce`] compares them.
    ///
    /// # Errors
    /// If two files of the run have the same name, so that they cannot lie in one folder.
    pub fn in_folder(self, folder: &Path) -> Result<Plan> {
        let mut names: Vec<_> = self.files().map(Path::file_name).collect();
        names.sort();
        // Files of several folders may share a name, and in one folder one of them would stand for both.
        if let Some([Some(name), _]) = names.array_windows().find(|[a, b]| a == b) {
            return Err(Error::refused(
                "files of a run in one folder",
                format!("two named {}", name.display()),
            ));
        }
        Ok(Plan { folder: Some(folder.to_owned()), ..self })
    }

    /// The plan with a limit of memory for a part or the merge; without a limit, half of the free memory.
    #[must_use]
    pub fn with_memory(self, memory: MemoryLimit) -> Plan {
        Plan { memory: Some(memory), ..self }
    }

    /// The plan for a process that opens addresses, as `s3://bucket/key`, in these stores.
    #[must_use]
    pub fn with_stores(self, stores: &Stores) -> Plan {
        Plan { stores: stores.clone(), ..self }
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

    /// The work that was planned, by reducers with the descriptions in the plan.
    ///
    /// # Errors
    /// If they do not.
    pub fn work<'r>(&self, reducers: &'r Reducers) -> Result<Work<'r>> {
        // Partial results of other reducers cannot be merged, so a difference is refused before any work is done.
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
        self.files.iter().map(|file| {
            let path = match (&self.folder, file.path.file_name()) {
                (Some(folder), Some(name)) => folder.join(name),
                _ => file.path.clone(),
            };
            // Its writer takes the ending of its name away when it is done.
            if file.grows && !self.stores.exists(&path) { path.with_extension("") } else { path }
        })
    }

    /// Whether files of the run were still being written when the plan was made; events that came later are not in it.
    pub fn is_of_growing_run(&self) -> bool {
        self.files.iter().any(|file| file.grows)
    }

    /// Faults of files when the plan was made: name and reason.
    pub fn problems(&self) -> &[(String, String)] {
        &self.problems
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
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
        // Reducers look up panels by a search, which needs the order.
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
        // A plan is read from a file, so each place must lie in the list of files before it is used as an index.
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
        // Each leaf counts once: a missing or doubled part would change the result without a sign.
        if !follow || self.parts.last().map(|part| part.leaves.end) != Some(cut.leaves()) {
            return refuse("parts that have every leaf once, in their order");
        }
        Ok(())
    }
}

/// How many bytes a file has.
pub(crate) fn size_of(file: &RecordedFile, path: &Path) -> Result<u64> {
    let size =
        file.size().map_err(|e| livetime_recording::Error::io("the size of the file", e).in_file(path));
    Ok(size?)
}

/// The ends of the first `bytes` bytes of a file.
pub(crate) fn ends_of_first(file: &RecordedFile, path: &Path, bytes: u64) -> Result<FileEnds> {
    Ok(FileEnds::of_first(file, bytes).map_err(|e| e.in_file(path))?)
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
