//! Measures the graph of a user, a node of it, and work on files; and gives every measurement its record.
//!
//! [`graph()`] searches the highest rate at which a graph loses nothing, [`Chain`] measures the throughput of a node or a chain of nodes, and
//! [`Meter`] the cost of work on files. A [`Record`] is a table for people, and JSON, to which [`Session::finish`] adds machine, commit and
//! settings. Numbers are the median and the spread of at least five repeats (`quick` makes fewer, to see that a measurement works).
//!
//! ```
//! use livetime_measure::{Meter, Record, Session};
//!
//! let (session, meter) = (Session::begin(), Meter::start());
//! let usage = meter.stop(1_000, 4_000);
//! let found = session.finish("files", true, Record { json: usage.json(), table: usage.text() });
//! assert_eq!(found.json["bench"], "files");
//! assert!(found.json["effective_mb_s"].is_number() && found.table.contains("of raw data"));
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod cpu;
mod error;
mod graph;
mod machine;
mod neighbours;
mod node;
mod pace;
mod record;
mod replay;
mod search;
#[cfg(test)]
mod test_nodes;
mod usage;

pub use cpu::{process_cpu, thread_cpu};
pub use error::MeasureError;
pub use graph::graph;
pub use neighbours::Neighbours;
pub use node::Chain;
pub use pace::{Pace, paces};
pub use record::{
    Finished, Measured, Origin, Progress, Record, Session, Spread, in_one_line, merge, repeats, tenths,
};
pub use search::{Ran, Search, run_for, search};
pub use usage::{Meter, Usage};

/// The commit that the program was built from, as `git describe` names it; `unknown` outside of a checkout.
pub const COMMIT: &str = env!("LIVETIME_COMMIT");

/// The version of the program, with the commit.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("LIVETIME_COMMIT"), ")");
