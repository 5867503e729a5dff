//! What a file holds: a tree as ADCore's layouts in XML describe it. The layout of the node is one of these.

mod xml;

use std::fs::File;
use std::io::Read;

use xml::{MOST_BYTES, parse};

/// The layout of the node.
const DEFAULT: &str = include_str!("default.xml");

/// A tree that is to be written.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Layout {
    /// What the file itself has.
    pub(super) root: Group,
    /// Whether attributes of frames without a place go to the group that is the default, else to the root.
    pub(super) keeps_others: bool,
    /// The attribute of a frame that names its data set of pixels.
    pub(super) destination: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Group {
    pub(super) name: String,
    /// Attributes of frames without a place go here.
    pub(super) is_default: bool,
    pub(super) attributes: Vec<Attribute>,
    pub(super) items: Vec<Item>,
}

/// What a group has.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Item {
    Group(Group),
    DataSet(DataSet),
    Link { name: String, target: String },
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct DataSet {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) attributes: Vec<Attribute>,
}

/// Where the data of a data set are from.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Source {
    /// The pixels of frames; of those that name no data set, if it is the default.
    Detector {
        is_default: bool,
    },
    /// An attribute of frames.
    FrameAttribute(String, When),
    Constant(Constant),
    /// The times of writing.
    Times,
    /// What this program knows.
    Own(Own),
}

/// An attribute of a group or a data set.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: Value,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Constant(Constant),
    FrameAttribute(String, When),
    Own(Own),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Constant {
    Text(String),
    Ints(Vec<i32>),
    Floats(Vec<f64>),
}

/// When an attribute of frames is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum When {
    /// The value of the first frame.
    Open,
    /// That of each frame.
    Frame,
    /// That of the last one.
    Close,
}

/// What this program can say about a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Own {
    Program,
    Version,
    Node,
    Parameters,
    Pipeline,
    /// How many frames are missing before each frame.
    MissingBefore,
    /// How many are missing in all.
    Lost,
    /// How many were taken back.
    TakenBack,
    /// Whether the file was closed.
    Finished,
}

impl Own {
    /// Names in layouts.
    const ALL: [(&'static str, Own); 9] = [
        ("program", Own::Program),
        ("version", Own::Version),
        ("node", Own::Node),
        ("parameters", Own::Parameters),
        ("pipeline", Own::Pipeline),
        ("missing_before", Own::MissingBefore),
        ("lost", Own::Lost),
        ("taken_back", Own::TakenBack),
        ("finished", Own::Finished),
    ];
}

impl Layout {
    /// The layout that `given` is (XML), or that the file of this name holds; that of the node if it is empty.
    ///
    /// # Errors
    /// Text with the place.
    pub(super) fn read(given: &str) -> Result<Layout, String> {
        let text = given.trim_matches(['\0', ' ', '\n', '\r', '\t']);
        match text {
            "" => parse(DEFAULT, "layout"),
            text if text.starts_with('<') || text.contains("<?xml") => parse(text, "layout"),
            name => parse(&read_file(name)?, name),
        }
    }
}

fn read_file(name: &str) -> Result<String, String> {
    let found = |e: &dyn std::fmt::Display| format!("`{name}`: wanted a file with <hdf5_layout>, found: {e}");
    let mut text = String::new();
    let file = File::open(name).map_err(|e| found(&e))?;
    file.take(MOST_BYTES as u64 + 1).read_to_string(&mut text).map_err(|e| found(&e))?;
    Ok(text)
}
