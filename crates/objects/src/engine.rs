//! The thread that sends requests and waits for answers.

use std::future::Future;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::error::{Kind, ObjectError, Result};

/// A thread with a runtime of its own. It ends, with all requests under way, when the value is dropped.
pub(crate) struct Engine {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    pub(crate) fn start() -> Result<Engine> {
        let failed =
            |e: std::io::Error| ObjectError::new(Kind::Failed, "a thread for requests", e.to_string());
        // A second call changes nothing: the first one in the process decides.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("objects".into());
        let thread = thread.spawn(move || {
            // Also a sender that is gone ends the thread.
            let _ = runtime.block_on(stopped);
        });
        Ok(Engine { handle, stop: Some(stop), thread: Some(thread.map_err(failed)?) })
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.handle.spawn(work);
    }

    /// Does `work` on the thread, and waits for it at most so long.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        limit: Duration,
        wanted: &'static str,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (done, result) = mpsc::sync_channel(1);
        self.handle.spawn(async move {
            let outcome = tokio::time::timeout(limit, work).await;
            // A caller that is gone wants no result.
            let _ = done.send(outcome.unwrap_or_else(|_| Err(ObjectError::timed_out(wanted, limit))));
        });
        let ended = |_| Err(ObjectError::new(Kind::Failed, wanted, "the end of the thread for requests"));
        result.recv().unwrap_or_else(ended)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // A thread that has ended already needs no sign.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
