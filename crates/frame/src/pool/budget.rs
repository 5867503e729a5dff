//! The bound of a run's memory, and the taken part of it.

use crate::sync::{AtomicUsize, Ordering};

pub(super) struct Budget {
    pub(super) limit: usize,
    pub(super) used: AtomicUsize,
    pub(super) peak: AtomicUsize,
    pub(super) buffers: AtomicUsize,
    pub(super) exhausted: AtomicUsize,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Budget {
        let [used, peak, buffers, exhausted] = std::array::from_fn(|_| AtomicUsize::new(0));
        Budget { limit, used, peak, buffers, exhausted }
    }

    pub(super) fn statistics(&self) -> PoolStatistics {
        PoolStatistics {
            limit_bytes: self.limit,
            used_bytes: self.used.load(Ordering::Relaxed),
            peak_bytes: self.peak.load(Ordering::Relaxed),
            buffers: self.buffers.load(Ordering::Relaxed),
            exhausted: self.exhausted.load(Ordering::Relaxed),
        }
    }

    pub(super) fn reserve(&self, bytes: usize) -> bool {
        let grown = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(bytes).filter(|sum| *sum <= self.limit)
        });
        let Ok(before) = grown else { return false };
        self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        self.buffers.fetch_add(1, Ordering::Relaxed);
        true
    }

    pub(super) fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        self.buffers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The memory that a pool has handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolStatistics {
    /// The bound, in bytes.
    pub limit_bytes: usize,
    /// Bytes of all buffers that exist now, in use or free.
    pub used_bytes: usize,
    /// The most bytes that existed at once.
    pub peak_bytes: usize,
    /// Buffers that exist now, in use or free.
    pub buffers: usize,
    /// How often a frame was refused because the bound was reached.
    pub exhausted: usize,
}
