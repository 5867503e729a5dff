//! Memory and bits of a merge of many partial results, by one process and by a tree.

use std::fs;
use std::path::{Path, PathBuf};

use livetime_analysis::{Detector, GoOn, Options, Plan, Recording, Reducers, Work, analyze, detector};
use serde_json::json;

use super::merger::{Merge, Told, merge_apart};
use super::row::{Row, spread};
use super::run;
use crate::{Failed, Settings};

/// Events of a leaf that a run with more than this many leaves has.
const EVENTS_OF_LEAF: usize = 64;

/// A merge that is measured.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) parts: usize,
    /// Rows and columns of a picture; a pixel has 24 bytes in a partial result.
    pub(super) picture: [u32; 2],
}

/// A run that was planned and analysed in parts, in a folder for temporary files.
struct Parts {
    folder: tempfile::TempDir,
    recording: Recording,
    detector: Detector,
    reducers: Reducers,
    options: Options,
    plan: Plan,
    bytes: f64,
}

impl Parts {
    fn make(case: &Case) -> Result<Parts, Failed> {
        let folder = tempfile::tempdir()?;
        let every = if case.parts >= 2 * 128 { EVENTS_OF_LEAF } else { 1 };
        let run = run::write(folder.path(), (case.parts * every) as u64, every as u64, case.picture)?;
        let recording = Recording::open(&[&run])?;
        let detector = detector(&recording, None)?;
        let reducers = Reducers::described(&["pixels mean,std".to_owned()])?;
        // A block is one event, so that a short run has as many leaves as one of 20 TB.
        let options = Options { block_bytes: 1, workers: 1, ..Options::default() };
        let work = Work::new(&recording, &detector, &options, &reducers)?;
        if work.leaves() != case.parts {
            return Err(format!("wanted {} leaves, found {}", case.parts, work.leaves()).into());
        }
        let plan = Plan::new(&recording, &work, Some(case.parts))?;
        plan.write(&folder.path().join("plan.json"))?;
        let mut parts = Parts { folder, recording, detector, reducers, options, plan, bytes: 0.0 };
        parts.reduce()?;
        Ok(parts)
    }

    fn reduce(&mut self) -> Result<(), Failed> {
        let (work, folder) = (self.plan.work(&self.reducers)?, self.level(0));
        for number in 0..self.plan.parts() {
            let part = self.plan.reduce(&work, number, 1, &mut |_| GoOn::Yes)?;
            self.bytes = self.bytes.max(part.bytes().len() as f64);
            part.write(&folder)?;
        }
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder of the files of `2^level` parts.
    fn level(&self, level: u32) -> PathBuf {
        self.path(&format!("level-{level}"))
    }

    /// Merges all files at once, into `whole`.
    fn flat(&self, program: &Path) -> Result<Told, Failed> {
        let all = Merge {
            numbers: 0..self.plan.parts(),
            from: vec![self.level(0)],
            into: Some(self.path("whole")),
        };
        merge_apart(program, &self.path("plan.json"), &[all])
    }

    /// Merges pairs of files, level by level, then makes the results of the last file. Returns the largest peak, the time of all levels, and the
    /// folder of the last file.
    fn by_tree(&self, program: &Path) -> Result<(Told, PathBuf), Failed> {
        let mut all = Told { peak: 0.0, whole: 0.0, seconds: 0.0 };
        let mut files = files_of(&self.level(0))?;
        let mut level = 0;
        while files.len() > 1 {
            level += 1;
            let merges: Vec<Merge> =
                files.chunks(2).enumerate().map(|(i, pair)| self.pair(level, i, pair)).collect();
            all.add(merge_apart(program, &self.path("plan.json"), &merges)?);
            // The files of the level below are used up; the partial results themselves stay for the next repeat.
            if level > 1 {
                fs::remove_dir_all(self.level(level - 1))?;
            }
            files = files_of(&self.level(level))?;
        }
        let last = Merge { numbers: 0..self.plan.parts(), from: files, into: None };
        all.add(merge_apart(program, &self.path("plan.json"), &[last])?);
        Ok((all, self.level(level)))
    }

    fn pair(&self, level: u32, number: usize, files: &[PathBuf]) -> Merge {
        let start = number << level;
        let end = (start + (1 << level)).min(self.plan.parts());
        Merge { numbers: start..end, from: files.to_vec(), into: Some(self.level(level)) }
    }

    /// Whether both merges wrote the same file, and its results are the results of one process that reads the run.
    fn is_same(&self, last: &Path) -> Result<bool, Failed> {
        let [tree, flat] = [last, &self.path("whole")].map(|folder| -> Result<Vec<u8>, Failed> {
            let files = files_of(folder)?;
            Ok(fs::read(files.first().ok_or("wanted a merged file, found none")?)?)
        });
        let work = self.plan.work(&self.reducers)?;
        let merged = self.plan.merge(&work, &[last.to_path_buf()])?;
        let one =
            analyze(&self.recording, &self.detector, &self.options, &self.reducers, &mut |_| GoOn::Yes)?;
        Ok(tree? == flat? && merged.found.results == one.results)
    }
}

impl Told {
    fn add(&mut self, next: Told) {
        self.peak = self.peak.max(next.peak);
        self.whole = self.whole.max(next.whole);
        self.seconds += next.seconds;
    }
}

/// Measures a case.
pub(super) fn measure(settings: &Settings, case: &Case, row: &mut Row) -> Result<(), Failed> {
    let parts = Parts::make(case)?;
    let program = &settings.program;
    let (mut seconds, mut flat_seconds, mut whole, mut is_same) = (Vec::new(), Vec::new(), 0.0f64, true);
    for _ in 0..settings.repeats() {
        let flat = parts.flat(program)?;
        let (tree, last) = parts.by_tree(program)?;
        row.values.push(tree.peak / parts.bytes);
        row.reference.push(flat.peak / parts.bytes);
        seconds.push(tree.seconds);
        flat_seconds.push(flat.seconds);
        whole = whole.max(tree.whole);
        is_same &= parts.is_same(&last)?;
        fs::remove_dir_all(&last)?;
        fs::remove_dir_all(parts.path("whole"))?;
    }
    if !is_same {
        return Err("wanted the same bits by one process, by one merge and by a tree, found others".into());
    }
    row.more = json!({
        "partials": case.parts,
        "partial_bytes": parts.bytes,
        "process_bytes": whole,
        "tree_s": spread(seconds),
        "flat_s": spread(flat_seconds),
        "same_bits": is_same,
    });
    Ok(())
}

/// The files of a folder, in the order of their names.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Failed> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = entries.collect::<Result<Vec<_>, _>>()?;
    files.sort();
    Ok(files)
}
