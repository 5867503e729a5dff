//! Agents and channels: an actor engine beside graphs, with the same queues' policies, accounts and statistics.
//!
//! A [`System`] hosts [`Agent`]s. Agents subscribe handlers to [`Channel`]s and hand out [`Address`]es; messages are any
//! type of the user's own. [`Placement`] says which thread runs an agent, and agents do not notice. A [`Chain`] leads to
//! threads that are no agents. Every input is bounded, with a stated behaviour when full, and a [`SystemReport`] holds
//! the accounts of every input and the four quantities of every agent: arrival rate, throughput, waiting time and
//! service time, whose sum is the latency.

mod account;
mod address;
mod agent;
mod binding;
mod chain;
mod channel;
mod channels;
mod closure;
mod context;
mod core;
mod group;
mod guard;
mod host;
mod input;
#[allow(unsafe_code, reason = "what one strand alone uses, without a lock")]
mod keyed;
mod limit;
mod local;
#[cfg(all(test, loom))]
mod models;
mod outbox;
mod parallel;
mod placement;
mod pool;
#[allow(unsafe_code, reason = "the queue: hands items from thread to thread")]
mod queue;
mod report;
mod sender;
mod simulation;
mod strand;
mod subscription;
mod supervision;
mod system;
mod telemetry;
mod timer;
mod wheel;

use crate::edge::{EdgeOptions, WhenFull};

pub use address::{Address, Target};
pub use agent::Agent;
pub use binding::Binding;
pub use chain::{Chain, ChainCounts, Receiver, WaitHandle, select};
pub use channel::{Channel, ChannelKind, Publisher};
pub use channels::Channels;
pub use closure::ClosureAgent;
pub use context::Context;
pub use group::{Group, GroupBuilder, GroupEvent};
pub use guard::StopGuard;
pub use parallel::ParallelContext;
pub use placement::{Placement, PoolOrder, ThreadOptions};
pub use report::{AgentReport, InputAccount, SystemReport};
pub use simulation::Simulation;
pub use subscription::On;
pub use supervision::{AgentError, OnFailure, Outcome};
pub use system::{Phase, System, SystemOptions};
pub use telemetry::Reporter;
pub use timer::Timer;

/// How an input carries messages if nothing else is said: 256 of them, and a sender that finds it full waits. Commands
/// and results are not lost by default; a live stream's subscriber says `latest` or `drop_newest`.
pub const INPUT: EdgeOptions =
    EdgeOptions { when_full: WhenFull::Block, queue: 256, every: 1, max_rate_hz: None };
