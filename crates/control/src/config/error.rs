//! A mistake in a pipeline file, and its place.

use std::fmt;

/// A place in a text, counted from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct At {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

impl At {
    /// The beginning of the file.
    pub const START: At = At { line: 1, column: 1 };
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The place; `None` for a mistake outside the file, such as in a `--set` of the command line.
    pub at: Option<At>,
    /// What was wanted, what was found, what to do.
    pub message: String,
}

impl Problem {
    /// A problem at a place of the file.
    pub fn new(at: At, message: impl Into<String>) -> Problem {
        Problem { at: Some(at), message: message.into() }
    }

    /// A problem outside the file.
    pub fn elsewhere(message: impl Into<String>) -> Problem {
        Problem { at: None, message: message.into() }
    }
}

/// Everything that is wrong with one pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problems {
    /// Name of the file.
    pub file: String,
    /// In the order of the file.
    pub list: Vec<Problem>,
}

impl Problems {
    /// The problems of `file`, sorted by place.
    pub fn new(file: &str, mut list: Vec<Problem>) -> Problems {
        list.sort_by_key(|p| p.at);
        list.dedup();
        Problems { file: file.into(), list }
    }
}

impl fmt::Display for Problems {
    /// One line for each: `file:line:column: message`. Line ends and escape sequences from the file are shown
    /// as `\n` and `\u{1b}`, so that a hostile file cannot write on the terminal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.list.iter().enumerate() {
            let end = if i + 1 < self.list.len() { "\n" } else { "" };
            match problem.at {
                Some(at) => write!(f, "{}:{at}: {}{end}", self.file, visible(&problem.message))?,
                None => write!(f, "{}{end}", visible(&problem.message))?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

fn visible(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}
