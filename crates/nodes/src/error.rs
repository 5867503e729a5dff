//! Errors that nodes of several folders have in common.

use std::borrow::Cow;
use std::fmt;

/// Something else was found than was wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    wanted: Cow<'static, str>,
    found: Cow<'static, str>,
}

impl Mismatch {
    pub(crate) fn new(wanted: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Mismatch {
        Mismatch { wanted: wanted.into(), found: found.into() }
    }
}

/// `wanted …, found …`.
impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted {}, found {}", self.wanted, self.found)
    }
}

impl std::error::Error for Mismatch {}
