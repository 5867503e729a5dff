//! A recorded run, whatever its format.

use std::path::{Path, PathBuf};

use livetime_formats::xtc1::run as lcls1;
use livetime_formats::xtc2::run as lcls2;
use livetime_formats::{Error, Result};

use super::facility::{Facility, facility};

pub(super) use lcls1::{EventBytes, Piece, Places, Problem};

/// The events of a run in the order of time. Any number of threads may read it.
#[derive(Debug)]
pub struct Recording {
    pub(super) run: Run,
    /// Number of its first event: that of the run, or of a part.
    first: usize,
    /// Events that the run has before that one, and that are not of the part.
    skip: usize,
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
            [path] => lcls1::Run::files_of(path.as_ref())?,
            paths => paths.iter().map(|p| p.as_ref().to_owned()).collect::<Vec<PathBuf>>(),
        };
        let run = match facility(first.as_ref())? {
            Facility::Lcls1 => Run::Lcls1(lcls1::Run::open(&paths)?),
            Facility::Lcls2 => Run::Lcls2(lcls2::Run::open(&paths)?),
        };
        Ok(Recording::of(run))
    }

    pub(super) fn of(run: Run) -> Recording {
        Recording { run, first: 0, skip: 0 }
    }

    /// Scans only some places of the files. The events there have no numbers yet: see [`Recording::number`].
    pub(super) fn open_places(is_lcls1: bool, places: &[Places]) -> Result<Recording> {
        let run = match is_lcls1 {
            true => Run::Lcls1(lcls1::Run::open_places(places)?),
            false => Run::Lcls2(lcls2::Run::open_places(places)?),
        };
        Ok(Recording::of(run))
    }

    /// Lets the events have the numbers from `first` on, beginning with the one at `skip`.
    pub(super) fn number(self, first: usize, skip: usize) -> Recording {
        Recording { first, skip, ..self }
    }

    /// The number behind that of the last event. Events are numbered from 0 on, but for those of a part of a run.
    pub fn events(&self) -> usize {
        let all = match &self.run {
            Run::Lcls1(run) => run.events().len(),
            Run::Lcls2(run) => run.events().len(),
        };
        all - self.skip + self.first
    }

    /// Where the event with this number is among those of the run.
    pub(super) fn index(&self, event: usize) -> Option<usize> {
        event.checked_sub(self.first).map(|index| index + self.skip).filter(|_| event < self.events())
    }

    /// When event number `event` happened, ns since 1970; 0 if there is none.
    pub fn time_ns(&self, event: usize) -> u64 {
        let Some(index) = self.index(event) else { return 0 };
        match &self.run {
            Run::Lcls1(run) => run.events()[index].clock.ns(),
            Run::Lcls2(run) => run.events()[index].event_time_ns,
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

    /// How many bytes an event has in the files; 0 if there is none.
    pub fn event_bytes(&self, event: usize) -> usize {
        let Some(index) = self.index(event) else { return 0 };
        let length = |piece: &Piece| piece.length as usize;
        match &self.run {
            Run::Lcls1(run) => run.pieces(&run.events()[index]).iter().map(length).sum(),
            Run::Lcls2(run) => run.pieces(&run.events()[index]).map(length).sum(),
        }
    }

    /// Where the pieces of an event are.
    pub(super) fn pieces(&self, event: usize) -> Vec<Piece> {
        let Some(index) = self.index(event) else { return Vec::new() };
        match &self.run {
            Run::Lcls1(run) => run.pieces(&run.events()[index]).to_vec(),
            Run::Lcls2(run) => run.pieces(&run.events()[index]).copied().collect(),
        }
    }

    /// Where the changes of state are that events are read with.
    pub(super) fn state(&self) -> Vec<Piece> {
        match &self.run {
            Run::Lcls1(run) => run.state(),
            Run::Lcls2(run) => run.state().to_vec(),
        }
    }
}
