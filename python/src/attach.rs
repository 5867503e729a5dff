//! Our own threads that call Python.
//!
//! To attach a thread that Python did not make, a thread state is built, and destroyed again when the thread detaches.
//! That costs 2 µs with the interpreter lock and far more without, and values that Python code keeps in
//! `threading.local` would be gone at the next call. So our threads keep their first state until they end.
//!
//! When the interpreter ends, none of our threads may call it: up to Python 3.13 the thread is ended in the middle of
//! its call, or the process is. `Py_IsFinalizing` cannot prevent that, because the end may begin right after the
//! question. So there is a gate that every call passes. [`shut`] closes it for ever, and then waits until all threads
//! that passed it have come back.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::c_long;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use livetime_engine::lock;

use pyo3::exceptions::PySystemExit;
use pyo3::ffi;
use pyo3::prelude::*;

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// How many calls have passed the gate and not come back; with the bit [`SHUT`], no further one passes.
static GATE: AtomicUsize = AtomicUsize::new(0);
const SHUT: usize = 1 << (usize::BITS - 1);

/// Time between two checks of [`shut`] whether all calls have come back.
const LOOK: Duration = Duration::from_millis(1);

/// Python's numbers of our threads that keep a state.
static KEEPERS: Mutex<BTreeSet<c_long>> = Mutex::new(BTreeSet::new());

/// The right to call Python until it is dropped.
struct Pass;

impl Pass {
    /// `None` when the gate is shut.
    fn get() -> Option<Pass> {
        // SeqCst for all of GATE: a thread must not see the gate open after `shut` has seen it empty.
        let pass = GATE.fetch_add(1, Ordering::SeqCst);
        // The new pass is dropped at once if the gate is shut, which takes its count back.
        Some(Pass).filter(|_| pass & SHUT == 0)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        GATE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// One more claim to the state of this thread, so that detaching does not destroy it.
struct Kept {
    thread: c_long,
}

impl Kept {
    fn new(py: Python<'_>) -> Kept {
        let thread = thread_number(py).unwrap_or(0);
        keepers().insert(thread);
        // SAFETY: the thread is attached, as the token proves. The call only counts one more claim, which `drop` gives
        // back.
        unsafe { ffi::PyGILState_Ensure() };
        Kept { thread }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        keepers().remove(&self.thread);
        // Behind the gate the interpreter ends, and the state goes with it.
        let Some(_pass) = Pass::get() else { return };
        let _ = Python::try_attach(|_attached| {
            // SAFETY: the thread is attached, and gives the claim of `new` back. The claim of `try_attach` still holds the state.
            unsafe { ffi::PyGILState_Release(ffi::PyGILState_STATE::PyGILState_LOCKED) };
        });
    }
}

fn keepers() -> std::sync::MutexGuard<'static, BTreeSet<c_long>> {
    lock(&KEEPERS)
}

/// Python's number of this thread.
fn thread_number(py: Python<'_>) -> PyResult<c_long> {
    py.import("threading")?.call_method0("get_ident")?.extract()
}

/// Whether this thread has no state yet: then it is one of ours that calls Python for the first time. The state of a
/// Python thread ends with that thread, so no claim on it may be kept.
fn is_new() -> bool {
    // SAFETY: may be called by any thread, attached or not; the pointer is not followed.
    unsafe { ffi::PyGILState_GetThisThreadState() }.is_null()
}

/// Calls `work` attached to the interpreter, with the state that this thread has kept; `None` if the interpreter is ending.
pub(crate) fn attached<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let _pass = Pass::get()?;
    let is_new = is_new();
    Python::try_attach(|py| {
        if is_new {
            KEPT.with(|kept| *kept.borrow_mut() = Some(Kept::new(py)));
        }
        work(py)
    })
}

/// Shuts the gate: from now on our threads no longer call Python. Waits at most `limit` until the calls under way have
/// come back, and returns whether they have. Call this function detached: the threads need the interpreter to come
/// back.
pub(crate) fn shut(limit: Duration) -> bool {
    GATE.fetch_or(SHUT, Ordering::SeqCst);
    let begun = Instant::now();
    let wait = |limit| {
        while GATE.load(Ordering::SeqCst) != SHUT && begun.elapsed() < limit {
            std::thread::sleep(LOOK);
        }
        GATE.load(Ordering::SeqCst) == SHUT
    };
    if wait(limit / 2) {
        return true;
    }
    // Code of the user's that does not return.
    let _ = Python::try_attach(interrupt);
    wait(limit)
}

/// In the child of a fork: only the thread that forked is there, and only it comes back through the gate.
pub(crate) fn forget_other_threads() {
    let is_ours = KEPT.with(|kept| kept.try_borrow().is_ok_and(|kept| kept.is_some()));
    GATE.store(usize::from(is_ours), Ordering::SeqCst);
    // A thread that ended at the fork may hold the list for ever.
    if let Ok(mut keepers) = KEEPERS.try_lock() {
        keepers.clear();
    }
}

/// Raises `SystemExit` in our threads that keep a state. A thread inside C code ends when that returns.
fn interrupt(py: Python<'_>) {
    let exit = py.get_type::<PySystemExit>();
    for thread in keepers().iter() {
        // SAFETY: the thread is attached, as the token says; a number that no thread has any more does nothing.
        unsafe { ffi::PyThreadState_SetAsyncExc(*thread, exit.as_ptr()) };
    }
}
