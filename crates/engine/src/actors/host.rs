//! The threads that run strands: one for one strand, or a pool for many.

use std::sync::Arc;
use std::thread::JoinHandle;

use super::core::Core;
use super::placement::ThreadOptions;
use super::sender::running_on;
use super::strand::{Host, Strand, StrandHandle};
use crate::control::Event;
use crate::wait::Waiting;

/// Starts the thread of one strand.
pub(crate) fn spawn(
    core: &Arc<Core>,
    handle: Arc<StrandHandle>,
    options: ThreadOptions,
    ends_with_agents: bool,
) -> std::io::Result<JoinHandle<()>> {
    let core = core.clone();
    // Linux shows 15 characters of a thread's name.
    let name = handle.name.chars().take(15).collect();
    std::thread::Builder::new().name(name).spawn(move || {
        let mut strand = Strand::new(super::local::Local::new(core, handle), options.batch);
        strand.ends_with_agents = ends_with_agents;
        run(strand, &options);
    })
}

fn run(mut strand: Strand, options: &ThreadOptions) {
    let (handle, core) = (strand.local.handle.clone(), strand.local.core.clone());
    let Host::Thread(bell) = &handle.host else { return };
    bell.adopt_thread();
    running_on(Arc::as_ptr(&handle) as usize);
    prepare_thread(&core, &handle.name, &options.cpus);
    let mut waiting = Waiting::new(options.wait, core.may_spin());
    // The last turn has told other strands of messages.
    let mut asked = false;
    while !strand.end {
        let told = strand.local.told;
        if strand.turn() {
            asked = strand.local.told != told;
            continue;
        }
        waiting.may_spin = core.may_spin();
        let is_answered = std::mem::take(&mut asked) && waiting.look_for_answer(|| strand.local.has_news());
        if !is_answered {
            strand.local.cool();
            waiting.wait(&core.clock, bell, |_| handle.has_work(), || None);
        }
    }
    strand.close();
    core.thread_ended();
}

/// Precise sleeps, and the CPUs wished for.
pub(crate) fn prepare_thread(core: &Core, name: &str, cpus: &[usize]) {
    if let Err(error) = crate::wait::prepare_thread(cpus) {
        let message = format!("thread {name}: cannot pin or time precisely: {error}");
        core.control.tell(Event {
            at_ns: core.clock.now_ns(),
            node: String::new(),
            is_error: false,
            message,
        });
    }
}
