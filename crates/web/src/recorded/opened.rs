//! Recorded runs and arrays that are open: their descriptions, and single events.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use livetime_frame::{Allocator, AttributeValue, Frame, FramePool, Layout};
use livetime_recording::{
    Condition, Detector, Fault, MemoryLimit, Picture, Reader, Recording, SmallValue, Transition, clock,
};
use serde_json::{Value, json};

use super::array::{self, Elements};
use super::folders::{Kind, UNFINISHED, is_in};
use super::listing::modified_ns;
use super::mosaic::{columns, memory, mosaic};
use crate::error::Error;

/// Runs that are open at the same time; the one that was asked for longest ago is closed for another one.
const MOST_OPEN: usize = 4;
/// Bytes of one picture.
const LARGEST: usize = 128 << 20;
/// Bytes that reading one may take, with the chunk of a file in which it lies.
const READING: u64 = 2 * LARGEST as u64;
/// Memory for pictures of all open runs: each keeps the last one that was asked for, and one is being made.
const POOL: usize = (MOST_OPEN + 2) * LARGEST;
/// How often a run that is being written is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// Entries of the lists in a summary.
const MOST_LISTED: usize = 1000;
/// Values beside a picture, and elements of one of them.
const MOST_SMALL: usize = 500;
const MOST_ELEMENTS: usize = 16;
/// The name of the only array of a file of NumPy.
const ARRAY: &str = "array";

/// An open run or array.
pub(crate) struct Opened {
    /// The newest last.
    open: Vec<Open>,
    /// Tells files of the same name from each other: data made of one do not belong to the next.
    generation: u64,
    allocator: Allocator,
}

impl Default for Opened {
    fn default() -> Opened {
        Opened { open: Vec::new(), generation: 0, allocator: FramePool::new(POOL).allocator() }
    }
}

struct Open {
    path: PathBuf,
    generation: u64,
    states: Vec<Option<FileState>>,
    looked: Instant,
    content: Content,
    /// The picture that was asked for last.
    last: Option<(String, usize, Frame)>,
}

enum Content {
    Run(Box<Run>),
    Array(array::Header),
}

struct Run {
    recording: Recording,
    detectors: Vec<Detector>,
    /// Type and shape of the first picture of each detector, once a client asked.
    layouts: BTreeMap<String, Option<Layout>>,
    reader: Reader,
    picture: Picture,
}

/// A frame of an open run, and its identity.
pub(crate) struct Shown {
    pub(crate) source: String,
    pub(crate) event: u64,
    pub(crate) frame: Frame,
}

/// How a file was when it was opened. A path says nothing about what lies there.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileState {
    /// The system's number of the file, which another one under the same name does not have.
    number: u64,
    bytes: u64,
    modified_ns: u64,
}

impl FileState {
    fn of(path: &Path) -> Option<FileState> {
        let found = fs::metadata(path).ok()?;
        Some(FileState { number: found.ino(), bytes: found.len(), modified_ns: modified_ns(&found) })
    }

    /// Whether `later` may be the same file with more behind it.
    fn may_become(self, later: FileState) -> bool {
        self.number == later.number && self.bytes <= later.bytes
    }
}

// ---- Opening ----

impl Opened {
    /// The run, or the array, in `path`; its other files must lie in `roots`.
    fn at(&mut self, path: &Path, roots: &[PathBuf]) -> Result<(&mut Open, &mut Allocator), Error> {
        let gone = || if is_renamed(path) { renamed() } else { Error::not_found("the file is gone") };
        FileState::of(path).ok_or_else(gone)?;
        if let Some(at) = self.open.iter().position(|open| open.path == path) {
            // Moved to the end of the list: the first one is closed for another run.
            let mut open = self.open.remove(at);
            if open.is_current() && open.refresh(roots) {
                self.open.push(open);
            }
        }
        if self.open.last().is_none_or(|open| open.path != path) {
            // A new number: the pictures of a replaced file are not the new file's.
            self.generation += 1;
            let content = Content::open(path, roots)?;
            let states = content.states(path);
            if self.open.len() >= MOST_OPEN {
                self.open.remove(0);
                self.allocator.release_free();
            }
            let (generation, looked) = (self.generation, Instant::now());
            self.open.push(Open { path: path.to_owned(), generation, states, looked, content, last: None });
        }
        let open = self.open.last_mut().ok_or_else(Error::ended)?;
        Ok((open, &mut self.allocator))
    }

    /// The description of a run, as JSON.
    ///
    /// # Errors
    /// 422 when it cannot be opened.
    pub(crate) fn summary(&mut self, path: &Path, roots: &[PathBuf]) -> Result<Value, Error> {
        let (open, _) = self.at(path, roots)?;
        let mut summary = match &mut open.content {
            Content::Run(run) => run.summary(),
            Content::Array(header) => array_json(header),
        };
        summary["path"] = json!(path);
        Ok(summary)
    }

    /// One event, as JSON; with the picture of `detector` if that has a name.
    ///
    /// # Errors
    /// 404 when there is no such event or detector.
    pub(crate) fn event(
        &mut self,
        path: &Path,
        roots: &[PathBuf],
        event: usize,
        detector: &str,
    ) -> Result<Value, Error> {
        let (open, _) = self.at(path, roots)?;
        match &mut open.content {
            Content::Run(run) => run.event(event, detector),
            Content::Array(_) if event > 0 => Err(Error::not_found("an array has the event 0 alone")),
            Content::Array(header) => Ok(json!({ "event": 0, "picture": layout_json(header), "small": [] })),
        }
    }

    /// The picture of a detector at an event.
    ///
    /// # Errors
    /// 404 when there is no such event or detector, 422 when there is no picture to show, and why.
    pub(crate) fn frame(
        &mut self,
        path: &Path,
        roots: &[PathBuf],
        event: usize,
        detector: &str,
    ) -> Result<Shown, Error> {
        let (open, allocator) = self.at(path, roots)?;
        let source = format!("{}:{detector}", open.generation);
        // A run that is being written may have more of an event than a moment ago.
        let is_complete = !matches!(&open.content, Content::Run(run) if event >= run.recording.complete());
        let is_last = |(of, at, _): &&(String, usize, Frame)| is_complete && of == detector && *at == event;
        if let Some((_, _, frame)) = open.last.as_ref().filter(is_last) {
            return Ok(Shown { source, event: event as u64, frame: frame.clone() });
        }
        // Its memory is free for the next one.
        open.last = None;
        let frame = match &mut open.content {
            Content::Run(run) => run.frame(event, detector, allocator)?,
            Content::Array(_) => array::frame(&open.path, allocator).map_err(Error::refused)?,
        };
        open.last = Some((detector.to_owned(), event, frame.clone()));
        Ok(Shown { source, event: event as u64, frame })
    }
}

impl Content {
    /// The states of all its files, of which `path` is one; `None` for a file that is not there.
    fn states(&self, path: &Path) -> Vec<Option<FileState>> {
        match self {
            Content::Run(run) => run.recording.files().iter().map(|path| FileState::of(path)).collect(),
            Content::Array(_) => vec![FileState::of(path)],
        }
    }
}

impl Open {
    /// A file that was replaced or written again is another one. One that is being written grows.
    fn is_current(&self) -> bool {
        let states = self.content.states(&self.path);
        let has_grown = || {
            let mut pairs = self.states.iter().zip(&states);
            pairs.all(|pair| matches!(pair, (Some(then), Some(now)) if then.may_become(*now)))
        };
        let may_grow = matches!(&self.content, Content::Run(run) if run.recording.may_grow());
        self.states == states || may_grow && has_grown()
    }

    /// Looks for new events. False: a file was found meanwhile that may not be read.
    fn refresh(&mut self, roots: &[PathBuf]) -> bool {
        if let Content::Run(run) = &mut self.content
            && self.looked.elapsed() >= LOOK_AGAIN
            && run.recording.may_grow()
        {
            self.looked = Instant::now();
            // Events that are known stay; an error comes up where they are read.
            let _ = run.recording.refresh();
            // A detector without a picture so far may have one by now.
            run.layouts.retain(|_, layout| layout.is_some());
            if run.detectors.is_empty() {
                run.detectors = run.recording.detectors().unwrap_or_default();
            }
            let is_allowed = |file: &PathBuf| fs::canonicalize(file).is_ok_and(|file| is_in(&file, roots));
            return run.recording.files().iter().all(is_allowed);
        }
        true
    }
}

impl Content {
    fn open(path: &Path, roots: &[PathBuf]) -> Result<Content, Error> {
        if Kind::of(path) == Some(Kind::Array) {
            let cannot = |e| Error::refused(format!("it cannot be opened: {e}"));
            return array::header(path).map(Content::Array).map_err(cannot);
        }
        let recording =
            Recording::open_within(path, roots, limit()).map_err(|e| cannot_open(e.file(), &e))?;
        let detectors = recording.detectors().map_err(|e| cannot_open(e.file(), &e))?;
        let (reader, picture) = (Reader::default(), Picture::default());
        Ok(Content::Run(Box::new(Run { recording, detectors, layouts: BTreeMap::new(), reader, picture })))
    }
}

/// The memory that reading a run may take: a file in a folder that is shown may be made to ask for all there is.
fn limit() -> MemoryLimit {
    MemoryLimit::half_of_free().at_most(READING, "for a run on a page")
}

/// A writer that ends gives its files their names, one after another, and readers may meet it in the middle.
fn cannot_open(file: Option<&Path>, why: &dyn std::fmt::Display) -> Error {
    match file.is_some_and(is_renamed) {
        true => renamed(),
        false => Error::refused(format!("it cannot be opened: {why}")),
    }
}

/// Whether a file of this name is complete now, and has another one.
fn is_renamed(path: &Path) -> bool {
    let finished = path.to_str().and_then(|path| path.strip_suffix(UNFINISHED));
    finished.is_some_and(|finished| Path::new(finished).exists() && !path.exists())
}

fn renamed() -> Error {
    let why = "its files are just getting their names, because what writes them ends: ask again";
    Error::new(StatusCode::SERVICE_UNAVAILABLE, why)
}

// ---- Runs ----

impl Run {
    fn summary(&mut self) -> Value {
        let recording = self.recording.clone();
        let events = recording.events();
        let times = (recording.time_ns(0), recording.time_ns(events.saturating_sub(1)));
        let times = Some(times).filter(|(first, _)| events > 0 && clock::is_set(*first));
        let rate = times.and_then(|(first, last)| clock::rate_hz(events as u64, first, last));
        let file =
            |path: &PathBuf| json!({ "path": path, "bytes": fs::metadata(path).map(|m| m.len()).ok() });
        let detectors = self.detectors.clone();
        let transitions = recording.transitions();
        json!({
            "format": recording.format().label(),
            "files": recording.files().iter().take(MOST_LISTED).map(file).collect::<Vec<_>>(),
            "events": events,
            "first_ns": times.map(|(first, _)| first),
            "last_ns": times.map(|(_, last)| last),
            "event_rate_hz": rate,
            "growing": recording.may_grow(),
            "detectors": detectors.iter().map(|detector| self.detector_json(detector)).collect::<Vec<_>>(),
            "transitions": transitions.iter().take(MOST_LISTED).map(transition_json).collect::<Vec<_>>(),
            "transition_count": transitions.len(),
            "problems": recording.problems().iter().take(MOST_LISTED)
                .map(|p| json!({ "file": p.path, "why": p.why })).collect::<Vec<_>>(),
        })
    }

    fn detector_json(&mut self, detector: &Detector) -> Value {
        let name = detector.to_string();
        let recording = &self.recording;
        let layout = self.layouts.entry(name.clone()).or_insert_with(|| recording.layout(detector));
        let (dtype, shape) = match layout {
            Some(layout) => (Some(layout.dtype().name()), Some(layout.shape().collect::<Vec<_>>())),
            None => (None, None),
        };
        json!({ "name": name, "pictures": detector.has_pictures(), "dtype": dtype, "shape": shape })
    }

    fn detector(&self, name: &str) -> Result<Detector, Error> {
        let found = self.detectors.iter().find(|detector| detector.to_string() == name);
        found.cloned().ok_or_else(|| {
            let known: Vec<String> = self.detectors.iter().take(10).map(Detector::to_string).collect();
            Error::not_found(format!("wanted a detector of the run, as {}, found `{name}`", known.join(", ")))
        })
    }

    fn check(&self, event: usize) -> Result<(), Error> {
        match self.recording.events() {
            events if event < events => Ok(()),
            events => Err(Error::not_found(format!("wanted an event below {events}, found {event}"))),
        }
    }

    fn event(&mut self, event: usize, detector: &str) -> Result<Value, Error> {
        self.check(event)?;
        let mut found = json!({
            "event": event,
            "events": self.recording.events(),
            "time_ns": Some(self.recording.time_ns(event)).filter(|ns| clock::is_set(*ns)),
            "place": self.recording.place(event),
            "bytes": self.recording.event_bytes(event),
        });
        if !detector.is_empty() {
            let detector = self.detector(detector)?;
            match self.read(event, &detector) {
                Ok(layout) => found["picture"] = self.picture_json(&layout),
                Err(fault) => found["fault"] = json!({ "kind": fault.kind.name(), "why": fault.why }),
            }
        }
        match self.recording.small_data(event, &mut self.reader) {
            Ok(values) => {
                found["small"] = values.iter().take(MOST_SMALL).map(small_json).collect();
                found["small_count"] = values.len().into();
            }
            Err(fault) => found["small_problem"] = fault.why.into(),
        }
        Ok(found)
    }

    fn read(&mut self, event: usize, detector: &Detector) -> Result<Layout, Fault> {
        self.recording.read(detector, event, &mut self.reader, &mut self.picture)?;
        self.picture.layout()
    }

    /// How good the picture that was read is, panel by panel where something is wrong.
    fn picture_json(&self, layout: &Layout) -> Value {
        let picture = &self.picture;
        let condition = match picture.condition() {
            Condition::Whole => "whole",
            Condition::Partial => "partial",
            Condition::Damaged => "damaged",
        };
        let damaged = picture.panels().filter(|panel| panel.damage != 0).take(MOST_LISTED);
        let damaged = damaged
            .map(|panel| json!({ "panel": panel.number, "damage": picture.damage_in_words(panel.damage) }));
        let shape: Vec<usize> = layout.shape().collect();
        json!({
            "condition": condition,
            "dtype": layout.dtype().name(),
            "color": layout.color().is_rgb(),
            "shape": shape,
            "across": across(&shape, layout.color().is_rgb()),
            "panels": picture.panels().count(),
            "damaged": damaged.collect::<Vec<_>>(),
            "file_bytes": picture.file_bytes(),
        })
    }

    fn frame(&mut self, event: usize, detector: &str, allocator: &mut Allocator) -> Result<Frame, Error> {
        self.check(event)?;
        let detector = self.detector(detector)?;
        let layout = self
            .read(event, &detector)
            .map_err(|fault| Error::refused(format!("{}: {}", fault.kind, fault.why)))?;
        if layout.span() > LARGEST {
            return Err(Error::refused(format!(
                "wanted a picture of at most {LARGEST} bytes, found {}",
                layout.span()
            )));
        }
        let mut frame = memory(allocator, &layout).map_err(Error::refused)?;
        self.picture.fill(&mut frame);
        frame.header_mut().sequence = event as u64;
        mosaic(frame.freeze(), allocator).map_err(Error::refused)
    }
}

/// How many panels of an array of this shape lie beside each other in its picture.
fn across(shape: &[usize], is_rgb: bool) -> usize {
    match shape {
        [before @ .., height, width] if !before.is_empty() && !is_rgb => {
            columns(before.iter().product(), *width, *height)
        }
        _ => 1,
    }
}

fn transition_json(found: &Transition) -> Value {
    json!({
        "change": found.change.name(),
        "time_ns": found.time_ns,
        "event": found.event,
        "run": found.run_number,
    })
}

fn small_json(value: &SmallValue) -> Value {
    let one = |value: &AttributeValue| match value {
        AttributeValue::Int(v) => json!(v),
        AttributeValue::Uint(v) => json!(v),
        AttributeValue::Float(v) => json!(v),
        AttributeValue::Text(v) => json!(**v),
    };
    json!({
        "source": value.source,
        "name": value.name,
        "unit": value.unit,
        "values": value.values.iter().take(MOST_ELEMENTS).map(one).collect::<Vec<_>>(),
        "count": value.values.len(),
        "damage": value.damage,
    })
}

// ---- Arrays ----

fn array_json(header: &array::Header) -> Value {
    let detectors = json!([{
        "name": ARRAY,
        "pictures": matches!(header.elements, Elements::Plain(_)) && header.shape.len() > 1,
        "dtype": dtype_name(header),
        "shape": header.shape,
    }]);
    let columns = match &header.elements {
        Elements::Plain(_) => Value::Null,
        Elements::Rows(columns) => columns.iter().map(|(name, _)| name.clone()).collect(),
    };
    json!({ "format": "npy", "events": 1, "detectors": detectors, "columns": columns, "problems": [], "growing": false })
}

fn dtype_name(header: &array::Header) -> Option<&'static str> {
    match &header.elements {
        Elements::Plain(dtype) => Some(dtype.name()),
        Elements::Rows(_) => None,
    }
}

fn layout_json(header: &array::Header) -> Value {
    let across = across(&header.shape, false);
    json!({ "condition": "whole", "dtype": dtype_name(header), "shape": header.shape, "across": across, "damaged": [] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_just_got_its_name_is_no_error_of_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let (finished, unfinished) = (folder.path().join("a.xtc"), folder.path().join("a.xtc.inprogress"));
        let status = |file: &Path| cannot_open(Some(file), &"no such file").status.as_u16();
        assert_eq!((status(&finished), status(&unfinished)), (422, 422));
        fs::write(&unfinished, "").unwrap();
        assert_eq!((status(&finished), status(&unfinished)), (422, 422));
        fs::rename(&unfinished, &finished).unwrap();
        assert_eq!((status(&finished), status(&unfinished)), (422, 503));
        let opened = Opened::default().at(&unfinished, &[]).map(|_| ()).unwrap_err();
        assert_eq!(opened.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(opened.message.contains("ask again"), "{}", opened.message);
        assert_eq!(cannot_open(None, &"not a run").status.as_u16(), 422);
    }
}
