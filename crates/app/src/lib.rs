//! The program `livetime`: reads a pipeline file, runs its graph, and accounts for every frame.
//!
//! [`main`] is the whole program for a list of nodes; a program with nodes of one's own is three lines (see
//! `examples/own_nodes`). [`standard_nodes`] lists the nodes of the program. [`config`] turns a pipeline file into a
//! [`Graph`](livetime_engine::Graph), or names each mistake with its place.
//!
//! Only this crate reads the command line, and only it prints: data on stdout, everything else on stderr. Pipeline
//! files are read by [`livetime_control`], the variables of pvAccess by `livetime_pva` when this crate asks for them.
//!
//! ```
//! let problems = livetime::config::parse("my.yaml", "nodes: {}", livetime_nodes::ALL, &[]).unwrap_err();
//! assert_eq!(problems.to_string(), "my.yaml:1:1: wanted at least one source, found none");
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod analyze;
mod args;
mod called;
mod cli;
mod commands;
mod hosted;
mod interrupts;
mod log;
#[cfg(test)]
mod losses_everywhere;
pub mod metrics;
mod output;
mod progress;
mod record;
mod report;
pub mod stores;
#[cfg(test)]
mod test_nodes;
mod trace;
mod usage;

/// The programs of `docs/embed.md`, which are tested as they stand there.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embed.md")]
pub struct EmbedPage;

pub use livetime_control::config;
pub use livetime_epics as pvs;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use livetime_engine::NodeType;

use cli::{Cli, Command};
use output::{Exit, Output};

pub use called::Called;
pub use commands::analyze::tables;
pub use commands::web as page;
pub use hosted::RunCommand;

/// The program with these nodes: reads the command line, carries out its command, and returns the exit code.
pub fn main(nodes: &[NodeType]) -> ExitCode {
    main_as(Called::by_system(), nodes).into()
}

/// [`main`] inside another program, as an interpreter of Python, whose own arguments the system has.
pub fn main_as(called: Called, nodes: &[NodeType]) -> u8 {
    let all = std::iter::once("livetime".into()).chain(called.arguments.iter().cloned());
    let cli = match Cli::try_parse_from(all) {
        Ok(cli) => Cli { called, ..cli },
        Err(error) => {
            // Help and version are no errors: clap knows where each goes and how it ends.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8);
        }
    };
    let (is_terminal, is_coloured) = output::terminal();
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let mut output = Output { out: &mut out, err: &mut err, is_terminal, is_coloured, level: cli.log };
    execute(cli, nodes, &mut output) as u8
}

/// The types of nodes that the program offers: nodes for pictures, arrays and tables (`livetime_nodes`), for wire readout
/// (`livetime_wire`), and simulated sources (`livetime_sim`). Sources come first, sinks last.
pub fn standard_nodes() -> Vec<NodeType> {
    let mut all = [livetime_nodes::ALL, livetime_wire::ALL, livetime_sim::ALL].concat();
    #[cfg(feature = "aravis")]
    all.extend(livetime_genicam::all());
    // Keeps the order within a kind.
    all.sort_by_key(|node| node.spec.kind as u8);
    all
}

fn execute(mut cli: Cli, nodes: &[NodeType], output: &mut Output) -> Exit {
    let is_for_python = cli.command.pipeline().is_some_and(|(_, is_for_python)| *is_for_python);
    let result = match &cli.command {
        _ if is_for_python => Err(commands::python::run(&cli.called)),
        Command::Run(args) => commands::run::run(args, nodes, output),
        Command::Check(args) => commands::check::check(args, nodes, output),
        Command::Examples(args) => commands::examples::examples(args, output),
        Command::Import(args) => commands::import::import(args, nodes, output),
        Command::Verify(args) => commands::verify::verify(args, nodes, output),
        Command::Nodes(args) => commands::nodes::nodes(args, nodes, output),
        Command::Top(args) => commands::top::top(args, output),
        Command::Inspect(args) => commands::inspect::inspect(args, output),
        Command::Index(args) => commands::index::index(args, output),
        Command::Join(args) => commands::join::join(args, output),
        Command::Convert(args) => commands::convert::convert(args, output),
        Command::Recover(args) => commands::recover::recover(args, output),
        Command::Sim(args) => commands::sim::sim(args, output),
        Command::Analyze(args) => commands::analyze::run(args, nodes, output),
        Command::Pyana(args) => Err(commands::python::pyana(args, &cli.called)),
        Command::Bench(args) => commands::bench::bench(args, &cli.called, nodes, output),
        Command::HitsScore(args) => Err(commands::bench::hits_score(args)),
        Command::Pv(args) => commands::pv::pv(args, output),
        Command::Pvs(args) => commands::pvs::pvs(args, nodes, output),
        Command::Ledger(args) => commands::ledger::ledger(args, output),
        #[cfg(feature = "zmq")]
        Command::Keys(args) => commands::keys::keys(args, output),
        Command::Settings(args) => commands::settings::settings(args, nodes, output),
        Command::Schema => commands::nodes::schema(nodes, output),
        Command::Completions(args) => commands::shell::completions(args, Cli::command(), output),
        Command::Man(args) => commands::shell::man(args, Cli::command(), output),
    };
    result.unwrap_or_else(|failure| output.failed(&failure, cli.command.tells_failures_as_json()))
}
