//! The threads of this crate. They step back where the run wants the whole machine: a page gets its pictures later then, and the
//! run loses fewer frames to it.

use std::io;
use std::thread::{Builder, JoinHandle};

/// The `nice` value of these threads: where cores are short, such a thread gets a thirtieth of the time of a thread of the run.
/// In trials a run near its highest rate lost frames to ten pages more often with less of it, and with more of it a page was slow on a
/// machine that was overloaded (docs/performance-web.md).
const NICE: i32 = 15;

/// Starts a thread that steps back, with all that it starts.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name.to_owned()).spawn(move || {
        step_back();
        work();
    })
}

/// Linux has a priority for each thread, others one for the whole program, which stays as it is.
fn step_back() {
    #[cfg(target_os = "linux")]
    {
        let now = rustix::process::getpriority_process(None).unwrap_or(0);
        // A program that was started at a lower priority keeps it.
        let _ = rustix::process::setpriority_process(None, now.max(NICE));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_steps_back_alone() {
        let of_this_thread = || rustix::process::getpriority_process(None).unwrap();
        let before = of_this_thread();
        let (says, said) = std::sync::mpsc::channel();
        spawn("polite", move || says.send(of_this_thread()).unwrap()).unwrap().join().unwrap();
        assert_eq!((said.recv().unwrap(), of_this_thread()), (before.max(NICE), before));
    }
}
