//! The report of a system.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

use livetime_runtime::statistics::summarise;
use livetime_runtime::{EdgeCounts, Event, LossReason, Times, WhenFull};

use super::account::AgentAccount;

/// The state of a system at one moment, or at its end.
#[derive(Clone, Debug)]
pub struct SystemReport {
    /// Time since it was made, in ns.
    pub elapsed_ns: u64,
    /// Why it had to stop, if it failed.
    pub failure: Option<String>,
    /// The agents in the order in which they were started, including ended ones. Agents without a name are
    /// counted together, one entry per thread.
    pub agents: Vec<AgentReport>,
    /// Threads started so far.
    pub threads: usize,
    /// Timers that wait.
    pub timers: usize,
    /// The event.
    pub events: Vec<Event>,
    /// Events that were counted but not kept.
    pub events_dropped: usize,
}

/// One agent.
#[derive(Clone, Debug)]
pub struct AgentReport {
    /// Its name.
    pub name: String,
    /// The thread or strand that runs it.
    pub thread: String,
    /// Its inputs.
    pub inputs: Vec<InputAccount>,
    /// How long it has lived, in ns.
    pub alive_ns: u64,
    /// True when it has ended.
    pub has_ended: bool,
    /// Messages whose handler came to a good end.
    pub completed: u64,
    /// Messages lost in the agent itself, by reason, including messages without a handler in the agent's
    /// state.
    pub lost: BTreeMap<LossReason, u64>,
    /// How often it was rebuilt after a failure.
    pub restarts: u64,
    /// Time in the queue. Of an agent with fast handlers, for some messages only.
    pub waiting: Times,
    /// Time in the handler.
    pub service: Times,
    /// Waiting and service time together.
    pub latency: Times,
}

/// The account of one input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputAccount {
    /// The channel, or the type of the messages.
    pub from: String,
    /// Its policy.
    pub when_full: WhenFull,
    /// Messages offered to it.
    pub offered: u64,
    /// Messages handed to the agent.
    pub delivered: u64,
    /// Messages that wait in it.
    pub queued: u64,
    /// Messages lost, by reason.
    pub lost: BTreeMap<LossReason, u64>,
}

impl InputAccount {
    fn new(from: String, when_full: WhenFull, counts: EdgeCounts) -> InputAccount {
        let EdgeCounts { offered, delivered, queued, .. } = counts;
        InputAccount { from, when_full, offered, delivered, queued, lost: counts.losses() }
    }

    /// True when every message offered is delivered, lost or queued.
    pub fn is_closed(&self) -> bool {
        self.offered == self.delivered + self.queued + self.lost.values().sum::<u64>()
    }

    /// Whether losses for this reason are intended. A `latest` input is meant to keep only the newest
    /// message.
    pub fn is_intended(&self, reason: LossReason) -> bool {
        self.when_full.intends(reason)
    }

    /// Unintentional losses.
    pub fn unintended(&self) -> u64 {
        self.lost.iter().filter(|(reason, _)| !self.is_intended(**reason)).map(|(_, n)| n).sum()
    }
}

impl AgentReport {
    /// Messages offered to its inputs, per second of its life.
    pub fn arrival_rate_hz(&self) -> f64 {
        self.rate(self.inputs.iter().map(|i| i.offered).sum())
    }

    /// Messages handled, per second of its life.
    pub fn throughput_hz(&self) -> f64 {
        self.rate(self.completed)
    }

    fn rate(&self, count: u64) -> f64 {
        if self.alive_ns == 0 { 0.0 } else { count as f64 * 1e9 / self.alive_ns as f64 }
    }

    /// Messages handed to it.
    pub fn received(&self) -> u64 {
        self.inputs.iter().map(|i| i.delivered).sum()
    }

    /// Messages that wait for it.
    pub fn queued(&self) -> u64 {
        self.inputs.iter().map(|i| i.queued).sum()
    }
}

impl SystemReport {
    /// The agent of this name.
    pub fn agent(&self, name: &str) -> Option<&AgentReport> {
        self.agents.iter().find(|agent| agent.name == name)
    }

    /// The accounts that do not balance, in words; empty when the ledger is closed.
    ///
    /// Every input: offered = delivered + lost + queued. When an agent has ended also: nothing is queued, and every
    /// message that was delivered to it was completed or lost there.
    pub fn imbalances(&self) -> Vec<String> {
        let inputs = self.agents.iter().flat_map(|agent| agent.inputs.iter().map(move |i| (agent, i)));
        let open = inputs.filter(|(agent, i)| !i.is_closed() || (agent.has_ended && i.queued > 0));
        let mut found: Vec<String> =
            open.map(|(agent, i)| format!("{} -> {}: {i:?}", i.from, agent.name)).collect();
        let ended = self.agents.iter().filter(|agent| agent.has_ended);
        let lost = |agent: &AgentReport| agent.lost.values().sum::<u64>();
        let open = ended.filter(|agent| agent.received() != agent.completed + lost(agent));
        found.extend(open.map(|agent| {
            let (received, completed) = (agent.received(), agent.completed);
            format!("{}: received {received}, completed {completed}, lost {}", agent.name, lost(agent))
        }));
        found
    }

    /// Messages that were lost unintentionally.
    pub fn unintended_losses(&self) -> u64 {
        // Agents ignore messages on purpose, by their states.
        let in_agents = |agent: &AgentReport| {
            agent
                .lost
                .iter()
                .filter(|(reason, _)| **reason != LossReason::Ignored)
                .map(|(_, n)| n)
                .sum::<u64>()
        };
        let on_inputs = |agent: &AgentReport| agent.inputs.iter().map(InputAccount::unintended).sum::<u64>();
        self.agents.iter().map(|agent| in_agents(agent) + on_inputs(agent)).sum()
    }
}

/// `None` for the agents without a name of a thread that never had any.
pub(crate) fn agent_report(account: &AgentAccount, now_ns: u64) -> Option<AgentReport> {
    // Completed before received, so that a message in the handler is received and not yet completed.
    let completed = account.completed.load(Relaxed);
    let lost = account.losses().into_iter().filter(|(_, n)| *n > 0).collect();
    let mut inputs: Vec<InputAccount> = account
        .inputs()
        .into_iter()
        .map(|(from, input)| InputAccount::new(from, input.options().when_full, input.counts()))
        .collect();
    let folded = account.folded();
    let thread = account.thread.get().cloned();
    if thread.is_none() {
        if completed == 0 && folded.offered == 0 {
            return None;
        }
        let when_full = super::INPUT.when_full;
        inputs.push(InputAccount::new("all inputs".into(), when_full, folded));
    }
    let times = |pick: fn(&super::account::AgentTimes) -> &livetime_runtime::Histogram| -> Times {
        summarise(account.times().map(pick))
    };
    let ended_ns = account.ended_ns.load(Relaxed);
    let is_named = thread.is_some();
    Some(AgentReport {
        name: account.name.clone(),
        thread: thread.unwrap_or_default(),
        inputs,
        alive_ns: if ended_ns == 0 { now_ns } else { ended_ns }.saturating_sub(account.since_ns),
        has_ended: is_named && ended_ns != 0,
        completed,
        lost,
        restarts: account.restarts.load(Relaxed),
        waiting: times(|t| &t.waiting),
        service: times(|t| &t.service),
        latency: times(|t| &t.latency),
    })
}
