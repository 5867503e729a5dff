//! A mistake in a pipeline file, its place and its kind.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use livetime_engine::{Cause, GraphError, Refusal, UnknownName, UnknownNodeType};

use super::setting::Setting;
use crate::rules::RulesError;
use crate::wrong_text::WrongText;

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
///
/// The text is a sentence for people. Programs ask for the place and the part, for the kind and its code, and for the
/// values that were wanted and found.
///
/// ```
/// let text = "nodes:\n  cam: {type: sim_detector, placement: 3}\n";
/// let problems = livetime_control::config::parse("p.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap_err();
/// let problem = &problems.list[0];
/// assert_eq!((problem.code(), problem.key()), ("value", Some("placement")));
/// assert_eq!((problem.wanted().as_deref(), problem.found().as_deref()), (Some("one of own, inline"), Some("`3`")));
/// assert_eq!(problem.to_string(), "`placement`: wanted one of own, inline, found `3`");
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// The place; `None` for a mistake outside the file, such as in a `--set` of the command line.
    pub at: Option<At>,
    /// The part with which the sentence begins.
    pub part: Part,
    /// The mistake. In a box, because results are small on their way back.
    pub kind: Box<ProblemKind>,
}

/// The part of a pipeline with which the sentence of a problem begins.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Part {
    /// No part: the sentence names it.
    Whole,
    /// The node of this name.
    Node(String),
    /// The entry of this node in the file.
    Entry(String),
    /// The value of a key.
    Key(String),
    /// An element of `from`.
    Edge,
    /// A key of an edge in a node that has no `from`.
    EdgeKey(String),
    /// An option of the command line, and its value.
    Option(&'static str, String),
    /// A `--set` of the command line.
    Setting(Setting),
}

/// The kind of a mistake, with its values.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The system does not read the file.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: Cause,
    },
    /// A byte of the file is not of UTF-8.
    NotUtf8(u8),
    /// The text is not YAML; the sentence of the parser.
    NotYaml(String),
    /// A value has a tag.
    Tag,
    /// An alias stands inside the value that it stands for.
    Alias,
    /// The file, or a part of it, is larger than it may be.
    TooLarge(Expected),
    /// A key stands twice in a mapping.
    Twice {
        /// The key.
        key: String,
        /// Where it stands first.
        first: At,
    },
    /// Two nodes have one name for their PVs.
    PvTwice(Expected),
    /// A mapping has no such key.
    UnknownKey {
        /// The key.
        key: String,
        /// The mapping.
        mapping: String,
        /// What may have been meant: `"; did you mean `type`?"`.
        hint: String,
    },
    /// No type of nodes has this name.
    UnknownType(UnknownNodeType),
    /// A part is missing.
    Missing(Expected),
    /// A value is not acceptable.
    Value(Expected),
    /// The rules of the page contradict each other.
    Rules(RulesError),
    /// A parameter is refused before its node is known.
    Parameter(Refusal),
    /// A `--set` names a node that is not there.
    UnknownName(UnknownName),
    /// The engine refuses the graph.
    Graph(GraphError),
    /// No node of the pipeline can be what an option of the command line says.
    NoSuchNode(Expected),
    /// Several nodes fit.
    Ambiguous(Expected),
    /// A node or an edge depends on frames before.
    KeepsState(Expected),
    /// The pipeline does not go over hosts in this way.
    Hosts(Expected),
    /// The file names no such host.
    UnknownHost {
        /// The name.
        name: String,
        /// What may have been meant, and the names that there are.
        hint: String,
    },
    /// A saved file does not say all of the run.
    NotSaid,
    /// The recorded run does not go through the pipeline; the error.
    Recorded(Cause),
}

/// The wanted and the found value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The wanted value.
    pub wanted: Cow<'static, str>,
    /// The found value, where the sentence has it.
    pub found: Option<Cow<'static, str>>,
    /// The next step, where it is known.
    pub hint: Option<&'static str>,
}

impl Expected {
    pub(super) fn new(wanted: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Expected {
        Expected { wanted: wanted.into(), found: Some(found.into()), hint: None }
    }

    /// The same, with the next step.
    pub(super) fn hint(self, hint: &'static str) -> Expected {
        Expected { hint: Some(hint), ..self }
    }
}

impl From<WrongText> for Expected {
    fn from(error: WrongText) -> Expected {
        let (wanted, found) = error.parts();
        Expected::new(wanted, format!("`{found}`"))
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted {}", self.wanted)?;
        self.found.iter().try_for_each(|found| write!(f, ", found {found}"))?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl Problem {
    /// A problem at a place of the file.
    pub fn new(at: At, kind: ProblemKind) -> Problem {
        Problem { at: Some(at), part: Part::Whole, kind: Box::new(kind) }
    }

    /// A problem outside the file.
    pub fn elsewhere(kind: ProblemKind) -> Problem {
        Problem { at: None, part: Part::Whole, kind: Box::new(kind) }
    }

    /// The same, of this part.
    #[must_use]
    pub fn of(self, part: Part) -> Problem {
        Problem { part, ..self }
    }

    /// A name for programs, which stays the same when sentences change. Refusals of parameters and faults of graphs have their own:
    /// see [`RefusalKind::code`](livetime_engine::RefusalKind::code) and [`GraphFault::code`](livetime_engine::GraphFault::code).
    pub fn code(&self) -> &'static str {
        match &*self.kind {
            ProblemKind::Unreadable { .. } => "unreadable",
            ProblemKind::NotUtf8(_) => "not_utf8",
            ProblemKind::NotYaml(_) => "not_yaml",
            ProblemKind::Tag => "tag",
            ProblemKind::Alias => "alias",
            ProblemKind::TooLarge(_) => "too_large",
            ProblemKind::Twice { .. } | ProblemKind::PvTwice(_) => "twice",
            ProblemKind::UnknownKey { .. } => "unknown_key",
            ProblemKind::UnknownType(_) => "unknown_type",
            ProblemKind::Missing(_) => "missing",
            ProblemKind::Value(_) => "value",
            ProblemKind::Rules(_) => "rules",
            ProblemKind::Parameter(refusal) => refusal.kind().code(),
            ProblemKind::UnknownName(name) => name.code(),
            ProblemKind::Graph(error) => error.fault().code(),
            ProblemKind::NoSuchNode(_) => "unknown_node",
            ProblemKind::Ambiguous(_) => "ambiguous",
            ProblemKind::KeepsState(_) => "keeps_state",
            ProblemKind::Hosts(_) => "hosts",
            ProblemKind::UnknownHost { .. } => "unknown_host",
            ProblemKind::NotSaid => "not_said",
            ProblemKind::Recorded(_) => "recorded",
        }
    }

    /// The node, where its name is known.
    pub fn node(&self) -> Option<&str> {
        // The part is asked first: it is nearer to the mistake than the error of the graph.
        match (&self.part, &*self.kind) {
            (Part::Node(node) | Part::Entry(node), _) => Some(node),
            (Part::Setting(setting), _) => Some(&setting.node),
            (_, ProblemKind::Graph(error)) => error.fault().node(),
            _ => None,
        }
    }

    /// The key of the file, or the parameter, where one is meant.
    pub fn key(&self) -> Option<&str> {
        match (&self.part, &*self.kind) {
            (Part::Key(key) | Part::EdgeKey(key), _) => Some(key),
            (Part::Setting(setting), _) => Some(&setting.param),
            (_, ProblemKind::UnknownKey { key, .. } | ProblemKind::Twice { key, .. }) => Some(key),
            _ => self.refusal()?.parameter(),
        }
    }

    /// The refusal of a parameter, where it is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match &*self.kind {
            ProblemKind::Parameter(refusal) => Some(refusal),
            ProblemKind::Graph(error) => error.fault().refusal(),
            _ => None,
        }
    }

    /// The wanted value, where the kind has it.
    pub fn wanted(&self) -> Option<String> {
        match &*self.kind {
            ProblemKind::Parameter(refusal) => refusal.kind().wanted().map(str::to_owned),
            ProblemKind::Graph(error) => error.fault().wanted(),
            _ => Some(self.expected()?.wanted.to_string()),
        }
    }

    /// The found value, where the kind has it.
    pub fn found(&self) -> Option<String> {
        match &*self.kind {
            ProblemKind::NotUtf8(byte) => Some(format!("{byte:#04x}")),
            ProblemKind::Parameter(refusal) => refusal.kind().found().map(str::to_owned),
            ProblemKind::Graph(error) => error.fault().found(),
            _ => self.expected()?.found.as_ref().map(ToString::to_string),
        }
    }

    /// The next step, or a name that may have been meant, where the kind has it.
    pub fn hint(&self) -> Option<&str> {
        let hint = match &*self.kind {
            ProblemKind::UnknownKey { hint, .. } | ProblemKind::UnknownHost { hint, .. } => Some(&**hint),
            ProblemKind::UnknownType(error) => Some(&*error.hint),
            ProblemKind::UnknownName(name) => name.hint(),
            ProblemKind::Parameter(refusal) => refusal.kind().hint(),
            ProblemKind::Graph(error) => error.fault().hint(),
            _ => self.expected()?.hint,
        };
        // Hints begin with the sign that joins them to a sentence; alone they need none.
        hint.map(|hint| hint.trim_start_matches([';', ':', ' '])).filter(|hint| !hint.is_empty())
    }

    fn expected(&self) -> Option<&Expected> {
        match &*self.kind {
            ProblemKind::TooLarge(expected)
            | ProblemKind::PvTwice(expected)
            | ProblemKind::Missing(expected)
            | ProblemKind::Value(expected)
            | ProblemKind::NoSuchNode(expected)
            | ProblemKind::Ambiguous(expected)
            | ProblemKind::KeepsState(expected)
            | ProblemKind::Hosts(expected) => Some(expected),
            _ => None,
        }
    }
}

/// The sentence, without its place.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.part, self.kind)
    }
}

impl fmt::Display for Part {
    /// The beginning of a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Whole => Ok(()),
            Part::Node(name) => write!(f, "{name}: "),
            Part::Entry(name) => write!(f, "node `{name}`: "),
            Part::Key(key) => write!(f, "`{key}`: "),
            Part::Edge => f.write_str("an edge: "),
            Part::EdgeKey(key) => write!(f, "`{key}` describes an edge; "),
            Part::Option(option, value) => write!(f, "{option} {value}: "),
            Part::Setting(setting) => write!(f, "--set {setting}: "),
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::Unreadable { path, cause } => {
                write!(f, "cannot read the pipeline file {}: {}", path.display(), cause.error())
            }
            ProblemKind::NotUtf8(byte) => write!(f, "wanted UTF-8 text, found the byte {byte:#04x}"),
            ProblemKind::NotYaml(why) => write!(f, "not YAML: {why}"),
            ProblemKind::Tag => f.write_str("tags (`!...`) have no meaning in a pipeline file; remove it"),
            ProblemKind::Alias => f.write_str("the alias stands inside what it stands for"),
            ProblemKind::Twice { key, first } => write!(f, "`{key}` stands here already, at {first}"),
            ProblemKind::UnknownKey { key, mapping, hint } => {
                write!(f, "unknown key `{key}` in {mapping}{hint}")
            }
            ProblemKind::UnknownType(error) => error.fmt(f),
            ProblemKind::TooLarge(expected)
            | ProblemKind::PvTwice(expected)
            | ProblemKind::Missing(expected)
            | ProblemKind::Value(expected)
            | ProblemKind::NoSuchNode(expected)
            | ProblemKind::Ambiguous(expected)
            | ProblemKind::KeepsState(expected)
            | ProblemKind::Hosts(expected) => expected.fmt(f),
            ProblemKind::UnknownHost { name, hint } => write!(f, "unknown host `{name}`{hint}"),
            ProblemKind::Rules(error) => error.fmt(f),
            ProblemKind::Parameter(refusal) => refusal.fmt(f),
            ProblemKind::UnknownName(name) => name.fmt(f),
            ProblemKind::Graph(error) => error.fmt(f),
            ProblemKind::NotSaid => f.write_str("the file does not say all of what the run is"),
            ProblemKind::Recorded(cause) => write!(f, "{}", cause.error()),
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.kind {
            ProblemKind::Unreadable { cause, .. } | ProblemKind::Recorded(cause) => Some(cause.error()),
            ProblemKind::Graph(error) => error.source(),
            _ => None,
        }
    }
}

/// Everything that is wrong with one pipeline.
#[derive(Clone, PartialEq, Debug)]
pub struct Problems {
    /// Name of the file.
    pub file: String,
    /// In the order of the file.
    pub list: Vec<Problem>,
}

impl Problems {
    /// The problems of `file`, sorted by place.
    pub fn new(file: &str, mut list: Vec<Problem>) -> Problems {
        // Problems without a place come first, because `None` is less than any place.
        list.sort_by_key(|p| p.at);
        // Two stages may find the same mistake.
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
            let message = visible(&problem.to_string());
            match problem.at {
                Some(at) => write!(f, "{}:{at}: {message}{end}", self.file)?,
                None => write!(f, "{message}{end}")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

fn visible(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    // Control signs of a file would change the terminal of the reader.
    text.chars().map(shown).collect()
}
