//! Why settings were not read, written or restored.

use std::fmt;
use std::path::PathBuf;

/// Why settings were not read, written or restored. The text is a sentence for people.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SettingsError {
    /// The operating system refuses to read or write.
    Io {
        /// The file.
        path: PathBuf,
        /// The wanted effect, as `to read the settings`.
        wanted: &'static str,
        /// The answer of the system.
        found: String,
    },
    /// The content is not a settings file, or a part of one.
    Content {
        /// The place in the file, as `line 3`; empty for the whole.
        place: String,
        /// The wanted content.
        wanted: String,
        /// The found content.
        found: String,
    },
    /// Another program keeps its settings in the file.
    Held {
        /// The file.
        path: PathBuf,
        /// The process that holds it, if it says so.
        by: Option<u32>,
    },
    /// The run keeps no settings, for this reason.
    NotKept(NotKept),
    /// Values that were refused, each as `node.parameter: reason`.
    Values(Vec<String>),
}

/// Why a run keeps no settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotKept {
    /// The command line says so.
    Unwanted,
    /// The program that runs it has chosen no file.
    NoFile,
    /// The pipeline is built into the program: there is no file that the settings could lie beside.
    BuiltIn,
    /// The pipeline is read from a pipe.
    Pipe,
    /// The sources play recorded data, which give the same result at every run.
    Replay,
    /// The run has ended.
    RunEnded,
}

impl fmt::Display for NotKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotKept::Unwanted => "--no-settings",
            NotKept::NoFile => "the program that runs it has no file for them",
            NotKept::BuiltIn => "the built-in pipeline has no file; --settings FILE chooses one",
            NotKept::Pipe => "the pipeline is read from a pipe; --settings FILE chooses a file",
            NotKept::Replay => "the pipeline replays recorded data; --settings FILE chooses a file",
            NotKept::RunEnded => "the run has ended",
        })
    }
}

impl std::error::Error for NotKept {}

impl SettingsError {
    /// A name for programs, which stays the same when sentences change.
    pub fn code(&self) -> &'static str {
        match self {
            SettingsError::Io { .. } => "io",
            SettingsError::Content { .. } => "content",
            SettingsError::Held { .. } => "held",
            SettingsError::NotKept(_) => "not_kept",
            SettingsError::Values(_) => "values",
        }
    }

    pub(super) fn io(
        path: &std::path::Path,
        wanted: &'static str,
        found: impl fmt::Display,
    ) -> SettingsError {
        SettingsError::Io { path: path.to_owned(), wanted, found: found.to_string() }
    }

    pub(super) fn content(
        place: impl Into<String>,
        wanted: impl Into<String>,
        found: impl Into<String>,
    ) -> SettingsError {
        SettingsError::Content { place: place.into(), wanted: wanted.into(), found: found.into() }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingsError::Io { path, wanted, found } => {
                write!(f, "`{}`: wanted {wanted}, found: {found}", path.display())
            }
            SettingsError::Content { place, wanted, found } => {
                let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
                write!(f, "{place}wanted {wanted}, found {found}")
            }
            SettingsError::Held { path, by } => {
                let by = by.map_or(String::new(), |by| format!(" (process {by})"));
                let path = path.display();
                write!(
                    f,
                    "`{path}`: another run{by} keeps its settings in this file; --settings FILE chooses another one"
                )
            }
            SettingsError::NotKept(why) => write!(f, "this run keeps no settings: {why}"),
            SettingsError::Values(refused) => write!(f, "not restored: {}", refused.join("; ")),
        }
    }
}

impl std::error::Error for SettingsError {}
