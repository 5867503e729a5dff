//! Where the program writes, and how it ends.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// As wanted.
    Ok = 0,
    /// Something failed.
    Failed = 1,
    /// The command line or the pipeline file is wrong; nothing was started.
    Usage = 2,
    /// The run came to its end, and frames were lost that nobody asked to lose.
    Loss = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command came to no result.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// For stderr; empty when everything is said already.
    pub(crate) message: String,
}

impl Failure {
    /// A failure with a message for stderr.
    pub(crate) fn new(exit: Exit, message: impl ToString) -> Failure {
        Failure { exit, message: message.to_string() }
    }
}

/// Stdout and stderr.
pub(crate) struct Output<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) err: &'a mut dyn Write,
    /// Stdout is a terminal: somebody looks.
    pub(crate) is_terminal: bool,
    /// Colours are wanted.
    pub(crate) is_coloured: bool,
}

impl Output<'_> {
    /// Writes data. A reader that has enough, as `head`, is no failure.
    pub(crate) fn data(&mut self, text: &str) -> Result<(), Failure> {
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        match written {
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::new(Exit::Failed, format!("cannot write to stdout: {e}")))
            }
            _ => Ok(()),
        }
    }

    /// Writes data as JSON.
    pub(crate) fn json(&mut self, value: &serde_json::Value) -> Result<(), Failure> {
        self.data(&format!("{value:#}\n"))
    }

    /// Writes a line for people. Nobody can be told that stderr is gone.
    pub(crate) fn log(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.err, "{line}");
    }
}

/// Whether stdout is a terminal that may show colours: not when `NO_COLOR` is set (see no-color.org).
pub(crate) fn terminal() -> (bool, bool) {
    let is_terminal = io::stdout().is_terminal();
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    (is_terminal, is_terminal && !is_refused)
}
