//! Atomics and threads, from the standard library or, with `--cfg loom`, from the model checker.

#[cfg(loom)]
pub(crate) use loom::{
    sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
    thread::{Thread, current, park},
};
#[cfg(not(loom))]
pub(crate) use std::{
    sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
    thread::{Thread, current, park, park_timeout},
};

/// The model checker has no time: there a sleep ends only by being woken, which is what it has to prove.
#[cfg(loom)]
pub(crate) fn park_timeout(_: std::time::Duration) {
    park();
}
