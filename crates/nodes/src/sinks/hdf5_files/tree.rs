//! The tree of a file: a layout filled with the properties of the first frame.

use std::collections::{BTreeMap, BTreeSet};

use livetime_engine::files::AttributeNotes;
use livetime_formats::hdf5::{Attribute, Element, Grid, GridId, Growing, NodeId, StreamId, Tree};
use livetime_frame::{AttributeValue, Attributes, DType, Layout as Shape};

use super::super::nd_file::FileMode;
use super::columns::{Columns, Facts, Given, Kind, LastPlace, Place, Source, described};
use super::grid::Axes;
use super::layout::{self, Constant, DataSet, Group, Item, Layout, Own, Value, When};
use super::packing::Packing;
use super::params::Hdf5FilesParams;
use super::parts::Parts;

/// Rows of a chunk of a column.
const COLUMN_CHUNK: u64 = 16384;
/// Numbers of a row of the times of writing.
pub(super) const TIMES: usize = 5;

/// The places of a file where a frame leaves something.
pub(super) struct Places {
    pub(super) pixels: Vec<Pixels>,
    /// Which of them is for frames that name none.
    pub(super) default: usize,
    /// The attribute by which frames name one.
    pub(super) destination: Option<String>,
    pub(super) times: Option<StreamId>,
    pub(super) columns: Columns,
    /// Sums of losses, which keep their place.
    pub(super) lost: Vec<NodeId>,
    pub(super) taken_back: Vec<NodeId>,
    pub(super) finished: Vec<NodeId>,
}

/// A data set of pixels.
pub(super) struct Pixels {
    pub(super) path: String,
    pub(super) rows: Rows,
}

/// Where its frames go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rows {
    /// One behind another.
    Stream(StreamId),
    /// Into the axes of the scan.
    Grid(GridId),
}

impl Places {
    /// The data sets whose rows are kept in memory for a while.
    pub(super) fn rows(&self) -> Vec<StreamId> {
        self.times.into_iter().chain(self.columns.streams()).collect()
    }

    /// The number of the data set for the pixels of a frame with these attributes.
    pub(super) fn target(&self, attributes: &Attributes) -> usize {
        // A layout without a destination sends all frames to the default.
        let Some(name) = &self.destination else { return self.default };
        let named = match attributes.get(name) {
            Some(AttributeValue::Text(path)) => self.pixels.iter().position(|set| *set.path == **path),
            _ => None,
        };
        // An unknown path must not lose the frame.
        named.unwrap_or(self.default)
    }
}

/// The origin of the data, as the file describes it.
pub(super) struct Origin<'a> {
    pub(super) node: &'a str,
    pub(super) pipeline: &'a str,
    pub(super) parameters: &'a str,
    pub(super) notes: &'a AttributeNotes,
}

/// The input of a tree.
pub(super) struct Wanted<'a> {
    pub(super) layout: &'a Layout,
    pub(super) shape: &'a Shape,
    pub(super) packing: &'a Packing,
    pub(super) parts: Option<&'a Parts>,
    pub(super) axes: Option<&'a Axes>,
    pub(super) params: &'a Hdf5FilesParams,
    pub(super) origin: Origin<'a>,
    pub(super) first: &'a Facts<'a>,
}

/// The tree, and the parts of the layout that could not be made.
pub(super) fn tree(wanted: &Wanted<'_>) -> (Tree, Places, Vec<String>) {
    let none = Attributes::default();
    // The user can leave attributes out, also attributes that the layout names.
    let stored = wanted.params.store_attributes;
    let attributes = if stored { &wanted.first.header.attributes } else { &none };
    let mut builder = Builder {
        wanted,
        attributes,
        tree: Tree::default(),
        // The root is there from the beginning, so that paths of one name find it.
        at: BTreeMap::from([(String::new(), Tree::ROOT)]),
        places: Places {
            pixels: vec![],
            default: 0,
            destination: wanted.layout.destination.clone(),
            times: None,
            columns: Columns::new(&wanted.first.header.attributes),
            lost: vec![],
            taken_back: vec![],
            finished: vec![],
        },
        columns: vec![],
        times: None,
        others: None,
        links: vec![],
        problems: vec![],
    };
    // The order matters: the layout's objects have the first choice of names.
    builder.fill(Tree::ROOT, "", &wanted.layout.root);
    builder.add_others();
    builder.add_times();
    builder.add_columns();
    builder.add_links();
    (builder.tree, builder.places, builder.problems)
}

struct Builder<'a> {
    wanted: &'a Wanted<'a>,
    /// The stored attributes of the first frame.
    attributes: &'a Attributes,
    tree: Tree,
    /// The existing nodes, by their path; the root is the empty path.
    at: BTreeMap<String, NodeId>,
    places: Places,
    columns: Vec<Wish<'a>>,
    times: Option<(NodeId, String, &'a DataSet)>,
    /// The group for attributes without a place.
    others: Option<(NodeId, String)>,
    /// Group, name and target.
    links: Vec<(NodeId, &'a str, String)>,
    problems: Vec<String>,
}

/// A column that is added when all others are known, because their order is the order in which readers are shown them.
struct Wish<'a> {
    group: NodeId,
    path: String,
    name: &'a str,
    source: Source,
    about: Vec<Attribute>,
    late: &'a [layout::Attribute],
}

// ---- The content of the layout ----

impl<'a> Builder<'a> {
    fn fill(&mut self, node: NodeId, path: &str, group: &'a Group) {
        self.describe(node, &group.attributes);
        // ADCore writes the host's name to the group of the default attributes.
        if group.is_default && self.others.is_none() {
            self.tree.attribute(node, hostname());
            self.others = Some((node, path.to_owned()));
        }
        for item in &group.items {
            match item {
                Item::Group(inner) => {
                    let below = format!("{path}/{}", inner.name);
                    let child = self.tree.group(node, &inner.name, vec![]);
                    self.at.insert(below.clone(), child);
                    self.fill(child, &below, inner);
                }
                Item::DataSet(set) => self.data_set(node, path, set),
                // Links come last: their targets may follow later in the layout.
                Item::Link { name, target } => self.links.push((node, name, target.clone())),
            }
        }
    }

    fn data_set(&mut self, group: NodeId, path: &str, set: &'a DataSet) {
        let below = format!("{path}/{}", set.name);
        match &set.source {
            layout::Source::Detector { is_default } => {
                if *is_default {
                    // The first data set is the default if none says that it is.
                    self.places.default = self.places.pixels.len();
                }
                let node = self.pixels(group, &below, set);
                self.at.insert(below, node);
            }
            layout::Source::Constant(constant) => {
                let (element, shape, data) = constant_data(constant);
                let node = self.tree.fixed(group, &set.name, (element, &shape), data, vec![]);
                self.describe(node, &set.attributes);
                self.at.insert(below, node);
            }
            layout::Source::FrameAttribute(name, when) => {
                self.frame_attribute(group, below, set, name, *when)
            }
            layout::Source::Times => self.times = Some((group, below, set)),
            layout::Source::Own(own) => self.own(group, below, set, *own),
        }
    }

    fn frame_attribute(&mut self, group: NodeId, path: String, set: &'a DataSet, name: &str, when: When) {
        let Some(source) = self.source(name) else { return };
        let about = self.about(name);
        // The order of columns is known only at the end, so columns are collected.
        if when == When::Frame {
            self.columns.push(Wish { group, path, name: &set.name, source, about, late: &set.attributes });
            return;
        }
        let mut value = Vec::new();
        source.encode(self.wanted.first, &mut value);
        let node = self.tree.fixed(group, &set.name, (source.kind.element(), &[1]), value, about);
        self.describe(node, &set.attributes);
        self.at.insert(path, node);
        // The value of the first frame is there from the beginning: a file that is never closed then has one
        // too.
        if when == When::Close {
            self.places.columns.add_last(source, LastPlace::DataSet(node));
        }
    }

    fn own(&mut self, group: NodeId, path: String, set: &'a DataSet, own: Own) {
        let node = match own {
            Own::MissingBefore => {
                let source = Source::given(Given::MissingBefore);
                let wish =
                    Wish { group, path, name: &set.name, source, about: vec![], late: &set.attributes };
                self.columns.push(wish);
                return;
            }
            Own::Lost | Own::TakenBack | Own::Finished => {
                // The number has a fixed place that is rewritten while the file is open.
                let shape = (Element::Number(DType::U64), &[][..]);
                let node = self.tree.fixed(group, &set.name, shape, vec![0; 8], vec![]);
                match own {
                    Own::Lost => self.places.lost.push(node),
                    Own::TakenBack => self.places.taken_back.push(node),
                    _ => self.places.finished.push(node),
                }
                node
            }
            // An empty text says nothing, so its data set is left out.
            text => match self.own_text(text) {
                "" => return,
                text => self.tree.text(group, &set.name, text),
            },
        };
        self.describe(node, &set.attributes);
        self.at.insert(path, node);
    }

    fn own_text(&self, own: Own) -> &'a str {
        let origin = &self.wanted.origin;
        match own {
            Own::Program => "livetime",
            Own::Version => env!("CARGO_PKG_VERSION"),
            Own::Node => origin.node,
            Own::Parameters => origin.parameters,
            Own::Pipeline => origin.pipeline,
            Own::MissingBefore | Own::Lost | Own::TakenBack | Own::Finished => "",
        }
    }

    /// Adds the attributes of a group or a data set.
    fn describe(&mut self, node: NodeId, attributes: &[layout::Attribute]) {
        for attribute in attributes {
            let name = &attribute.name;
            match &attribute.value {
                Value::Constant(constant) => self.tree.attribute(node, constant_attribute(name, constant)),
                Value::Own(own) => self.tree.attribute(node, Attribute::text(name, self.own_text(*own))),
                Value::FrameAttribute(from, when) => self.describe_by_frame(node, name, from, *when),
            }
        }
    }

    fn describe_by_frame(&mut self, node: NodeId, name: &str, from: &str, when: When) {
        let Some(source) = self.source(from) else { return };
        let mut value = Vec::new();
        source.encode(self.wanted.first, &mut value);
        // At the opening the first frame is the only one known.
        if when == When::Open {
            let attribute = match source.kind {
                Kind::Text => Attribute::text(name, text_of(&value)),
                kind => Attribute::element(name, kind.element(), value),
            };
            self.tree.attribute(node, attribute);
            return;
        }
        let attribute = Attribute::element(name, source.kind.element(), value);
        let late = self.tree.late_attribute(node, attribute);
        self.places.columns.add_last(source, LastPlace::Attribute(late));
    }

    /// Where the values called `name` are from; noted as a problem if the first frame has none.
    fn source(&mut self, name: &str) -> Option<Source> {
        // Values that belong to every frame take no attribute of the same name.
        if let Some(given) = Given::named(name) {
            return Some(Source::given(given));
        }
        let note = self.wanted.origin.notes.get(name);
        let source = Source::attribute(name, self.attributes, note.as_ref());
        // A user who stores no attributes misses none.
        if source.is_none() && self.wanted.params.store_attributes {
            self.problems.push(format!("wanted the attribute `{name}` in the first frame, found none"));
        }
        source
    }

    fn about(&self, name: &str) -> Vec<Attribute> {
        described(name, self.wanted.origin.notes.get(name).as_ref())
    }
}

// ---- Content that the layout lacks ----

impl<'a> Builder<'a> {
    /// Attributes without a place go to the group that is the default.
    fn add_others(&mut self) {
        let group =
            self.others.clone().or(self.wanted.layout.keeps_others.then(|| (Tree::ROOT, String::new())));
        let Some((group, path)) = group else { return };
        let placed = placed(&self.wanted.layout.root);
        let given = |name: &str| Given::named(name).is_some();
        for attribute in self.attributes.iter().filter(|a| !placed.contains(&*a.name)) {
            let name = &*attribute.name;
            let is_name = !name.is_empty() && !name.contains(['/', '\0']) && name != ".";
            // A property that every frame has is not taken from an attribute of the same name.
            match is_name && !given(name) {
                true => self.wish(group, &path, name),
                // The colour mode is written with the pixels, so its refusal is no problem to report.
                false if name == "ColorMode" => {}
                false => self.problems.push(format!(
                    "wanted names of attributes without `/` that no column of the file has, found `{name}`"
                )),
            }
        }
        for (name, _) in Given::NAMED {
            if !placed.contains(name) {
                self.wish(group, &path, name);
            }
        }
    }

    fn wish(&mut self, group: NodeId, path: &str, name: &'a str) {
        let path = format!("{path}/{name}");
        let Some(source) = self.source(name) else { return };
        let is_taken = self.at.contains_key(&path) || self.columns.iter().any(|wish| wish.path == path);
        // Two objects of one path would make a file that readers cannot open.
        if is_taken || self.links_to(&path) {
            self.problems.push(format!("wanted a place for the attribute `{name}`, found another `{path}`"));
            return;
        }
        let about = self.about(name);
        self.columns.push(Wish { group, path, name, source, about, late: &[] });
    }

    fn links_to(&self, path: &str) -> bool {
        let (group, name) = path.rsplit_once('/').unwrap_or(("", path));
        let group = self.at.get(group);
        self.links.iter().any(|(node, link, _)| Some(node) == group && *link == name)
    }

    fn add_times(&mut self) {
        if !self.wanted.params.store_performance {
            return;
        }
        let row = Growing { row: &[TIMES as u64], ..column(Element::Number(DType::F64), self.chunk()) };
        let (group, path, attributes) = match (self.times.take(), self.others.clone()) {
            (Some((group, path, set)), _) => (group, path, &set.attributes[..]),
            // A layout that keeps only what it names gets no times of its own either.
            (None, None) if !self.wanted.layout.keeps_others => return,
            (None, others) => {
                let (group, path) = others.unwrap_or((Tree::ROOT, String::new()));
                (group, format!("{path}/timestamp"), &[][..])
            }
        };
        // The layout has an object of this name for something else, and this object is the user's.
        if self.at.contains_key(&path) || self.links_to(&path) {
            return;
        }
        let (node, stream) = self.tree.growing(group, "timestamp", row, vec![]);
        self.describe(node, attributes);
        self.at.insert(path, node);
        self.places.times = Some(stream);
    }

    /// The number of the frame is the last of all columns: its length is the number of complete frames for readers.
    fn add_columns(&mut self) {
        let (last, first): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.columns).into_iter().partition(|wish| wish.source.is_unique_id());
        for wish in first.into_iter().chain(last) {
            let element = wish.source.kind.element();
            // The order of frames has one value for each frame, whatever the place in the grid.
            let axes = self.wanted.axes.filter(|axes| axes.for_attributes && !wish.source.is_of_order());
            let (node, place) = match axes {
                None => {
                    let growing = column(element, self.chunk());
                    let (node, stream) = self.tree.growing(wish.group, wish.name, growing, wish.about);
                    (node, Place::Rows(stream))
                }
                Some(axes) => {
                    // An attribute of one axis has one value for each place along it.
                    let axis = axes.index_of(wish.source.name().map_or(wish.name, |name| name));
                    let sizes = axis.map_or(axes.sizes.clone(), |axis| vec![axes.sizes[axis]]);
                    let (row, fill, chunk) = (vec![], vec![], sizes.clone());
                    let what = Grid { element, sizes, row, chunk, fill, filter: None };
                    let (node, grid) = self.tree.grid(wish.group, wish.name, what, wish.about);
                    (node, Place::Grid(grid, axis))
                }
            };
            self.describe(node, wish.late);
            self.at.insert(wish.path, node);
            self.places.columns.add(wish.source, place);
        }
    }

    fn add_links(&mut self) {
        for (group, name, target) in std::mem::take(&mut self.links) {
            let path = format!("/{}", target.trim_matches('/'));
            match self.at.get(&path) {
                Some(node) => self.tree.link(group, name, *node),
                None => self
                    .problems
                    .push(format!("wanted `{target}` for the link `{name}`, found nothing there")),
            }
        }
    }

    fn chunk(&self) -> u64 {
        match self.wanted.params.attribute_chunk {
            // A column is as long as the file, so a chunk of this length wastes no space.
            0 => self.frames().clamp(1, COLUMN_CHUNK),
            rows => u64::from(rows),
        }
    }

    /// How many frames the file will have, if that is known; else very many.
    fn frames(&self) -> u64 {
        let params = self.wanted.params;
        let limits = [params.common.num_capture, params.frames_per_file];
        match params.common.mode {
            // One frame is in each file.
            FileMode::Single => 1,
            _ => limits.into_iter().filter(|limit| *limit != 0).min().unwrap_or(u64::MAX),
        }
    }

    fn pixels(&mut self, group: NodeId, path: &str, set: &'a DataSet) -> NodeId {
        let Wanted { shape, packing, parts, params, axes, .. } = self.wanted;
        let row: Vec<u64> = shape.shape().map(|size| size as u64).collect();
        let (element, filter) = (Element::Number(shape.dtype()), packing.filter.clone());
        let (node, rows) = match axes {
            None => {
                let chunk = u64::from(params.frames_per_chunk.max(1));
                let part = parts.map(Parts::sizes).unwrap_or_default();
                let what = Growing { element, row: &row, chunk, part: &part, filter };
                let (node, stream) = self.tree.growing(group, &set.name, what, vec![]);
                (node, Rows::Stream(stream))
            }
            Some(axes) => {
                let (sizes, chunk) = (axes.sizes.clone(), axes.chunk.clone());
                let fill = element_of(params.grid.fill_value, shape.dtype());
                let what = Grid { element, sizes, row, chunk, fill, filter };
                let (node, grid) = self.tree.grid(group, &set.name, what, vec![]);
                (node, Rows::Grid(grid))
            }
        };
        self.describe(node, &set.attributes);
        // The layout's own attribute of the same name wins.
        let is_new = |about: &Attribute| set.attributes.iter().all(|a| a.name != about.name());
        for about in shape_attributes(shape).into_iter().filter(is_new) {
            self.tree.attribute(node, about);
        }
        self.places.pixels.push(Pixels { path: path.to_owned(), rows });
        node
    }
}

/// Attributes of frames that the layout has a data set for.
fn placed(root: &Group) -> BTreeSet<&str> {
    let mut groups = vec![root];
    let mut names = BTreeSet::new();
    while let Some(group) = groups.pop() {
        for item in &group.items {
            match item {
                Item::Group(inner) => groups.push(inner),
                Item::DataSet(DataSet { source: layout::Source::FrameAttribute(name, _), .. }) => {
                    names.insert(name.as_str());
                }
                _ => {}
            }
        }
    }
    names
}

/// areaDetector's attributes of the shape of frames.
fn shape_attributes(shape: &Shape) -> Vec<Attribute> {
    let dims: Vec<_> = shape.dims().iter().rev().collect();
    let offsets: Vec<i32> = dims.iter().map(|dim| dim.offset as i32).collect();
    let binnings: Vec<i32> = dims.iter().map(|dim| dim.binning as i32).collect();
    let reverses: Vec<i32> = dims.iter().map(|dim| i32::from(dim.reverse)).collect();
    vec![
        Attribute::int("NDArrayNumDims", dims.len() as i32),
        Attribute::ints("NDArrayDimOffset", &offsets),
        Attribute::ints("NDArrayDimBinning", &binnings),
        Attribute::ints("NDArrayDimReverse", &reverses),
    ]
}

/// As ADCore writes them: a text as one element of an array, one number alone, more as an array.
fn constant_data(constant: &Constant) -> (Element, Vec<u64>, Vec<u8>) {
    let shape = |count: usize| if count == 1 { vec![] } else { vec![count as u64] };
    match constant {
        // The zero at the end is ADCore's: readers in C expect it.
        Constant::Text(text) => {
            let mut data = text.as_bytes().to_vec();
            data.push(0);
            (Element::Text(data.len() as u32), vec![1], data)
        }
        Constant::Ints(values) => {
            let data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            (Element::Number(DType::I32), shape(values.len()), data)
        }
        Constant::Floats(values) => {
            let data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            (Element::Number(DType::F64), shape(values.len()), data)
        }
    }
}

fn constant_attribute(name: &str, constant: &Constant) -> Attribute {
    match constant {
        Constant::Text(text) => Attribute::text(name, text),
        Constant::Ints(values) if values.len() == 1 => Attribute::int(name, values[0]),
        Constant::Ints(values) => Attribute::ints(name, values),
        Constant::Floats(values) if values.len() == 1 => Attribute::float(name, values[0]),
        Constant::Floats(values) => Attribute::floats(name, values),
    }
}

/// A number as an element, as near as its type allows.
fn element_of(value: f64, dtype: DType) -> Vec<u8> {
    let bytes = match dtype {
        // A float is not cut to an integer.
        DType::F32 => return (value as f32).to_le_bytes().to_vec(),
        // The casts saturate, so a fill value out of range becomes the nearest that the type has.
        DType::F64 => return value.to_le_bytes().to_vec(),
        DType::I8 => i64::from(value as i8).to_le_bytes(),
        DType::U8 => u64::from(value as u8).to_le_bytes(),
        DType::I16 => i64::from(value as i16).to_le_bytes(),
        DType::U16 => u64::from(value as u16).to_le_bytes(),
        DType::I32 => i64::from(value as i32).to_le_bytes(),
        DType::U32 => u64::from(value as u32).to_le_bytes(),
        DType::I64 => (value as i64).to_le_bytes(),
        DType::U64 => (value as u64).to_le_bytes(),
    };
    bytes[..dtype.bytes()].to_vec()
}

fn text_of(row: &[u8]) -> &str {
    let end = row.iter().position(|byte| *byte == 0).unwrap_or(row.len());
    // A fixed text is filled up with zeros.
    std::str::from_utf8(&row[..end]).unwrap_or("")
}

fn column(element: Element, chunk: u64) -> Growing<'static> {
    Growing { element, row: &[], chunk, part: &[], filter: None }
}

fn hostname() -> Attribute {
    // A machine without this file has an empty name; the file is written all the same.
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    Attribute::text("hostname", name.trim())
}
