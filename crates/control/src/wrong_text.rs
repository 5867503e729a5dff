//! A text of a file or of the command line that does not mean what it should.

use std::borrow::Cow;
use std::fmt;

/// A text that does not mean what it should.
///
/// ```
/// let error = livetime_control::web::address("localhost").unwrap_err();
/// assert_eq!(error.to_string(), "wanted PORT or ADDRESS:PORT, as 9090 or 0.0.0.0:9090, found `localhost`");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongText {
    wanted: Cow<'static, str>,
    found: String,
}

impl WrongText {
    /// `found` instead of the wanted text: `WrongText::new("NAME=VALUE", "NAME")`.
    pub fn new(wanted: impl Into<Cow<'static, str>>, found: impl Into<String>) -> WrongText {
        WrongText { wanted: wanted.into(), found: found.into() }
    }

    /// The wanted and the found text.
    pub(crate) fn parts(self) -> (Cow<'static, str>, String) {
        (self.wanted, self.found)
    }
}

impl fmt::Display for WrongText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted {}, found `{}`", self.wanted, self.found)
    }
}

impl std::error::Error for WrongText {}
