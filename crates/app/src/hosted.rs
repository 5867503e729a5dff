//! `livetime run` inside a program that brings nodes of its own and reads them from the pipeline file's names, as the Python package does.

use std::ffi::OsString;
use std::path::Path;

use clap::{Parser, Subcommand};
use livetime_engine::{NodeType, Report};

use crate::cli::{RUN_HELP, RunArgs};
use crate::log::Level;
use crate::output::{self, Exit, Failure, Output};

/// The command with its arguments: those of the program's own, so what it does, shows and returns is the same too.
///
/// ```no_run
/// let arguments = ["run", "beamline.yaml", "--frames", "10"].map(Into::into);
/// let code = match livetime::RunCommand::parse("python -m livetime", arguments.to_vec()) {
///     Ok(command) => command.run(&livetime::standard_nodes(), &mut |report| println!("{}", report.nodes.len())),
///     Err(code) => code,
/// };
/// std::process::exit(code.into());
/// ```
#[derive(Debug)]
pub struct RunCommand {
    args: RunArgs,
    log: Level,
}

/// Run a pipeline whose file may name nodes of Python as `module:name`.
#[derive(Parser, Debug)]
struct Hosted {
    /// The least severe level that is logged on stderr; each line has a time and a level.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "LEVEL")]
    log: Level,
    #[command(subcommand)]
    command: Only,
}

#[derive(Subcommand, Debug)]
enum Only {
    /// Run a pipeline until it ends, for a given time, or until Ctrl-C.
    #[command(after_help = RUN_HELP)]
    Run(Box<RunArgs>),
}

impl RunCommand {
    /// Reads the arguments, the first of which is `run`; `program` is what the user called. Prints help, and what is wrong.
    ///
    /// # Errors
    /// The exit code if there is nothing to run.
    pub fn parse(program: &str, arguments: Vec<OsString>) -> Result<RunCommand, u8> {
        let all = std::iter::once(program.into()).chain(arguments);
        let parsed = Hosted::try_parse_from(all).map_err(|error| {
            // Help is no error: clap knows where it goes and how it ends.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8)
        })?;
        let Only::Run(mut args) = parsed.command;
        // It is what runs just now.
        args.python = false;
        Ok(RunCommand { args: *args, log: parsed.log })
    }

    /// The pipeline file, whose nodes the caller may bring; `None` means the built-in pipeline.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.args.pipeline.file.as_deref()
    }

    /// Runs to the end, and returns the exit code. `ended` gets the report before it is printed.
    pub fn run(&self, nodes: &[NodeType], ended: &mut dyn FnMut(&Report)) -> u8 {
        let (is_terminal, is_coloured) = output::terminal();
        let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
        let mut output = Output { out: &mut out, err: &mut err, is_terminal, is_coloured, level: self.log };
        let result = crate::commands::run::run_here(&self.args, nodes, ended, &mut output);
        let exit = result.unwrap_or_else(|failure: Failure| output.failed(&failure, false));
        exit as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_those_of_the_program() {
        let text = "run b.yaml --python --set cut.level=5 --web 0 --trace t.json --trace-every 3 --log debug";
        let command = RunCommand::parse("me", text.split(' ').map(Into::into).collect()).unwrap();
        assert_eq!((command.file(), command.log), (Some(Path::new("b.yaml")), Level::Debug));
        assert_eq!((command.args.trace_every, command.args.python), (3, false));
        for (text, code) in
            [("run --framse 1", 2), ("inspect a", 2), ("run --help", 0), ("run a --web 0 --no-web", 2)]
        {
            let parsed = RunCommand::parse("me", text.split(' ').map(Into::into).collect());
            assert_eq!(parsed.map(|_| ()), Err(code), "{text}");
        }
    }
}
