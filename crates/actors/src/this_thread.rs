//! The calling thread as agents see it: the strand that it runs, and whether and how it waits.

use std::cell::Cell;
use std::sync::Arc;

use livetime_runtime::Doorbell;

thread_local! {
    static BELL: Arc<Doorbell> = {
        let bell = Arc::new(Doorbell::default());
        bell.adopt_thread();
        bell
    };
    static NEVER_WAITS: Cell<bool> = const { Cell::new(false) };
    static STRAND: Cell<usize> = const { Cell::new(0) };
}

/// Records that this thread now runs the strand at this address; 0 for none. Returns the previous one.
pub(crate) fn running_on(strand: usize) -> usize {
    STRAND.replace(strand)
}

/// True when this thread runs that strand.
pub(crate) fn runs_here(strand: usize) -> bool {
    STRAND.get() == strand
}

/// Runs `wait` with the bell of this thread.
pub(crate) fn with_bell<R>(wait: impl FnOnce(&Arc<Doorbell>) -> R) -> R {
    BELL.with(wait)
}

/// This thread must never wait: a message that would have to wait is lost.
pub(crate) fn never_waits() {
    NEVER_WAITS.set(true);
}

/// False after [`never_waits`].
pub(crate) fn may_wait() -> bool {
    !NEVER_WAITS.get()
}
