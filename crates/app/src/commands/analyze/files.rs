//! Results as files: arrays, tables, PNG, JSON.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use livetime_formats::file::{NewFile, ReadAt, read_exact_at};
use livetime_recording::Stores;
use serde_json::Value as Json;

use super::error::FileError;
use super::sweep::{self, Measured};
use super::tables::TableFormat;
use super::{npy, picture};
use crate::analyze::{Named, Value};
use livetime_plot::png;

/// The file with everything about an analysis, and the names of the files that it wrote.
const REPORT: &str = "analysis.json";
/// Bytes of a report of a former analysis, far more than any has.
const MOST_REPORT: u64 = 1 << 28;

/// The files of one result.
#[derive(Default)]
pub(super) struct Written {
    /// The array, or the table in each format that is wanted.
    pub(super) arrays: Vec<PathBuf>,
    pub(super) picture: Option<PathBuf>,
}

/// New files of a folder, which get their names together: after an error the folder is as it was.
#[derive(Default)]
pub(super) struct Files(Stores, Vec<NewFile>);

impl Files {
    /// Makes the files of all results of `last`, and a plot if there are several measurements. Returns the files of each result, too.
    pub(super) fn make(
        stores: &Stores,
        folder: &Path,
        last: &Measured,
        all: &[Measured],
        formats: &[TableFormat],
    ) -> Result<(Files, Vec<Written>), FileError> {
        make_folder(stores, folder)?;
        let make = |named: &Named| result(stores, folder, named, last, formats);
        let made = on_threads(&last.found.results, last.workers, make);
        let (mut files, mut written) = (Files::new(stores), Vec::new());
        for one in made {
            let (Files(_, new), names) = one?;
            files.1.extend(new);
            written.push(names);
        }
        // One measurement has no rates to compare.
        if all.len() > 1 {
            files.add(folder.join(sweep::FILE), |new| put(new, &[&png(&sweep::plot(all))?]))?;
        }
        Ok((files, written))
    }

    /// No files yet, for paths and addresses.
    pub(super) fn new(stores: &Stores) -> Files {
        Files(stores.clone(), Vec::new())
    }

    fn add(
        &mut self,
        path: PathBuf,
        write: impl FnOnce(&mut NewFile) -> Result<(), FileError>,
    ) -> Result<PathBuf, FileError> {
        let new = self.0.replace(&path).map_err(FileError::Refused);
        let written = new.and_then(|mut new| write(&mut new).map(|()| new));
        let new = written.map_err(FileError::of(path.clone()))?;
        self.1.push(new);
        Ok(path)
    }

    /// Gives all files their names, with the report on them, and removes the files of a former analysis in the folder: its files
    /// would be taken for results of this one.
    pub(super) fn finish(mut self, folder: &Path, report: &Json) -> Result<(), FileError> {
        self.add(folder.join(REPORT), |new| put(new, &[format!("{report:#}\n").as_bytes()]))?;
        // The list of the former analysis is read before its report is replaced.
        let former = former(&self.0, folder);
        let names: Vec<PathBuf> = self.1.iter().map(|new| new.path().to_owned()).collect();
        let stores = self.0;
        for new in self.1 {
            new.finish().map_err(FileError::Named)?;
        }
        // A file of the new analysis may have a former one's name.
        for path in former.into_iter().filter(|path| !names.contains(path) && stores.is_file(path)) {
            stores.remove(&path).map_err(|e| FileError::Former(path, e))?;
        }
        Ok(())
    }
}

/// The files that the last analysis wrote into this folder, as its own report says.
fn former(stores: &Stores, folder: &Path) -> Vec<PathBuf> {
    // A folder without a report has no former files; a report of another program gives none.
    let report: Json = read(stores, &folder.join(REPORT))
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let results = report["results"].as_array().into_iter().flatten();
    let files = results.flat_map(|result| result["files"].as_array().into_iter().flatten());
    // Of another folder's file the name counts: a folder may have been moved.
    let name = |file: &Json| Some(folder.join(Path::new(file.as_str()?).file_name()?));
    let is_swept = report["rates"].as_array().is_some_and(|rates| rates.len() > 1);
    files.filter_map(name).chain(is_swept.then(|| folder.join(sweep::FILE))).collect()
}

fn read(stores: &Stores, path: &Path) -> Option<Vec<u8>> {
    let file = stores.open(path).ok()?;
    let size = file.size().ok().filter(|size| *size <= MOST_REPORT)?;
    let mut bytes = vec![0; size as usize];
    read_exact_at(&file, &mut bytes, 0).ok()?;
    Some(bytes)
}

/// The files of a result.
fn result(
    stores: &Stores,
    folder: &Path,
    named: &Named,
    last: &Measured,
    formats: &[TableFormat],
) -> Result<(Files, Written), FileError> {
    let (mut files, mut written) = (Files::new(stores), Written::default());
    let path = |ending: &str| folder.join(format!("{}.{ending}", named.name));
    match &named.value {
        Value::Array(array) => {
            // The header is made first, so that header and elements are written in one call.
            let header = npy::header(&npy::describe(array.dtype()), array.shape());
            written.arrays.push(files.add(path("npy"), |new| put(new, &[&header, array.bytes()]))?);
        }
        Value::Table(table) => {
            for format in formats {
                let columns: Vec<_> =
                    table.columns.iter().map(|column| (column.name, &column.cells)).collect();
                let made = files.add(path(format.ending()), |new| format.write(new, &columns))?;
                written.arrays.push(made);
            }
        }
        Value::Number(_) => {}
    }
    if let Some(image) = picture::draw_result(named, &last.found) {
        written.picture = Some(files.add(path("png"), |new| put(new, &[&png(&image)?]))?);
    }
    Ok((files, written))
}

/// Applies a function to all items with several threads; returns the results in the order of the items.
fn on_threads<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let go = || {
        loop {
            // Relaxed is enough: the number is all that the threads share here.
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { break };
            let made = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, made));
        }
    };
    std::thread::scope(|scope| {
        // The calling thread works, too.
        for _ in 1..threads.min(items.len()) {
            scope.spawn(go);
        }
        go();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    // The order of the results must not depend on the threads.
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, made)| made).collect()
}

pub(super) fn make_folder(stores: &Stores, folder: &Path) -> Result<(), FileError> {
    stores.make_folder(folder).map_err(|e| FileError::Folder(folder.to_owned(), e))
}

fn put(new: &mut NewFile, parts: &[&[u8]]) -> Result<(), FileError> {
    new.append(parts).map(drop).map_err(FileError::Refused)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// An analysis that wrote these files.
    fn analysis(folder: &Path, files: &[&str]) -> Result<(), FileError> {
        let mut new = Files::default();
        for name in files {
            new.add(folder.join(name), |new| put(new, &[name.as_bytes()]))?;
        }
        let result =
            json!({ "name": "x", "files": files.iter().map(|n| format!("out/{n}")).collect::<Vec<_>>() });
        new.finish(folder, &json!({ "results": [result], "rates": [1] }))
    }

    #[test]
    fn a_second_analysis_leaves_nothing_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("notes.txt"), "the user's").unwrap();
        fs::write(folder.join("min.npy"), "the user's").unwrap();
        analysis(folder, &["mean.npy", "mean.png", "std.npy"]).unwrap();
        analysis(folder, &["mean.npy", "max.npy"]).unwrap();
        let wanted = ["analysis.json", "max.npy", "mean.npy", "min.npy", "notes.txt"];
        assert_eq!(names(folder), wanted);
    }

    #[test]
    fn what_cannot_be_written_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        analysis(folder, &["mean.npy"]).unwrap();
        let mut new = Files::default();
        new.add(folder.join("mean.npy"), |new| put(new, &[b"other"])).unwrap();
        let failed = new.add(folder.join("std.npy"), |new| {
            put(new, &[b"half"])?;
            Err(FileError::Io(std::io::Error::other("the disk is full")))
        });
        assert!(failed.unwrap_err().to_string().ends_with("/std.npy: the disk is full"));
        drop(new);
        assert_eq!(names(folder), ["analysis.json", "mean.npy"]);
        assert_eq!(fs::read(folder.join("mean.npy")).unwrap(), b"mean.npy");
    }

    #[test]
    fn results_keep_their_order() {
        let numbers: Vec<usize> = (0..100).collect();
        assert_eq!(on_threads(&numbers, 4, |n| n * 2), numbers.iter().map(|n| n * 2).collect::<Vec<_>>());
        assert!(on_threads(&[0; 0], 4, |n| *n).is_empty());
    }
}
