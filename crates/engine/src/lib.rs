//! The engine: runs graphs of nodes and accounts for every frame.
//!
//! Three types come first. A [`Node`] is one step of work, with parameters that can be changed while it runs. A
//! [`Graph`] declares nodes and the edges between them; [`Graph::check`] finds its mistakes before anything starts. A
//! [`Run`] puts every node on its thread, and its [`Report`] holds the statistics of every node and the ledger, in
//! which offered = delivered + lost + queued holds for every edge at every moment. Edges are bounded queues with a
//! stated behaviour when full ([`WhenFull`]).
//!
//! Data flows one way: sources, engine, nodes, sinks. Parameters flow the other way and nothing else does.
//!
//! ```
//! use std::time::Duration;
//!
//! use livetime_engine::{
//!     Context, EdgeOptions, Graph, Next, Node, NodeError, NodeSpec, NodeType, Params, PortSpec, Run, RunOptions,
//! };
//! use livetime_frame::{ColorMode, DType, Frame, Layout};
//!
//! /// Parameters of the camera.
//! #[derive(Params)]
//! struct CameraParams {
//!     /// Pictures that are sent.
//!     #[param(default = 3)]
//!     pictures: u64,
//! }
//!
//! struct Camera {
//!     params: CameraParams,
//!     sent: u64,
//! }
//!
//! impl Node for Camera {
//!     type Params = CameraParams;
//!     const SPEC: NodeSpec = NodeSpec::source("camera", "Sends pictures.", &[PortSpec::array("out")]);
//!
//!     fn new(params: CameraParams) -> Result<Camera, NodeError> {
//!         Ok(Camera { params, sent: 0 })
//!     }
//!
//!     fn params(&mut self) -> &mut CameraParams {
//!         &mut self.params
//!     }
//!
//!     fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
//!         if self.sent == self.params.pictures {
//!             return Ok(Next::Finished);
//!         }
//!         let mut picture = ctx.array(Layout::packed(DType::U8, ColorMode::Mono, &[2, 2]).map_err(NodeError::new)?)?;
//!         picture.elements_mut::<u8>()?.fill(self.sent as u8);
//!         self.sent += 1;
//!         ctx.emit(picture)?;
//!         Ok(Next::Now)
//!     }
//! }
//!
//! struct Sum {
//!     params: (),
//!     sum: u64,
//! }
//!
//! impl Node for Sum {
//!     type Params = ();
//!     const SPEC: NodeSpec = NodeSpec::sink("sum", "Adds pixels up.", &[PortSpec::array("in")]);
//!
//!     fn new(params: ()) -> Result<Sum, NodeError> {
//!         Ok(Sum { params, sum: 0 })
//!     }
//!
//!     fn params(&mut self) -> &mut () {
//!         &mut self.params
//!     }
//!
//!     fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
//!         self.sum += frame.array()?.elements::<u8>()?.iter().map(|v| u64::from(*v)).sum::<u64>();
//!         ctx.tell(format!("the sum is {}", self.sum));
//!         Ok(())
//!     }
//! }
//!
//! let mut graph = Graph::default();
//! graph.add("camera", NodeType::of::<Camera>())?;
//! graph.add("sum", NodeType::of::<Sum>())?;
//! graph.connect("camera", "sum", EdgeOptions::default())?;
//!
//! let run = Run::start(&graph, RunOptions::default()).map_err(|errors| errors[0].clone())?;
//! let report = run.finish(Duration::from_secs(60));
//! assert!(report.imbalances().is_empty());
//! assert_eq!(report.nodes[1].completed, 3);
//! assert_eq!(report.events[2].message, "the sum is 12");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(missing_docs, unsafe_code)]

// The derives name this crate from outside; this makes the same name work inside.
extern crate self as livetime_engine;

mod account;
mod by_node;
mod control;
mod cuts;
mod edge;
mod failure;
pub mod files;
mod graph;
mod graph_error;
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
pub use cuts::{CutAccount, CutSide, Cuts};
pub use failure::NodeFailure;
pub use graph::{EdgeDecl, Graph, NodeDecl, NodeOptions, OnFailure, Placement, Plan};
pub use graph_error::{GraphError, GraphFault, Place};
pub use intern::{intern, intern_list};
pub use livetime_engine_derive::{ParamEnum, Params};
pub use livetime_runtime::{
    Bucket, Cause, Clock, EdgeOptions, Event, EventHandler, LossReason, Times, WaitStrategy, WhenFull, lock,
    time_of_day_ns,
};
pub use node::{
    Accepts, Acts, Context, Counterpart, DeclaredParams, DynNode, FixedSetting, Kept, LastFrame, Next, Node,
    NodeError, NodeFactory, NodeKind, NodeSpec, NodeType, NotAccepted, PortSpec, Record, Snapshot, Stamp,
    Stream, Teller, UnderWay, Waker,
};
pub use param::{
    Choice, ParamEnum, ParamKind, ParamSpec, ParamType, Params, PvForm, PvStyle, Refusal, RefusalKind, Role,
    Value, assign, find, group_get, group_len, group_set, group_specs, nearest, parse_quantity,
};
pub use refusal::{BadEdge, BadPlacement, UnknownName, UnknownNodeType};
pub use rehearsal::{Note, Part, Rehearsal, Trail};
pub use run::{
    ABORT_LIMIT, Bottleneck, Counts, DirectRun, EdgeAccount, Given, Limit, MoreThreads, NodeCounts,
    NodeReport, Outlet, OutletError, Report, Run, RunOptions, SourceReport, ThreadReport,
};
pub use services::{Services, Starting};
pub use trace::{Span, Tracer};
