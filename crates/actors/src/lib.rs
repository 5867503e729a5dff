//! Agents and channels: an actor engine beside graphs of nodes, with the same policies, accounts and statistics.
//!
//! A [`System`] hosts [`Agent`]s. Agents subscribe handlers to [`Channel`]s and hand out [`Address`]es;
//! messages are any type of the user's own. [`Placement`] says which thread runs an agent; the agent's code
//! does not depend on it. A [`Chain`] carries messages to plain threads. Every input is bounded, with a
//! stated policy when full, and a [`SystemReport`] holds the accounts of every input and the four quantities
//! of every agent: arrival rate, throughput, waiting time and service time, whose sum is the latency.
//!
//! Agents suit messages of many types at irregular times: commands, states with time limits, supervision, a
//! million small sessions. For streams of frames that a pipeline file describes there are graphs of nodes, in
//! `livetime_engine`. Neither crate knows the other; the nodes `publish` and `subscribe` connect them through
//! [`Channels`].
//!
//! ```
//! use std::time::Duration;
//! use livetime_actors::{Agent, AgentError, Chain, Channel, Context, System};
//!
//! /// Adds up what it hears, and reports the sum when the system stops.
//! struct Sum {
//!     numbers: Channel<u64>,
//!     total: u64,
//!     result: Chain<u64>,
//! }
//!
//! impl Agent for Sum {
//!     type State = ();
//!
//!     fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
//!         ctx.on(&self.numbers, |sum: &mut Self, number, _| sum.total += number);
//!         Ok(())
//!     }
//!
//!     fn drain(&mut self, _: &mut Context<Self>) {
//!         self.result.send(self.total);
//!     }
//! }
//!
//! let system = System::default();
//! let (numbers, result) = (system.channel::<u64>("numbers")?, Chain::new(1));
//! let sum = Sum { numbers: numbers.clone(), total: 0, result: result.clone() };
//! system.group("main").add("sum", sum).start()?;
//! (1..=4).for_each(|number| _ = numbers.publish(number));
//! let report = system.stop(Duration::from_secs(5));
//! assert_eq!(result.try_receive(), Some(10));
//! assert!(report.agent("sum").is_some_and(|sum| sum.completed == 4));
//! # Ok::<(), AgentError>(())
//! ```

#![deny(missing_docs, unsafe_code)]

mod account;
mod address;
mod agent;
mod any_agent;
mod binding;
mod chain;
mod channel;
mod channels;
mod closure;
mod context;
mod core;
mod failure;
mod group;
mod group_core;
mod guard;
mod host;
mod input;
#[allow(unsafe_code, reason = "what one strand alone uses, without a lock")]
mod keyed;
mod limit;
mod local;
#[cfg(all(test, loom))]
#[allow(unsafe_code, reason = "promises the queue who takes")]
mod models;
mod outbox;
mod parallel;
mod phase;
mod placement;
mod pool;
mod report;
mod sender;
mod simulation;
mod sink;
mod strand;
mod subscribers;
mod subscription;
mod supervision;
mod system;
mod telemetry;
mod this_thread;
mod timed;
mod timer;
mod wheel;

pub use address::{Address, Target};
pub use agent::Agent;
pub use binding::Binding;
pub use chain::{Chain, ChainCounts, Receiver, WaitHandle, select};
pub use channel::{Channel, ChannelKind, Publisher};
pub use channels::Channels;
pub use closure::ClosureAgent;
pub use context::Context;
pub use failure::{AgentError, OnFailure, Outcome};
pub use group::{Group, GroupBuilder};
pub use group_core::GroupEvent;
pub use guard::StopGuard;
pub use livetime_runtime::{EdgeOptions, Event, EventHandler, LossReason, Times, WaitStrategy, WhenFull};
pub use parallel::ParallelContext;
pub use phase::Phase;
pub use placement::{Placement, PoolOrder, ThreadOptions};
pub use report::{AgentReport, InputAccount, SystemReport};
pub use simulation::Simulation;
pub use subscription::On;
pub use system::{System, SystemOptions};
pub use telemetry::Reporter;
pub use timer::Timer;

/// The default options of an input: it holds 256 messages, and a sender that finds it full waits. Commands
/// and results are therefore not lost by default; a subscriber of a live stream chooses `latest` or
/// `drop_newest`.
pub const INPUT: EdgeOptions = EdgeOptions {
    when_full: WhenFull::Block,
    queue: 256,
    every: 1,
    max_rate_hz: None,
    max_bytes_per_s: None,
};
