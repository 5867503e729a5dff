//! The fate of a line of a start-up script.

use std::fmt;
use std::path::PathBuf;

/// A line of a start-up script.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Line {
    /// The script that has the line.
    pub file: PathBuf,
    /// Its number, from 1.
    pub number: usize,
    /// Its text, before macros are replaced.
    pub text: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.number)
    }
}

/// The fate of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is in the pipeline file.
    Taken(String),
    /// It is in the pipeline file, and something differs from the IOC.
    Differs(String),
    /// It has no counterpart that a run needs, for example the load of record definitions.
    NotNeeded,
    /// It is not in the pipeline file, for this reason.
    Left(String),
    /// Names without a value.
    Undefined(Vec<String>),
    /// Another script that could not be read.
    Missing(NotRead),
}

/// Why a script or a substitutions file that a line names was not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotRead {
    /// There is no file of this name, neither where the IOC would be nor beside the script.
    Absent(String),
    /// The system cannot read the file, or it is too large.
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// So many files were named already.
    TooMany(usize),
    /// So many scripts include one another.
    TooDeep(usize),
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRead::Absent(name) => write!(f, "no file `{name}`"),
            NotRead::Unreadable { file, reason } => write!(f, "{}: {reason}", file.display()),
            NotRead::TooMany(most) => write!(f, "more than {most} includes"),
            NotRead::TooDeep(most) => write!(f, "more than {most} scripts include one another"),
        }
    }
}

impl Fate {
    /// A word for programs that stays the same.
    pub fn code(&self) -> &'static str {
        match self {
            Fate::Taken(_) => "taken",
            Fate::Differs(_) => "differs",
            Fate::NotNeeded => "not_needed",
            Fate::Left(_) => "left",
            Fate::Undefined(_) => "undefined",
            Fate::Missing(_) => "missing",
        }
    }

    /// Whether a person should look at the line.
    pub fn is_open(&self) -> bool {
        !matches!(self, Fate::Taken(_) | Fate::NotNeeded)
    }

    /// The included script that is missing.
    pub(super) fn missing(&self) -> Option<String> {
        match self {
            Fate::Missing(reason) => Some(reason.to_string()),
            _ => None,
        }
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fate::Taken(text) | Fate::Differs(text) | Fate::Left(text) => f.write_str(text),
            Fate::NotNeeded => f.write_str("not needed"),
            Fate::Undefined(names) => {
                write!(f, "no value for {}; give it by `--macro {}=VALUE`", names.join(", "), names[0])
            }
            Fate::Missing(reason) => write!(f, "{reason}; its lines are not in the pipeline file"),
        }
    }
}

/// By script in the order of their first lines, and by line.
pub(super) fn in_order(mut fates: Vec<(Line, Fate)>) -> Vec<(Line, Fate)> {
    let mut files: Vec<PathBuf> = Vec::new();
    for (line, _) in &fates {
        if !files.contains(&line.file) {
            files.push(line.file.clone());
        }
    }
    fates.sort_by_key(|(line, _)| (files.iter().position(|file| *file == line.file), line.number));
    fates
}
