//! Files that are open for reading, and the names in them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use livetime_frame::AttributeValue;

use super::array::Array;
use super::header::messages;
use super::links::{Link, links};
use super::space::attributes;
use super::start::start;
use crate::file::{ReadAt, Stores, address, check_within, folder_of};
use crate::{Error, Result};

/// Files that one file may lead to.
const MOST_FILES: usize = 10_000;
/// Links that lead to links.
const MOST_LINKS: usize = 32;
/// Groups and data sets of one file that are looked at.
const MOST_OBJECTS: usize = 100_000;
/// The most names that are compared on the way to the targets of soft and external links.
const MOST_WORK: usize = 20_000_000;
/// Groups within each other that are followed.
const MOST_DEEP: usize = 64;

/// A file that is open.
pub(super) struct OpenFile {
    pub(super) path: PathBuf,
    pub(super) bytes: Box<dyn ReadAt>,
    pub(super) root: u64,
    version: u8,
}

impl std::fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OpenFile({})", self.path.display())
    }
}

impl OpenFile {
    fn new(path: &Path, bytes: Box<dyn ReadAt>) -> Result<OpenFile> {
        // The superblock shows at once whether the file is HDF5.
        let begin = start(&super::input::Input::new(&*bytes)?)?;
        Ok(OpenFile { path: path.to_owned(), bytes, root: begin.root, version: begin.version })
    }

    fn is_growing(&self) -> Result<bool> {
        // The mark is read anew, because the writer takes it away.
        Ok(start(&self.input()?)?.is_open)
    }

    fn cut(&self) -> Result<Option<String>> {
        let input = self.input()?;
        Ok(start(&input)?.cut(input.size))
    }
}

/// The files that a first one leads to.
#[derive(Debug, Default)]
pub(super) struct Files {
    open: Mutex<BTreeMap<PathBuf, Arc<OpenFile>>>,
    order: Mutex<Vec<PathBuf>>,
    /// Whether other files are opened at all.
    follows: bool,
    /// Where they must lie, as whole paths without symbolic links; `None`: anywhere.
    within: Option<Vec<PathBuf>>,
    /// Where addresses are opened.
    stores: Stores,
}

impl Files {
    fn open(&self, path: &Path) -> Result<Arc<OpenFile>> {
        // The lock is held during the opening, so that two threads do not open a file twice.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.get(path) {
            return Ok(known.clone());
        }
        if open.len() >= MOST_FILES || (!self.follows && !open.is_empty()) {
            return Err(Error::new(format!("at most {MOST_FILES} files of one run"), "more").in_file(path));
        }
        if let Some(folders) = &self.within {
            check_within(path, folders)?;
        }
        let file = self.stores.open(path)?;
        let file = Arc::new(OpenFile::new(path, Box::new(file)).map_err(|e| e.in_file(path))?);
        open.insert(path.to_owned(), file.clone());
        self.order.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Ok(file)
    }

    /// The file that `from` calls `name`: seen from its folder, or, if it is named by its whole path and not there,
    /// of the same name in that folder.
    pub(super) fn beside(&self, from: &OpenFile, name: &str) -> Result<Arc<OpenFile>> {
        if !self.follows {
            return Err(Error::new("a file alone", format!("a link to `{name}`")));
        }
        // A name never leaves its kind: a file on a disk leads to no address, and an object to no file on a disk.
        let (folder, name) = (folder_of(&from.path), Path::new(name));
        let beside = folder.join(name.file_name().unwrap_or_default());
        if address(folder).is_some() && name.is_absolute() {
            return self.open(&beside);
        }
        let whole = plain(&folder.join(name));
        // A whole path belongs to the machine that wrote the file, and the files were moved together.
        if name.is_absolute() && !whole.exists() {
            return self.open(&beside);
        }
        self.open(&whole)
    }
}

/// Without `.` and, as far as names say, `..`: so that a file that is named in two ways is opened once.
fn plain(path: &Path) -> PathBuf {
    if let Some((scheme, rest)) = address(path).and_then(|text| text.split_once("://")) {
        return format!("{scheme}://{}", plain(Path::new(rest)).display()).into();
    }
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// The object that `path` names, seen from the group at `at`.
pub(super) fn resolve(
    files: &Files,
    file: &Arc<OpenFile>,
    at: u64,
    path: &str,
    depth: usize,
) -> Result<(Arc<OpenFile>, u64)> {
    // Links may lead in a circle.
    if depth > MOST_LINKS {
        return Err(Error::new(format!("at most {MOST_LINKS} links that lead to links"), "more"));
    }
    let begin = if path.starts_with('/') { file.root } else { at };
    let (mut file, mut at) = (file.clone(), begin);
    for name in path.split('/').filter(|name| !name.is_empty() && *name != ".") {
        let input = file.input()?;
        let links = links(&input, &messages(&input, at)?)?.unwrap_or_default();
        let link = links.into_iter().find(|(known, _)| known == name);
        let (_, link) = link.ok_or_else(|| Error::new(format!("`{path}`"), format!("no `{name}`")).at(at))?;
        (file, at) = follow(files, &file, at, &link, depth)?;
    }
    Ok((file, at))
}

fn follow(
    files: &Files,
    file: &Arc<OpenFile>,
    group: u64,
    link: &Link,
    depth: usize,
) -> Result<(Arc<OpenFile>, u64)> {
    match link {
        Link::Hard(at) => Ok((file.clone(), *at)),
        Link::Soft(path) => resolve(files, file, group, path, depth + 1),
        Link::External(name, path) => {
            let other = files.beside(file, name)?;
            resolve(files, &other, other.root, path, depth + 1).map_err(|e| e.in_file(&other.path))
        }
    }
}

/// A group or data set that has a name.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its first name, from the root.
    pub path: String,
    /// Its further names.
    pub others: Vec<String>,
    /// Its attributes.
    pub attributes: Vec<(String, Vec<AttributeValue>)>,
    /// The data set; `None`: it is a group.
    pub array: Option<Arc<Array>>,
}

impl Found {
    /// The first value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.iter().find(|(known, _)| known == name)?.1.first()
    }

    /// An attribute that is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.attribute(name)? {
            AttributeValue::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// All that a file leads to.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// Groups and data sets, in the order of their names.
    pub found: Vec<Found>,
    /// The objects that cannot be read, with the reasons.
    pub unreadable: Vec<String>,
    /// Links to other files that lead nowhere, and why.
    pub dangling: Vec<String>,
}

/// An HDF5 file that is read, with the files that its links and virtual data sets lead to.
///
/// ```
/// use livetime_formats::hdf5::{Element, Hdf5, Tree, Writer};
/// use livetime_frame::DType;
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("a.h5");
/// let mut tree = Tree::default();
/// tree.fixed(Tree::ROOT, "pair", (Element::Number(DType::U16), &[2]), vec![1, 0, 2, 0], vec![]);
/// Writer::create(&path, tree, false)?.close()?;
///
/// let file = Hdf5::open(&path)?;
/// let mut pair = [0; 4];
/// file.array("pair")?.read(0, 2, &mut pair, &mut Default::default())?;
/// assert_eq!(pair, [1, 0, 2, 0]);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hdf5 {
    files: Arc<Files>,
    main: Arc<OpenFile>,
}

impl Hdf5 {
    /// Opens the file `path`.
    ///
    /// # Errors
    /// If the system refuses, or it is no HDF5 file of superblock 0 to 3.
    pub fn open(path: &Path) -> Result<Hdf5> {
        Hdf5::open_within(path, None)
    }

    /// The same, also at an address. With `folders` as [`Hdf5::open_within`], where no address lies.
    ///
    /// # Errors
    /// As [`Hdf5::open_within`].
    pub fn open_from(stores: &Stores, path: &Path, folders: Option<&[PathBuf]>) -> Result<Hdf5> {
        let (within, stores) = (folders.map(<[PathBuf]>::to_vec), stores.clone());
        let files = Arc::new(Files { follows: true, within, stores, ..Files::default() });
        let main = files.open(&plain(path))?;
        Ok(Hdf5 { files, main })
    }

    /// The same; it and files that it leads to must be files in one of `folders`, which are whole paths without
    /// symbolic links. For files that a stranger may have written: links of HDF5 name any file.
    ///
    /// # Errors
    /// As [`Hdf5::open`], or if the file lies elsewhere.
    pub fn open_within(path: &Path, folders: Option<&[PathBuf]>) -> Result<Hdf5> {
        Hdf5::open_from(&Stores::default(), path, folders)
    }

    /// Opens a file that is in memory. Other files are not opened, whatever it says.
    ///
    /// # Errors
    /// If it is no HDF5 file of superblock 0 to 3.
    pub fn in_memory(bytes: Vec<u8>) -> Result<Hdf5> {
        let main = Arc::new(OpenFile::new(Path::new("memory"), Box::new(Memory(bytes)))?);
        Ok(Hdf5 { files: Arc::new(Files::default()), main })
    }

    /// Version of its superblock.
    pub fn version(&self) -> u8 {
        self.main.version
    }

    /// Whether it says that it is being written.
    ///
    /// # Errors
    /// If the system refuses, or its beginning is damaged.
    pub fn is_growing(&self) -> Result<bool> {
        self.main.is_growing().map_err(|e| e.in_file(&self.main.path))
    }

    /// The fault in words, if it is shorter than it says.
    ///
    /// # Errors
    /// As [`Hdf5::is_growing`].
    pub fn cut(&self) -> Result<Option<String>> {
        self.main.cut().map_err(|e| e.in_file(&self.main.path))
    }

    /// All files that were opened, this one first.
    pub fn files(&self) -> Vec<PathBuf> {
        self.files.order.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The data set that `path` names.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn array(&self, path: &str) -> Result<Array> {
        let named = |e: Error| e.in_file(&self.main.path);
        let (file, at) = resolve(&self.files, &self.main, self.main.root, path, 0).map_err(named)?;
        let array = Array::open(&self.files, &file, at, 0).map_err(|e| e.in_file(&file.path))?;
        array.ok_or_else(|| named(Error::new("a data set", format!("a group: `{path}`"))))
    }

    /// Everything that names of the file lead to, in it and in others. At most 100,000 objects are looked at.
    pub fn content(&self) -> Content {
        let mut walk =
            Walk { files: &self.files, seen: HashMap::new(), content: Content::default(), work: 0 };
        walk.object(&self.main, self.main.root, "", 0);
        let mut content = walk.content;
        content.found.sort_by(|a, b| a.path.cmp(&b.path));
        content
    }
}

struct Memory(Vec<u8>);

impl ReadAt for Memory {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        self.0[..].read_at(buffer, offset)
    }

    fn size(&self) -> std::io::Result<u64> {
        self.0[..].size()
    }
}

struct Walk<'a> {
    files: &'a Arc<Files>,
    /// An object may have several names, and a group may hold itself. Each object is entered once, with its number in
    /// the result.
    seen: HashMap<(PathBuf, u64), usize>,
    content: Content,
    work: usize,
}

impl Walk<'_> {
    fn object(&mut self, file: &Arc<OpenFile>, at: u64, path: &str, depth: usize) {
        // Several links may lead to the same object.
        if let Some(known) = self.seen.get(&(file.path.clone(), at)) {
            if let Some(found) = self.content.found.get_mut(*known) {
                found.others.push(path.to_owned());
            }
            return;
        }
        // The bounds end a hostile file; all that was found so far is given out.
        if self.seen.len() >= MOST_OBJECTS || depth > MOST_DEEP {
            return;
        }
        // Before its members: a group may hold itself.
        self.seen.insert((file.path.clone(), at), self.content.found.len());
        if let Err(error) = self.look(file, at, path, depth) {
            self.unreadable(path, error.in_file(&file.path));
        }
    }

    fn unreadable(&mut self, path: &str, why: impl std::fmt::Display) {
        let path = if path.is_empty() { "/" } else { path };
        self.content.unreadable.push(format!("{path}: {why}"));
    }

    fn dangling(&mut self, path: &str, why: impl std::fmt::Display) {
        self.content.dangling.push(format!("{path}: {why}"));
    }

    fn look(&mut self, file: &Arc<OpenFile>, at: u64, path: &str, depth: usize) -> Result<()> {
        let input = file.input()?;
        let messages = messages(&input, at)?;
        let links = links(&input, &messages)?;
        // An object with unreadable attributes is still shown.
        let attributes = attributes(&input, &messages).unwrap_or_default();
        let array = match links {
            // A group has no elements.
            Some(_) => None,
            None => Array::open(self.files, file, at, 0)?.map(Arc::new),
        };
        if links.is_some() || array.is_some() {
            self.content.found.push(Found { path: path.to_owned(), others: vec![], attributes, array });
        }
        let mut links = links.unwrap_or_default();
        // The first meaning of a name does not depend on the order of the links in the file; links come after their
        // possible targets.
        links.sort_by(|(a, to), (b, other)| (rank(to), a).cmp(&(rank(other), b)));
        let count = links.len();
        for (name, link) in links {
            let path = format!("{path}/{name}");
            // The target of each link is searched among as many names.
            self.work += if matches!(link, Link::Hard(_)) { 0 } else { count };
            if self.work > MOST_WORK {
                self.unreadable(&path, "there are too many links to follow them all");
                break;
            }
            match follow(self.files, file, at, &link, 0) {
                Ok((file, at)) => self.object(&file, at, &path, depth + 1),
                // A missing file is usual: a run may be looked at before all of its files are copied.
                Err(error) if matches!(link, Link::External(..)) => self.dangling(&path, error),
                Err(error) => self.unreadable(&path, error),
            }
        }
        Ok(())
    }
}

fn rank(link: &Link) -> u8 {
    match link {
        Link::Hard(_) => 0,
        Link::Soft(_) => 1,
        Link::External(..) => 2,
    }
}
