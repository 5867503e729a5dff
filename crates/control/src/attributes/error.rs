//! Why attributes of frames are refused.

use std::fmt;

use livetime_engine::Cause;
use roxmltree::TextPos;

/// Why attributes of frames are refused.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum AttributesError {
    /// The file with the list cannot be read, or is too long.
    File {
        /// Its name.
        name: String,
        /// The error of the system; `None` if the file is too long.
        found: FileFault,
    },
    /// A macro has no value, or the text of macros is none.
    Macros {
        /// The wanted value.
        wanted: String,
        /// The found value.
        found: String,
    },
    /// The text is no XML.
    Xml(roxmltree::Error),
    /// The text is no list of attributes.
    Content {
        /// The element.
        place: TextPos,
        /// The wanted value.
        wanted: String,
        /// The found value.
        found: String,
    },
    /// The node has no such parameter.
    NoParameter {
        /// The name of the attribute.
        attribute: String,
        /// The source that it names.
        source: String,
        /// A name that may have been meant.
        hint: String,
    },
    /// A PV is named with a protocol that is none of `ca` and `pva`.
    Protocol(String),
    /// No client of pvAccess can be made, or it does not watch a PV.
    Client(livetime_pva::client::Error),
    /// No client of Channel Access can be made.
    ChannelAccess(livetime_ca::client::Error),
}

/// Why a file with attributes cannot be read.
#[derive(Clone, PartialEq, Debug)]
pub enum FileFault {
    /// The system refuses.
    System(Cause),
    /// It has this number of bytes, more than the second one.
    TooLong(u64, u64),
}

/// Why attributes are refused, in areaDetector's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// There is no such file.
    NotFound,
    /// The text is no list of attributes.
    Syntax,
    /// A macro has no value.
    Macro,
}

impl AttributesError {
    /// The text that areaDetector would show.
    pub fn problem(&self) -> Problem {
        match self {
            AttributesError::File { .. } => Problem::NotFound,
            AttributesError::Macros { .. } => Problem::Macro,
            // areaDetector has three words only.
            _ => Problem::Syntax,
        }
    }
}

impl fmt::Display for AttributesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttributesError::File { name, found } => {
                write!(f, "`{name}`: wanted a file with <Attributes>, found: ")?;
                match found {
                    FileFault::System(cause) => write!(f, "{}", cause.error()),
                    FileFault::TooLong(found, most) => write!(f, "{found} bytes, more than {most}"),
                }
            }
            AttributesError::Macros { wanted, found } => write!(f, "macros: wanted {wanted}, found {found}"),
            AttributesError::Xml(error) => write!(f, "attributes: wanted XML, found: {error}"),
            AttributesError::Content { place, wanted, found } => {
                write!(f, "attributes:{}:{}: wanted {wanted}, found {found}", place.row, place.col)
            }
            AttributesError::NoParameter { attribute, source, hint } => {
                write!(f, "attribute `{attribute}`: wanted a parameter of the node, found `{source}`{hint}")
            }
            AttributesError::Protocol(found) => {
                write!(f, "attributes: wanted a PV as ca://NAME, pva://NAME or NAME, found `{found}`")
            }
            AttributesError::Client(error) => error.fmt(f),
            AttributesError::ChannelAccess(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AttributesError {}

impl From<livetime_pva::client::Error> for AttributesError {
    fn from(error: livetime_pva::client::Error) -> AttributesError {
        AttributesError::Client(error)
    }
}

impl From<livetime_ca::client::Error> for AttributesError {
    fn from(error: livetime_ca::client::Error) -> AttributesError {
        AttributesError::ChannelAccess(error)
    }
}
