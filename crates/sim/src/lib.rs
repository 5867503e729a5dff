//! Simulated detectors and wires: sources for graphs, and files to measure on and to try things with.
//!
//! [`SimDetector`] sends pictures, [`WibSimulator`] raw frames of wire readout with the truth about every pulse;
//! [`ALL`] lists both for a program. [`wires`] has the physics of the wires. [`cspad_run`] and [`wib_files`] write files.
//! Every number is a function of a seed: the same seed gives the same bytes on any machine.
//!
//! ```
//! use std::time::Duration;
//!
//! use livetime_engine::{EdgeOptions, Graph, NodeType, Run, RunOptions};
//!
//! let mut graph = Graph::default();
//! graph.add("detector", NodeType::of::<livetime_sim::SimDetector>())?;
//! graph.add("end", livetime_nodes::find("null")?)?;
//! graph.connect("detector", "end", EdgeOptions::default())?;
//! let options = RunOptions { max_frames: Some(3), ..RunOptions::default() };
//! let run = Run::start(&graph, options).map_err(|errors| errors[0].clone())?;
//! let report = run.finish(Duration::from_secs(60));
//! assert_eq!(report.edges[0].offered, 3);
//! assert!(report.imbalances().is_empty(), "the ledger is closed");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod cspad_run;
pub mod sim_detector;
pub mod wib_files;
pub mod wib_simulator;
pub mod wires;

use livetime_engine::NodeType;

pub use sim_detector::SimDetector;
pub use wib_simulator::WibSimulator;

/// The nodes that simulate.
pub const ALL: &[NodeType] = &[NodeType::of::<SimDetector>(), NodeType::of::<WibSimulator>()];
