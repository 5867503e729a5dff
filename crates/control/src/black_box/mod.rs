//! The black box: the counts of a run in a file that survives the kill of the process.
//!
//! A thread copies the counts of all edges and nodes into the file every 50 ms ([`PERIOD`]). A copy that was written is in the memory of
//! the operating system, and stays when the process is killed. At its end a run removes its black box, after its report is printed:
//! so one that is there and that no process has locked is of a run that was killed. The next run of the same pipeline takes it, tells
//! it once, and keeps its account among its own ([`Left`]). The path of a frame knows nothing of it
//! (`docs/decisions/024-black-box.md`).

mod content;
mod copier;
mod layout;
mod left;
mod names;
mod read;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, PoisonError};
use std::thread::Builder;
use std::time::{Duration, SystemTime};

use livetime_engine::Run;
use serde_json::Value;

use crate::ledger::State;
use content::Content;
use copier::{Copier, End};
pub use copier::{PERIOD, Problem};
pub use layout::LayoutError;
pub use left::{Left, line};
pub use names::EXTENSION;
use names::stem;
pub use read::{ReadError, read};

/// Room for a copy: at least this, and four times the first one, because edges can be made while a run goes on.
const LEAST_SLOT: usize = 16 << 10;
/// How long the end of a run waits for a file system that hangs.
const PATIENCE: Duration = Duration::from_secs(1);

/// The place of the black boxes of a pipeline, and what earlier runs have left there.
pub struct Place {
    folder: PathBuf,
    /// The whole path of the pipeline file, with `@HOST` behind it for a host's part.
    pipeline: PathBuf,
    /// The id of the run that is to begin.
    pub run: String,
    /// Runs that were killed.
    pub left: Left,
}

/// The black box of a run.
pub struct BlackBox {
    run: String,
    left: Left,
    /// The file and the thread that writes it, unless it could not be made.
    writing: Option<Writing>,
}

struct Writing {
    path: PathBuf,
    end: End,
    has_ended: Receiver<()>,
}

impl Place {
    /// In `folder`, or beside the pipeline file. Runs of other hosts of the file are other pipelines.
    ///
    /// # Errors
    /// When the path of the pipeline file cannot be found out.
    pub fn new(pipeline: &Path, host: Option<&str>, folder: Option<&Path>) -> io::Result<Place> {
        let mut pipeline = fs::canonicalize(pipeline)?;
        // The root has no parent.
        let beside = pipeline.parent().unwrap_or(Path::new("/"));
        let folder = folder.unwrap_or(beside).to_owned();
        if let Some(host) = host {
            pipeline.as_mut_os_string().push(format!("@{host}"));
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        // Time and process make a name that no other run has.
        let run = format!("{:x}-{:x}", now.as_nanos() as u64, std::process::id());
        let left = Left::find(&folder, &pipeline);
        Ok(Place { folder, pipeline, run, left })
    }

    /// Makes the black box of `run`, with a first copy. The accounts of killed runs move into it. Where it cannot be
    /// made the run goes on without, and `tell` hears why.
    pub fn begin(self, run: &Arc<Run>, tell: &Problem) -> BlackBox {
        let Place { folder, pipeline, run: id, mut left } = self;
        let path = folder.join(format!("{}.{id}.{EXTENSION}", stem(&pipeline)));
        let own = id.clone();
        let content = Content {
            run: id,
            pipeline: pipeline.display().to_string(),
            started: SystemTime::now(),
            previous: content::kept(&left.runs),
            previous_dropped: left.dropped,
            period: PERIOD,
            longest: Duration::ZERO,
        };
        let writing = match Writing::start(path.clone(), content, run, tell, !left.runs.is_empty()) {
            Ok(writing) => {
                // The left boxes go only when the new one has their accounts: a kill between the two loses nothing.
                left.settle().into_iter().for_each(|what| tell(Some(what)));
                Some(writing)
            }
            // Without a box the run goes on: it is worth more than its counts.
            Err(error) => {
                tell(Some(format!("{}: {error}", path.display())));
                None
            }
        };
        BlackBox { run: own, left, writing }
    }
}

impl Writing {
    fn start(
        path: PathBuf,
        content: Content,
        run: &Arc<Run>,
        tell: &Problem,
        must_last: bool,
    ) -> io::Result<Writing> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        let started = Writing::prepare(file, content, run, tell, must_last).and_then(|copier| {
            let (end, (tell_end, has_ended)) = (End::default(), channel());
            let until = end.clone();
            let copy = move || {
                copier.copy_on(&until);
                let _ = tell_end.send(());
            };
            Builder::new().name("black box".into()).spawn(copy)?;
            Ok((end, has_ended))
        });
        match started {
            Ok((end, has_ended)) => Ok(Writing { path, end, has_ended }),
            Err(error) => {
                // A box without a copy would look like a killed run.
                let _ = fs::remove_file(&path);
                Err(error)
            }
        }
    }

    /// Locks the file, takes room on the disk for both slots, and writes the first copy.
    fn prepare(
        file: File,
        content: Content,
        run: &Arc<Run>,
        tell: &Problem,
        must_last: bool,
    ) -> io::Result<Copier> {
        // No other process knows this name, but a start may just be looking at the folder.
        file.lock()?;
        let first = content.text(run, State::Running).len();
        // Four times the first copy, because the number of edges may grow; whole pages, because the system
        // writes these.
        let slot = (4 * first).max(LEAST_SLOT).next_multiple_of(4096) as u32;
        file.write_all_at(&layout::head(slot), 0)?;
        // A full disk refuses this, and not a copy later on.
        file.write_all_at(&vec![0; 2 * slot as usize], layout::FIRST)?;
        let (run, tell) = (Arc::downgrade(run), tell.clone());
        let mut copier = Copier { run, file, slot, content, number: 0, tell };
        copier.copy(State::Running)?;
        // Boxes of killed runs are removed behind this, so their accounts must be on the disk.
        if must_last {
            copier.file.sync_data()?;
        }
        Ok(copier)
    }

    /// Lets the thread write the last copy and end. One that hangs in the file system is left behind.
    fn end(&self) {
        let (is_ended, bell) = &*self.end;
        *is_ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        bell.notify_all();
        // The end of the run does not depend on the box.
        let _ = self.has_ended.recv_timeout(PATIENCE);
    }
}

impl BlackBox {
    /// The accounts of killed runs, for a report.
    pub fn previous(&self) -> Value {
        content::kept(&self.left.runs)
    }

    /// The id of the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// A line for each killed run.
    pub fn lines(&self) -> Vec<String> {
        self.left.lines().collect()
    }

    /// Killed runs whose accounts are no longer kept.
    pub fn dropped(&self) -> u64 {
        self.left.dropped
    }

    /// Writes the last counts; while the run is still there.
    pub fn end(&self) {
        self.writing.iter().for_each(Writing::end);
    }

    /// Removes the file: the report of the run is printed. Returns what could not be removed and will be told again.
    pub fn remove(mut self) -> Vec<String> {
        let own = self.writing.take().and_then(|writing| {
            let error = fs::remove_file(&writing.path).err()?;
            Some(format!("{}: {error}", writing.path.display()))
        });
        own.into_iter().chain(self.left.settle()).collect()
    }
}
