//! Sending from threads that are no agents.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use livetime_runtime::{Doorbell, LossReason};

use super::input::{Sink, Waiter};

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

/// Offers a message and waits as long as the sink must not lose it and has no room. True if it was queued.
pub(crate) fn offer_and_wait<T>(sink: &(impl Sink<T> + ?Sized), message: T, stamp_ns: u64) -> bool {
    let mut message = match sink.offer(message, stamp_ns, false, None) {
        Ok(queued) => return queued,
        Err(message) => message,
    };
    if NEVER_WAITS.get() || !sink.may_wait() {
        sink.give_up(LossReason::QueueFull);
        return false;
    }
    loop {
        with_bell(|bell| {
            bell.prepare();
            match sink.wait_for_room(Waiter::Thread(bell.clone())) {
                true => bell.wait(Some(Duration::from_millis(100))),
                false => bell.cancel(),
            }
        });
        match sink.offer(message, stamp_ns, true, None) {
            Ok(queued) => return queued,
            Err(back) => message = back,
        }
    }
}
