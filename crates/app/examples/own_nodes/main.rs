//! The program `livetime` with nodes of one's own beside the standard ones: two that are Rust types, and two that are made
//! while the program runs.
//!
//! ```text
//! cargo run --example own_nodes -- nodes counter
//! cargo run --example own_nodes -- nodes brighten
//! cargo run --example own_nodes -- run my-pipeline.yaml
//! ```

mod made;
mod nodes;

use std::process::ExitCode;

use livetime_engine::NodeType;

fn main() -> ExitCode {
    let own = [NodeType::of::<nodes::Counter>(), NodeType::of::<nodes::Slow>()];
    match made::all() {
        Ok(made) => livetime::main(&[&*livetime::standard_nodes(), &own, &made].concat()),
        Err(_) => ExitCode::FAILURE,
    }
}
