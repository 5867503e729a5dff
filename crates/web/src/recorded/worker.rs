//! A thread for the slow work of requests: it looks into folders, opens and reads files.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use axum::http::StatusCode;
use livetime_runtime::lock;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::error::Error;
use crate::serve_error::ServeError;
use crate::threads::spawn;

/// Requests that wait for the thread; more are refused.
const WAITING: usize = 64;
/// A request waits this long. The work goes on, so that a later request finds, for example, the run open.
const LIMIT: Duration = Duration::from_secs(20);

type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// The thread and the way to it. `S` is its state from job to job.
pub(crate) struct Worker<S> {
    jobs: Mutex<Option<SyncSender<Job<S>>>>,
}

impl<S: Default + 'static> Worker<S> {
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(name: &str) -> Result<Worker<S>, ServeError> {
        let (sender, jobs) = sync_channel(WAITING);
        let thread = spawn(name, move || work(&jobs));
        thread.map_err(ServeError::Thread)?;
        Ok(Worker { jobs: Mutex::new(Some(sender)) })
    }

    /// The result of `job`, which another thread calls.
    ///
    /// # Errors
    /// 503 when the thread has too much to do, and the job's errors. A job that panics is an error of its own.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut S) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, done) = oneshot::channel();
        let job: Job<S> = Box::new(move |state| {
            // A client that has gone needs nothing.
            if !answer.is_closed() {
                let _ = answer.send(job(state));
            }
        });
        let sent = lock(&self.jobs).as_ref().map(|jobs| jobs.try_send(job));
        match sent {
            Some(Ok(())) => {}
            Some(Err(TrySendError::Full(_))) => return Err(busy("too many requests wait for files")),
            Some(Err(TrySendError::Disconnected(_))) | None => return Err(Error::ended()),
        }
        match timeout(LIMIT, done).await {
            Ok(Ok(found)) => found,
            Ok(Err(_)) => Err(Error::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "reading failed: the log of the program says why",
            )),
            Err(_) => Err(busy("files are still being read: ask again")),
        }
    }

    /// No further job is taken. The thread ends behind its last one, without a waiting caller: it may read a slow disk.
    pub(crate) fn end(&self) {
        *lock(&self.jobs) = None;
    }
}

fn busy(why: &str) -> Error {
    Error::new(StatusCode::SERVICE_UNAVAILABLE, why)
}

fn work<S: Default>(jobs: &Receiver<Job<S>>) {
    let mut state = S::default();
    while let Ok(job) = jobs.recv() {
        // A file that makes a reader panic must not end the browsing of all others. Open runs may be half changed.
        if catch_unwind(AssertUnwindSafe(|| job(&mut state))).is_err() {
            state = S::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    #[test]
    fn a_job_that_panics_harms_no_other() {
        let worker = Worker::<u32>::start("test").unwrap();
        let add = |n: u32| {
            worker.ask(move |sum| {
                *sum += n;
                assert!(n != 3, "three");
                Ok(*sum)
            })
        };
        assert_eq!(block_on(add(1)).unwrap(), 1);
        assert_eq!(block_on(add(3)).unwrap_err().status, StatusCode::INTERNAL_SERVER_ERROR);
        // It has begun anew.
        assert_eq!(block_on(add(2)).unwrap(), 2);
        worker.end();
        assert_eq!(block_on(add(2)).unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE);
    }
}
