//! Why a layout cannot be used.

use std::borrow::Cow;
use std::{fmt, io};

use roxmltree::TextPos;

/// Why a layout cannot be used.
#[derive(Debug)]
pub(in super::super) enum BadLayout {
    /// There is no text in the file of this name.
    File(String, io::Error),
    /// The text is no XML; first the name of the layout.
    Xml(String, roxmltree::Error),
    /// The text is no layout.
    Content {
        /// The name of the layout.
        from: String,
        /// The element.
        place: Option<TextPos>,
        wanted: Cow<'static, str>,
        found: Cow<'static, str>,
    },
}

impl fmt::Display for BadLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadLayout::File(name, error) => {
                write!(f, "`{name}`: wanted a file with <hdf5_layout>, found: {error}")
            }
            BadLayout::Xml(from, error) => write!(f, "{from}: wanted XML, found: {error}"),
            BadLayout::Content { from, place, wanted, found } => {
                write!(f, "{from}:")?;
                place.map_or(Ok(()), |place| write!(f, "{}:{}:", place.row, place.col))?;
                write!(f, " wanted {wanted}, found {found}")
            }
        }
    }
}
