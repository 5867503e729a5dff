//! Why a text is no expression.

use std::borrow::Cow;
use std::fmt;

/// Why a text is no expression; places are counted from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CalcError {
    /// The expression has more than `most` bytes.
    TooLong { most: usize, found: usize },
    /// Something else stands at a character; `None` is the end.
    Wanted { wanted: Cow<'static, str>, found: Option<char>, at: usize },
    /// The function at this character has another number of values than 2.
    Values { found: usize, at: usize },
    /// A name of areaDetector's that has no meaning here, for this reason.
    Refused(&'static str),
}

impl fmt::Display for CalcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CalcError::TooLong { most, found } => {
                write!(f, "wanted an expression of at most {most} bytes, found {found}")
            }
            CalcError::Wanted { wanted, found: Some(found), at } => {
                write!(f, "wanted {wanted}, found `{found}` at character {at}")
            }
            CalcError::Wanted { wanted, found: None, at } => {
                write!(f, "wanted {wanted}, found the end at character {at}")
            }
            CalcError::Values { found, at } => write!(f, "wanted 2 values at character {at}, found {found}"),
            CalcError::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for CalcError {}
