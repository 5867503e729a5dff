//! The content of a file: which data sets are detectors, which are columns, and when events happened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_formats::Result;
use livetime_formats::file::Stores;
use livetime_formats::hdf5::{Array, Content, Found, Hdf5, Kind, Scratch};
use livetime_frame::{AttributeValue, ColorMode};
use livetime_runtime::MemoryLimit;

use crate::damage::too_much;
use crate::detector::Naming;
use crate::{Detector, SmallValue, Wanted};

/// A detector is a data set whose first axis counts events.
pub(super) static NAMING: Naming = Naming {
    one: "a data set of events",
    name_of_one: "the name of one data set of events",
    fits: |wanted, detector| Ok(ends(wanted, detector.name())),
    ..Naming::by_name("hdf5", |parts| NAMING.of_name(parts))
};

/// Whether the wanted name is the path of a data set, or its last parts.
fn ends(wanted: &Wanted, path: &str) -> bool {
    let (name, path) = (wanted.detector.trim_start_matches('/'), path.trim_start_matches('/'));
    let before = path.strip_suffix(name);
    let is_path = before.is_some_and(|before| before.is_empty() || before.ends_with('/'));
    (name.is_empty() || is_path) && wanted.is_name_alone()
}

/// The memory that a read of a column may take: many times the size of any writer's chunks.
pub(super) const COLUMN_BYTES: u64 = 256 << 20;
/// The group of areaDetector's columns, at the end of its path: they were attributes of the frames.
pub(super) const OWN_COLUMNS: &str = "/NDAttributes";

/// areaDetector's number of a frame. Writers append it last, so its length is the number of complete frames.
pub(super) const UNIQUE_ID: &str = "NDArrayUniqueId";
pub(super) const EVENT_TIME: &str = "NDArrayEventTime";
const SECONDS: &str = "NDArrayEpicsTSSec";
const NANOSECONDS: &str = "NDArrayEpicsTSnSec";
const TIME_STAMP: &str = "NDArrayTimeStamp";
const DAMAGE: &str = "Damage";
const COLOR_MODE: &str = "ColorMode";
/// The group of areaDetector's columns.
const ATTRIBUTES: &str = "NDAttributes";
/// Seconds from 1970 to 1990, where EPICS starts to count.
const EPICS_EPOCH_S: u64 = 631_152_000;
/// Longest list that is shown as a value of the whole run; longer ones are data.
const MOST_VALUES: u64 = 16;

/// The pictures of a detector in one file.
#[derive(Debug)]
pub(super) struct Pictures {
    pub(super) path: String,
    others: Vec<String>,
    /// One behind the other.
    arrays: Vec<Arc<Array>>,
    pub(super) color: Option<ColorMode>,
    /// The file marks it as the default picture.
    pub(super) is_default: bool,
}

/// A value for each event.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) array: Arc<Array>,
    /// Whether the column was an attribute of the frame.
    pub(super) is_attribute: bool,
}

/// One file of a run, with the files that it links to.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) path: PathBuf,
    pub(super) files: Vec<PathBuf>,
    pub(super) events: usize,
    /// Rows of the columns that belong to an event: more than one where the axes of a scan make one event of them.
    frames_per_event: u64,
    pub(super) detectors: Vec<Pictures>,
    /// Data sets that are meant as detectors and cannot be read, and why.
    pub(super) refused: Vec<(String, String)>,
    pub(super) columns: Vec<Column>,
    pub(super) problems: Vec<(PathBuf, String)>,
    pub(super) is_growing: bool,
    /// The column with the damage of each frame, which recordings of damaged frames have.
    pub(super) damage: Option<usize>,
    /// If given, all files must lie in these folders.
    within: Option<Arc<[PathBuf]>>,
    /// Where addresses are opened.
    stores: Stores,
    /// The memory that the times of all events may take.
    memory: MemoryLimit,
    times_ns: Vec<u64>,
    single: Vec<Found>,
}

impl Pictures {
    pub(super) fn detector(&self) -> Detector {
        let rank = self.arrays.first().map_or(0, |array| array.shape().len().saturating_sub(1));
        Detector::new(&NAMING, &self.path, rank as u32)
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        let name = name.trim_start_matches('/');
        !name.is_empty() && self.names().any(|known| known.trim_start_matches('/') == name)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.path).chain(&self.others).map(String::as_str)
    }

    /// The most that reading a picture takes beside it.
    pub(super) fn read_memory(&self) -> u64 {
        self.arrays.iter().map(|array| array.read_memory()).max().unwrap_or(0)
    }

    fn rows(&self) -> u64 {
        self.arrays.iter().map(|array| array.rows()).fold(0, u64::saturating_add)
    }

    /// The data set that has a row, and the row there.
    pub(super) fn row(&self, row: u64) -> Option<(&Arc<Array>, u64)> {
        let mut left = row;
        for array in &self.arrays {
            if left < array.rows() {
                return Some((array, left));
            }
            left -= array.rows();
        }
        None
    }
}

impl Part {
    pub(super) fn open(
        path: &Path,
        within: Option<Arc<[PathBuf]>>,
        stores: &Stores,
        memory: MemoryLimit,
    ) -> Result<Part> {
        let file = Hdf5::open_from(stores, path, within.as_deref())?;
        let content = file.content();
        let mut detectors = detectors(&content);
        let unique = column(&content, UNIQUE_ID);
        let rows = detectors.iter().map(Pictures::rows).max().unwrap_or(0);
        // Complete events only: the number of a frame is written after its pixels.
        let events = unique.as_ref().map_or(rows, |unique| unique.rows().min(rows));
        let color = column(&content, COLOR_MODE).and_then(|modes| color(&modes));
        detectors.iter_mut().filter(|d| color_fits(d, color)).for_each(|d| d.color = color);
        let frames_per_event = frames_per_event(&detectors, unique.as_deref());
        let columns = columns(&content, events, rows);
        let (mut problems, refused) = (problems(path, &content, &detectors), refused(&content));
        problems.extend(file.cut()?.map(|why| (path.to_owned(), why)));
        let scalar = |found: &&Found| found.array.as_ref().is_some_and(|a| is_single(a, events));
        Ok(Part {
            path: path.to_owned(),
            files: file.files(),
            within,
            stores: stores.clone(),
            events: usize::try_from(events).unwrap_or(usize::MAX),
            is_growing: file.is_growing()?,
            times_ns: times(&content, events, frames_per_event, memory)?,
            memory,
            frames_per_event,
            single: content.found.iter().filter(scalar).cloned().collect(),
            damage: columns.iter().position(|column| column.is_attribute && column.name == DAMAGE),
            detectors,
            refused,
            columns,
            problems,
        })
    }

    /// The same file opened again, if it has changed. A file that cannot be read for a moment, because it is being
    /// written, counts as unchanged.
    ///
    /// # Errors
    /// If the file can no longer be read, and is not being written.
    pub(super) fn again(&self) -> Result<Option<Part>> {
        if !self.is_growing {
            return Ok(None);
        }
        // The column that is written last tells growth with one small read.
        let watched = self.columns.iter().find(|column| column.name == UNIQUE_ID).map(|column| &column.array);
        let watched = watched.or_else(|| self.detectors.first()?.arrays.last());
        if let Some(array) = watched
            && let Ok(now) = array.again()
            && now.rows() == array.rows()
            && Hdf5::open_from(&self.stores, &self.path, self.within.as_deref())?.is_growing().unwrap_or(true)
        {
            return Ok(None);
        }
        match Part::open(&self.path, self.within.clone(), &self.stores, self.memory) {
            // A file that lost events was replaced or is being rewritten; the known state stays.
            Ok(part) if part.events >= self.events => Ok(Some(part)),
            Ok(_) => Ok(None),
            // An error of the system is one; a tree that cannot be parsed may be half written.
            Err(error) if error.io_error().is_some() => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Whether the file at `path` is this one, or one that it shows.
    pub(super) fn shows(&self, path: &Path) -> bool {
        self.path == path || self.files.iter().any(|known| known == path)
    }

    pub(super) fn pictures(&self, path: &str) -> Option<&Pictures> {
        self.detectors.iter().find(|pictures| pictures.path == path)
    }

    /// The row of a column that belongs to an event: the row of the event's first frame.
    pub(super) fn row_of(&self, column: &Column, event: u64) -> u64 {
        // Columns longer than the events have a row for each frame of an event.
        let is_long = column.array.rows() > self.events as u64;
        if is_long { event.saturating_mul(self.frames_per_event) } else { event }
    }

    pub(super) fn time_ns(&self, row: u64) -> u64 {
        self.times_ns.get(row as usize).copied().unwrap_or(0)
    }

    /// Data sets that hold one value or a few, and none for each event.
    pub(super) fn single_values(&self) -> Vec<SmallValue> {
        let mut scratch = Scratch::within(COLUMN_BYTES);
        let mut value = |found: &Found| {
            let values = found.array.as_ref()?.values(0, MOST_VALUES, &mut scratch).unwrap_or_default();
            let (source, name) = split(&found.path);
            Some(SmallValue { source: source.into(), name: name.into(), unit: "", values, damage: 0 })
        };
        self.single.iter().filter_map(&mut value).collect()
    }
}

/// A path as group and name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The data sets of numbers whose first axis counts events: all with three axes or more, and data sets with two axes
/// that NeXus names as signal. If there is none of these, any with two axes.
fn detectors(content: &Content) -> Vec<Pictures> {
    let is_numbers = |array: &Array| array.element().dtype().is_some();
    let signals = signals(content);
    let is_signal = |found: &Found| {
        found.attribute("signal").is_some()
            || signals.iter().any(|signal| *signal == found.path || found.others.contains(signal))
    };
    let with = |rank: usize| {
        let all = content.found.iter().filter_map(|found| Some((found, found.array.as_ref()?)));
        all.filter(move |(_, array)| array.shape().len() >= rank)
    };
    let meant = |(found, array): &(&Found, &Arc<Array>)| array.shape().len() > 2 || is_signal(found);
    let mut found: Vec<_> = with(2).filter(meant).collect();
    // Where pictures are meant that cannot be read, no other numbers are shown in their place.
    if found.is_empty() {
        found = with(2).collect();
    }
    found.retain(|(_, array)| is_numbers(array) && array.refused().is_none());
    let mut all: Vec<Pictures> = Vec::new();
    let mut series: BTreeMap<&str, usize> = BTreeMap::new();
    for (found, array) in found {
        // `data_000001`, `data_000002` … of one detector are one detector with several arrays.
        let begin = numbered(&found.path);
        if let Some(known) = begin.and_then(|begin| series.get(begin))
            && let Some(pictures) = all.get_mut(*known)
            && pictures.arrays.first().is_some_and(|first| is_alike(first, array))
        {
            pictures.arrays.push(array.clone());
            continue;
        }
        if let Some(begin) = begin {
            series.insert(begin, all.len());
        }
        all.push(Pictures {
            path: begin.unwrap_or(&found.path).to_owned(),
            others: std::iter::once(&found.path).chain(&found.others).cloned().collect(),
            arrays: vec![array.clone()],
            color: None,
            is_default: is_signal(found),
        });
    }
    all
}

/// The data sets with the pictures of detectors.
pub(super) fn pictures(content: &Content) -> Vec<Arc<Array>> {
    detectors(content).into_iter().flat_map(|pictures| pictures.arrays).collect()
}

/// Data sets with an axis for events and two for pixels, or meant by NeXus, that cannot be read, and why.
fn refused(content: &Content) -> Vec<(String, String)> {
    let one = |found: &Found| {
        let array = found.array.as_ref().filter(|array| array.shape().len() > 1)?;
        Some((found.path.clone(), array.refused()?.reason()))
    };
    content.found.iter().filter_map(one).collect()
}

/// The names that NeXus groups state as their default picture.
fn signals(content: &Content) -> Vec<String> {
    let signal = |found: &Found| Some(format!("{}/{}", found.path, found.text("signal")?));
    content.found.iter().filter(|found| found.array.is_none()).filter_map(signal).collect()
}

/// Whether its elements are numbers or text.
fn is_value(array: &Array) -> bool {
    !matches!(array.element().kind, Kind::Other(_))
}

/// The beginning of a name as `data_000001`: the writers of some detectors make one such data set for each file.
fn numbered(path: &str) -> Option<&str> {
    let (begin, digits) = path.rsplit_once('_')?;
    (digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(begin)
}

fn is_alike(one: &Array, other: &Array) -> bool {
    one.element() == other.element() && one.shape().get(1..) == other.shape().get(1..)
}

/// The first data set with one axis of a name.
fn column(content: &Content, name: &str) -> Option<Arc<Array>> {
    let mut found = content.found.iter().filter(|found| split(&found.path).1 == name);
    found.find_map(|found| found.array.clone().filter(|array| array.shape().len() == 1))
}

fn columns(content: &Content, events: u64, rows: u64) -> Vec<Column> {
    let mut all = Vec::new();
    for found in &content.found {
        let Some(array) = &found.array else { continue };
        let (group, name) = split(&found.path);
        let is_own = split(group).1 == ATTRIBUTES;
        // areaDetector's own columns may be ahead of the pixels; others must fit exactly.
        let fits = if is_own { array.rows() >= events } else { [events, rows].contains(&array.rows()) };
        if array.shape().len() != 1 || !is_value(array) || !fits || events == 0 {
            continue;
        }
        // Known columns become times, numbers and colours, and would be told twice as attributes.
        let is_known = [UNIQUE_ID, EVENT_TIME, SECONDS, NANOSECONDS, TIME_STAMP, COLOR_MODE].contains(&name);
        all.push(Column {
            group: group.to_owned(),
            name: name.to_owned(),
            array: array.clone(),
            is_attribute: is_own && !is_known,
        });
    }
    all
}

fn is_single(array: &Array, events: u64) -> bool {
    let is_list = array.shape().len() == 1 && array.rows() <= MOST_VALUES && array.rows() != events;
    (array.shape().is_empty() || is_list) && !array.grows() && is_value(array)
}

/// Frames per event: the product of a scan's axes behind the first one, if columns have a row for each frame.
fn frames_per_event(detectors: &[Pictures], unique: Option<&Array>) -> u64 {
    let (Some(unique), Some(array)) = (unique, detectors.first().and_then(|d| d.arrays.first())) else {
        return 1;
    };
    let steps = array.rows();
    let axes = array.shape().get(1..array.shape().len().saturating_sub(2)).unwrap_or_default();
    let products = axes.iter().scan(1_u64, |product, size| {
        *product = product.saturating_mul(*size);
        Some(*product)
    });
    let mut products = products.filter(|frames| *frames > 0);
    // The last step may have fewer.
    products.find(|frames| unique.rows().div_ceil(*frames) == steps && unique.rows() > steps).unwrap_or(1)
}

/// When events happened, ns since 1970: our own column, else the seconds and nanoseconds of EPICS, else the time stamp.
/// An event of several frames has the time of its first.
fn times(content: &Content, events: u64, frames: u64, memory: MemoryLimit) -> Result<Vec<u64>> {
    let numbers = |name: &str, ns: fn(&AttributeValue) -> u64| -> Result<Option<Vec<u64>>> {
        let array =
            column(content, name).filter(|array| array.rows() >= events && array.element().dtype().is_some());
        let Some(array) = array else { return Ok(None) };
        memory
            .check(events.saturating_mul(8), format_args!("the times of {events} events"))
            .map_err(too_much)?;
        // Of an event with several frames the first one counts.
        let each = if array.rows() > events { frames } else { 1 };
        let (mut all, mut row) = (Vec::new(), 0);
        let rows = 0..events.saturating_mul(each).min(array.rows());
        array.each_value(rows, &mut Scratch::within(COLUMN_BYTES), &mut |value| {
            all.extend((row % each == 0).then(|| ns(&value)));
            row += 1;
        })?;
        Ok(Some(all))
    };
    if let Some(times) = numbers(EVENT_TIME, whole)? {
        return Ok(times);
    }
    if let (Some(seconds), Some(rest)) = (numbers(SECONDS, whole)?, numbers(NANOSECONDS, whole)?) {
        let ns = |(seconds, rest): (u64, u64)| {
            seconds.saturating_add(EPICS_EPOCH_S).saturating_mul(1_000_000_000).saturating_add(rest)
        };
        return Ok(seconds.into_iter().zip(rest).map(ns).collect());
    }
    Ok(numbers(TIME_STAMP, of_stamp)?.unwrap_or_default())
}

/// Seconds since 1990 as ns since 1970.
fn of_stamp(stamp: &AttributeValue) -> u64 {
    match stamp {
        AttributeValue::Float(seconds) if *seconds > 0.0 => {
            ((seconds + EPICS_EPOCH_S as f64) * 1e9).round() as u64
        }
        _ => 0,
    }
}

pub(super) fn whole(value: &AttributeValue) -> u64 {
    match value {
        AttributeValue::Uint(value) => *value,
        AttributeValue::Int(value) => u64::try_from(*value).unwrap_or(0),
        _ => 0,
    }
}

/// How colours lie, as areaDetector numbers it.
fn color(modes: &Array) -> Option<ColorMode> {
    let first = modes.values(0, 1, &mut Scratch::within(COLUMN_BYTES)).ok()?;
    // areaDetector's numbers of colour modes.
    Some(match whole(first.first()?) {
        2 => ColorMode::Rgb1,
        3 => ColorMode::Rgb2,
        4 => ColorMode::Rgb3,
        _ => return None,
    })
}

/// Colours need an axis of three.
fn color_fits(pictures: &Pictures, color: Option<ColorMode>) -> bool {
    let shape = pictures.arrays.first().map_or(&[][..], |array| array.shape());
    let axis = match color {
        Some(ColorMode::Rgb1) => 3,
        Some(ColorMode::Rgb2) => 2,
        _ => 1,
    };
    color.is_some() && shape.len() == 4 && shape.get(axis) == Some(&3)
}

/// Files and data sets that belong to the run and cannot be read.
fn problems(path: &Path, content: &Content, detectors: &[Pictures]) -> Vec<(PathBuf, String)> {
    let missing = detectors.iter().flat_map(|pictures| &pictures.arrays).flat_map(|array| array.missing());
    let mut all: Vec<String> = content.dangling.iter().cloned().chain(missing).collect();
    all.dedup();
    all.into_iter().map(|why| (path.to_owned(), why)).collect()
}
