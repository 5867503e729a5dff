//! The content of a file.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use super::array::type_of;
use super::header::{Message, find, kind, messages};
use super::input::Input;
use super::links::{Link, links};
use super::pipeline::{self, filters, name};
use super::start::{Start, start};
use crate::file::ReadAt;
use crate::{Error, Result};

/// Groups and data sets of one file that are looked at.
const MOST_OBJECTS: usize = 100_000;
/// Groups within each other that are followed.
const MOST_DEEP: usize = 64;

/// The properties and the content of a file of superblock 0 to 3.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Its mark says that it is being written: it is, or its writer was killed.
    pub is_open: bool,
    /// Where the file says that it ends.
    pub end: u64,
    /// How long it is.
    pub size: u64,
    /// All data sets, in the order of their names.
    pub data_sets: Vec<DataSet>,
    /// Groups and data sets that cannot be read, and why; and that the file is shorter than it says.
    pub unreadable: Vec<String>,
}

/// A data set of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataSet {
    /// Its first name, from the root.
    pub path: String,
    /// Sizes, the slowest axis first; empty for a single value.
    pub shape: Vec<u64>,
    /// Whether the first axis may grow.
    pub grows: bool,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Number of the first filter of its chunks, if there is one.
    pub filter: Option<u16>,
    /// All filters by their names.
    pub filters: Vec<String>,
    /// The type of its elements, in words.
    pub element: String,
    /// Why it cannot be read, in words; `None`: it can.
    pub refused: Option<String>,
}

impl Survey {
    /// The frames of a file in the layout of areaDetector and Livetime: the frames whose number was written, which is
    /// done last. `None` for another kind of file.
    pub fn frames(&self) -> Option<u64> {
        self.data_sets
            .iter()
            .find(|d| d.path.ends_with("/NDArrayUniqueId"))
            .and_then(|d| d.shape.first().copied())
    }
}

/// Reads everything about the file `path` but its data. At most 100,000 objects are looked at.
///
/// # Errors
/// If the system refuses, the file is no HDF5 file of superblock 0 to 3, or its beginning is damaged. Damage further
/// inside is in [`Survey::unreadable`].
///
/// ```
/// use livetime_formats::hdf5::{Tree, Writer, survey};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("a.h5");
/// let mut tree = Tree::default();
/// tree.text(Tree::ROOT, "title", "a run");
/// let mut file = Writer::create(&path, tree, false)?;
/// assert!(survey(&path)?.is_open);
/// file.close()?;
/// let found = survey(&path)?;
/// assert!(!found.is_open && found.data_sets[0].path == "/title");
/// # Ok::<(), livetime_formats::Error>(())
/// ```
pub fn survey(path: &Path) -> Result<Survey> {
    let file = File::open(path).map_err(|e| Error::io("to open the file", e).in_file(path))?;
    survey_of(&file).map_err(|e| e.in_file(path))
}

/// As [`survey`], of an open file or bytes in memory.
///
/// # Errors
/// As [`survey`], without the name of the file.
pub fn survey_of(bytes: &dyn ReadAt) -> Result<Survey> {
    let input = Input::new(bytes)?;
    let start = start(&input)?;
    let Start { is_open, end, .. } = start;
    let unreadable = start.cut(input.size).into_iter().collect();
    let survey = Survey { is_open, end, size: input.size, data_sets: vec![], unreadable };
    let mut walk = Walk { input: &input, seen: HashSet::new(), survey };
    walk.object(start.root, "", 0);
    walk.survey.data_sets.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(walk.survey)
}

struct Walk<'a> {
    input: &'a Input<'a>,
    /// An object may have several names, and a group may hold itself.
    seen: HashSet<u64>,
    survey: Survey,
}

impl Walk<'_> {
    fn object(&mut self, at: u64, path: &str, depth: usize) {
        if self.seen.len() >= MOST_OBJECTS || depth > MOST_DEEP || !self.seen.insert(at) {
            return;
        }
        let found = messages(self.input, at).and_then(|messages| self.read(&messages, path, depth));
        if let Err(error) = found {
            self.survey.unreadable.push(format!("{}: {error}", if path.is_empty() { "/" } else { path }));
        }
    }

    fn read(&mut self, messages: &[Message], path: &str, depth: usize) -> Result<()> {
        let Some(links) = links(self.input, messages)? else {
            self.survey.data_sets.extend(data_set(messages, path)?);
            return Ok(());
        };
        for (name, link) in links {
            if let Link::Hard(at) = link {
                self.object(at, &format!("{path}/{name}"), depth + 1);
            }
        }
        Ok(())
    }
}

/// The data set that these messages describe, if they do.
fn data_set(messages: &[Message], path: &str) -> Result<Option<DataSet>> {
    let Some((space, element)) = type_of(messages)? else { return Ok(None) };
    let filters = find(messages, kind::FILTERS)?.map(filters).transpose()?.unwrap_or_default();
    Ok(Some(DataSet {
        path: path.to_owned(),
        grows: space.most.first() == Some(&None),
        shape: space.shape,
        element_bytes: element.bytes,
        filter: filters.first().map(|filter| filter.id),
        filters: filters.iter().map(name).collect(),
        refused: element.refused().or_else(|| pipeline::refused(&filters)).map(|error| error.reason()),
        element: element.name(),
    }))
}
