//! A recorded run, whatever its format.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use livetime_formats::file::{self, Format, Head, ReadAt};
use livetime_formats::trigger::TriggerRecordHeader;
use livetime_formats::xtc1::run::{Apart, Piece, Places};
use livetime_formats::{Error, Result, xtc1, xtc2};
use livetime_frame::Layout;
use livetime_runtime::MemoryLimit;

use crate::breaks::Breaks;
use crate::frames::Choice;
use crate::hdf5::Hdf5;
use crate::lcls1::Lcls1;
use crate::lcls2::Lcls2;
use crate::records::{Names, RecordPlace, RunChange, SegmentRecord};
use crate::run::Run;
use crate::wire::{self, Dumps, Records};
use crate::{
    Account, Detector, Fault, FaultKind, Frames, Options, Picture, Reader, SmallValue, Transition, Wanted,
};

/// Events that are looked at for the first picture of a detector.
const MOST_LOOKED_AT: usize = 1000;

/// How the files of a run are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum RunFormat {
    /// XTC of LCLS-I.
    #[default]
    Xtc1,
    /// XTC of LCLS-II.
    Xtc2,
    /// HDF5.
    Hdf5,
    /// Raw frames of the wire readout, a link in each file, bare or packed with Zstandard.
    WireDump,
    /// Trigger records of the wire readout.
    TriggerRecords,
}

impl RunFormat {
    /// `"xtc1"`, `"xtc2"`, `"hdf5"`, `"wire"` or `"records"`.
    pub fn name(self) -> &'static str {
        match self {
            RunFormat::Xtc1 => "xtc1",
            RunFormat::Xtc2 => "xtc2",
            RunFormat::Hdf5 => "hdf5",
            RunFormat::WireDump => "wire",
            RunFormat::TriggerRecords => "records",
        }
    }

    /// Of the file `path`: by its name, or else by what it begins with.
    ///
    /// # Errors
    /// If it is none of these, or the system refuses.
    pub fn of(path: &Path) -> Result<RunFormat> {
        match Format::of(path) {
            Some(Format::Xtc1 | Format::SmallXtc1) => return Ok(RunFormat::Xtc1),
            Some(Format::Xtc2 | Format::SmallXtc2) => return Ok(RunFormat::Xtc2),
            Some(Format::Index) => {
                return Err(Error::new("a file of datagrams", "an index file").in_file(path));
            }
            None => {}
        }
        let file = File::open(path).map_err(|e| Error::io("to open the file", e).in_file(path))?;
        let mut head = [0; 64];
        let count = file.read_at(&mut head, 0).map_err(|e| Error::io("to read the file", e).in_file(path))?;
        let head = head.get(..count).unwrap_or_default();
        if head.starts_with(b"\x89HDF\r\n\x1a\n") {
            return Ok(RunFormat::Hdf5);
        }
        if let Some(format) = wire::will_be(path) {
            return Ok(format);
        }
        if TriggerRecordHeader::read(head).is_ok() {
            return Ok(RunFormat::TriggerRecords);
        }
        if wire::is_dump(path) {
            return Ok(RunFormat::WireDump);
        }
        if xtc1::DatagramHeader::parse(head).is_ok() {
            return Ok(RunFormat::Xtc1);
        }
        match xtc2::DatagramHeader::parse(head) {
            Ok(_) => Ok(RunFormat::Xtc2),
            Err(_) => {
                let wanted =
                    "an XTC file of LCLS-I or LCLS-II, an HDF5 file, raw frames of wires, or trigger records";
                Err(Error::new(wanted, "something else").in_file(path))
            }
        }
    }
}

/// A place from which on a file cannot be read, and the number of events behind it is unknown; or a part of a datagram that means nothing, which
/// whoever reads the event finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// Number of the event that it is in; `None` if it is none.
    pub event: Option<usize>,
    /// What was wanted, what was found, and where.
    pub why: String,
}

/// A recorded run: the events in the files of one run, in the order of time.
///
/// It is a handle: clones are the same run, and any number of threads may read it at once. What is open is scanned once, without its
/// data; every event can then be read alone. A run that is still being written is known as far as [`Recording::refresh`] came last.
#[derive(Clone, Debug)]
pub struct Recording {
    run: Arc<RwLock<Box<dyn Run>>>,
    format: RunFormat,
    numbers: Numbers,
    memory: MemoryLimit,
    breaks: Arc<Breaks>,
}

/// How the events that were scanned are numbered: the one at the position `skip` has the number `first`, and those before it have none. In
/// a whole run both are 0.
#[derive(Clone, Copy, Default, Debug)]
struct Numbers {
    first: usize,
    skip: usize,
}

impl Numbers {
    fn position(self, event: usize) -> Option<usize> {
        event.checked_sub(self.first).and_then(|behind| behind.checked_add(self.skip))
    }
}

impl Recording {
    /// Opens the files of one run; of a single file, all files of its run that lie beside it and whose names end alike.
    ///
    /// # Errors
    /// If the files are of no known format, are of several runs, or the system refuses. A file that is broken is opened up to there:
    /// see [`Recording::problems`].
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Recording> {
        let Some(first) = paths.first() else {
            return Err(Error::new("at least one file of a run", "none"));
        };
        let format = RunFormat::of(first.as_ref())?;
        let paths = match paths {
            [path] => files_of(format, path.as_ref())?,
            paths => paths.iter().map(|p| p.as_ref().to_owned()).collect::<Vec<PathBuf>>(),
        };
        Recording::of(format, &paths)
    }

    /// As [`Recording::open`] of exactly these files: what lies beside them is left alone, and so are chunks that a file of
    /// LCLS-II names as its next ones.
    ///
    /// # Errors
    /// As [`Recording::open`].
    pub fn open_only<P: AsRef<Path>>(paths: &[P]) -> Result<Recording> {
        let Some(first) = paths.first() else {
            return Err(Error::new("at least one file of a run", "none"));
        };
        let all: Vec<PathBuf> = paths.iter().map(|path| path.as_ref().to_owned()).collect();
        match RunFormat::of(first.as_ref())? {
            format @ RunFormat::Xtc2 => {
                let run = Lcls2::open_only(&all)?;
                Ok(Recording::new(Box::new(run), format, MemoryLimit::half_of_free()))
            }
            format => Recording::of(format, &all),
        }
    }

    /// The same run; reading an event, and jobs on the run, may take this much memory. Without it, that is half of what
    /// is free when the run is opened.
    #[must_use]
    pub fn with_memory(self, memory: MemoryLimit) -> Recording {
        Recording { memory, ..self }
    }

    /// What reading an event, and jobs on the run, may take.
    pub fn memory(&self) -> MemoryLimit {
        self.memory
    }

    /// As [`Recording::open`]; all files of the run, also those that files of HDF5 lead to, must be files in one of
    /// `folders`, which are whole paths without symbolic links. For runs that a stranger may have written. A run that
    /// grows may find further files: see [`Recording::files`].
    ///
    /// # Errors
    /// As [`Recording::open`], or if a file lies elsewhere.
    pub fn open_within(path: &Path, folders: &[PathBuf], memory: MemoryLimit) -> Result<Recording> {
        file::check_within(path, folders)?;
        let format = RunFormat::of(path)?;
        let paths = files_of(format, path)?;
        paths.iter().try_for_each(|path| file::check_within(path, folders))?;
        match format {
            RunFormat::Hdf5 => {
                let run = Hdf5::open(&paths, Some(folders), memory)?;
                Ok(Recording::new(Box::new(run), format, memory))
            }
            _ => Ok(Recording::of(format, &paths)?.with_memory(memory)),
        }
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
    pub fn find(text: &str, format: Option<RunFormat>) -> std::result::Result<Recording, String> {
        let (format, paths) = named(text, format)?;
        Recording::of(format, &paths).map_err(|e| e.to_string())
    }

    /// Whether the run has events of these numbers: work on no event at all would end without a word. A run without events, or that may
    /// grow, is not judged.
    ///
    /// # Errors
    /// Text that says how many there are.
    pub fn check_range(&self, events: &Range<usize>) -> std::result::Result<(), String> {
        let (first, count) = (self.first(), self.events());
        let is_there = count == 0 || events.start < first + count || self.may_grow();
        is_there.then_some(()).ok_or_else(|| {
            let noun = if count == 1 { "event" } else { "events" };
            format!(
                "wanted numbers of the run's {count} {noun}, which begin with {first}, found {}..",
                events.start
            )
        })
    }

    /// The files of the run that `text` names, as for [`Recording::find`], which are not opened.
    ///
    /// # Errors
    /// If there is none, or the first one is no recorded file.
    pub fn files_named(text: &str) -> std::result::Result<Vec<PathBuf>, String> {
        named(text, None).map(|(_, paths)| paths)
    }

    pub(crate) fn of(format: RunFormat, paths: &[PathBuf]) -> Result<Recording> {
        let memory = MemoryLimit::half_of_free();
        let run: Box<dyn Run> = match format {
            RunFormat::Xtc1 => Box::new(Lcls1::open(paths)?),
            RunFormat::Xtc2 => Box::new(Lcls2::open(paths)?),
            RunFormat::Hdf5 => Box::new(Hdf5::open(paths, None, memory)?),
            RunFormat::WireDump => Box::new(Dumps::open(paths)?),
            RunFormat::TriggerRecords => Box::new(Records::open(paths)?),
        };
        Ok(Recording::new(run, format, memory))
    }

    fn new(run: Box<dyn Run>, format: RunFormat, memory: MemoryLimit) -> Recording {
        let (run, numbers) = (Arc::new(RwLock::new(run)), Numbers::default());
        Recording { run, format, numbers, memory, breaks: Arc::default() }
    }

    /// Opens files of which only what lies in some places is scanned. The events there are numbered as those of a whole run; see
    /// [`Recording::numbered`].
    pub(crate) fn open_places(format: RunFormat, places: &[Places]) -> Result<Recording> {
        let run: Box<dyn Run> = match format {
            RunFormat::Xtc1 => Box::new(Lcls1::open_places(places)?),
            RunFormat::Xtc2 => Box::new(Lcls2::open_places(places)?),
            // Such a run is always opened as a whole.
            RunFormat::Hdf5 | RunFormat::WireDump | RunFormat::TriggerRecords => {
                let paths: Vec<PathBuf> = places.iter().map(|place| place.path.clone()).collect();
                return Recording::of(format, &paths);
            }
        };
        Ok(Recording::new(run, format, MemoryLimit::half_of_free()))
    }

    /// The same events, of which the one at the position `skip` has the number `first`.
    pub(crate) fn numbered(self, first: usize, skip: usize) -> Recording {
        Recording { numbers: Numbers { first, skip }, ..self }
    }

    /// How its files are written.
    pub fn format(&self) -> RunFormat {
        self.format
    }

    /// The number behind that of the last known event. Events are numbered from 0 on, but for those of a part of a run
    /// ([`Recording::open_part`]), which have the numbers that they have in the run.
    pub fn events(&self) -> usize {
        self.run().events() - self.numbers.skip + self.numbers.first
    }

    /// The number behind that of the last event that is complete. Of raw frames that are still being written, the last windows of time
    /// may get more frames, and those of links that are behind the others come between them: whoever follows a run reads up to here.
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

    /// How many bytes an event has in the files, with those of all detectors; 0 if there is none.
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

    /// Those behind the first `known`.
    pub fn problems_from(&self, known: usize) -> Vec<Problem> {
        self.breaks.behind(known, &**self.run())
    }

    /// Whether files are still being written: there will be more events.
    pub fn is_growing(&self) -> bool {
        self.run().is_growing()
    }

    /// Whether events may still come: files are being written, or the run has not ended and its next file may be about to begin.
    pub fn may_grow(&self) -> bool {
        self.run().may_grow()
    }

    /// Looks for events that were recorded meanwhile; those that are [complete](Recording::complete) keep their numbers.
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

    /// Nothing is waited for any more: what has come is all there is.
    ///
    /// # Errors
    /// If the files do not fit each other.
    pub(crate) fn give_up(&self) -> Result<()> {
        self.run_mut().give_up()
    }

    /// The detectors with pictures or arrays: of LCLS-I those in the first events, of LCLS-II those that the run describes, of HDF5 the
    /// data sets whose first axis counts events, of the wire readout the links.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn detectors(&self) -> Result<Vec<Detector>> {
        self.detectors_for(&Wanted::default())
    }

    /// The same; if `wanted` names a detector that is not in the first events, it is looked for in further ones.
    ///
    /// # Errors
    /// If the system refuses, or `wanted` can mean no detector of this format.
    pub fn detectors_for(&self, wanted: &Wanted) -> Result<Vec<Detector>> {
        self.run().detectors(wanted)
    }

    /// The detector that is wanted, or with an empty text the only one there is. If what is wanted fits several arrays of which one is a
    /// picture, that one is meant.
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
        run.choose(&run.detectors(wanted)?, wanted)
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

    /// Reads what `detector` recorded at an event, and judges it. Any number of threads may read at once, each with its own `reader`.
    ///
    /// The rule, for all formats:
    ///
    /// 1. A picture is damaged if the recorder says so of it. What it says of the whole event is about something in the event, and
    ///    makes no picture damaged that is there.
    /// 2. Of several pictures of one detector, undamaged ones come before damaged ones, then the order of the file decides.
    /// 3. The first that can be read counts.
    /// 4. Panels are judged alone: a damaged or missing one makes the picture [`Condition::Partial`](crate::Condition::Partial) and
    ///    leaves the others as good as they were.
    /// 5. Where there is nothing of the detector, its data may have been lost if the event says that something went wrong; else the
    ///    detector was not read.
    ///
    /// # Errors
    /// [`Fault`] if there is no picture to show: of the kinds [`FaultKind::Missing`], [`FaultKind::Lost`], [`FaultKind::Broken`] or
    /// [`FaultKind::Unreadable`]. Without the place; see [`Recording::place`].
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
        picture.begin(event, self.format, self.memory);
        let position = self.position_for(event);
        let read = position.and_then(|position| self.run().read(detector, position, reader, picture, apart));
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

    /// The position of an event that is about to be read; of those that are read as a whole, its bytes must find room.
    fn position_for(&self, event: usize) -> std::result::Result<usize, Fault> {
        let position = self.numbers.position(event).ok_or_else(Fault::no_event)?;
        if matches!(self.format, RunFormat::Xtc1 | RunFormat::Xtc2) {
            self.memory.check(self.run().event_bytes(position), "an event")?;
        }
        Ok(position)
    }

    /// The most bytes that reading a picture of `detector` takes beside the picture: the bytes of the largest of these
    /// events, and what the format needs to decode them.
    pub fn read_memory(&self, detector: &Detector, events: impl Iterator<Item = usize>) -> u64 {
        let decoding = self.run().read_memory(detector);
        match self.format {
            RunFormat::Hdf5 => decoding,
            _ => events.map(|event| self.event_bytes(event)).max().unwrap_or(0).saturating_add(decoding),
        }
    }

    /// Fills `bytes` with those of a piece of an event, from `start` on.
    pub(crate) fn read_part(&self, event: usize, piece: usize, start: usize, bytes: &mut [u8]) -> Result<()> {
        let position = self.numbers.position(event);
        let position = position.ok_or_else(|| Error::new("an event of the run", event.to_string()))?;
        self.run().read_part(position, piece, start, bytes)
    }

    /// Reads what `detector` recorded at all events, and counts how good it is: the account that a reader of frames comes to.
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

    /// What was recorded at an event beside the arrays: event codes, what monitors of the beam and process variables said (LCLS-I, as far
    /// as they are in this event); single values and short lists of all records (LCLS-II); the columns with a value for each event (HDF5);
    /// times, triggers and what is missing (wire readout).
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

    /// What was configured when an event was taken: what a scan had set, process variables, and the settings of detectors, as far as
    /// their layout is known; the others are named without values.
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

    /// What a change of state says about the records behind it, each with the number of the stream's piece; only of LCLS-II.
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

    /// The events as frames of one detector, in their order. See [`Options`].
    pub fn frames(&self, detector: &Detector, options: Options) -> Frames {
        Frames::new(self.clone(), Choice::Known(detector.clone()), options)
    }

    /// As [`Recording::frames`], of a detector that the run may name later, while it is being written.
    pub fn frames_of(&self, wanted: impl Into<Wanted>, options: Options) -> Frames {
        Frames::new(self.clone(), Choice::Wanted(wanted.into()), options)
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

impl Problem {
    pub(crate) fn of_scan(problem: &xtc1::run::Problem) -> Problem {
        Problem { path: problem.path.clone(), event: None, why: problem.error.to_string() }
    }
}

/// The fault of a place in a file.
impl From<Problem> for Fault {
    fn from(problem: Problem) -> Fault {
        Fault::new(FaultKind::Unreadable, format!("{}: {}", problem.path.display(), problem.why))
    }
}

/// The format of the first file that `text` names, and all files.
fn named(text: &str, format: Option<RunFormat>) -> std::result::Result<(RunFormat, Vec<PathBuf>), String> {
    let known = |path: &Path| format.map_or_else(|| RunFormat::of(path), Ok);
    let paths = file::files(text, |path| files_of(known(path)?, path))?;
    let first = paths.first().ok_or_else(|| format!("`{text}`: wanted a recorded file, found none"))?;
    let format = known(first).map_err(|e| e.to_string())?;
    Ok((format, paths))
}

fn files_of(format: RunFormat, path: &Path) -> Result<Vec<PathBuf>> {
    match format {
        RunFormat::Xtc1 => xtc1::run::Run::files_of(path),
        RunFormat::Xtc2 => xtc2::run::Run::files_of(path),
        RunFormat::WireDump => wire::files_of(path),
        // What belongs to it is named in it; of records a file is a recording.
        RunFormat::Hdf5 | RunFormat::TriggerRecords => Ok(vec![path.to_owned()]),
    }
}
