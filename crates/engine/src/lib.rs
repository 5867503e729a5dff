//! The engine: runs graphs of nodes and accounts for every frame.
//!
//! A [`Graph`] declares nodes and edges; [`Graph::check`] refuses what cannot work before anything starts;
//! [`Run::start`] puts every node on its thread. A node implements [`Node`]. Edges are bounded queues with a
//! stated behaviour when full ([`WhenFull`]). A [`Report`] holds the statistics of every node and the ledger,
//! in which offered = delivered + lost + queued holds for every edge at every moment.
//!
//! Data flows one way: sources, engine, nodes, sinks. Parameters flow the other way and nothing else does.

#![deny(missing_docs, unsafe_code)]

// The derives name this crate from outside; this makes the same name work inside.
extern crate self as livetime_engine;

mod account;
pub mod actors;
mod clock;
mod control;
mod doorbell;
mod edge;
mod graph;
mod node;
mod param;
mod reorder;
mod run;
mod runner;
mod statistics;
mod sync;
pub mod testing;
mod trace;
mod wait;
mod worker;

pub use clock::{Clock, time_of_day_ns};
pub use control::{Event, EventHandler};
pub use edge::{EdgeOptions, LossReason, WhenFull};
pub use graph::{
    EdgeDecl, Graph, GraphError, NodeDecl, NodeOptions, OnFailure, Place, Placement, Plan, WaitStrategy,
};
pub use livetime_engine_derive::{ParamEnum, Params};
pub use node::{
    Accepts, Context, Next, Node, NodeError, NodeKind, NodeSpec, NodeType, PortSpec, Stream, UnderWay,
};
pub use param::{
    Choice, ParamEnum, ParamError, ParamKind, ParamSpec, ParamType, Params, Value, assign, find, nearest,
    parse_quantity,
};
pub use run::{
    Bottleneck, EdgeAccount, LastFrame, Limit, MoreThreads, NodeReport, Report, Run, RunOptions, Snapshot,
    SourceReport, ThreadReport,
};
pub use statistics::{Bucket, Times};
pub use trace::{Span, Tracer};
