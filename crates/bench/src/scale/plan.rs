//! Time of a plan of a run of many files, with and without indices beside them.

use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

use livetime_analysis::{Options, Plan, Recording, Reducers, Work, detector};
use livetime_formats::file::{Heads, index_path, write_index};
use livetime_formats::xtc2::DatagramHeader;
use rustix::fs::{Advice, fadvise};
use serde_json::json;

use super::row::{Row, spread};
use super::run;
use crate::{Failed, Settings};

/// Parts of the plan.
const PARTS: usize = 100;

/// A run of `streams` streams of `chunks` files each, with `events` events of a MB in each file.
pub(super) struct Size {
    pub(super) streams: u32,
    pub(super) chunks: u32,
    pub(super) events: u32,
}

pub(super) const FULL: Size = Size { streams: 10, chunks: 100, events: 100 };
pub(super) const QUICK: Size = Size { streams: 2, chunks: 5, events: 10 };

impl Size {
    /// The two cases, and the most seconds that each may take.
    pub(super) fn cases(&self) -> [(String, f64); 2] {
        let (files, bytes) = (self.streams * self.chunks, self.events);
        [("not in memory", 10.0), ("with indices", 0.2)]
            .map(|(how, must)| (format!("plan of {files} files of {bytes} MB, {how}"), must))
    }
}

/// Both cases, on one run.
pub(super) fn measure(
    settings: &Settings,
    size: &Size,
    [cold, indexed]: [&mut Row; 2],
) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let files = run::write_sparse(folder.path(), size.streams, size.chunks, size.events)?;
    for _ in 0..settings.repeats() {
        forget(&files)?;
        cold.values.push(timed(|| plan(&files))?);
        // The files are in memory as far as a plan reads them, for the reference too.
        cold.reference.push(timed(|| scan(&files))?);
    }
    let begin = Instant::now();
    for file in &files {
        write_index::<DatagramHeader>(file)?;
    }
    let index_s = begin.elapsed().as_secs_f64();
    let indices: Vec<PathBuf> = files.iter().map(|file| index_path(file)).collect();
    let mut forgotten = Vec::new();
    for _ in 0..settings.repeats() {
        forget(&files)?;
        forget(&indices)?;
        forgotten.push(timed(|| plan(&files))?);
        indexed.values.push(timed(|| plan(&files))?);
        scan(&files)?;
        indexed.reference.push(timed(|| scan(&files))?);
    }
    let more = json!({
        "files": files.len(),
        "datagrams": u64::from(size.streams * size.chunks * size.events),
        "file_bytes": std::fs::metadata(&files[0])?.len(),
    });
    cold.more = more.clone();
    indexed.more = more;
    let bytes: Result<u64, _> = indices.iter().map(|index| index.metadata().map(|m| m.len())).sum();
    let more = json!({ "index_s": index_s, "index_bytes": bytes?, "not_in_memory_s": spread(forgotten) });
    livetime_measure::merge(&mut indexed.more, more);
    Ok(())
}

fn plan(files: &[PathBuf]) -> Result<(), Failed> {
    let recording = Recording::open(&files[..1])?;
    if recording.files().len() != files.len() || !recording.ignored_indices().is_empty() {
        return Err("wanted all files of the run, and indices that fit, found others".into());
    }
    let detector = detector(&recording, None)?;
    let reducers = Reducers::described(&["pixels mean,std".to_owned()])?;
    let work = Work::new(&recording, &detector, &Options::default(), &reducers)?;
    let plan = Plan::new(&recording, &work, Some(PARTS))?;
    Ok(plan.write(&files[0].with_file_name("plan.json"))?)
}

/// Reads the head of every datagram and nothing else.
fn scan(files: &[PathBuf]) -> Result<(), Failed> {
    for path in files {
        let mut heads = Heads::<DatagramHeader, _>::new(File::open(path)?);
        while heads.next()?.is_some() {}
    }
    Ok(())
}

/// Takes files out of the system's memory, so that they are read from the disk again.
fn forget(files: &[PathBuf]) -> Result<(), Failed> {
    for path in files {
        let file = File::open(path)?;
        file.sync_data()?;
        fadvise(&file, 0, None, Advice::DontNeed)?;
    }
    Ok(())
}

fn timed(work: impl FnOnce() -> Result<(), Failed>) -> Result<f64, Failed> {
    let begin = Instant::now();
    work()?;
    Ok(begin.elapsed().as_secs_f64())
}
