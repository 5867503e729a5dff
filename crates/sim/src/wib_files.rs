//! Simulated links of wire readout as files.

use std::fmt::{self, Write};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use livetime_engine::NodeError;
use livetime_formats::file::GrowingFile;
use livetime_wire::{Row, TruthRow};

use crate::wib_simulator::SimulatedLinks;

/// How often `watch` is told.
const LOOK: Duration = Duration::from_millis(10);

/// Writes `NAME-l00.wib`, `NAME-l01.wib` and so on, with `workers` threads, each a link at a time. `watch` is
/// called with the number of bytes done; it stops the work by returning false. Returns the files and their sizes.
///
/// # Errors
/// If a file is there already or the operating system reports an error. Files written before the error are removed.
pub fn simulate_wib(
    name: &Path,
    links: &SimulatedLinks,
    workers: usize,
    mut watch: impl FnMut(u64) -> bool,
) -> Result<Vec<(PathBuf, u64)>, SimulateError> {
    let create = |link: usize| {
        let mut path = name.as_os_str().to_owned();
        path.push(format!("-l{link:02}.wib"));
        GrowingFile::make(Path::new(&path)).map_err(SimulateError::File)
    };
    // All files are made first: a name that is taken already is noticed before the work.
    let mut files = (0..links.links()).map(create).collect::<Result<Vec<_>, _>>()?;
    write_all(&mut files, links, workers, &mut watch)?;
    let mut written = Vec::new();
    for file in files {
        let done = (file.path().to_owned(), file.len());
        if let Err(error) = file.finish() {
            return Err(SimulateError::Unfinished(error, remove(&written)));
        }
        written.push(done);
    }
    Ok(written)
}

/// Writes all files, each by one thread.
fn write_all(
    files: &mut [GrowingFile],
    links: &SimulatedLinks,
    workers: usize,
    watch: &mut impl FnMut(u64) -> bool,
) -> Result<(), SimulateError> {
    let (done, failed) = (AtomicU64::new(0), Mutex::new(None));
    let is_over = AtomicBool::new(false);
    let work = Mutex::new(files.iter_mut().enumerate());
    // A closure, so that the lock is free while a link is written.
    let next = || work.lock().unwrap_or_else(|e| e.into_inner()).next();
    let write = || {
        while let Some((link, file)) = next() {
            let written = links.write(link, |frames| {
                // Relaxed: a thread that sees the sign late writes one more piece.
                if is_over.load(Ordering::Relaxed) {
                    return Err(NodeError::new("the work was stopped"));
                }
                done.fetch_add(frames.len() as u64, Ordering::Relaxed);
                file.append(&[frames]).map(drop).map_err(NodeError::new)
            });
            if let Err(error) = written {
                is_over.store(true, Ordering::Relaxed);
                // The first error has stopped the others.
                failed.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(error);
                return;
            }
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..workers.clamp(1, links.links().max(1))).map(|_| scope.spawn(write)).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            if !watch(done.load(Ordering::Relaxed)) {
                is_over.store(true, Ordering::Relaxed);
            }
            thread::sleep(LOOK);
        }
    });
    match failed.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some(error) => Err(SimulateError::Link(error)),
        None => Ok(()),
    }
}

/// Removes files that have their names already; returns the error, with further ones.
fn remove(files: &[(PathBuf, u64)]) -> Vec<(PathBuf, io::Error)> {
    let remove = |path: &PathBuf| Some((path.clone(), std::fs::remove_file(path).err()?));
    files.iter().filter_map(|(path, _)| remove(path)).collect()
}

/// Why links are not simulated.
#[derive(Debug)]
pub enum SimulateError {
    /// A file cannot be created.
    File(livetime_formats::Error),
    /// A link cannot be made, or not be written.
    Link(NodeError),
    /// A file cannot be given its name; files that could not be removed then.
    Unfinished(livetime_formats::Error, Vec<(PathBuf, io::Error)>),
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimulateError::File(error) => error.fmt(f),
            SimulateError::Link(error) => error.fmt(f),
            SimulateError::Unfinished(error, left) => {
                error.fmt(f)?;
                let mut left = left.iter();
                left.try_for_each(|(path, more)| write!(f, "; cannot remove {}: {more}", path.display()))
            }
        }
    }
}

/// Writes the true pulses as the node `table_csv` does: the names of the columns, then a line for each.
///
/// # Errors
/// If the file is there already or the operating system reports an error.
pub fn write_truth(path: &Path, rows: &[TruthRow]) -> livetime_formats::Result<()> {
    let schema = TruthRow::schema();
    let names: Vec<&str> = schema.columns().iter().map(|column| &*column.name).collect();
    let mut text = names.join(",") + "\n";
    for row in rows {
        let TruthRow { time_peak, channel, adc_integral, adc_peak, width, link, plane, origin, bipolar } =
            row;
        // Writing to a text does not fail.
        let _ = writeln!(
            text,
            "{time_peak},{channel},{adc_integral},{adc_peak},{width},{link},{plane},{origin},{bipolar}"
        );
    }
    let mut file = GrowingFile::make(path)?;
    file.append(&[text.as_bytes()])?;
    file.finish()
}
