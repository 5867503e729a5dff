//! Positions, as they are written.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use livetime_engine::NodeError;
use roxmltree::{Document, Node, ParsingOptions};

use crate::error::Mismatch;

/// The longest text, in bytes: as a tree in memory it takes several times as much.
const MOST_BYTES: u64 = 64 << 20;
/// Most positions that may wait, which bounds the memory of a client's repeated writes.
const MOST_POSITIONS: usize = 1_000_000;
/// The most dimensions of a position.
const MOST_DIMENSIONS: usize = 32;
/// The longest name of a dimension, in bytes.
const MOST_NAME: usize = 256;

/// One position.
pub(super) struct Position {
    /// Shared by all positions of a text.
    names: Arc<[Arc<str>]>,
    values: Box<[f64]>,
}

impl Position {
    /// Names of the dimensions with their values, in the order of the text.
    pub(super) fn values(&self) -> impl Iterator<Item = (&Arc<str>, f64)> {
        self.names.iter().zip(self.values.iter().copied())
    }
}

/// The positions in a file, or in a text, where `waiting` are there already.
pub(super) fn read(file_name: &str, waiting: usize) -> Result<Vec<Position>, NodeError> {
    // A client can write the text itself in place of a file name, and no path contains this tag.
    if file_name.contains("<pos_layout") {
        return parse(file_name, waiting, "the text");
    }
    let cannot =
        |e: std::io::Error| NodeError::new(format_args!("cannot read the positions `{file_name}`: {e}"));
    let mut bytes = Vec::new();
    let file = File::open(file_name).map_err(cannot)?;
    // One byte beyond the limit tells a text that is too long from one of exactly this length.
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    let text = String::from_utf8(bytes).map_err(|e| {
        NodeError::new(format_args!(
            "{file_name}: wanted UTF-8, found byte {} that is none",
            e.utf8_error().valid_up_to()
        ))
    })?;
    parse(&text, waiting, file_name)
}

/// `from` is where the text is from, for errors.
fn parse(text: &str, waiting: usize, from: &str) -> Result<Vec<Position>, NodeError> {
    if text.len() as u64 > MOST_BYTES {
        return Err(NodeError::new(format_args!("{from}: wanted at most {MOST_BYTES} bytes, found more")));
    }
    // Without a DTD there are no entities that grow.
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let tree = Document::parse_with_options(text, options)
        .map_err(|e| NodeError::new(format_args!("{from}: wanted XML without a DTD, found an error: {e}")))?;
    let place = |node: Node<'_, '_>| format!("{from}, {}", tree.text_pos_at(node.range().start));
    let refuse = |node, what: Mismatch| Err(NodeError::new(format_args!("{}: {what}", place(node))));
    let root = tree.root_element();
    // The root is checked first: any other XML, such as a layout of HDF5, would otherwise give an empty list.
    if root.tag_name().name() != "pos_layout" {
        return refuse(root, Mismatch::new("`pos_layout`", format!("`{}`", root.tag_name().name())));
    }
    let mut names: Vec<Arc<str>> = Vec::new();
    for node in named(root, "dimension") {
        let name = node.attribute("name").unwrap_or_default();
        // Slashes are refused because the name becomes the name of an attribute, and with it of a data set.
        let is_good = !name.is_empty() && name.len() <= MOST_NAME && !name.contains('/');
        if !is_good || names.iter().any(|n| **n == *name) || names.len() == MOST_DIMENSIONS {
            // The name in the error is cut: a client may have written megabytes.
            let limits =
                format!("at most {MOST_DIMENSIONS} dimensions, each with a name of its own without slashes");
            let found: String = name.chars().take(60).collect();
            return refuse(node, Mismatch::new(limits, format!("`{found}`")));
        }
        names.push(name.into());
    }
    let names: Arc<[Arc<str>]> = names.into();
    let mut positions = Vec::new();
    for node in named(root, "position") {
        // The limit counts the waiting positions too, so that many small writes cannot pass it together.
        if waiting + positions.len() >= MOST_POSITIONS {
            return refuse(node, Mismatch::new(format!("at most {MOST_POSITIONS} positions"), "more"));
        }
        match values(node, &names) {
            Ok(values) => positions.push(Position { names: names.clone(), values }),
            Err(problem) => return refuse(node, problem),
        }
    }
    Ok(positions)
}

fn named<'a, 'i>(root: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    // All descendants are searched: areaDetector's layout has its positions inside a group of their own.
    root.descendants().filter(move |node| node.is_element() && node.tag_name().name() == name)
}

fn values(node: Node<'_, '_>, names: &[Arc<str>]) -> Result<Box<[f64]>, Mismatch> {
    let value = |name: &Arc<str>| {
        let text = node.attribute(&**name);
        // NaN and infinity parse as numbers, but no motor can be there.
        let number = text.and_then(|t| t.trim().parse().ok()).filter(|v: &f64| v.is_finite());
        number.ok_or_else(|| {
            let found: String = text.unwrap_or("none").chars().take(60).collect();
            Mismatch::new(format!("a finite number as `{name}`"), found)
        })
    };
    match names.is_empty() {
        true => Err(Mismatch::new("a `dimension` before the first `position`", "none")),
        false => names.iter().map(value).collect(),
    }
}
