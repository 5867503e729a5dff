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
mod by_node;
mod control;
mod edge;
mod failure;
pub mod files;
mod graph;
mod intern;
mod node;
mod order;
mod param;
mod refusal;
mod rehearsal;
mod reorder;
mod run;
mod runner;
mod services;
mod spans;
pub mod testing;
mod trace;
mod worker;

pub use by_node::ByNode;
pub use failure::NodeFailure;
pub use graph::{EdgeDecl, Graph, GraphError, NodeDecl, NodeOptions, OnFailure, Place, Placement, Plan};
pub use intern::{intern, intern_list};
pub use livetime_engine_derive::{ParamEnum, Params};
pub use livetime_runtime::{
    Bucket, Cause, Clock, EdgeOptions, Event, EventHandler, LossReason, Times, WaitStrategy, WhenFull,
    time_of_day_ns,
};
pub use node::{
    Accepts, Context, Counterpart, DeclaredParams, DynNode, LastFrame, Next, Node, NodeError, NodeFactory,
    NodeKind, NodeSpec, NodeType, NotAccepted, PortSpec, Snapshot, Stamp, Stream, Teller, UnderWay,
};
pub use param::{
    Choice, ParamEnum, ParamError, ParamKind, ParamSpec, ParamType, Params, Role, Value, assign, find,
    group_get, group_len, group_set, group_specs, nearest, parse_quantity,
};
pub use refusal::UnknownName;
pub use rehearsal::{Rehearsal, Trail};
pub use run::{
    ABORT_LIMIT, Bottleneck, DirectRun, EdgeAccount, Given, Limit, MoreThreads, NodeReport, Outlet,
    OutletError, Report, Run, RunOptions, SourceReport, ThreadReport,
};
pub use services::{Services, Starting};
pub use trace::{Span, Tracer};
