//! Recorded files in the folders that the operator allowed and that this run writes to: lists, and one event of a run.
//!
//! ```text
//! request --path--> Folders (may it be read?) --> Worker "web runs" --> Opened (a few runs) --> one frame --> picture maker
//! ```
//!
//! The path in a request is checked first, whole and without symbolic links. Folders are looked into and files
//! are opened and read on two threads, so that a slow disk or a run of a million events holds up neither the server
//! nor the lists. Of a run one event is in memory at a time.

mod array;
mod array_error;
mod folders;
mod listing;
mod mosaic;
mod opened;
mod worker;
mod written;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_control::model::Moment;
use livetime_engine::Graph;
use serde_json::Value;

use crate::error::Error;
use crate::picture::Newest;
use crate::serve_error::ServeError;
use folders::{Folders, Kind};
use listing::Listing;
use opened::{Opened, Shown};
use worker::Worker;
use written::Written;

/// Recorded files, and the threads that read them.
pub(crate) struct Recorded {
    folders: Arc<Folders>,
    written: Written,
    lists: Worker<Listing>,
    runs: Worker<Opened>,
}

impl Recorded {
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(named: Vec<PathBuf>, graph: &Graph) -> Result<Recorded, ServeError> {
        let folders = Arc::new(Folders::new(named));
        written::folders_of(graph).iter().for_each(|folder| folders.add(folder));
        Ok(Recorded {
            folders,
            written: Written::default(),
            lists: Worker::start("web files")?,
            runs: Worker::start("web runs")?,
        })
    }

    pub(crate) fn end(&self) {
        self.lists.end();
        self.runs.end();
    }

    /// Takes notice of the files that nodes have written.
    pub(crate) fn note(&self, moment: &Moment) {
        self.written.note(moment, &self.folders);
    }

    /// The files of the nodes of this run, as JSON.
    pub(crate) async fn written(&self, moment: Arc<Moment>) -> Result<Value, Error> {
        self.note(&moment);
        let files = self.written.files();
        self.lists.ask(move |_| Ok(written::json(&moment, files))).await
    }

    /// The content of the folders, as JSON.
    pub(crate) async fn list(&self) -> Result<Value, Error> {
        let folders = self.folders.clone();
        self.lists.ask(move |listing| Ok(listing.json(&folders.roots()))).await
    }

    /// The description of a run or an array, as JSON.
    pub(crate) async fn summary(&self, path: String) -> Result<Value, Error> {
        self.read(path, |runs, path, roots| runs.summary(path, roots)).await
    }

    /// One event, as JSON.
    pub(crate) async fn event(&self, path: String, event: usize, detector: String) -> Result<Value, Error> {
        self.read(path, move |runs, path, roots| runs.event(path, roots, event, &detector)).await
    }

    /// One picture of a run, with a name that no other file has, as the picture maker takes it.
    pub(crate) async fn frame(
        &self,
        path: String,
        event: usize,
        detector: String,
    ) -> Result<(String, Arc<Newest>), Error> {
        let found = self.read(path, move |runs, path, roots| runs.frame(path, roots, event, &detector));
        let Shown { source, event, frame } = found.await?;
        let newest = Newest { frame, number: event, came: Instant::now(), age: Duration::ZERO };
        // No output has a name with a slash.
        Ok((format!("runs/{source}"), Arc::new(newest)))
    }

    /// A file that may be sent as it is.
    ///
    /// # Errors
    /// 404 when there is no such file, or it may not be read.
    pub(crate) async fn file(&self, path: String) -> Result<PathBuf, Error> {
        let folders = self.folders.clone();
        self.lists
            .ask(move |_| {
                let path = folders.file(&path)?;
                let is_ours = Kind::of(&path) != Some(Kind::Json)
                    || listing::is_analysis(&path)
                    || listing::is_trace(&path);
                if is_ours {
                    Ok(path)
                } else {
                    Err(Error::not_found("this is neither a trace nor an analysis"))
                }
            })
            .await
    }

    async fn read<T: Send + 'static>(
        &self,
        path: String,
        job: impl FnOnce(&mut Opened, &Path, &[PathBuf]) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let folders = self.folders.clone();
        self.runs
            .ask(move |runs| {
                let path = folders.file(&path)?;
                if !matches!(Kind::of(&path), Some(Kind::Run | Kind::Array)) {
                    return Err(Error::not_found("this file is neither a recorded run nor an array"));
                }
                job(runs, &path, &folders.roots())
            })
            .await
    }
}
