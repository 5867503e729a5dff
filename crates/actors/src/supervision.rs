//! Supervision: the reaction to a handler that fails.

use std::sync::Arc;
use std::time::Duration;

use super::failure::{Failure, OnFailure};
use super::strand::Strand;
use super::timer::Action;

impl Strand {
    /// Handles a failure of agent `number` according to its policy.
    #[cold]
    pub(crate) fn fail(&mut self, number: u32, failure: Failure) {
        let Some(agent) = self.agents.get_mut(number as usize).and_then(Option::as_mut) else { return };
        agent.fail(&failure, &mut self.local);
        let care = agent.care();
        let (name, group, core) = (care.name.clone(), care.group.clone(), self.local.core.clone());
        match care.on_failure {
            OnFailure::Stop => core.fail(format!("agent `{name}`: {failure}")),
            OnFailure::DropGroup => group.end(format!("agent `{name}`: {failure}"), &core),
            OnFailure::Ignore => self.local.schedule(number),
            OnFailure::Restart { first, most } => self.restart_later(number, first, most, &failure),
        }
    }

    fn restart_later(&mut self, number: u32, first: Duration, most: u32, failure: &Failure) {
        let Some(agent) = self.agents.get_mut(number as usize).and_then(Option::as_mut) else { return };
        let completed = agent.care().account.completed.load(std::sync::atomic::Ordering::Relaxed);
        let (name, restarts) = (agent.care().name.clone(), agent.restarts());
        let count = restarts.next(completed);
        if count > most {
            self.local.core.fail(format!("agent `{name}`, after {most} restarts: {failure}"));
            return;
        }
        if self.local.core.is_draining() {
            // The timers have ended already, and queued messages must be handled now.
            self.restart(number);
            return;
        }
        agent.hold_back(true, &mut self.local);
        self.restarting.push(number);
        // Doubled with each restart, at most a thousandfold.
        let delay_ns = (first.as_nanos() as u64).saturating_mul(1 << (count - 1).min(10));
        // The timer does not keep a strand that has ended.
        let handle = Arc::downgrade(&self.local.handle);
        let restart = Later(Some(Box::new(move || {
            if let Some(handle) = handle.upgrade() {
                let _ = handle.send(Box::new(move |strand: &mut Strand| strand.restart_if_due(number)));
            }
        })));
        let core = &self.local.core;
        core.timers.set(core.clock.now_ns().saturating_add(delay_ns), Box::new(restart)).keep();
    }

    /// Rebuilds an agent, unless the agent was rebuilt or has ended since the request.
    fn restart_if_due(&mut self, number: u32) {
        let waiting = self.restarting.len();
        self.restarting.retain(|n| *n != number);
        // `restart_all` may have been faster.
        if self.restarting.len() < waiting {
            self.restart(number);
        }
    }

    /// Restarts at once all agents that wait for their restart, because the timers have ended already.
    pub(crate) fn restart_all(&mut self) {
        std::mem::take(&mut self.restarting).into_iter().for_each(|number| self.restart(number));
    }

    fn restart(&mut self, number: u32) {
        let Some(agent) = self.agents.get_mut(number as usize).and_then(Option::as_mut) else { return };
        let local = &mut self.local;
        // The user's code makes the agent, and may panic.
        let rebuilt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| agent.rebuild(local)));
        match rebuilt {
            Ok(Ok(true)) => agent.hold_back(false, &mut self.local),
            Ok(Ok(false)) => self.remove(number),
            Ok(Err(error)) => self.fail(number, Failure::Error(error)),
            Err(panic) => self.fail(number, Failure::Panic(livetime_runtime::panic_text(&*panic))),
        }
        self.local.tell_peers();
        if self.local.has_changes {
            self.settle();
        }
    }
}

/// Does something once.
struct Later(Option<Box<dyn FnOnce() + Send>>);

impl Action for Later {
    fn fire(&mut self, _: u64) -> Option<u64> {
        if let Some(act) = self.0.take() {
            act();
        }
        None
    }
}
