//! The reasons for which a node refuses a parameter or a request.

use std::borrow::Cow;
use std::fmt;

use livetime_runtime::Cause;

use crate::UnknownName;

/// The reason for which a parameter is not set, or a node does not carry out a request.
///
/// The text is a sentence for people. Programs ask for the parameter, the kind and its code, and for the values that
/// were wanted and found.
///
/// ```
/// use livetime_engine::Refusal;
///
/// let refusal = Refusal::value("at least 0", -1).of("offset");
/// assert_eq!(refusal.to_string(), "`offset`: wanted at least 0, found -1");
/// assert_eq!((refusal.parameter(), refusal.kind().code()), (Some("offset"), "value"));
/// assert_eq!((refusal.kind().wanted(), refusal.kind().found()), (Some("at least 0"), Some("-1")));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    parameter: Option<Cow<'static, str>>,
    /// In a box, because results are small on their way back.
    kind: Box<RefusalKind>,
}

/// The kind of a refusal, with its values.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RefusalKind {
    /// No node or port has this name.
    UnknownName(UnknownName),
    /// There is no node of this number.
    NodeNumber(usize),
    /// The node has no parameter of this name.
    UnknownParameter {
        /// A hint behind the sentence, such as the nearest right name: `"; did you mean `level`?"`.
        hint: String,
    },
    /// The node has no parameter of this number.
    ParameterNumber(usize),
    /// The parameter is a readback.
    ReadOnly,
    /// The value is not acceptable.
    Value {
        /// The wanted value.
        wanted: Cow<'static, str>,
        /// The found value.
        found: String,
    },
    /// The parameter is named twice in one request.
    Twice,
    /// The parameter is declared twice.
    DeclaredTwice,
    /// The node with this name has ended.
    Ended(String),
    /// The node with this name does not answer in time.
    NoAnswer(String),
    /// The node with this name is of another type.
    OtherType(String),
    /// The node is not in the state that the request needs.
    State {
        /// The wanted value.
        wanted: Cow<'static, str>,
        /// The found value.
        found: &'static str,
    },
    /// The node itself refuses.
    Node {
        /// The sentence of the node's error, with all its causes.
        message: String,
        /// The cause as a value.
        cause: Option<Cause>,
    },
}

impl Refusal {
    /// A refusal without a parameter.
    pub fn new(kind: RefusalKind) -> Refusal {
        Refusal { parameter: None, kind: Box::new(kind) }
    }

    /// A value that is not acceptable. The texts are parts of the sentence `wanted …, found …`.
    pub fn value(wanted: impl Into<Cow<'static, str>>, found: impl fmt::Display) -> Refusal {
        Refusal::new(RefusalKind::Value { wanted: wanted.into(), found: found.to_string() })
    }

    /// For a parameter index that is not declared.
    pub fn unknown_index(index: usize) -> Refusal {
        Refusal::new(RefusalKind::ParameterNumber(index))
    }

    pub(crate) fn state(wanted: impl Into<Cow<'static, str>>, found: &'static str) -> Refusal {
        Refusal::new(RefusalKind::State { wanted: wanted.into(), found })
    }

    /// The same, of this parameter.
    #[must_use]
    pub fn of(self, parameter: impl Into<Cow<'static, str>>) -> Refusal {
        Refusal { parameter: Some(parameter.into()), ..self }
    }

    /// The same, of this parameter unless a parameter is known already.
    #[must_use]
    pub(crate) fn or_of(self, parameter: Option<&'static str>) -> Refusal {
        Refusal { parameter: self.parameter.or(parameter.map(Cow::Borrowed)), ..self }
    }

    /// The parameter that is refused, if one is.
    pub fn parameter(&self) -> Option<&str> {
        self.parameter.as_deref()
    }

    /// The name of a parameter of a declaration.
    pub(crate) fn declared(&self) -> Option<&'static str> {
        if let Some(Cow::Borrowed(name)) = self.parameter { Some(name) } else { None }
    }

    /// The kind.
    pub fn kind(&self) -> &RefusalKind {
        &self.kind
    }

    pub(crate) fn cause(&self) -> Option<&Cause> {
        if let RefusalKind::Node { cause, .. } = &*self.kind { cause.as_ref() } else { None }
    }
}

impl RefusalKind {
    /// A name for programs, which stays the same when sentences change.
    pub fn code(&self) -> &'static str {
        match self {
            RefusalKind::UnknownName(name) => name.code(),
            RefusalKind::NodeNumber(_) => "unknown_node",
            RefusalKind::UnknownParameter { .. } | RefusalKind::ParameterNumber(_) => "unknown_parameter",
            RefusalKind::ReadOnly => "read_only",
            RefusalKind::Value { .. } => "value",
            RefusalKind::Twice | RefusalKind::DeclaredTwice => "twice",
            RefusalKind::Ended(_) => "ended",
            RefusalKind::NoAnswer(_) => "no_answer",
            RefusalKind::OtherType(_) => "other_type",
            RefusalKind::State { .. } => "state",
            RefusalKind::Node { .. } => "node",
        }
    }

    /// The wanted value, where the kind has it.
    pub fn wanted(&self) -> Option<&str> {
        match self {
            RefusalKind::Value { wanted, .. } | RefusalKind::State { wanted, .. } => Some(wanted),
            _ => None,
        }
    }

    /// The found value, where the kind has it.
    pub fn found(&self) -> Option<&str> {
        match self {
            RefusalKind::Value { found, .. } => Some(found),
            RefusalKind::State { found, .. } => Some(found),
            _ => None,
        }
    }

    /// The hint of the refusal, if its kind has one.
    pub fn hint(&self) -> Option<&str> {
        match self {
            RefusalKind::UnknownParameter { hint } => Some(hint),
            RefusalKind::UnknownName(name) => name.hint(),
            _ => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.parameter.as_deref();
        let named = name.unwrap_or_default();
        match &*self.kind {
            RefusalKind::UnknownName(error) => error.fmt(f),
            RefusalKind::NodeNumber(number) => write!(f, "there is no node number {number}"),
            RefusalKind::UnknownParameter { hint } => write!(f, "unknown parameter `{named}`{hint}"),
            RefusalKind::ParameterNumber(number) => write!(f, "there is no parameter number {number}"),
            RefusalKind::ReadOnly => write!(f, "`{named}` is a readback: only the node writes it"),
            RefusalKind::Value { wanted, found } => match name {
                Some(name) => write!(f, "`{name}`: wanted {wanted}, found {found}"),
                None => write!(f, "wanted {wanted}, found {found}"),
            },
            RefusalKind::Twice => write!(f, "wanted `{named}` once, found it twice"),
            RefusalKind::DeclaredTwice => write!(f, "parameter `{named}` is declared twice"),
            RefusalKind::Ended(node) => write!(f, "node `{node}` has ended"),
            RefusalKind::NoAnswer(node) => write!(f, "node `{node}` did not answer within 5 s"),
            RefusalKind::OtherType(node) => write!(f, "node `{node}` is of another type"),
            RefusalKind::State { wanted, found } => write!(f, "wanted {wanted}, found {found}"),
            RefusalKind::Node { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.cause()?.error())
    }
}

impl From<UnknownName> for Refusal {
    fn from(error: UnknownName) -> Refusal {
        Refusal::new(RefusalKind::UnknownName(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_a_sentence_a_code_and_perhaps_a_hint() {
        let unknown = RefusalKind::UnknownParameter { hint: "; did you mean `level`?".into() };
        for (refusal, said, code) in [
            (
                Refusal::new(unknown).of("levle"),
                "unknown parameter `levle`; did you mean `level`?",
                "unknown_parameter",
            ),
            (
                Refusal::new(RefusalKind::ReadOnly).of("sum"),
                "`sum` is a readback: only the node writes it",
                "read_only",
            ),
            (Refusal::value("int", "`x`"), "wanted int, found `x`", "value"),
            (Refusal::new(RefusalKind::Twice).of("x"), "wanted `x` once, found it twice", "twice"),
            (Refusal::new(RefusalKind::Ended("cam".into())), "node `cam` has ended", "ended"),
            (Refusal::state("a frame", "none yet"), "wanted a frame, found none yet", "state"),
            (
                crate::Graph::default().node("cam").unwrap_err().into(),
                "unknown node `cam`; there is none",
                "unknown_node",
            ),
        ] {
            assert_eq!((&*refusal.to_string(), refusal.kind().code()), (said, code));
            assert_eq!(refusal.kind().hint().is_some(), code.starts_with("unknown"));
        }
    }
}
