//! The parts of a layout.

/// A tree that is to be written.
#[derive(Clone, PartialEq, Debug)]
pub(in super::super) struct Layout {
    /// A property of the file itself.
    pub(in super::super) root: Group,
    /// Whether attributes of frames without a place go to the group that is the default, else to the root.
    pub(in super::super) keeps_others: bool,
    /// The attribute of a frame that names its data set of pixels.
    pub(in super::super) destination: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(in super::super) struct Group {
    pub(in super::super) name: String,
    /// Attributes of frames without a place go here.
    pub(in super::super) is_default: bool,
    pub(in super::super) attributes: Vec<Attribute>,
    pub(in super::super) items: Vec<Item>,
}

/// The content of a group.
#[derive(Clone, PartialEq, Debug)]
pub(in super::super) enum Item {
    Group(Group),
    DataSet(DataSet),
    Link { name: String, target: String },
}

#[derive(Clone, PartialEq, Debug)]
pub(in super::super) struct DataSet {
    pub(in super::super) name: String,
    pub(in super::super) source: Source,
    pub(in super::super) attributes: Vec<Attribute>,
}

/// Where the data of a data set are from.
#[derive(Clone, PartialEq, Debug)]
pub(in super::super) enum Source {
    /// The pixels of frames; also of frames that name no data set, if it is the default.
    Detector {
        is_default: bool,
    },
    /// An attribute of frames.
    FrameAttribute(String, When),
    Constant(Constant),
    /// The times of writing.
    Times,
    /// A value that this program knows.
    Own(Own),
}

/// An attribute of a group or a data set.
#[derive(Clone, PartialEq, Debug)]
pub(in super::super) struct Attribute {
    pub(in super::super) name: String,
    pub(in super::super) value: Value,
}

#[derive(Clone, PartialEq, Debug)]
pub(in super::super) enum Value {
    Constant(Constant),
    FrameAttribute(String, When),
    Own(Own),
}

#[derive(Clone, PartialEq, Debug)]
pub(in super::super) enum Constant {
    Text(String),
    Ints(Vec<i32>),
    Floats(Vec<f64>),
}

/// When an attribute of frames is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum When {
    /// The value of the first frame.
    Open,
    /// One value for each frame.
    Frame,
    /// The value of the last frame.
    Close,
}

/// A value about a file that this program knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Own {
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
    pub(super) const ALL: [(&'static str, Own); 9] = [
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
