//! A file that is joined.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use livetime_formats::hdf5::{Array, Content, Found, Hdf5, Scratch};
use livetime_formats::{Error, Result};
use livetime_frame::AttributeValue;

use super::super::content::{COLUMN_BYTES, UNIQUE_ID};
use super::place::account_of;

/// The most frames of a file, for each of which its number is kept in memory.
const MOST_FRAMES: u64 = 1 << 26;

pub(super) struct Input {
    pub(super) path: PathBuf,
    /// Without symbolic links.
    pub(super) whole: PathBuf,
    /// As seen from the folder of the master.
    pub(super) name: Arc<str>,
    pub(super) content: Content,
    /// The data set of the numbers.
    pub(super) numbered: String,
    /// The number of each complete frame.
    pub(super) numbers: Vec<i64>,
    /// Frames without all of their modules, as a master says.
    pub(super) partial: u64,
}

impl Input {
    /// Opens the file for a master in `folder`, which is a whole path.
    pub(super) fn open(path: &Path, folder: &Path) -> Result<Input> {
        let file = Hdf5::open(path)?;
        let refuse = |wanted: &'static str, found: String| Error::new(wanted, found).in_file(path);
        if file.is_growing()? {
            let found =
                "one that is still being written, or whose writer was killed (`livetime recover` saves it)";
            return Err(refuse("a finished file", found.into()));
        }
        if let Some(cut) = file.cut()? {
            return Err(refuse("a whole file", cut));
        }
        let content = file.content();
        check_whole(&content, path)?;
        let (numbered, numbers) = numbers(&content).map_err(|e| e.in_file(path))?;
        let whole = path.canonicalize().map_err(|e| Error::io("to find the file", e).in_file(path))?;
        let name = relative(&whole, folder);
        let name = name.to_str().ok_or_else(|| refuse("a path in UTF-8", "another".into()))?.into();
        let partial = partial(&content, &numbered).map_err(|e| e.in_file(path))?;
        Ok(Input { path: path.to_owned(), whole, name, content, numbered, numbers, partial })
    }

    pub(super) fn find(&self, path: &str) -> Option<&Found> {
        find(&self.content, path)
    }

    pub(super) fn array(&self, path: &str) -> Option<&Arc<Array>> {
        self.find(path)?.array.as_ref()
    }

    pub(super) fn frames(&self) -> u64 {
        self.numbers.len() as u64
    }
}

/// The object of that path; the content is in the order of paths.
fn find<'a>(content: &'a Content, path: &str) -> Option<&'a Found> {
    let found = content.found.binary_search_by(|found| found.path.as_str().cmp(path));
    found.ok().and_then(|at| content.found.get(at))
}

/// How many frames of a master lack modules: its own, and those of masters in it.
fn partial(content: &Content, numbered: &str) -> Result<u64> {
    let group = account_of(numbered);
    let column = |name: &str| find(content, &format!("{group}/{name}"))?.array.as_ref();
    let each = |name: &str, take: &mut dyn FnMut(i64)| match column(name) {
        Some(array) => array.each_value(0..array.rows(), &mut Scratch::within(COLUMN_BYTES), &mut |value| {
            take(number(&value).unwrap_or(0));
        }),
        None => Ok(()),
    };
    let (mut partial, modules) = (0u64, column("file").map_or(0, |files| files.rows()));
    each("present", &mut |present| partial += u64::from(present.unsigned_abs() < modules))?;
    each("partial", &mut |below| partial = partial.saturating_add(below.unsigned_abs()))?;
    Ok(partial)
}

/// A master of a file that lacks parts would hide them.
fn check_whole(content: &Content, path: &Path) -> Result<()> {
    let missing =
        content.found.iter().filter_map(|found| found.array.as_ref()).flat_map(|array| array.missing());
    let mut all = content.unreadable.iter().chain(&content.dangling).cloned().chain(missing);
    match all.next() {
        Some(why) => Err(Error::new("everything that the file leads to", why).in_file(path)),
        None => Ok(()),
    }
}

fn numbers(content: &Content) -> Result<(String, Vec<i64>)> {
    let is_named = |found: &&Found| found.path.rsplit_once('/').is_some_and(|(_, name)| name == UNIQUE_ID);
    let column = |found: &Found| {
        let array = found.array.clone()?;
        let is_number = array.shape().len() == 1 && array.element().dtype().is_some();
        is_number.then(|| (found.path.clone(), array))
    };
    let found = content.found.iter().filter(is_named).find_map(column);
    let wanted = format!("a data set `{UNIQUE_ID}` with the number of each frame");
    let (path, array) = found.ok_or_else(|| Error::new(wanted, "none"))?;
    if array.rows() > MOST_FRAMES {
        return Err(Error::new(format!("at most {MOST_FRAMES} frames"), format!("{}", array.rows())));
    }
    let (mut numbers, mut wrong) = (Vec::new(), None);
    array.each_value(
        0..array.rows(),
        &mut Scratch::within(COLUMN_BYTES),
        &mut |value| match number(&value) {
            Some(number) => numbers.push(number),
            None => wrong = Some(value),
        },
    )?;
    match wrong {
        None => Ok((path, numbers)),
        Some(value) => {
            Err(Error::new("numbers of frames from 0 on, which do not begin anew", value.to_string()))
        }
    }
}

/// A number below 0 is one that has run over: its order is not known.
fn number(value: &AttributeValue) -> Option<i64> {
    match value {
        AttributeValue::Int(number) => Some(*number).filter(|number| *number >= 0),
        AttributeValue::Uint(number) => i64::try_from(*number).ok(),
        _ => None,
    }
}

/// The way from a folder to a file; both are whole paths.
fn relative(file: &Path, folder: &Path) -> PathBuf {
    let (mut to, mut from) = (file.components().peekable(), folder.components().peekable());
    while to.peek().is_some() && to.peek() == from.peek() {
        to.next();
        from.next();
    }
    from.map(|_| Component::ParentDir).chain(to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_seen_from_a_folder() {
        let way =
            |file: &str, folder: &str| relative(Path::new(file), Path::new(folder)).display().to_string();
        assert_eq!(way("/a/b/x.h5", "/a/b"), "x.h5");
        assert_eq!(way("/a/b/c/x.h5", "/a/b"), "c/x.h5");
        assert_eq!(way("/a/c/x.h5", "/a/b/d"), "../../c/x.h5");
        assert_eq!(way("/x.h5", "/a"), "../x.h5");
    }
}
