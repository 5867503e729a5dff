//! The threads that run strands: one for one strand, or a pool for many.

use std::sync::Arc;
use std::thread::JoinHandle;

use livetime_runtime::{Event, Waiting, lock};

use super::core::Core;
use super::placement::ThreadOptions;
use super::strand::{Host, StrandHandle};
use super::this_thread::running_on;

/// Starts the thread of one strand.
pub(crate) fn spawn(
    core: &Arc<Core>,
    handle: Arc<StrandHandle>,
    options: ThreadOptions,
) -> std::io::Result<JoinHandle<()>> {
    let core = core.clone();
    livetime_runtime::spawn(&handle.name.clone(), move || run(&core, &handle, &options))
}

fn run(core: &Core, handle: &Arc<StrandHandle>, options: &ThreadOptions) {
    let Host::Thread { bell, body } = &handle.host else { return };
    bell.adopt_thread();
    running_on(Arc::as_ptr(handle) as usize);
    prepare_thread(core, &handle.name, &options.cpus);
    let mut waiting = Waiting::new(options.wait, core.may_spin());
    // The last turn notified other strands of messages.
    let mut asked = false;
    let mut place = lock(body);
    while let Some(strand) = place.as_mut().filter(|strand| !strand.end) {
        let told = strand.local.told;
        if strand.turn() {
            asked = strand.local.told != told;
            continue;
        }
        waiting.may_spin = core.may_spin();
        let is_answered = std::mem::take(&mut asked) && waiting.look_for_answer(|| strand.local.has_news());
        if !is_answered {
            strand.local.cool();
            // A caller that finds the strand without a thread may carry out its request itself.
            drop(place);
            waiting.wait(&core.clock, bell, |_| handle.has_work(), || None);
            place = lock(body);
        }
    }
    let strand = place.take();
    drop(place);
    strand.into_iter().for_each(|mut strand| strand.close());
    core.thread_ended();
}

/// Precise sleeps, and the CPUs wished for.
pub(crate) fn prepare_thread(core: &Core, name: &str, cpus: &[usize]) {
    if let Err(error) = livetime_runtime::prepare_thread(cpus) {
        let message = format!("thread {name}: cannot pin or time precisely: {error}");
        core.control.tell(Event {
            at_ns: core.clock.now_ns(),
            node: String::new(),
            is_error: false,
            message,
            cause: None,
        });
    }
}
