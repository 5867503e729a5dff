//! Groups: agents that are started and ended as one.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use livetime_runtime::panic_text;

use super::account::AgentAccount;
use super::agent::{Agent, Cell, Factory};
use super::any_agent::{AnyAgent, Care};
use super::core::Core;
use super::failure::{AgentError, Failure, OnFailure};
use super::group_core::{GroupCore, GroupEvent};
use super::placement::{Placement, ThreadOptions};
use super::strand::{Strand, StrandHandle, Task};
use super::this_thread::runs_here;

type MakeCell = Box<dyn FnOnce(u32, Care) -> Box<dyn AnyAgent> + Send>;

struct Planned {
    name: String,
    placement: Placement,
    threads: ThreadOptions,
    on_failure: OnFailure,
    make: MakeCell,
}

/// A group that is being put together, see [`System::group`](super::System::group).
pub struct GroupBuilder {
    core: Arc<Core>,
    name: String,
    parent: Option<Arc<GroupCore>>,
    placement: Placement,
    threads: ThreadOptions,
    on_failure: OnFailure,
    planned: Vec<Planned>,
    resources: Vec<Box<dyn Any + Send>>,
}

impl GroupBuilder {
    pub(crate) fn new(core: Arc<Core>, name: &str, parent: Option<Arc<GroupCore>>) -> GroupBuilder {
        GroupBuilder {
            core,
            name: name.to_string(),
            parent,
            placement: Placement::Own,
            threads: ThreadOptions::default(),
            on_failure: OnFailure::Stop,
            planned: Vec::new(),
            resources: Vec::new(),
        }
    }

    /// Where agents that are added from now on run; by default each on its own thread.
    pub fn placement(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    /// Options of the threads that are made for agents added from now on; existing threads and pools do not
    /// change.
    pub fn threads(mut self, options: ThreadOptions) -> Self {
        self.threads = options;
        self
    }

    /// The reaction to a failing handler of agents that are added from now on; by default the system stops.
    pub fn on_failure(mut self, what: OnFailure) -> Self {
        self.on_failure = what;
        self
    }

    /// Adds an agent.
    pub fn add<A: Agent>(self, name: &str, agent: A) -> Self {
        self.plan(name, Box::new(move |number, care| Box::new(Cell::new(number, agent, care, None))))
    }

    /// Adds an agent that can be rebuilt after a failure, see [`OnFailure::Restart`].
    pub fn add_factory<A: Agent>(self, name: &str, mut make: impl FnMut() -> A + Send + 'static) -> Self {
        self.plan(
            name,
            Box::new(move |number, care| {
                let agent = make();
                let factory: Factory<A> = Box::new(make);
                Box::new(Cell::new(number, agent, care, Some(factory)))
            }),
        )
    }

    fn plan(mut self, name: &str, make: MakeCell) -> Self {
        let (placement, threads) = (self.placement.clone(), self.threads.clone());
        let (name, on_failure) = (name.to_string(), self.on_failure);
        self.planned.push(Planned { name, placement, threads, on_failure, make });
        self
    }

    /// Gives the group something to own: it is dropped after all agents of the group have ended.
    pub fn own(mut self, resource: impl Send + 'static) -> Self {
        self.resources.push(Box::new(resource));
        self
    }

    /// Starts all agents, in the order in which they were added, or none. Returns when all have subscribed; no message
    /// is handled before. Agents on shared threads and in pools may be started on the calling thread.
    ///
    /// # Errors
    /// Why an agent could not start; agents that had started were ended again.
    pub fn start(self) -> Result<Group, AgentError> {
        let GroupBuilder { core, name, parent, planned, resources, .. } = self;
        let group = GroupCore::new(name, parent);
        group.keep(resources);
        let handle = Group { core: core.clone(), group: group.clone() };
        core.group_started(&group);
        let mut started = Vec::new();
        for plan in planned {
            match start_one(&core, &group, plan) {
                Ok(place) => started.push(place),
                Err(error) => {
                    group.end(format!("did not start: {error}"), &core);
                    group.agent_ended(&core);
                    // The agents that started already are given time to end; the error matters more than a
                    // straggler.
                    group.wait(Duration::from_secs(5));
                    return Err(error);
                }
            }
        }
        // Agents begin together: none of them sends a message before all can take it.
        for (strand, number) in started {
            let release = move |strand: &mut Strand| strand.release(number);
            if let Err(release) = strand.act_here(release) {
                // A strand that has ended has no agent to release.
                let _ = strand.send(Box::new(release));
            }
        }
        core.run_simulated_tasks();
        core.tell_group(|| GroupEvent { group: group.name.clone(), ended: None });
        // The group has counted its own start as an agent, so that it could not end before.
        group.agent_ended(&core);
        Ok(handle)
    }
}

/// Starts one agent on its strand, suspended, and waits for it.
fn start_one(
    core: &Arc<Core>,
    group: &Arc<GroupCore>,
    plan: Planned,
) -> Result<(Arc<StrandHandle>, u32), AgentError> {
    let strand = core.strand_for(&plan.placement, &plan.threads, &plan.name, group)?;
    // The strand would wait for the answer of its own thread.
    if runs_here(Arc::as_ptr(&strand) as usize) {
        let name = &plan.name;
        return Err(AgentError::new(format_args!(
            "agent `{name}`: its thread would wait for itself; use `spawn`"
        )));
    }
    let account: Arc<AgentAccount> = core.new_account(&plan.name, &strand.name);
    let care = Care {
        name: plan.name.as_str().into(),
        group: group.clone(),
        account,
        on_failure: plan.on_failure,
        is_named: true,
    };
    group.runs_on(&strand, None);
    group.agent_started();
    let make = plan.make;
    let start = move |strand: &mut Strand| strand.start_agent(make, care);
    // On a thread of its own an agent also starts there: it may open resources that belong to that thread.
    let started = match plan.placement {
        Placement::Own => Err(start),
        Placement::Group(_) | Placement::Pool { .. } => strand.act_here(start),
    };
    let has_ended = || AgentError::new(format_args!("agent `{}`: its thread has ended", plan.name));
    let result = match started {
        Ok(result) => result,
        Err(start) => match ask(core, &strand, start) {
            Some(answered) => answered.recv().map_err(|_| has_ended())?,
            None => {
                group.agent_ended(core);
                return Err(has_ended());
            }
        },
    };
    let number = result.map_err(|e| AgentError::new(format_args!("agent `{}`: {e}", plan.name)))?;
    group.runs_on(&strand, Some(number));
    Ok((strand, number))
}

/// Asks the strand's own thread to do something; `None` when it has ended.
fn ask<R: Send + 'static>(
    core: &Arc<Core>,
    strand: &Arc<StrandHandle>,
    act: impl FnOnce(&mut Strand) -> R + Send + 'static,
) -> Option<mpsc::Receiver<R>> {
    let (answer, answered) = mpsc::sync_channel(1);
    let task: Task = Box::new(move |strand| _ = answer.send(act(strand)));
    strand.send(task).ok()?;
    core.run_simulated_tasks();
    Some(answered)
}

impl Strand {
    /// Makes an agent and calls its `start`; it handles nothing before it is released.
    fn start_agent(&mut self, make: MakeCell, care: Care) -> Result<u32, Failure> {
        let number = self.local.new_agent();
        let (group, core) = (care.group.clone(), self.local.core.clone());
        let local = &mut self.local;
        let made = catch_unwind(AssertUnwindSafe(|| {
            let mut cell = make(number, care);
            cell.hold_back(true, local);
            let result = cell.start(local);
            (cell, result)
        }));
        self.local.tell_peers();
        let (cell, result) = made.map_err(|panic| {
            self.local.free_agent(number);
            group.agent_ended(&core);
            Failure::Panic(format!("while starting: {}", panic_text(&*panic)))
        })?;
        self.insert(number, cell);
        if let Err(error) = result {
            self.remove(number);
            return Err(Failure::Error(error));
        }
        self.settle();
        Ok(number)
    }

    fn release(&mut self, number: u32) {
        if let Some(agent) = self.agents.get_mut(number as usize).and_then(Option::as_mut) {
            agent.hold_back(false, &mut self.local);
        }
    }
}

/// A group that runs. Dropping this handle changes nothing.
pub struct Group {
    core: Arc<Core>,
    group: Arc<GroupCore>,
}

impl Group {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.group.name
    }

    /// A group that ends before this one does.
    pub fn child(&self, name: &str) -> GroupBuilder {
        GroupBuilder::new(self.core.clone(), name, Some(self.group.clone()))
    }

    /// Ends its children and then its agents; their queued messages are counted as lost. Does not wait.
    pub fn end(&self, reason: &str) {
        self.group.end(reason.to_string(), &self.core);
    }

    /// Waits until all its agents have ended, at most for `limit`; returns whether they have.
    pub fn wait(&self, limit: Duration) -> bool {
        self.group.wait(limit)
    }

    /// True when all its agents have ended.
    pub fn has_ended(&self) -> bool {
        self.group.has_ended()
    }
}
