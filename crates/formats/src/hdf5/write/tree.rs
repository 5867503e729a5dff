//! The content of a new file: groups, data sets, attributes and links.

use std::sync::Arc;

use livetime_frame::DType;

use super::super::element::Element;
use super::super::filter::Filter;

/// A group or a data set of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeId(pub(super) usize);

/// A data set that grows; see [`Tree::growing`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreamId(pub(super) usize);

/// A data set of rows in a grid; see [`Tree::grid`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridId(pub(super) usize);

/// A named value that is written anew later; see [`Tree::late_attribute`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LateId(pub(super) usize);

/// A named value of a group or a data set.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    pub(super) name: String,
    pub(super) element: Element,
    pub(super) shape: Vec<u64>,
    pub(super) data: Vec<u8>,
}

impl Attribute {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A text.
    pub fn text(name: &str, value: &str) -> Attribute {
        // No text has no bytes, which HDF5 does not allow.
        let data = if value.is_empty() { vec![0] } else { value.as_bytes().to_vec() };
        Attribute { name: name.into(), element: Element::Text(data.len() as u32), shape: vec![], data }
    }

    /// One element, little-endian; `data` must have its size.
    pub fn element(name: &str, element: Element, data: Vec<u8>) -> Attribute {
        Attribute { name: name.into(), element, shape: vec![], data }
    }

    /// A whole number, as `i32`.
    pub fn int(name: &str, value: i32) -> Attribute {
        let element = Element::Number(DType::I32);
        Attribute { name: name.into(), element, shape: vec![], data: value.to_le_bytes().to_vec() }
    }

    /// Whole numbers, as `i32`.
    pub fn ints(name: &str, values: &[i32]) -> Attribute {
        let data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let element = Element::Number(DType::I32);
        Attribute { name: name.into(), element, shape: vec![values.len() as u64], data }
    }

    /// A number, as `f64`.
    pub fn float(name: &str, value: f64) -> Attribute {
        Attribute::element(name, Element::Number(DType::F64), value.to_le_bytes().to_vec())
    }

    /// Numbers, as `f64`.
    pub fn floats(name: &str, values: &[f64]) -> Attribute {
        let data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let element = Element::Number(DType::F64);
        Attribute { name: name.into(), element, shape: vec![values.len() as u64], data }
    }
}

pub(super) struct Link {
    pub(super) name: String,
    pub(super) target: Target,
}

pub(super) enum Target {
    Node(usize),
    Path(String),
    File(String, String),
}

/// The properties of a data set that grows.
#[derive(Clone, PartialEq, Debug)]
pub struct Growing<'a> {
    /// Type of the elements.
    pub element: Element,
    /// Shape of a row, slowest axis first; empty for one element a row.
    pub row: &'a [u64],
    /// Rows of a chunk, at least 1.
    pub chunk: u64,
    /// Elements of a chunk along each axis of a row, at most the elements of the row; empty for whole rows.
    pub part: &'a [u64],
    /// How chunks are compressed before they are written.
    pub filter: Option<Filter>,
}

/// The properties of a data set of rows in a grid.
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    /// Type of the elements.
    pub element: Element,
    /// The largest size of each axis of the grid, slowest axis first.
    pub sizes: Vec<u64>,
    /// Shape of a row, slowest axis first; empty for one element a row.
    pub row: Vec<u64>,
    /// Rows of a chunk, along each axis of the grid; 1 with a filter.
    pub chunk: Vec<u64>,
    /// The element that places have where nothing was written; empty for 0.
    pub fill: Vec<u8>,
    /// How chunks are compressed before they are written.
    pub filter: Option<Filter>,
}

/// A part of a virtual data set: `rows` rows from row `first` on come from another file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The other file, as seen from the folder of this one.
    pub file: String,
    /// The data set in it, from its root.
    pub data_set: String,
    /// Its rows.
    pub rows: u64,
}

/// Rows of a data set at equal distances: `count` blocks of `block` rows, which begin `stride` rows apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The first row of the first block.
    pub first: u64,
    /// From the begin of a block to that of the next one; at least `block`.
    pub stride: u64,
    /// Number of blocks.
    pub count: u64,
    /// Rows of a block, at least 1.
    pub block: u64,
}

impl Rows {
    /// `count` rows from row `first` on.
    pub fn run(first: u64, count: u64) -> Rows {
        Rows { first, stride: count.max(1), count: 1, block: count }
    }
}

/// Rows of another data set that a virtual one shows; see [`Tree::mapped`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// The other file, as seen from the folder of this one.
    pub file: Arc<str>,
    /// The data set in it, from its root.
    pub data_set: Arc<str>,
    /// Its rows.
    pub from: Rows,
    /// The rows of the virtual data set that show them, as many.
    pub to: Rows,
    /// The place along the second axis of the virtual data set, which the other data set does not have.
    pub place: Option<u64>,
}

pub(super) enum Kind {
    Group(Vec<Link>),
    Growing(usize),
    Grid(usize),
    Fixed { element: Element, shape: Vec<u64>, data: Vec<u8> },
    Virtual { element: Element, shape: Vec<u64>, mappings: Vec<Mapping> },
}

pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) attributes: Vec<Attribute>,
}

pub(super) struct Stream {
    pub(super) element: Element,
    pub(super) row: Vec<u64>,
    /// Elements of a chunk along the axes of a row.
    pub(super) part: Vec<u64>,
    pub(super) chunk: u64,
    pub(super) filter: Option<Filter>,
}

/// The content of a new file. Names of children must differ and have no `/`.
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) streams: Vec<Stream>,
    pub(super) grids: Vec<Grid>,
    /// Node and place of attributes that are written anew later.
    pub(super) late: Vec<(usize, usize)>,
}

impl Default for Tree {
    fn default() -> Tree {
        let root = Node { kind: Kind::Group(vec![]), attributes: vec![] };
        Tree { nodes: vec![root], streams: vec![], grids: vec![], late: vec![] }
    }
}

impl Tree {
    /// The group that holds everything.
    pub const ROOT: NodeId = NodeId(0);

    /// Adds a group.
    pub fn group(&mut self, parent: NodeId, name: &str, attributes: Vec<Attribute>) -> NodeId {
        self.add(parent, name, Kind::Group(vec![]), attributes)
    }

    /// Adds a data set whose first axis grows without bound. A data set that is added later is shown to readers later,
    /// so that readers may trust the length of the last one.
    pub fn growing(
        &mut self,
        parent: NodeId,
        name: &str,
        what: Growing<'_>,
        attributes: Vec<Attribute>,
    ) -> (NodeId, StreamId) {
        let Growing { element, row, chunk, part, filter } = what;
        let part = if part.is_empty() { row.to_vec() } else { part.to_vec() };
        self.streams.push(Stream { element, row: row.to_vec(), part, chunk: chunk.max(1), filter });
        let stream = self.streams.len() - 1;
        (self.add(parent, name, Kind::Growing(stream), attributes), StreamId(stream))
    }

    /// Adds a data set whose rows are written at any place of a grid. Each axis has the size of the highest place so
    /// far.
    pub fn grid(
        &mut self,
        parent: NodeId,
        name: &str,
        what: Grid,
        attributes: Vec<Attribute>,
    ) -> (NodeId, GridId) {
        self.grids.push(what);
        let grid = self.grids.len() - 1;
        (self.add(parent, name, Kind::Grid(grid), attributes), GridId(grid))
    }

    /// Adds a data set that keeps its shape; `data`, little-endian, must have its size.
    pub fn fixed(
        &mut self,
        parent: NodeId,
        name: &str,
        (element, shape): (Element, &[u64]),
        data: Vec<u8>,
        attributes: Vec<Attribute>,
    ) -> NodeId {
        self.add(parent, name, Kind::Fixed { element, shape: shape.to_vec(), data }, attributes)
    }

    /// Adds a text.
    pub fn text(&mut self, parent: NodeId, name: &str, value: &str) -> NodeId {
        let data = if value.is_empty() { vec![0] } else { value.as_bytes().to_vec() };
        self.fixed(parent, name, (Element::Text(data.len() as u32), &[]), data, vec![])
    }

    /// Adds a data set that other files hold, one after another along the first axis.
    pub fn virtual_data(
        &mut self,
        parent: NodeId,
        name: &str,
        (element, row): (Element, &[u64]),
        parts: Vec<Part>,
        attributes: Vec<Attribute>,
    ) -> NodeId {
        let mut rows = 0;
        let mappings = parts.into_iter().map(|part| {
            let to = Rows::run(rows, part.rows);
            rows += part.rows;
            let (file, data_set) = (part.file.into(), part.data_set.into());
            Mapping { file, data_set, from: Rows::run(0, part.rows), to, place: None }
        });
        let mappings = mappings.collect();
        let shape: Vec<u64> = std::iter::once(rows).chain(row.iter().copied()).collect();
        self.mapped(parent, name, (element, &shape), mappings, attributes)
    }

    /// Adds a data set of this shape whose rows other files hold, wherever they lie there. Rows that no mapping shows have the fill
    /// value.
    pub fn mapped(
        &mut self,
        parent: NodeId,
        name: &str,
        (element, shape): (Element, &[u64]),
        mappings: Vec<Mapping>,
        attributes: Vec<Attribute>,
    ) -> NodeId {
        self.add(parent, name, Kind::Virtual { element, shape: shape.to_vec(), mappings }, attributes)
    }

    /// Adds another name for a group or a data set.
    pub fn link(&mut self, parent: NodeId, name: &str, target: NodeId) {
        self.add_link(parent, name, Target::Node(target.0));
    }

    /// Adds a name for whatever is at `path`.
    pub fn soft_link(&mut self, parent: NodeId, name: &str, path: &str) {
        self.add_link(parent, name, Target::Path(path.into()));
    }

    /// Adds a name for the object at `path` of another file; `file` as seen from the folder of this one.
    pub fn external_link(&mut self, parent: NodeId, name: &str, file: &str, path: &str) {
        self.add_link(parent, name, Target::File(file.into(), path.into()));
    }

    /// Adds an attribute.
    pub fn attribute(&mut self, node: NodeId, attribute: Attribute) {
        self.nodes[node.0].attributes.push(attribute);
    }

    /// Adds an attribute whose value is written anew later, in as many bytes
    /// ([`Writer::rewrite_attribute`](super::Writer::rewrite_attribute)).
    pub fn late_attribute(&mut self, node: NodeId, attribute: Attribute) -> LateId {
        self.late.push((node.0, self.nodes[node.0].attributes.len()));
        self.attribute(node, attribute);
        LateId(self.late.len() - 1)
    }

    fn add(&mut self, parent: NodeId, name: &str, kind: Kind, attributes: Vec<Attribute>) -> NodeId {
        self.nodes.push(Node { kind, attributes });
        let node = self.nodes.len() - 1;
        self.add_link(parent, name, Target::Node(node));
        NodeId(node)
    }

    fn add_link(&mut self, parent: NodeId, name: &str, target: Target) {
        if let Kind::Group(links) = &mut self.nodes[parent.0].kind {
            links.push(Link { name: name.into(), target });
        }
    }
}
