//! The means by which all objects are read: the thread for requests, and the bytes that stay in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cache::Cache;
use crate::engine::Engine;
use crate::error::Result;
use crate::settings::Settings;

/// The thread for requests and the cache, which all objects share.
pub(crate) struct Requests {
    pub(crate) settings: Settings,
    pub(crate) engine: Engine,
    pub(crate) cache: Arc<Cache>,
    pub(crate) counts: Arc<Counts>,
}

impl Requests {
    /// Starts the thread.
    pub(crate) fn new(settings: Settings) -> Result<Requests> {
        let cache = Arc::new(Cache::new(settings.cache_bytes));
        Ok(Requests { engine: Engine::start()?, cache, counts: Arc::default(), settings })
    }
}

/// The ranges that servers were asked for so far, and the bytes that came.
#[derive(Default, Debug)]
pub(crate) struct Counts {
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Counts {
    pub(crate) fn add(&self, bytes: u64) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Ranges and bytes so far.
    pub(crate) fn read(&self) -> (u64, u64) {
        (self.requests.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}
