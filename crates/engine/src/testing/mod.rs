//! Running nodes and graphs in tests: one node alone, a whole graph in virtual time, and the node contract.

mod compliance;
mod harness;
mod simulation;

pub use livetime_runtime::Random;

pub use compliance::{assert_compliant, assert_compliant_fed, assert_type_compliant};
pub use harness::Harness;
pub use simulation::Simulation;
