//! Sending from threads that are no agents.

use std::time::Duration;

use livetime_runtime::LossReason;

use super::sink::{Sink, Waiter};
use super::this_thread::{may_wait, with_bell};

/// Offers a message and waits as long as the sink must not lose it and has no room. True if it was queued.
pub(crate) fn offer_and_wait<T>(sink: &(impl Sink<T> + ?Sized), message: T, stamp_ns: u64) -> bool {
    let mut message = match sink.offer(message, stamp_ns, false, None) {
        Ok(queued) => return queued,
        Err(message) => message,
    };
    if !may_wait() || !sink.may_wait() {
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
