//! The program's work on pipeline files, inside of a program that brings nodes of its own and reads them from the file's names, as the
//! Python package does.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use livetime_engine::{NodeType, Report};

use crate::cli::{Cli, Command};
use crate::interrupts;
use crate::output::{self, Exit, Failure, Output};

/// How long an interpreter may take to end when a node was left behind in it: it gives nodes up to two seconds to end by an exception.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(4);

/// Carries out a command about a pipeline file (`run`, `check`, `verify`, `pvs`, `analyze --pipeline`, `bench graph`, `bench node`) by the
/// program's own code, so that output and exit codes are the same too.
///
/// ```no_run
/// let arguments = ["run", "beamline.yaml", "--frames", "10"].map(Into::into);
/// let code = match livetime::RunCommand::parse(arguments.to_vec()) {
///     Ok(command) => command.run(&livetime::standard_nodes(), &mut |report| println!("{}", report.nodes.len())),
///     Err(code) => code,
/// };
/// std::process::exit(code.into());
/// ```
#[derive(Debug)]
pub struct RunCommand {
    cli: Cli,
    file: Option<PathBuf>,
}

impl RunCommand {
    /// Reads the arguments, beginning with the command. Prints help and mistakes.
    ///
    /// # Errors
    /// The exit code if there is nothing to do.
    pub fn parse(arguments: Vec<OsString>) -> Result<RunCommand, u8> {
        let all = std::iter::once("livetime".into()).chain(arguments);
        let parsed = Cli::try_parse_from(all).and_then(|mut cli| {
            let Some((file, is_for_python)) = cli.command.pipeline() else {
                let why = "wanted run, check, verify, pvs, analyze --pipeline, bench graph or bench node, found another command: the program livetime does it";
                return Err(Cli::command().error(ErrorKind::InvalidSubcommand, why));
            };
            // The hosting program is at work already, so no interpreter is started for `--python`.
            *is_for_python = false;
            let file = file.map(Path::to_owned);
            Ok(RunCommand { cli, file })
        });
        parsed.map_err(|error| {
            // Help is no error: clap knows where it goes and how it ends.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8)
        })
    }

    /// The pipeline file, whose nodes the caller may bring; `None` means the built-in pipeline.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Does it, and returns the exit code. `ended` gets the report of a run before it is printed.
    pub fn run(self, nodes: &[NodeType], ended: &mut dyn FnMut(&Report)) -> u8 {
        let (is_terminal, is_coloured) = output::terminal();
        let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
        let level = self.cli.log;
        let mut output = Output { out: &mut out, err: &mut err, is_terminal, is_coloured, level };
        let Command::Run(args) = &self.cli.command else {
            return crate::execute(self.cli, nodes, &mut output) as u8;
        };
        let mut is_finished = true;
        let mut ended = |report: &Report| {
            is_finished = report.finished;
            ended(report);
        };
        let result = crate::commands::run::run_here(args, nodes, &mut ended, &mut output);
        let exit = result.unwrap_or_else(|failure: Failure| output.failed(&failure, false));
        if !is_finished {
            leave_later(exit);
        }
        exit as u8
    }
}

/// A node was left behind. If it holds the interpreter, this process cannot end as others do: it gets some time, and ends.
fn leave_later(exit: Exit) {
    let leave = move || {
        std::thread::sleep(FAREWELL);
        interrupts::leave(
            exit,
            "livetime: a node that does not return holds the interpreter: ended at once".into(),
        )
    };
    // Without a thread for it a signal to kill is left.
    let _ = std::thread::Builder::new().name("last".into()).spawn(leave);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Level;

    fn parsed(text: &str) -> Result<RunCommand, u8> {
        RunCommand::parse(text.split(' ').map(Into::into).collect())
    }

    #[test]
    fn arguments_are_those_of_the_program() {
        let text = "run b.yaml --python --set cut.level=5 --web 0 --trace t.json --trace-every 3 --log debug";
        let command = parsed(text).unwrap();
        assert_eq!((command.file(), command.cli.log), (Some(Path::new("b.yaml")), Level::Debug));
        let Command::Run(args) = &command.cli.command else { panic!("{command:?}") };
        assert_eq!((args.trace_every, args.pipeline.python), (3, false));
        for text in [
            "check b.yaml --python",
            "verify b.yaml --python",
            "pvs b.yaml --python",
            "analyze r.xtc --pipeline b.yaml --python",
            "bench graph b.yaml",
            "bench node b.yaml n",
        ] {
            assert_eq!(parsed(text).unwrap().file(), Some(Path::new("b.yaml")), "{text}");
        }
        for (text, code) in [
            ("run --framse 1", 2),
            ("inspect a", 2),
            ("analyze r.xtc", 2),
            ("run --help", 0),
            ("run a --web 0 --no-web", 2),
        ] {
            assert_eq!(parsed(text).map(|_| ()), Err(code), "{text}");
        }
    }
}
