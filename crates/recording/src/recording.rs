//! A recorded run, whatever its format.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use livetime_formats::file::{self, ListError, Stores};
use livetime_formats::xtc1::run::{Apart, Piece, Places};
use livetime_formats::{Error, Result};
use livetime_frame::Layout;
use livetime_runtime::MemoryLimit;

use crate::breaks::Breaks;
use crate::damage::{Account, Fault};
use crate::detector::{Detector, Wanted};
use crate::format::{Opening, RunFormat, without_places};
use crate::picture::Picture;
use crate::problem::Problem;
use crate::range::RangeError;
use crate::reader::Reader;
use crate::records::{Names, RecordPlace, RunChange, SegmentRecord};
use crate::run::Run;
use crate::small_data::SmallValue;
use crate::transition::Transition;

/// Events that are searched for the first picture of a detector. The limit bounds the time for a detector without
/// pictures.
const MOST_LOOKED_AT: usize = 1000;

/// A recorded run: the events in the files of one run, in the order of time.
///
/// The value is a handle: clones are the same run, and any number of threads may read it at once. Opening scans headers
/// once, without data; afterwards every event can be read alone. Of a run that is still being written the events up to
/// the last [`Recording::refresh`] are known.
#[derive(Clone, Debug)]
pub struct Recording {
    run: Arc<RwLock<Box<dyn Run>>>,
    format: RunFormat,
    numbers: Numbers,
    memory: MemoryLimit,
    stores: Stores,
    breaks: Arc<Breaks>,
}

/// How the scanned events are numbered: the event at the position `skip` has the number `first`, and earlier ones have
/// none. In a whole run both are 0.
#[derive(Clone, Copy, Default, Debug)]
struct Numbers {
    first: usize,
    skip: usize,
}

impl Numbers {
    fn position(self, event: usize) -> Option<usize> {
        // An event before the part has no position.
        event.checked_sub(self.first).and_then(|behind| behind.checked_add(self.skip))
    }
}

impl Recording {
    /// Opens the files of one run. A single file stands for all files of its run beside it whose names end alike.
    ///
    /// # Errors
    /// If the files are of no known format, are of several runs, or the system refuses. A broken file is opened up to
    /// the broken place: see [`Recording::problems`].
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Recording> {
        Recording::open_from(&Stores::default(), paths)
    }

    /// As [`Recording::open`], also at addresses (`s3://bucket/key`), with which several paths may be named by a star.
    ///
    /// # Errors
    /// As [`Recording::open`].
    pub fn open_from<P: AsRef<Path>>(stores: &Stores, paths: &[P]) -> Result<Recording> {
        let (format, given) = given(stores, paths)?;
        // One file stands for its run; several are taken as they are.
        match (&given[..], paths) {
            ([path], [_]) => Recording::of(stores, format, &format.files_of(path, stores)?),
            _ => Recording::of(stores, format, &given),
        }
    }

    /// As [`Recording::open`] of exactly these files: other files beside them are left alone, and so are chunks that a
    /// file of LCLS-II names as its next ones.
    ///
    /// # Errors
    /// As [`Recording::open`].
    pub fn open_only<P: AsRef<Path>>(paths: &[P]) -> Result<Recording> {
        Recording::open_only_from(&Stores::default(), paths)
    }

    /// As [`Recording::open_only`], also at addresses.
    ///
    /// # Errors
    /// As [`Recording::open`].
    pub fn open_only_from<P: AsRef<Path>>(stores: &Stores, paths: &[P]) -> Result<Recording> {
        let (format, paths) = given(stores, paths)?;
        Recording::opened(format, &Opening { is_only: true, ..all_of(stores, &paths) })
    }

    /// The same run with a limit of the memory that reading an event, and jobs on the run, may take. By default the
    /// limit is half of the memory that is free when the run is opened.
    #[must_use]
    pub fn with_memory(self, memory: MemoryLimit) -> Recording {
        Recording { memory, ..self }
    }

    /// The memory that reading an event, and jobs on the run, may take.
    pub fn memory(&self) -> MemoryLimit {
        self.memory
    }

    /// As [`Recording::open`], but all files of the run, also files that HDF5 files link to, must lie in one of
    /// `folders`, which are whole paths without symbolic links. For runs from untrusted writers. A run that grows may
    /// find further files: see [`Recording::files`].
    ///
    /// # Errors
    /// As [`Recording::open`], or if a file lies elsewhere.
    pub fn open_within(path: &Path, folders: &[PathBuf], memory: MemoryLimit) -> Result<Recording> {
        // Checked before the file is opened: even a look at a foreign file would be too much.
        file::check_within(path, folders)?;
        let format = RunFormat::of(path)?;
        let stores = Stores::default();
        let paths = format.files_of(path, &stores)?;
        // Files found beside the first one are checked too, because links may lead out of the folder.
        paths.iter().try_for_each(|path| file::check_within(path, folders))?;
        Recording::opened(format, &Opening { within: Some(folders), memory, ..all_of(&stores, &paths) })
    }

    /// Opens the run that `text` names: a file as for [`Recording::open`], a pattern with `*` and `?` for its files, or several
    /// lines with a file in each. `format`: `None` finds it out by the first file.
    ///
    /// ```
    /// let error = livetime_recording::Recording::find("no-r0001-s000-c000.xtc2", None).unwrap_err();
    /// assert!(error.to_string().ends_with("wanted a recorded file, found none"));
    /// ```
    ///
    /// # Errors
    /// As [`Recording::open`], or if there is no such file.
    pub fn find(text: &str, format: Option<RunFormat>) -> std::result::Result<Recording, FindError> {
        Recording::find_from(&Stores::default(), text, format)
    }

    /// As [`Recording::find`], also at addresses.
    ///
    /// # Errors
    /// As [`Recording::find`].
    pub fn find_from(
        stores: &Stores,
        text: &str,
        format: Option<RunFormat>,
    ) -> std::result::Result<Recording, FindError> {
        let (format, paths) = named(stores, text, format)?;
        Ok(Recording::of(stores, format, &paths)?)
    }

    /// Whether the run has events of these numbers: work on no event at all would end without a word. A run without events, or that may
    /// grow, is not judged.
    ///
    /// # Errors
    /// [`RangeError::Behind`] if it has none of them.
    pub fn check_range(&self, events: &Range<usize>) -> std::result::Result<(), RangeError> {
        let (first, count, start) = (self.first(), self.events(), events.start);
        // A run that may grow can still get these events.
        let is_there = count == 0 || start < first + count || self.may_grow();
        is_there.then_some(()).ok_or(RangeError::Behind { count, first, start })
    }

    /// The files of the run that `text` names, as for [`Recording::find`], which are not opened.
    ///
    /// # Errors
    /// If there is none, or the first one is no recorded file.
    pub fn files_named(text: &str) -> std::result::Result<Vec<PathBuf>, FindError> {
        named(&Stores::default(), text, None).map(|(_, paths)| paths)
    }

    pub(crate) fn of(stores: &Stores, format: RunFormat, paths: &[PathBuf]) -> Result<Recording> {
        Recording::opened(format, &all_of(stores, paths))
    }

    fn opened(format: RunFormat, opening: &Opening<'_>) -> Result<Recording> {
        Ok(Recording::new((format.0.open)(opening)?, format, opening.memory, opening.stores))
    }

    fn new(run: Box<dyn Run>, format: RunFormat, memory: MemoryLimit, stores: &Stores) -> Recording {
        let (run, numbers) = (Arc::new(RwLock::new(run)), Numbers::default());
        Recording { run, format, numbers, memory, stores: stores.clone(), breaks: Arc::default() }
    }

    /// Opens files, and scans only the given places. The events there are numbered as events of a whole run; see
    /// [`Recording::numbered`].
    pub(crate) fn open_places(stores: &Stores, format: RunFormat, places: &[Places]) -> Result<Recording> {
        let open = format.0.open_places.ok_or_else(|| without_places(format))?;
        Ok(Recording::new(open(stores, places)?, format, MemoryLimit::half_of_free(), stores))
    }

    /// The same run, numbered so that the event at the position `skip` has the number `first`.
    pub(crate) fn numbered(self, first: usize, skip: usize) -> Recording {
        Recording { numbers: Numbers { first, skip }, ..self }
    }

    /// Where its files were opened.
    pub fn stores(&self) -> &Stores {
        &self.stores
    }

    /// How its files are written.
    pub fn format(&self) -> RunFormat {
        self.format
    }

    /// The number behind the last known event. Events are numbered from 0 on, except in a part of a run
    /// ([`Recording::open_part`]), whose events have the numbers of the whole run.
    pub fn events(&self) -> usize {
        self.run().events() - self.numbers.skip + self.numbers.first
    }

    /// The number behind the last complete event. Raw frames that are still being written may add frames to the last
    /// windows of time, also frames of links that are behind the others: readers that follow a run read up to here.
    pub fn complete(&self) -> usize {
        self.run().complete() - self.numbers.skip + self.numbers.first
    }

    /// The number of the first event.
    pub(crate) fn first(&self) -> usize {
        self.numbers.first
    }

    /// When event number `event` happened, ns since 1970; 0 if there is none.
    pub fn time_ns(&self, event: usize) -> u64 {
        self.numbers.position(event).map_or(0, |position| self.run().time_ns(position))
    }

    /// The file, the number and the time of an event, for messages.
    pub fn place(&self, event: usize) -> String {
        let run = self.run();
        match self.numbers.position(event).and_then(|position| run.place(position)) {
            Some((path, time)) => format!("{}: event {event} at {time}", path.display()),
            None => format!("event {event}"),
        }
    }

    /// The files, in the order in which [`Recording::pieces`] names them.
    pub fn files(&self) -> Vec<PathBuf> {
        self.run().files()
    }

    /// Where the data of an event are in the files.
    pub fn pieces(&self, event: usize) -> Vec<Piece> {
        self.numbers.position(event).map_or_else(Vec::new, |position| self.run().pieces(position))
    }

    /// Bytes of an event in the files, with all detectors; 0 if there is no such event.
    pub fn event_bytes(&self, event: usize) -> u64 {
        self.numbers.position(event).map_or(0, |position| self.run().event_bytes(position))
    }

    /// The changes of state in the order of time: where steps of a scan begin, for example. None in formats that have no such thing.
    pub fn transitions(&self) -> Vec<Transition> {
        let Numbers { first, skip } = self.numbers;
        let numbered = |t: Transition| Transition { event: t.event.saturating_sub(skip) + first, ..t };
        self.run().transitions().into_iter().map(numbered).collect()
    }

    /// Where all changes of state are that events are read with.
    pub(crate) fn state(&self) -> Vec<Piece> {
        self.run().state()
    }

    /// The places from which on a file cannot be read, and those inside of changes of state, and of events that were read so far.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems_from(0)
    }

    /// Problems behind the first `known`.
    pub fn problems_from(&self, known: usize) -> Vec<Problem> {
        self.breaks.behind(known, &**self.run())
    }

    /// The indices beside the files that do not fit them, each with the reason. Their files were scanned instead, so nothing is missing,
    /// but opening the run took longer.
    pub fn ignored_indices(&self) -> Vec<String> {
        self.run().ignored_indices()
    }

    /// The objects of stores without an index beside them: opening the run has read the head of every datagram in them.
    pub fn scanned_objects(&self) -> Vec<PathBuf> {
        self.run().scanned_objects()
    }

    /// Whether files are still being written: there will be more events.
    pub fn is_growing(&self) -> bool {
        self.run().is_growing()
    }

    /// Whether events may still come: files are being written, or the run has not ended and its next file may be about to begin.
    pub fn may_grow(&self) -> bool {
        self.run().may_grow()
    }

    /// Looks for events that were recorded since the last call; [complete](Recording::complete) events keep their
    /// numbers.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn refresh(&self) -> Result<()> {
        self.run_mut().refresh()
    }

    /// From now on files without a sign of their end count as being written, as far as their format knows growing files: raw frames and
    /// trigger records. [`Recording::give_up`] ends that.
    pub(crate) fn watch(&self) {
        self.run_mut().watch();
    }

    /// Stops waiting for growing files: the content so far counts as complete.
    ///
    /// # Errors
    /// If the files do not fit each other.
    pub(crate) fn give_up(&self) -> Result<()> {
        self.run_mut().give_up()
    }

    /// The detectors with pictures or arrays: of LCLS-I the senders in the first events, of LCLS-II the detectors that
    /// the run describes, of HDF5 the data sets whose first axis counts events, of the wire readout the links.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn detectors(&self) -> Result<Vec<Detector>> {
        self.detectors_for(&Wanted::default())
    }

    /// As [`Recording::detectors`]; if `wanted` names a detector that is not in the first events, further events are
    /// searched.
    ///
    /// # Errors
    /// If the system refuses, or `wanted` can mean no detector of this format.
    pub fn detectors_for(&self, wanted: &Wanted) -> Result<Vec<Detector>> {
        self.run().detectors(wanted)
    }

    /// The detector that is wanted, or with an empty text the only one. If the words fit several arrays and only one is
    /// a picture, this one is meant.
    ///
    /// # Errors
    /// If there is none, or more than one; the error lists them.
    pub fn detector(&self, wanted: impl Into<Wanted>) -> Result<Detector> {
        let known = self.known_detector(&wanted.into())?;
        known.ok_or_else(|| Error::new("a detector", "a run without events"))
    }

    /// As [`Recording::detector`]; `None` as long as the run says nothing about its detectors.
    ///
    /// # Errors
    /// As [`Recording::detector`].
    pub fn known_detector(&self, wanted: &Wanted) -> Result<Option<Detector>> {
        let run = self.run();
        let found = run.detectors(wanted)?;
        // A run that has not described its detectors yet answers later.
        if run.is_silent(&found) {
            return Ok(None);
        }
        match run.preferred(&found, wanted)? {
            None => wanted.one_of(&found, self.format.0.naming).map(Some),
            preferred => Ok(preferred),
        }
    }

    /// Type and shape of the first picture of a detector; `None` if it has none in the first thousand events. Of HDF5 the
    /// data set says it, and no picture is read.
    pub fn layout(&self, detector: &Detector) -> Option<Layout> {
        if let Some(known) = self.run().layout(detector) {
            return Some(known);
        }
        let (mut reader, mut picture) = (Reader::default(), Picture::default());
        let mut events = (self.numbers.first..self.events()).take(MOST_LOOKED_AT);
        events.find_map(|event| {
            self.read(detector, event, &mut reader, &mut picture).ok()?;
            picture.layout().ok()
        })
    }

    /// Reads the data of `detector` at an event, and judges them. Any number of threads may read at once, each with its
    /// own `reader`.
    ///
    /// The rule, for all formats:
    ///
    /// 1. A picture is damaged if the recorder notes damage of this picture. Damage noted for the whole event is
    ///    about some part of the event, and makes no existing picture damaged.
    /// 2. Of several pictures of one detector, undamaged ones come before damaged ones, then the order of the file decides.
    /// 3. The first that can be read counts.
    /// 4. Panels are judged alone: a damaged or missing one makes the picture [`Condition::Partial`](crate::Condition::Partial) and
    ///    leaves the others as good as they were.
    /// 5. An event without data of the detector may have lost them if the event notes an error; else the detector
    ///    was not read.
    ///
    /// # Errors
    /// [`Fault`] if there is no picture to show: of the kinds [`Missing`](crate::FaultKind::Missing),
    /// [`Lost`](crate::FaultKind::Lost), [`Broken`](crate::FaultKind::Broken) or
    /// [`Unreadable`](crate::FaultKind::Unreadable). The fault lacks the place; see [`Recording::place`].
    pub fn read(
        &self,
        detector: &Detector,
        event: usize,
        reader: &mut Reader,
        picture: &mut Picture,
    ) -> std::result::Result<(), Fault> {
        self.read_apart(detector, event, reader, picture, &mut Apart::default())
    }

    pub(crate) fn read_apart(
        &self,
        detector: &Detector,
        event: usize,
        reader: &mut Reader,
        picture: &mut Picture,
        apart: &mut Apart<'_>,
    ) -> std::result::Result<(), Fault> {
        // The old picture's memory stays; its content is forgotten.
        picture.begin(event, self.format.0.damage, self.memory);
        let position = self.position_for(event);
        let read = position.and_then(|position| self.run().read(detector, position, reader, picture, apart));
        // Noted also if the picture itself is good: another reader may want the broken part.
        if let Some(why) = picture.broken_beside.take() {
            self.note_break(event, &why);
        }
        read.map_err(|fault| Fault { event: Some(event), ..fault })
    }

    fn note_break(&self, event: usize, why: &str) {
        let run = self.run();
        let place = self.numbers.position(event).and_then(|position| run.place(position));
        if let Some((path, time)) = place {
            let why = format!("event {event} at {time}: {why}");
            self.breaks.note(event, Problem { path: path.to_owned(), event: Some(event), why });
        }
    }

    /// The position of an event that is about to be read. An event that is read as a whole must fit into the allowed
    /// memory.
    fn position_for(&self, event: usize) -> std::result::Result<usize, Fault> {
        let position = self.numbers.position(event).ok_or_else(Fault::no_event)?;
        // Formats with datagrams read an event as a whole, whose size the file claims.
        if self.format.datagrams().is_some() {
            self.memory.check(self.run().event_bytes(position), "an event")?;
        }
        Ok(position)
    }

    /// The most bytes that reading a picture of `detector` takes beside the picture: the bytes of the largest of these
    /// events, and the format's memory to decode them.
    pub fn read_memory(&self, detector: &Detector, events: impl Iterator<Item = usize>) -> u64 {
        let mut positions = events.filter_map(|event| self.numbers.position(event));
        self.run().read_memory(detector, &mut positions)
    }

    /// Fills `bytes` from a piece of an event, from `start` on.
    pub(crate) fn read_part(&self, event: usize, piece: usize, start: usize, bytes: &mut [u8]) -> Result<()> {
        let position = self.numbers.position(event);
        let position = position.ok_or_else(|| Error::new("an event of the run", event.to_string()))?;
        self.run().read_part(position, piece, start, bytes)
    }

    /// Reads the data of `detector` at all events, and counts their conditions: the same account as of a reader of
    /// frames.
    pub fn judge(&self, detector: &Detector) -> Account {
        let (mut reader, mut picture) = (Reader::default(), Picture::default());
        let mut account = Account::default();
        for event in self.numbers.first..self.events() {
            let read = self.read(detector, event, &mut reader, &mut picture);
            match read.and_then(|()| picture.layout()) {
                Ok(_) => account.add_picture(picture.condition()),
                Err(fault) => account.add_fault(fault.kind),
            }
        }
        account
    }

    /// The values recorded at an event beside the arrays: event codes, values of beam monitors and process variables in
    /// this event (LCLS-I); single values and short lists of all records (LCLS-II); the columns with a value for each
    /// event (HDF5); times, triggers and missing ticks (wire readout).
    ///
    /// # Errors
    /// [`Fault`] if the event cannot be read.
    pub fn small_data(
        &self,
        event: usize,
        reader: &mut Reader,
    ) -> std::result::Result<Vec<SmallValue>, Fault> {
        let read = self.position_for(event).and_then(|position| self.run().small_data(position, reader));
        read.map_err(|fault| fault.at(event, self.place(event)))
    }

    /// The configuration at an event: values set by a scan, process variables, and the settings of detectors whose
    /// layout is known; other settings are named without values.
    ///
    /// # Errors
    /// [`Fault`] if it cannot be read.
    pub fn configuration(
        &self,
        event: usize,
        reader: &mut Reader,
    ) -> std::result::Result<Vec<SmallValue>, Fault> {
        let read = self.position_for(event).and_then(|position| self.run().configuration(position, reader));
        read.map_err(|fault| fault.at(event, self.place(event)))
    }

    /// All changes of state of a run of LCLS-II, slow updates among them, in the order of time. None of other formats.
    pub fn changes(&self) -> Vec<RunChange> {
        let Numbers { first, skip } = self.numbers;
        let mut found = self.run().changes();
        found.iter_mut().for_each(|change| change.event = change.event.saturating_sub(skip) + first);
        found
    }

    /// The records of the detectors `wanted`, or, without any, of all, with all their values; only of LCLS-II.
    ///
    /// # Errors
    /// [`Fault`] if they cannot be read, or the format has none.
    pub fn records(
        &self,
        place: RecordPlace,
        wanted: &[String],
        reader: &mut Reader,
    ) -> std::result::Result<Vec<SegmentRecord>, Fault> {
        let position = match place {
            RecordPlace::Event(event) => {
                self.numbers.position(event).map(RecordPlace::Event).ok_or_else(Fault::no_event)
            }
            RecordPlace::Change(change) => Ok(RecordPlace::Change(change)),
        };
        let read = position.and_then(|position| self.run().records(position, wanted, reader));
        read.map_err(|fault| match place {
            RecordPlace::Event(event) => fault.at(event, self.place(event)),
            RecordPlace::Change(_) => fault,
        })
    }

    /// The descriptions that a change of state gives of later records, each with the number of its stream's piece; only
    /// of LCLS-II.
    ///
    /// # Errors
    /// [`Fault`] if it cannot be read, or the format has none.
    pub fn names(
        &self,
        change: usize,
        reader: &mut Reader,
    ) -> std::result::Result<Vec<(usize, Names)>, Fault> {
        self.run().names(change, reader)
    }

    // A thread that panicked while it read has changed nothing.
    fn run(&self) -> RwLockReadGuard<'_, Box<dyn Run>> {
        self.run.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn run_mut(&self) -> RwLockWriteGuard<'_, Box<dyn Run>> {
        self.run.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run that a program has open, for a source in its graph that shall play the same files: it need not scan them again.
///
/// ```
/// use livetime_recording::OpenRun;
///
/// assert!(OpenRun::default().find("e236-r0003-s04-c00.xtc").is_none());
/// ```
#[derive(Clone, Default, Debug)]
pub struct OpenRun(Option<(String, Recording)>);

impl OpenRun {
    /// `recording`, which was opened from the files that `text` names as for [`Recording::find`].
    pub fn new(text: &str, recording: &Recording) -> OpenRun {
        OpenRun(Some((text.to_owned(), recording.clone())))
    }

    /// The run, if its files are named alike.
    pub fn find(&self, text: &str) -> Option<Recording> {
        self.0.as_ref().filter(|(known, _)| known == text).map(|(_, recording)| recording.clone())
    }
}

/// Why a text means no run that can be opened.
#[derive(Debug)]
pub enum FindError {
    /// The path names no files.
    Files(ListError),
    /// The files are of no known format, are of several runs, or the system refuses.
    Run(Error),
}

impl From<ListError> for FindError {
    fn from(error: ListError) -> FindError {
        FindError::Files(error)
    }
}

impl From<Error> for FindError {
    fn from(error: Error) -> FindError {
        FindError::Run(error)
    }
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::Files(error) => error.fmt(f),
            FindError::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FindError {}

/// All files of a run, opened as a whole program opens them.
fn all_of<'a>(stores: &'a Stores, paths: &'a [PathBuf]) -> Opening<'a> {
    Opening { paths, is_only: false, within: None, memory: MemoryLimit::half_of_free(), stores }
}

/// Files as they are given to a program: an address with a signature becomes one without ([`Stores::named`]), and a star in the last part of
/// an address the objects that it means.
///
/// # Errors
/// If there is no such object, or the store cannot list.
pub fn files_given<P: AsRef<Path>>(stores: &Stores, paths: &[P]) -> Result<Vec<PathBuf>> {
    let paths = paths.iter().map(|path| stores.named(path.as_ref())).collect::<Result<_>>()?;
    file::expanded(paths, stores).map_err(|e| Error::new("files of a run", e.to_string()))
}

/// The format of the first of some files, and all, of which there is at least one.
pub(crate) fn given<P: AsRef<Path>>(stores: &Stores, paths: &[P]) -> Result<(RunFormat, Vec<PathBuf>)> {
    let paths = files_given(stores, paths)?;
    let first = paths.first().ok_or_else(|| Error::new("at least one file of a run", "none"))?;
    Ok((RunFormat::of_from(stores, first)?, paths))
}

/// The format of the first file that `text` names, and all files.
fn named(
    stores: &Stores,
    text: &str,
    format: Option<RunFormat>,
) -> std::result::Result<(RunFormat, Vec<PathBuf>), FindError> {
    // A text of several lines is a list, each line with a secret of its own.
    let lines = text.split('\n').map(|line| Ok(stores.named(line.as_ref())?.to_string_lossy().into_owned()));
    let text = &lines.collect::<Result<Vec<String>>>()?.join("\n");
    let known = |path: &Path| format.map_or_else(|| RunFormat::of_from(stores, path), Ok);
    let paths = file::files(text, stores, |path| known(path)?.files_of(path, stores))?;
    let none = || ListError::Unrecorded { text: text.to_owned() };
    let format = known(paths.first().ok_or_else(none)?)?;
    Ok((format, paths))
}
