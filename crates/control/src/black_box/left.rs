//! Black boxes that earlier runs of the same pipeline have left behind.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::names::{EXTENSION, stem};
use super::read;
use crate::ledger::{RunAccount, State};

/// Killed runs whose accounts are kept; the oldest of more are counted.
const MOST_KEPT: usize = 16;

/// The black boxes of runs that were killed, taken by this process until their accounts are safe elsewhere.
#[derive(Default)]
pub struct Left {
    /// The runs, oldest first, each without those before it.
    pub runs: Vec<RunAccount>,
    /// Killed runs whose accounts are no longer kept.
    pub dropped: u64,
    /// Files that look like black boxes of this pipeline and are none, and why.
    pub problems: Vec<String>,
    /// A lock keeps two starts from telling the same run.
    files: Vec<(PathBuf, File)>,
}

impl Left {
    /// Looks for black boxes of killed runs in `folder`. `pipeline` is the whole path of the pipeline file: boxes of
    /// other pipelines are not touched, nor boxes of runs that live.
    pub(super) fn find(folder: &Path, pipeline: &Path) -> Left {
        let mut left = Left::default();
        let begin = format!("{}.", stem(pipeline));
        let Ok(entries) = fs::read_dir(folder) else { return left };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(&begin) && path.extension().is_some_and(|end| end == EXTENSION)
        });
        // The name of a box begins with the time of its start.
        paths.sort();
        paths.into_iter().for_each(|path| left.take(path, pipeline));
        let too_many = left.runs.len().saturating_sub(MOST_KEPT);
        left.runs.drain(..too_many);
        left.dropped += too_many as u64;
        left
    }

    fn take(&mut self, path: PathBuf, pipeline: &Path) {
        let Ok(file) = File::open(&path) else { return };
        if file.try_lock().is_err() || !is_still(&file, &path) {
            return;
        }
        match read::left(&file) {
            Ok(account) if Path::new(&account.pipeline) == pipeline => {
                self.put(account);
                self.files.push((path, file));
            }
            Ok(_) => {}
            // Killed while it made the box, or by a disk that lost both copies: there is nothing to be told later either.
            Err(error) if error.is_empty() => {
                self.problems.push(format!("{}: {error}", path.display()));
                self.files.push((path, file));
            }
            Err(error) => self.problems.push(format!("{}: {error}", path.display())),
        }
    }

    fn put(&mut self, mut account: RunAccount) {
        self.dropped += std::mem::take(&mut account.previous_dropped);
        let mut earlier = std::mem::take(&mut account.previous);
        // A run whose report was printed is told by it; its box is left when it was killed just then.
        earlier.push(account);
        for run in earlier {
            if !self.runs.iter().any(|known| known.run == run.run) {
                self.runs.push(run);
            }
        }
    }

    /// Removes the files: their content is kept elsewhere now. Returns the files that could not be removed, and will be
    /// told again.
    pub(super) fn settle(&mut self) -> Vec<String> {
        let removed = self.files.drain(..).map(|(path, _)| (fs::remove_file(&path), path));
        removed.filter_map(|(done, path)| Some(format!("{}: {}", path.display(), done.err()?))).collect()
    }

    /// A line for each run.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.runs.iter().map(line)
    }
}

/// Whether a file that was opened by its path is still there: another start may have removed it meanwhile.
fn is_still(file: &File, path: &Path) -> bool {
    let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    file.metadata().ok().zip(fs::metadata(path).ok()).is_some_and(|(a, b)| same(a, b))
}

/// The known counts of a run that was killed, in a line.
pub fn line(run: &RunAccount) -> String {
    let [offered, delivered, queued] = [
        run.edges.iter().map(|edge| edge.offered).fold(0, u64::saturating_add),
        run.edges.iter().map(|edge| edge.delivered).fold(0, u64::saturating_add),
        run.edges.iter().map(|edge| edge.queued).fold(0, u64::saturating_add),
    ];
    let until = run.known_until.as_deref().unwrap_or("its start");
    let (how, unknown) = match run.state {
        State::Ended => ("ended, and its report was not printed", ""),
        _ => ("was killed", "; what it did after that is unknown"),
    };
    format!(
        "an earlier run {} ({}) {how}; until {until} its edges were offered {offered} frames, delivered {delivered}, had \
         {queued} queued, and {} were lost unintendedly{unknown}",
        run.run,
        run.whose,
        run.unintended()
    )
}
