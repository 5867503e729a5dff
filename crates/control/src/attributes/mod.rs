//! Attributes of frames that a client asks for, as areaDetector's NDAttributesFile.
//!
//! The text is XML: `<Attributes>` with elements `<Attribute name type source …/>`. Three types are known:
//!
//! | type | source | value |
//! |---|---|---|
//! | `PARAM` | a parameter of the node: areaDetector's drvInfo (`TOTAL`), the suffix of its PV (`Total`) or its own name | what the node says when it has handled the frame; `datatype` is INT, INT64, DOUBLE or STRING |
//! | `EPICS_PV` | a PV: `ca://NAME` over Channel Access, `pva://NAME` or `NAME` over pvAccess | the newest value; `dbrtype` is one of areaDetector's |
//! | `CONST` | a text | that text |
//!
//! Every attribute is there from the first frame on: a number that is not known yet is NaN, a text empty. `FUNCTION` is refused.

mod error;
mod macros;
mod source;
mod stamp;
mod watched;
mod xml;

use std::sync::Arc;

use livetime_engine::files::{AttributeNote, AttributeNotes};
use livetime_engine::{Cause, NodeType, Stamp};

pub use error::{AttributesError, FileFault, Problem};
pub use macros::expand;
pub use xml::{Kind, Type, Wanted, parse};

/// The attributes that a node of this type adds to its frames when a client has written `text`: XML, the name of a file
/// with it, or nothing. `macros` has the texts for `$(NAME)` in it; see [`expand`]. Descriptions and sources of the
/// attributes go to `notes`.
///
/// # Errors
/// A fault with its place.
pub fn stamp_of(
    text: &str,
    macros: &str,
    node: &NodeType,
    notes: &AttributeNotes,
) -> Result<Option<Arc<dyn Stamp>>, AttributesError> {
    let text = text.trim_matches(['\0', ' ', '\n', '\r', '\t']);
    if text.is_empty() {
        return Ok(None);
    }
    let read;
    let xml = if text.contains("<Attributes") {
        text
    } else {
        read = read_file(text)?;
        &read
    };
    let xml = expand(xml, macros)?;
    let wanted = parse(&xml)?;
    let stamp = stamp::Stamps::new(&wanted, node)?;
    wanted.iter().for_each(|wanted| notes.set(&wanted.name, note(wanted)));
    Ok(Some(Arc::new(stamp)))
}

fn note(wanted: &Wanted) -> AttributeNote {
    let source_type = match wanted.kind {
        Kind::Param(_) => "NDAttrSourceParam",
        Kind::Pv(_) => "NDAttrSourceEPICSPV",
        Kind::Constant => "NDAttrSourceConst",
    };
    let Wanted { description, source, dtype, .. } = wanted.clone();
    AttributeNote { dtype, description, source_type, source }
}

/// Files of attributes are short.
const LONGEST_FILE: u64 = 1 << 20;

fn read_file(name: &str) -> Result<String, AttributesError> {
    let refused = |found| AttributesError::File { name: name.to_owned(), found };
    let system = |e: std::io::Error| refused(FileFault::System(Cause::new(Arc::new(e))));
    let size = std::fs::metadata(name).map_err(system)?.len();
    if size > LONGEST_FILE {
        return Err(refused(FileFault::TooLong(size, LONGEST_FILE)));
    }
    std::fs::read_to_string(name).map_err(system)
}
