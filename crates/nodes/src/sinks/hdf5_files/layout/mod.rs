//! The content of a file: a tree as ADCore's layouts in XML describe it. The node's own layout is one of these.

mod content;
mod error;
mod xml;

use std::fs::File;
use std::io::Read;

pub(super) use content::{Attribute, Constant, DataSet, Group, Item, Layout, Own, Source, Value, When};
pub(super) use error::BadLayout;
use xml::{MOST_BYTES, parse};

/// The layout of the node.
const DEFAULT: &str = include_str!("default.xml");

impl Layout {
    /// The layout in `given` (XML), or in the file of this name; the node's own layout if `given` is empty.
    ///
    /// # Errors
    /// The reason why the layout cannot be used, with the place.
    pub(super) fn read(given: &str) -> Result<Layout, BadLayout> {
        let text = given.trim_matches(['\0', ' ', '\n', '\r', '\t']);
        match text {
            "" => parse(DEFAULT, "layout"),
            text if text.starts_with('<') || text.contains("<?xml") => parse(text, "layout"),
            name => parse(&read_file(name)?, name),
        }
    }
}

fn read_file(name: &str) -> Result<String, BadLayout> {
    let refused = |e| BadLayout::File(name.to_owned(), e);
    let mut text = String::new();
    let file = File::open(name).map_err(refused)?;
    file.take(MOST_BYTES as u64 + 1).read_to_string(&mut text).map_err(refused)?;
    Ok(text)
}
