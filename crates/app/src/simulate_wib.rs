//! Simulated links of wire readout as files.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use livetime_engine::NodeError;
use livetime_formats::file::GrowingFile;
use livetime_wire::sources::wib_simulator::SimulatedLinks;
use livetime_wire::{Row, TruthRow};

/// How often `watch` is told.
const LOOK: Duration = Duration::from_millis(10);

/// Writes `NAME-l00.wib`, `NAME-l01.wib` and so on, with `workers` threads, each a link at a time. `watch` is
/// called with the number of bytes done; it stops the work by returning false. Returns the files and their sizes.
///
/// # Errors
/// Text, if a file is there already or the operating system reports an error. The written part is removed then.
pub(crate) fn simulate_wib(
    name: &Path,
    links: &SimulatedLinks,
    workers: usize,
    mut watch: impl FnMut(u64) -> bool,
) -> Result<Vec<(PathBuf, u64)>, String> {
    let create = |link: usize| {
        let mut path = name.as_os_str().to_owned();
        path.push(format!("-l{link:02}.wib"));
        GrowingFile::make(Path::new(&path)).map_err(|e| e.to_string())
    };
    let mut files = (0..links.links()).map(create).collect::<Result<Vec<_>, _>>()?;
    write_all(&mut files, links, workers, &mut watch)?;
    let mut written = Vec::new();
    for file in files {
        let done = (file.path().to_owned(), file.len());
        if let Err(error) = file.finish() {
            return Err(removed(&written, error.to_string()));
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
) -> Result<(), String> {
    let (done, failed) = (AtomicU64::new(0), Mutex::new(None));
    let is_over = AtomicBool::new(false);
    let work = Mutex::new(files.iter_mut().enumerate());
    let next = || work.lock().unwrap_or_else(|e| e.into_inner()).next();
    let write = || {
        while let Some((link, file)) = next() {
            let written = links.write(link, |frames| {
                if is_over.load(Ordering::Relaxed) {
                    return Err(NodeError::new("the work was stopped"));
                }
                done.fetch_add(frames.len() as u64, Ordering::Relaxed);
                file.append(&[frames]).map(drop).map_err(NodeError::new)
            });
            if let Err(error) = written {
                is_over.store(true, Ordering::Relaxed);
                failed.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(error.to_string());
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
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Removes files that have their names already; returns the error, with further ones.
fn removed(files: &[(PathBuf, u64)], mut error: String) -> String {
    for (path, _) in files {
        if let Err(more) = std::fs::remove_file(path) {
            error += &format!("; cannot remove {}: {more}", path.display());
        }
    }
    error
}

/// Writes the true pulses as the node `table_csv` does: the names of the columns, then a line for each.
///
/// # Errors
/// Text, if the file is there already or the operating system reports an error.
pub(crate) fn write_truth(path: &Path, rows: &[TruthRow]) -> Result<(), String> {
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
    let write = || {
        let mut file = GrowingFile::make(path)?;
        file.append(&[text.as_bytes()])?;
        file.finish()
    };
    write().map_err(|e: livetime_formats::Error| e.to_string())
}
