//! The program `livetime` with the standard nodes.

use std::process::ExitCode;

fn main() -> ExitCode {
    livetime::main(&livetime::standard_nodes())
}
