//! Which data sets of the files become which data sets of the master.

use std::sync::Arc;

use livetime_formats::hdf5::{Array, Element, Found, Kind};
use livetime_formats::{Error, Result};

use super::super::content::{EVENT_TIME, pictures};
use super::input::Input;
use super::outcome::Shape;
use super::place::ACCOUNT;

/// Rows of at most so many bytes are copied: a mapping of a row takes more.
const MOST_COPIED: u64 = 64;
/// The group of our recorders' counts of losses, and its column with the missing frames before each one.
const LOSS: &str = "/loss";
const MISSING_BEFORE: &str = "missing_before";

/// How a data set with a row for each frame comes into the master.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// The pictures of a detector, of which modules may lie side by side: shown where they are.
    Picture,
    /// Long rows: shown where they are, in the first file that has the frame.
    Shown,
    /// Short rows: copied from the first file that has the frame.
    Copied,
    /// Counted anew from the numbers of all files.
    MissingBefore,
}

/// A data set with a row for each frame.
pub(super) struct Set {
    pub(super) path: String,
    pub(super) way: Way,
    pub(super) element: Element,
    /// The shape of a row.
    pub(super) row: Vec<u64>,
}

pub(super) struct Sets {
    pub(super) all: Vec<Set>,
    pub(super) left_out: Vec<String>,
}

impl Sets {
    pub(super) fn get(&self, path: &str) -> Option<&Set> {
        self.all.iter().find(|set| set.path == path)
    }

    /// The virtual data sets, and whether they are pictures.
    pub(super) fn mapped(&self) -> impl Iterator<Item = (&str, bool)> {
        let mapped = self.all.iter().filter(|set| matches!(set.way, Way::Picture | Way::Shown));
        mapped.map(|set| (set.path.as_str(), set.way == Way::Picture))
    }

    /// The data sets in which two frames of one number must be equal.
    pub(super) fn compared(&self) -> impl Iterator<Item = &str> {
        let is_compared = |set: &&Set| set.way == Way::Picture || split(&set.path).1 == EVENT_TIME;
        self.all.iter().filter(is_compared).map(|set| set.path.as_str())
    }
}

/// A path as group and name.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Whether a data set has a row for each of the frames of its file.
pub(super) fn has_rows(array: &Array, frames: u64) -> bool {
    let is_long = array.rows() == frames && frames > 1;
    !array.shape().is_empty() && array.rows() >= frames && (array.grows() || array.is_virtual() || is_long)
}

pub(super) fn sets(inputs: &[Input], shape: Shape) -> Result<Sets> {
    let Some(first) = inputs.first() else { return Err(Error::new("a file", "none")) };
    let mut sets = Sets { all: vec![], left_out: vec![] };
    let pictures = pictures(&first.content);
    for found in &first.content.found {
        let Some(array) = &found.array else { continue };
        let is_picture = pictures.iter().any(|picture| Arc::ptr_eq(picture, array));
        if is_picture || (has_rows(array, first.frames()) && !is_account(&found.path)) {
            add(inputs, found, array, is_picture, &mut sets)?;
        }
    }
    if !sets.all.iter().any(|set| set.way == Way::Picture) {
        return Err(Error::new("a data set of pictures", "none").in_file(&first.path));
    }
    if let Some(other) = inputs.iter().find(|other| other.numbered != first.numbered) {
        let wanted = format!("numbers of frames in `{}`, as in {}", first.numbered, first.path.display());
        return Err(Error::new(wanted, format!("`{}`", other.numbered)).in_file(&other.path));
    }
    for other in inputs.iter().skip(1) {
        let is_new = |found: &&Found| first.find(&found.path).is_none() && !is_account(&found.path);
        let new = other.content.found.iter().filter(is_new);
        sets.left_out.extend(new.map(|found| {
            format!("{}: {} has it, {} not", found.path, other.path.display(), first.path.display())
        }));
    }
    check_axes(&sets, shape).map_err(|e| e.in_file(&first.path))?;
    Ok(sets)
}

/// HDF5 has at most 32 axes; one is added for modules.
fn check_axes(sets: &Sets, shape: Shape) -> Result<()> {
    let most = 32 - 1 - usize::from(shape == Shape::SideBySide);
    match sets.all.iter().find(|set| set.row.len() > most) {
        Some(set) => Err(Error::new(
            format!("rows of at most {most} axes"),
            format!("{:?} of `{}`", set.row, set.path),
        )),
        None => Ok(()),
    }
}

fn is_account(path: &str) -> bool {
    path.ends_with(ACCOUNT) || path.contains(&format!("{ACCOUNT}/"))
}

fn add(inputs: &[Input], found: &Found, array: &Arc<Array>, is_picture: bool, sets: &mut Sets) -> Result<()> {
    let path = &found.path;
    let is_number = inputs.iter().any(|input| input.numbered == *path);
    let (element, odd) = (element(array), inputs.iter().find_map(|input| difference(input, path, array)));
    let element = match (element, odd) {
        (Some(element), None) => element,
        // Pictures and numbers must be those of all files; another column may be left out.
        (_, Some(odd)) if is_picture || is_number => return Err(odd),
        (None, None) if is_picture || is_number => {
            let wanted = "elements that are numbers of 8 to 64 bits";
            return Err(Error::new(wanted, format!("{} in `{path}`", array.element().name()))
                .in_file(&inputs[0].path));
        }
        (_, Some(odd)) => {
            sets.left_out.push(format!("{path}: {odd}"));
            return Ok(());
        }
        (None, None) => {
            sets.left_out.push(format!("{path}: {} is not joined", array.element().name()));
            return Ok(());
        }
    };
    let (group, name) = split(path);
    let is_loss = group.ends_with(LOSS) && name == MISSING_BEFORE && array.shape().len() == 1;
    let way = match array.row_bytes() {
        _ if is_loss => Way::MissingBefore,
        _ if is_picture => Way::Picture,
        0..=MOST_COPIED => Way::Copied,
        _ => Way::Shown,
    };
    sets.all.push(Set { path: path.clone(), way, element, row: array.shape()[1..].to_vec() });
    Ok(())
}

/// What a file has in place of such a data set, with a row for each frame.
fn difference(input: &Input, path: &str, like: &Array) -> Option<Error> {
    let wanted =
        |rows: &str| format!("`{path}` of {rows} rows of {:?} {}", &like.shape()[1..], like.element().name());
    let Some(array) = input.array(path) else {
        return Some(Error::new(wanted("some"), "none").in_file(&input.path));
    };
    let frames = input.frames();
    let is_alike = array.element() == like.element() && array.shape().get(1..) == like.shape().get(1..);
    (!is_alike || array.rows() < frames).then(|| {
        let found = format!("{:?} {}", array.shape(), array.element().name());
        Error::new(wanted(&format!("{frames}")), found).in_file(&input.path)
    })
}

/// The type in the master; `None`: it has none.
pub(super) fn element(array: &Array) -> Option<Element> {
    let element = array.element();
    match element.kind {
        Kind::Number(dtype) if !element.is_half() => Some(Element::Number(dtype)),
        Kind::Text => Some(Element::Text(element.bytes)),
        _ => None,
    }
}
