//! The content of the master: what the first file has, and the account.

use std::collections::BTreeMap;
use std::sync::Arc;

use livetime_formats::hdf5::{
    Array, Attribute, Element, Found, Growing, Mapping, NodeId, Scratch, StreamId, Tree,
};
use livetime_formats::{Error, Result};
use livetime_frame::{AttributeValue, DType};

use super::super::content::COLUMN_BYTES;
use super::input::Input;
use super::mapping::Mappings;
use super::order::Order;
use super::outcome::{Joined, Missing, Shape};
use super::place::{ACCOUNT, account_of};
use super::sets::{Set, Sets, Way, element, has_rows, split};

/// Rows of a chunk of a column, as in `hdf5_files`.
const COLUMN_CHUNK: u64 = 16384;
/// The most bytes of a data set that keeps its shape and is copied.
const MOST_FIXED: u64 = 1 << 20;
/// Ranges of missing numbers that the file lists.
const MOST_RANGES: usize = 1 << 20;

/// Everything that a master is made of.
pub(super) struct Master<'a> {
    pub(super) inputs: &'a [Input],
    pub(super) sets: &'a Sets,
    pub(super) order: &'a Order,
    pub(super) account: &'a Joined,
    pub(super) shape: Shape,
    pub(super) mappings: &'a Mappings,
}

/// A column that is filled when the file is there.
pub(super) struct Column {
    pub(super) path: String,
    pub(super) content: Filling,
    pub(super) stream: StreamId,
}

/// Where the values of a column come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Filling {
    Copied,
    MissingBefore,
    /// Modules that have the frame.
    Present,
}

/// The tree, its columns, and data sets that it has not.
pub(super) struct Made {
    pub(super) tree: Tree,
    pub(super) columns: Vec<Column>,
    pub(super) left_out: Vec<String>,
}

pub(super) fn tree(master: &Master<'_>) -> Result<Made> {
    let Some(first) = master.inputs.first() else { return Err(Error::new("a file", "none")) };
    let made = Made { tree: Tree::default(), columns: vec![], left_out: vec![] };
    let mut builder = Builder { master, first, made, groups: BTreeMap::new(), links: vec![] };
    builder.groups.insert(String::new(), Tree::ROOT);
    let is_number = |found: &&Found| found.path == first.numbered;
    // The numbers come last: their length tells readers how many frames are complete.
    let found = || first.content.found.iter();
    for found in found().filter(|found| !is_number(found)) {
        builder.add(found)?;
    }
    builder.account()?;
    found().filter(is_number).try_for_each(|found| builder.add(found))?;
    builder.add_links();
    Ok(builder.made)
}

struct Builder<'a> {
    master: &'a Master<'a>,
    first: &'a Input,
    made: Made,
    /// Groups by their paths.
    groups: BTreeMap<String, NodeId>,
    /// Further names of groups and data sets.
    links: Vec<(String, NodeId)>,
}

impl Builder<'_> {
    fn add(&mut self, found: &Found) -> Result<()> {
        let (group, name) = split(&found.path);
        if found.path.is_empty() {
            attributes(found).into_iter().for_each(|a| self.made.tree.attribute(Tree::ROOT, a));
            return Ok(());
        }
        // The account of a master among the files is made anew.
        let Some(parent) = self.groups.get(group).copied() else { return Ok(()) };
        let node = match &found.array {
            None if found.path.ends_with(ACCOUNT) => return Ok(()),
            None => {
                let node = self.made.tree.group(parent, name, attributes(found));
                let names = std::iter::once(&found.path).chain(&found.others);
                self.groups.extend(names.map(|path| (path.clone(), node)));
                Some(node)
            }
            Some(array) => match self.master.sets.get(&found.path) {
                Some(set) => Some(self.rows(parent, found, set)?),
                None => self.fixed(parent, found, array)?,
            },
        };
        if let Some(node) = node {
            self.links.extend(found.others.iter().map(|other| (other.clone(), node)));
        }
        Ok(())
    }

    /// Adds further names; their groups may come behind the first name.
    fn add_links(&mut self) {
        for (path, node) in std::mem::take(&mut self.links) {
            let (group, name) = split(&path);
            if let Some(parent) = self.groups.get(group) {
                self.made.tree.link(*parent, name, node);
            }
        }
    }

    /// Adds a data set with a row for each frame.
    fn rows(&mut self, parent: NodeId, found: &Found, set: &Set) -> Result<NodeId> {
        let name = split(&found.path).1;
        let filling = match set.way {
            Way::Picture | Way::Shown => return Ok(self.mapped(parent, found, set)),
            Way::Copied => Filling::Copied,
            Way::MissingBefore => Filling::MissingBefore,
        };
        let element = if filling == Filling::Copied { set.element } else { Element::Number(DType::U32) };
        let what = Growing { element, row: &set.row, chunk: COLUMN_CHUNK, part: &[], filter: None };
        let (node, stream) = self.made.tree.growing(parent, name, what, attributes(found));
        self.made.columns.push(Column { path: found.path.clone(), content: filling, stream });
        Ok(node)
    }

    fn mapped(&mut self, parent: NodeId, found: &Found, set: &Set) -> NodeId {
        let master = self.master;
        let is_picture = set.way == Way::Picture;
        let is_beside = is_picture && master.shape == Shape::SideBySide;
        let data_set: Arc<str> = set.path.as_str().into();
        let mut all = Vec::new();
        for (number, (input, pairs)) in master.inputs.iter().zip(master.mappings.of(is_picture)).enumerate() {
            let place = is_beside.then_some(number as u64);
            let one = |(from, to): &(_, _)| {
                let (file, data_set) = (input.name.clone(), data_set.clone());
                Mapping { file, data_set, from: *from, to: *to, place }
            };
            all.extend(pairs.iter().map(one));
        }
        let modules = is_beside.then_some(master.inputs.len() as u64);
        let shape = std::iter::once(master.account.frames).chain(modules).chain(set.row.iter().copied());
        let shape: Vec<u64> = shape.collect();
        let about = attributes(found);
        self.made.tree.mapped(parent, split(&found.path).1, (set.element, &shape), all, about)
    }

    /// Adds a data set that is not one of frames, if it is the same in all files.
    fn fixed(&mut self, parent: NodeId, found: &Found, array: &Arc<Array>) -> Result<Option<NodeId>> {
        let name = split(&found.path).1;
        // A column that could not be joined was named when the sets were chosen.
        if has_rows(array, self.first.frames()) {
            return Ok(None);
        }
        if let Some(count) = self.count(found)? {
            let one = (Element::Number(DType::U64), &[][..]);
            let bytes = count.to_le_bytes().to_vec();
            return Ok(Some(self.made.tree.fixed(parent, name, one, bytes, attributes(found))));
        }
        let Some(value) = value(array)? else {
            let what = array.element().name();
            self.made.left_out.push(format!("{}: {:?} {what} is not copied", found.path, array.shape()));
            return Ok(None);
        };
        for other in &self.master.inputs[1..] {
            let there = other.array(&found.path).filter(|other| other.element() == array.element());
            if there.map(|other| self::value(other)).transpose()?.flatten().as_ref() != Some(&value) {
                let (first, other) = (self.first.path.display(), other.path.display());
                self.made
                    .left_out
                    .push(format!("{}: it is another one in {other} than in {first}", found.path));
                return Ok(None);
            }
        }
        let Value(element, shape, bytes) = value;
        Ok(Some(self.made.tree.fixed(parent, name, (element, &shape), bytes, attributes(found))))
    }

    /// A count of our recorders, of all files together.
    fn count(&self, found: &Found) -> Result<Option<u64>> {
        let (group, name) = split(&found.path);
        if !group.ends_with("/loss") {
            return Ok(None);
        }
        let counts = self.master.inputs.iter().map(|input| one(input, &found.path));
        let counts = counts.collect::<Result<Option<Vec<u64>>>>()?;
        let Some(counts) = counts else { return Ok(None) };
        Ok(match name {
            "lost" => Some(self.master.account.missing_frames()),
            "taken_back" => Some(counts.into_iter().fold(0, u64::saturating_add)),
            "finished" => counts.into_iter().min(),
            _ => None,
        })
    }

    /// Adds the account of all files.
    fn account(&mut self) -> Result<()> {
        let master = self.master;
        let account = account_of(&self.first.numbered);
        let parent = self.groups.get(split(&account).0).copied().unwrap_or(Tree::ROOT);
        let class = vec![Attribute::text("NX_class", "NXcollection")];
        let group = self.made.tree.group(parent, &ACCOUNT[1..], class);
        let files = &master.account.files;
        let (width, names) = texts(master.inputs.iter().map(|input| &*input.name));
        let count = files.len() as u64;
        self.made.tree.fixed(group, "file", (Element::Text(width), &[count]), names, vec![]);
        let column = |tree: &mut Tree, name, values: Vec<i64>| {
            let bytes = values.into_iter().flat_map(i64::to_le_bytes).collect();
            tree.fixed(group, name, (Element::Number(DType::I64), &[count]), bytes, vec![]);
        };
        let tree = &mut self.made.tree;
        column(tree, "frames", files.iter().map(|file| file.frames as i64).collect());
        column(tree, "first", files.iter().map(|file| file.numbers.map_or(-1, |(first, _)| first)).collect());
        column(tree, "last", files.iter().map(|file| file.numbers.map_or(-1, |(_, last)| last)).collect());
        column(tree, "again", files.iter().map(|file| file.again as i64).collect());
        column(tree, "missing", files.iter().map(|file| file.missing as i64).collect());
        column(tree, "partial", files.iter().map(|file| file.partial as i64).collect());
        let listed = &master.account.missing[..master.account.missing.len().min(MOST_RANGES)];
        let about = vec![Attribute::text("columns", "first number, last number, file (-1: in no file)")];
        let row = |m: &Missing| [m.first, m.last, m.file.map_or(-1, |file| file as i64)];
        let bytes = listed.iter().flat_map(row).flat_map(i64::to_le_bytes).collect();
        let shape = [listed.len() as u64, 3];
        tree.fixed(group, "missing_numbers", (Element::Number(DType::I64), &shape), bytes, about);
        let missing = master.account.missing_frames().to_le_bytes().to_vec();
        tree.fixed(group, "missing_frames", (Element::Number(DType::U64), &[]), missing, vec![]);
        if master.shape == Shape::SideBySide {
            let what = Growing {
                element: Element::Number(DType::U32),
                row: &[],
                chunk: COLUMN_CHUNK,
                part: &[],
                filter: None,
            };
            let (_, stream) = tree.growing(group, "present", what, vec![]);
            self.made.columns.push(Column { path: String::new(), content: Filling::Present, stream });
        }
        Ok(())
    }
}

/// A whole number of a file; `None`: there is none.
fn one(input: &Input, path: &str) -> Result<Option<u64>> {
    let Some(array) = input.array(path).filter(|array| array.shape().is_empty()) else { return Ok(None) };
    let values = array.values(0, 1, &mut Scratch::within(COLUMN_BYTES))?;
    Ok(match values.first() {
        Some(AttributeValue::Uint(number)) => Some(*number),
        Some(AttributeValue::Int(number)) => u64::try_from(*number).ok(),
        _ => None,
    })
}

/// Texts of one length, padded with zeros.
fn texts<'a>(all: impl Iterator<Item = &'a str> + Clone) -> (u32, Vec<u8>) {
    let width = all.clone().map(str::len).max().unwrap_or(0).max(1);
    let pad = |text: &'a str| text.bytes().chain(std::iter::repeat(0)).take(width);
    (width as u32, all.flat_map(pad).collect())
}

/// A data set that keeps its shape: type, shape and elements.
#[derive(PartialEq)]
struct Value(Element, Vec<u64>, Vec<u8>);

/// `None`: it is too large, or of a type that a master does not have.
fn value(array: &Array) -> Result<Option<Value>> {
    let mut scratch = Scratch::within(COLUMN_BYTES);
    let bytes = array.rows().saturating_mul(array.row_bytes());
    if bytes > MOST_FIXED {
        return Ok(None);
    }
    if let Some(element) = element(array) {
        let mut out = vec![0; bytes as usize];
        array.read(0, array.rows(), &mut out, &mut scratch)?;
        return Ok(Some(Value(element, array.shape().to_vec(), out)));
    }
    // A text of variable length becomes one of fixed length.
    Ok(match (&array.values(0, 2, &mut scratch)?[..], array.shape()) {
        ([AttributeValue::Text(text)], []) => {
            let bytes = if text.is_empty() { vec![0] } else { text.as_bytes().to_vec() };
            Some(Value(Element::Text(bytes.len() as u32), vec![], bytes))
        }
        _ => None,
    })
}

fn attributes(found: &Found) -> Vec<Attribute> {
    found.attributes.iter().filter_map(|(name, values)| attribute(name, values)).collect()
}

/// An attribute as the master has it: texts, whole numbers and floats.
fn attribute(name: &str, values: &[AttributeValue]) -> Option<Attribute> {
    match values {
        [AttributeValue::Text(text)] => Some(Attribute::text(name, text)),
        [AttributeValue::Int(value)] => Some(match i32::try_from(*value) {
            Ok(small) => Attribute::int(name, small),
            Err(_) => Attribute::element(name, Element::Number(DType::I64), value.to_le_bytes().to_vec()),
        }),
        [AttributeValue::Uint(value)] => {
            Some(Attribute::element(name, Element::Number(DType::U64), value.to_le_bytes().to_vec()))
        }
        [AttributeValue::Float(value)] => Some(Attribute::float(name, *value)),
        values => {
            let int = |value: &AttributeValue| match value {
                AttributeValue::Int(value) => i32::try_from(*value).ok(),
                AttributeValue::Uint(value) => i32::try_from(*value).ok(),
                _ => None,
            };
            let ints: Option<Vec<i32>> = values.iter().map(int).collect();
            ints.filter(|ints| !ints.is_empty()).map(|ints| Attribute::ints(name, &ints))
        }
    }
}
