//! A part of a request, a message or a file that is not as it should be.

use std::borrow::Cow;
use std::fmt;

/// A part of a request, a message or a file that is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wrong {
    /// The name of the part.
    key: Option<String>,
    wanted: Cow<'static, str>,
    /// The found value, if it helps.
    found: Option<String>,
}

impl Wrong {
    pub(crate) fn new(wanted: impl Into<Cow<'static, str>>) -> Wrong {
        Wrong { key: None, wanted: wanted.into(), found: None }
    }

    #[must_use]
    pub(crate) fn at(self, key: &str) -> Wrong {
        Wrong { key: Some(key.to_owned()), ..self }
    }

    #[must_use]
    pub(crate) fn found(self, found: impl fmt::Display) -> Wrong {
        Wrong { found: Some(found.to_string()), ..self }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.as_ref().map_or(Ok(()), |key| write!(f, "`{key}`: "))?;
        write!(f, "wanted {}", self.wanted)?;
        self.found.as_ref().map_or(Ok(()), |found| write!(f, ", found {found}"))
    }
}
