//! Failures of a call to a node.

use livetime_runtime::Cause;

use crate::node::NodeError;

/// The failure of a call to a node.
pub(super) enum Failure {
    Error(NodeError),
    Panic(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Error(error) => error.in_full().fmt(f),
            Failure::Panic(text) => write!(f, "panicked: {text}"),
        }
    }
}

impl Failure {
    pub(super) fn cause(&self) -> Option<Cause> {
        match self {
            Failure::Error(error) => error.cause.clone(),
            Failure::Panic(_) => None,
        }
    }

    pub(super) fn into_error(self) -> NodeError {
        match self {
            Failure::Error(error) => error,
            Failure::Panic(text) => NodeError::new(format_args!("panicked: {text}")),
        }
    }
}
