//! Pipeline files, reports, descriptions, and one model of a running graph: the parts that every face needs, without a
//! command line.
//!
//! A face shows a run to people or programs and lets them act on it: the terminal, EPICS PVs, a web page, Python. Faces
//! share this crate, so that a number, a name or a rule exists once and means the same on each of them.
//!
//! * [`config`] turns a pipeline file into a checked [`Graph`](livetime_engine::Graph), or says with places what is wrong in it.
//! * [`model`] is what is known of a running graph, in numbered moments, and the one way to act on it; [`access`] and [`rules`] say who may.
//! * [`report`] turns what a run reports into JSON, and into text for people.
//! * [`recorded`] gives recorded runs to pipelines: to all that their nodes do, or for the pictures that come out.
//! * [`describe`] and [`schema`] tell as data which types of nodes there are, with their ports and parameters.
//! * [`settings`] are changed parameters that the next run of a pipeline has again.
//! * [`pvaccess`] and [`web`] are how a file and a command line say whether, where and to whom a run is served.
//!
//! ```
//! use livetime_engine::{Run, RunOptions};
//!
//! let text = "nodes:\n  cam: {type: sim_detector}\n  stats: {type: statistics, from: cam}\n";
//! let pipeline = livetime_control::config::parse("my.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])?;
//! let options = RunOptions { max_frames: Some(3), ..RunOptions::default() };
//! let run = Run::start(&pipeline.graph, options).map_err(|errors| errors[0].to_string())?;
//! let report = run.finish(std::time::Duration::from_secs(10));
//! assert_eq!(livetime_control::report::json::report_json(&report)["ledger_closed"], true);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod access;
pub mod attributes;
pub mod black_box;
pub mod channel_access;
pub mod config;
pub mod describe;
pub mod ledger;
mod line;
pub mod macros;
pub mod model;
pub mod pvaccess;
pub mod recorded;
pub mod report;
pub mod rules;
pub mod schema;
pub mod settings;
#[cfg(test)]
mod test_nodes;
pub mod web;
mod wrong_text;

pub use line::in_a_line;
pub use wrong_text::WrongText;
