//! The error of a node, and its causes.

use std::fmt;
use std::sync::Arc;

use livetime_frame::{LayoutError, PoolExhausted, ViewError, WrongPayload};
use livetime_runtime::Cause;

use crate::{Refusal, RefusalKind};

/// Why a node could not do its work.
///
/// An error may hold its cause as a value. A program that reads the report's events gets the value back, for
/// example an exception of another language with its traceback.
///
/// ```
/// use std::error::Error;
/// use std::sync::Arc;
/// use livetime_engine::NodeError;
///
/// let cause = "1.5.3".parse::<f64>().unwrap_err();
/// let error = NodeError::with_source("cannot read the version of the camera", Arc::new(cause));
/// assert_eq!(error.to_string(), "cannot read the version of the camera");
/// let source = error.source().unwrap();
/// assert!(source.downcast_ref::<std::num::ParseFloatError>().is_some());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeError {
    message: String,
    pub(crate) exhausted: bool,
    /// The parameter that caused the error.
    pub(crate) param: Option<&'static str>,
    pub(crate) cause: Option<Cause>,
}

impl NodeError {
    /// An error with this text: lower case, with the wanted and the found value and the place.
    pub fn new(message: impl fmt::Display) -> NodeError {
        NodeError { message: message.to_string(), exhausted: false, param: None, cause: None }
    }

    /// An error with this text, and the error that caused it. The text does not repeat `source`: where the engine
    /// writes the error into a line of text, it appends the causes.
    pub fn with_source(
        message: impl fmt::Display,
        source: Arc<dyn std::error::Error + Send + Sync>,
    ) -> NodeError {
        NodeError { cause: Some(Cause::new(source)), ..NodeError::new(message) }
    }

    /// The same, with the parameter that caused it, so that a pipeline file can point at its place.
    #[must_use]
    pub fn of_param(self, param: &'static str) -> NodeError {
        NodeError { param: Some(param), ..self }
    }

    pub(crate) fn of(self, node: &str) -> NodeError {
        NodeError { message: format!("{node}: {}", self.message), ..self }
    }

    /// The text with the texts of all causes, in one line.
    pub(crate) fn in_full(&self) -> String {
        match &self.cause {
            Some(cause) => cause.behind(&self.message),
            None => self.message.clone(),
        }
    }

    /// That a node refuses a value of a parameter for this reason.
    pub(crate) fn refusal(self) -> Refusal {
        let message = self.in_full();
        Refusal::new(RefusalKind::Node { message, cause: self.cause }).or_of(self.param)
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl std::error::Error for NodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.cause.as_ref()?.error())
    }
}

impl From<PoolExhausted> for NodeError {
    fn from(error: PoolExhausted) -> NodeError {
        NodeError { exhausted: true, ..NodeError::new(error) }
    }
}

impl From<ViewError> for NodeError {
    fn from(error: ViewError) -> NodeError {
        NodeError { exhausted: matches!(error, ViewError::Exhausted(_)), ..NodeError::new(error) }
    }
}

impl From<Refusal> for NodeError {
    fn from(refusal: Refusal) -> NodeError {
        let (cause, param) = (refusal.cause().cloned(), refusal.declared());
        NodeError { cause, param, ..NodeError::new(refusal) }
    }
}

macro_rules! plain_error {
    ($($t:ty)*) => {$(
        impl From<$t> for NodeError {
            fn from(error: $t) -> NodeError {
                NodeError::new(error)
            }
        }
    )*};
}

plain_error!(WrongPayload LayoutError std::io::Error);
