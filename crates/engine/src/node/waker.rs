//! Sources whose frames come from other threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use livetime_runtime::Doorbell;

use super::backstage::Context;

/// Makes a source due, from any thread: see [`Context::waker`].
#[derive(Clone)]
pub struct Waker {
    is_woken: Arc<AtomicBool>,
    bell: Arc<Doorbell>,
}

impl Waker {
    /// [`Node::produce`](super::Node::produce) is called soon, whatever it answered last.
    pub fn wake(&self) {
        // Before the ring, whose swap publishes it.
        self.is_woken.store(true, Ordering::Release);
        self.bell.ring();
    }
}

impl std::fmt::Debug for Waker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Waker")
    }
}

impl Context {
    /// For a source whose frames come from another thread: it answers [`Next::Idle`](super::Next::Idle) or
    /// [`Next::At`](super::Next::At) while none is there, and the other thread wakes it. Other nodes are not woken.
    pub fn waker(&self) -> Waker {
        let is_woken = self.source.as_ref().map(|source| source.waker.clone()).unwrap_or_default();
        Waker { is_woken, bell: self.bell.clone() }
    }
}
