//! A recorded run, whatever its format.

use std::path::{Path, PathBuf};

use livetime_formats::file::IN_PROGRESS;
use livetime_formats::xtc1::run as lcls1;
use livetime_formats::xtc2::run as lcls2;
use livetime_formats::{Error, Result};

use crate::facility::{Facility, facility};

pub(super) use lcls1::{EventBytes, Piece, Problem};

/// The events of a run in the order of time. Any number of threads may read it.
#[derive(Debug)]
pub struct Recording {
    pub(super) run: Run,
}

#[derive(Debug)]
pub(super) enum Run {
    Lcls1(lcls1::Run),
    Lcls2(lcls2::Run),
}

impl Recording {
    /// Opens the files of one run; of a single file, all files of its run that lie beside it.
    ///
    /// # Errors
    /// If the files are no XTC, are of several runs, or the system refuses. A file that is broken is opened up to there: see
    /// [`Recording::problems`].
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Recording> {
        let Some(first) = paths.first() else {
            return Err(Error::new("at least one file of a run", "none"));
        };
        let paths = match paths {
            [path] => files_of(path.as_ref())?,
            paths => paths.iter().map(|p| p.as_ref().to_owned()).collect::<Vec<PathBuf>>(),
        };
        let run = match facility(first.as_ref())? {
            Facility::Lcls1 => Run::Lcls1(lcls1::Run::open(&paths)?),
            Facility::Lcls2 => Run::Lcls2(lcls2::Run::open(&paths)?),
        };
        Ok(Recording { run })
    }

    /// How many events there are.
    pub fn events(&self) -> usize {
        match &self.run {
            Run::Lcls1(run) => run.events().len(),
            Run::Lcls2(run) => run.events().len(),
        }
    }

    /// When event number `event` happened, ns since 1970; 0 if there is none.
    pub fn time_ns(&self, event: usize) -> u64 {
        match &self.run {
            Run::Lcls1(run) => run.events().get(event).map_or(0, |e| e.clock.ns()),
            Run::Lcls2(run) => run.events().get(event).map_or(0, |e| e.event_time_ns),
        }
    }

    /// The files.
    pub fn files(&self) -> Vec<&Path> {
        match &self.run {
            Run::Lcls1(run) => run.files().collect(),
            Run::Lcls2(run) => run.files().collect(),
        }
    }

    /// What is wrong with the files.
    pub fn problems(&self) -> &[Problem] {
        match &self.run {
            Run::Lcls1(run) => run.problems(),
            Run::Lcls2(run) => run.problems(),
        }
    }

    /// Whether files are still being written: there will be more events.
    pub fn is_growing(&self) -> bool {
        match &self.run {
            Run::Lcls1(run) => run.is_growing(),
            Run::Lcls2(run) => run.is_growing(),
        }
    }

    /// How many bytes an event has in the files.
    pub(super) fn event_bytes(&self, event: usize) -> usize {
        let length = |piece: &Piece| piece.length as usize;
        match &self.run {
            Run::Lcls1(run) => run.events().get(event).map_or(0, |e| run.pieces(e).iter().map(length).sum()),
            Run::Lcls2(run) => run.events().get(event).map_or(0, |e| run.pieces(e).map(length).sum()),
        }
    }

    /// Where the pieces of an event are.
    pub(super) fn pieces(&self, event: usize) -> Vec<Piece> {
        match &self.run {
            Run::Lcls1(run) => run.events().get(event).map_or_else(Vec::new, |e| run.pieces(e).to_vec()),
            Run::Lcls2(run) => {
                run.events().get(event).map_or_else(Vec::new, |e| run.pieces(e).copied().collect())
            }
        }
    }
}

/// The files of the run of `path` whose names end as its name does: a run may lie beside what was made of it.
fn files_of(path: &Path) -> Result<Vec<PathBuf>> {
    let ending = |path: &Path| {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let ending = name.split_once('.').map(|(_, ending)| ending.to_owned()).unwrap_or_default();
        ending.strip_suffix(&format!(".{IN_PROGRESS}")).map_or(ending.clone(), str::to_owned)
    };
    let wanted = ending(path);
    let files = lcls1::Run::files_of(path)?;
    Ok(files.into_iter().filter(|file| ending(file) == wanted).collect())
}
