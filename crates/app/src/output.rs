//! Where the program writes, and how it ends.

use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};

pub(crate) use livetime_control::report::Exit;
use livetime_control::report::pretty::pretty;

use crate::log::{Level, Line};

/// Why a command came to no result.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// For stderr; empty when everything was reported already.
    pub(crate) message: String,
    /// For programs: a word that stays the same when the message is worded anew.
    code: &'static str,
}

impl Failure {
    /// A failure with a message for stderr.
    pub(crate) fn new(exit: Exit, message: impl ToString) -> Failure {
        let code = if exit == Exit::Usage { "usage" } else { "failed" };
        Failure { exit, message: message.to_string(), code }
    }

    /// A command that could not do its work on a file.
    pub(crate) fn of(error: &livetime_formats::Error) -> Failure {
        let code = match error.io_error().map(io::Error::kind) {
            Some(io::ErrorKind::AlreadyExists) => "exists",
            Some(io::ErrorKind::NotFound) => "not_found",
            Some(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => "no_permission",
            Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => "disk_full",
            _ => "failed",
        };
        Failure { exit: Exit::Failed, message: error.to_string(), code }
    }

    /// As data, in the form in which a refused pipeline is told.
    pub(crate) fn json(&self) -> Value {
        json!({
            "ok": false,
            "exit_code": self.exit as u8,
            "exit_reason": if self.exit == Exit::Usage { "refused" } else { "failed" },
            "errors": [{ "code": self.code, "message": self.message }],
        })
    }
}

/// Stdout and stderr.
pub(crate) struct Output<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) err: &'a mut dyn Write,
    /// Stdout is a terminal, so a person reads it.
    pub(crate) is_terminal: bool,
    /// Colours are wanted.
    pub(crate) is_coloured: bool,
    /// Which lines of the log are written.
    pub(crate) level: Level,
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
    pub(crate) fn json(&mut self, value: &Value) -> Result<(), Failure> {
        self.data(&(pretty(value) + "\n"))
    }

    /// Writes a line of the log, if lines of its level are wanted.
    pub(crate) fn line(&mut self, line: &Line) {
        if line.level <= self.level {
            self.log(line);
        }
    }

    /// Writes later events to the log.
    pub(crate) fn tell(&mut self, level: Level, text: impl std::fmt::Display) {
        self.line(&Line::new(level, text));
    }

    /// Says why a command came to no result, on stdout too if that has JSON. Returns how it ends.
    pub(crate) fn failed(&mut self, failure: &Failure, as_json: bool) -> Exit {
        if failure.message.is_empty() {
            return failure.exit;
        }
        self.log(format_args!("livetime: {}", failure.message));
        // A failure here cannot be reported beside the first one.
        let _ = as_json.then(|| self.json(&failure.json()));
        failure.exit
    }

    /// Writes a line for people. An error is ignored, because stderr itself has failed.
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
