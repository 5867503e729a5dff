//! The program `livetime` with two nodes of one's own beside the standard ones.
//!
//! ```text
//! cargo run --example own_nodes -- nodes counter
//! cargo run --example own_nodes -- run my-pipeline.yaml
//! ```

mod nodes;

use std::process::ExitCode;

use livetime_engine::NodeType;

fn main() -> ExitCode {
    let own = [NodeType::of::<nodes::Counter>(), NodeType::of::<nodes::Slow>()];
    livetime::main(&[livetime_nodes::ALL, &own].concat(), livetime::Allocations::default)
}
