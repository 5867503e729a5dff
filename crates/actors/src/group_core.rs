//! The shared state of the agents of a group, and the way of a group to its end.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::Duration;

use livetime_runtime::lock;

use super::core::Core;
use super::strand::{Strand, StrandHandle};

/// The shared state of the agents of a group.
pub(crate) struct GroupCore {
    pub(crate) name: String,
    /// No other group has it; later ones have larger ones.
    pub(crate) number: u64,
    /// Agents that have not ended, and one more until the group has started.
    live: AtomicUsize,
    is_ending: AtomicBool,
    state: Mutex<GroupState>,
    ended: Condvar,
    parent: Option<Arc<GroupCore>>,
    /// Set if its agents have spawned others, whose numbers the group does not know.
    has_spawned: AtomicBool,
}

#[derive(Default)]
struct GroupState {
    /// The thread or pool of its agents, and the numbers of the agents that were started with the group.
    strands: Vec<(Arc<StrandHandle>, Vec<u32>)>,
    children: Vec<Weak<GroupCore>>,
    /// How many children there may be before ended ones are removed.
    let_go_at: usize,
    resources: Vec<Box<dyn Any + Send>>,
    reason: Option<String>,
    /// Whether its agents were asked to end.
    told: bool,
    has_ended: bool,
}

/// The message about a group that has started or ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupEvent {
    /// Its name.
    pub group: String,
    /// Why it ended; `None` when it has started.
    pub ended: Option<String>,
}

impl GroupCore {
    pub(crate) fn new(name: String, parent: Option<Arc<GroupCore>>) -> Arc<GroupCore> {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let group = Arc::new(GroupCore {
            name,
            number: LAST.fetch_add(1, Ordering::Relaxed),
            live: AtomicUsize::new(1),
            is_ending: AtomicBool::new(false),
            state: Mutex::default(),
            ended: Condvar::new(),
            parent: parent.clone(),
            has_spawned: AtomicBool::new(false),
        });
        if let Some(parent) = parent {
            let mut state = lock(&parent.state);
            if state.children.len() >= state.let_go_at {
                state.children.retain(|child| child.strong_count() > 0);
                state.let_go_at = 2 * state.children.len() + 16;
            }
            state.children.push(Arc::downgrade(&group));
        }
        group
    }

    pub(crate) fn agent_started(&self) {
        self.live.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn agent_spawned(&self) {
        self.agent_started();
        // Read before it is written: agents on several threads may spawn, and a write would take the cache
        // line away from them.
        if !self.has_spawned.load(Ordering::Relaxed) {
            self.has_spawned.store(true, Ordering::Release);
        }
    }

    pub(crate) fn agent_ended(self: &Arc<GroupCore>, core: &Arc<Core>) {
        if self.live.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.finish(core);
        }
    }

    /// Ends the children, and then, when they have ended, the agents. Does not wait.
    pub(crate) fn end(self: &Arc<GroupCore>, reason: String, core: &Arc<Core>) {
        let children: Vec<_> = {
            let mut state = lock(&self.state);
            state.reason.get_or_insert(reason);
            state.children.iter().filter_map(Weak::upgrade).collect()
        };
        self.is_ending.store(true, Ordering::Release);
        children.iter().for_each(|child| child.end("its parent ends".into(), core));
        self.end_agents(core);
    }

    /// Asks the agents to end, once, when no child is left.
    fn end_agents(self: &Arc<GroupCore>, core: &Arc<Core>) {
        let strands = {
            let mut state = lock(&self.state);
            if !self.is_ending.load(Ordering::Acquire) || state.told {
                return;
            }
            // The list is walked from its end: the last children were asked to end last.
            while let Some(child) = state.children.pop() {
                if child.upgrade().is_some_and(|child| !child.has_ended()) {
                    state.children.push(child);
                    return;
                }
            }
            state.told = true;
            std::mem::take(&mut state.strands)
        };
        for (strand, numbers) in strands {
            let group = self.clone();
            // A strand that has ended has ended its agents.
            let _ = strand.send(Box::new(move |strand: &mut Strand| strand.end_group(&group, &numbers)));
        }
        core.run_simulated_tasks();
    }

    /// The last agent has ended.
    fn finish(self: &Arc<GroupCore>, core: &Arc<Core>) {
        let resources = std::mem::take(&mut lock(&self.state).resources);
        // After all agents: buffers and devices outlive the handlers that use them.
        drop(resources);
        let reason = {
            let mut state = lock(&self.state);
            state.has_ended = true;
            state.reason.clone().unwrap_or_else(|| "all its agents have ended".into())
        };
        core.group_ended(self);
        core.tell_group(|| GroupEvent { group: self.name.clone(), ended: Some(reason) });
        self.ended.notify_all();
        if let Some(parent) = &self.parent {
            parent.end_agents(core);
        }
    }

    /// Resources that live until the last agent has ended.
    pub(crate) fn keep(&self, resources: Vec<Box<dyn Any + Send>>) {
        lock(&self.state).resources = resources;
    }

    pub(crate) fn has_ended(&self) -> bool {
        lock(&self.state).has_ended
    }

    pub(crate) fn wait(&self, limit: Duration) -> bool {
        let state = lock(&self.state);
        let waited = self.ended.wait_timeout_while(state, limit, |state| !state.has_ended);
        waited.map_or_else(|e| e.into_inner().0.has_ended, |(state, _)| state.has_ended)
    }

    /// Agents of the group run there; one that has started has this number.
    pub(crate) fn runs_on(&self, strand: &Arc<StrandHandle>, number: Option<u32>) {
        let mut state = lock(&self.state);
        // Agents of one strand mostly come in a row. Notifying one of them twice does no harm.
        match state.strands.last_mut() {
            Some((known, numbers)) if Arc::ptr_eq(known, strand) => numbers.extend(number),
            _ => state.strands.push((strand.clone(), number.into_iter().collect())),
        }
    }
}

impl Strand {
    /// Ends all agents of a group. `started` are the numbers of the agents that were started with the group; some may have ended.
    fn end_group(&mut self, group: &Arc<GroupCore>, started: &[u32]) {
        // Looking at all agents for every group of one would cost the square of their number.
        let all = group.has_spawned.load(Ordering::Acquire).then_some(0..self.agents.len() as u32);
        for number in started.iter().copied().chain(all.into_iter().flatten()) {
            let agent = self.agents.get(number as usize).and_then(Option::as_ref);
            if agent.is_some_and(|agent| Arc::ptr_eq(&agent.care().group, group)) {
                self.remove(number);
            }
        }
    }
}
