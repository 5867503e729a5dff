//! A run: the streams of several recorders and their chunks, put together to events in the order of time.
//!
//! Datagrams of one time in several streams are pieces of one event. Each stream has descriptions of its own, which may
//! change at every transition: an event knows the ones in force for each of its pieces.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{Datagram, DatagramHeader, NamesTable, Record, Transition};
use crate::Result;
use crate::file::{FileName, Stores};
use crate::run::{Files, Group, Streams, files_of, groups};

pub use crate::run::{Apart, Aside, EventBytes, Piece, Places, Problem};

/// All that is known of a run without reading its data.
#[derive(Debug)]
pub struct Run {
    files: Files,
    streams: Streams<DatagramHeader>,
    /// The descriptions that are in force now, as positions in `tables`, by the position of the stream.
    current: Vec<u32>,
    tables: Vec<NamesTable>,
    transitions: Vec<RunTransition>,
    events: Vec<Event>,
    pieces: Vec<(Piece, u32)>,
    problems: Vec<Problem>,
    repeated: u64,
    step: Option<u32>,
    /// Where transitions are that changed descriptions.
    state: Vec<Piece>,
    /// Only the files that were given are read, whatever others they name.
    has_all_files: bool,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it happened, ns since 1970.
    pub event_time_ns: u64,
    /// The env word of its first piece.
    pub env: u32,
    /// Number of the step of the scan, from 0 on; `None` before the first.
    pub step: Option<u32>,
    pieces: Range<u32>,
}

/// A change of state.
#[derive(Clone, Debug)]
pub struct RunTransition {
    /// The header of its first piece.
    pub header: DatagramHeader,
    /// In how many streams it is.
    pub copies: u32,
    pieces: Range<u32>,
}

impl Run {
    /// Scans the files of one run, in any order. A chunk that a file names as the next one and that lies beside it is added.
    ///
    /// A file whose name does not tell its stream is a stream of its own. A file that is broken is scanned up to there; see
    /// [`Run::problems`].
    ///
    /// # Errors
    /// If there are none, two are the same chunk of one stream, or the operating system reports an error.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Run> {
        Run::open_from(&Stores::default(), paths)
    }

    /// As [`Run::open`], also at addresses.
    ///
    /// # Errors
    /// As [`Run::open`].
    pub fn open_from<P: AsRef<Path>>(stores: &Stores, paths: &[P]) -> Result<Run> {
        let (mut files, mut problems) = (Files::of(stores), Vec::new());
        let streams = Streams::open(paths, &mut files, &mut problems)?;
        Run::of(files, streams, problems, false)
    }

    /// The same, without chunks that the files name.
    ///
    /// # Errors
    /// As [`Run::open`].
    pub fn open_only<P: AsRef<Path>>(stores: &Stores, paths: &[P]) -> Result<Run> {
        let (mut files, mut problems) = (Files::of(stores), Vec::new());
        let streams = Streams::open(paths, &mut files, &mut problems)?;
        Run::of(files, streams, problems, true)
    }

    /// Scans only some places of the files of one run: the events there, and the transitions that are needed to read
    /// them ([`Run::state`]).
    ///
    /// # Errors
    /// As [`Run::open`], and if there are no datagrams in these places.
    pub fn open_places(stores: &Stores, places: &[Places]) -> Result<Run> {
        let mut files = Files::of(stores);
        let streams = Streams::open_places(places, &mut files)?;
        Run::of(files, streams, Vec::new(), true)
    }

    fn of(
        files: Files,
        streams: Streams<DatagramHeader>,
        problems: Vec<Problem>,
        has_all_files: bool,
    ) -> Result<Run> {
        let mut run = Run {
            files,
            streams,
            current: Vec::new(),
            tables: Vec::new(),
            transitions: Vec::new(),
            events: Vec::new(),
            pieces: Vec::new(),
            problems,
            repeated: 0,
            step: None,
            state: Vec::new(),
            has_all_files,
        };
        run.refresh()?;
        Ok(run)
    }

    /// All files of the run that the file `path` belongs to: the files beside it with the same experiment, run and
    /// ending, so that `.xtc` and its compressed copy, as `.hist16.xtc`, may lie in one folder. A file whose name does
    /// not have these parts stands alone.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn files_of(path: &Path) -> Result<Vec<PathBuf>> {
        Run::files_of_from(path, &Stores::default())
    }

    /// As [`Run::files_of`], also at an address; where nothing can be listed, the file alone.
    ///
    /// # Errors
    /// As [`Run::files_of`].
    pub fn files_of_from(path: &Path, stores: &Stores) -> Result<Vec<PathBuf>> {
        files_of(path, stores)
    }

    /// Scans data that were added to files that are still being written. Events that can no longer be preceded by
    /// others are appended to [`Run::events`]; the present ones stay.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn refresh(&mut self) -> Result<()> {
        loop {
            self.streams.scan(&mut self.files, &mut self.problems)?;
            // An event is settled when every growing stream has passed its time.
            let growing = self.streams.iter().filter(|s| !s.is_over());
            let limit = growing.map(|s| s.newest_ns).min();
            let entries = self.streams.take_settled(limit);
            let is_same = |a: &DatagramHeader, b: &DatagramHeader| a.transition() == b.transition();
            let mut has_more = false;
            for group in groups(entries, is_same, |_| false, &mut self.repeated) {
                has_more |= self.add(&group)?;
            }
            // A new file may hold events that belong to the ones before.
            if !has_more {
                return Ok(());
            }
        }
    }

    /// Whether files are still being written.
    pub fn is_growing(&self) -> bool {
        self.streams.is_growing()
    }

    /// The indices beside the files ([`write_index`](crate::file::write_index)) that do not fit them. Their files were scanned
    /// instead, so nothing is missing.
    pub fn ignored_indices(&self) -> impl Iterator<Item = &Problem> {
        self.streams.ignored_indices()
    }

    /// The objects of stores that were scanned for want of an index beside them.
    pub fn scanned_objects(&self) -> impl Iterator<Item = &Path> {
        self.streams.scanned_objects()
    }

    /// The files, in the order in which pieces name them.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.paths()
    }

    /// The events in the order of time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The changes of state in the order of time.
    pub fn transitions(&self) -> &[RunTransition] {
        &self.transitions
    }

    /// The places of all changes of state that are needed to read later events: the ones that describe records.
    pub fn state(&self) -> &[Piece] {
        &self.state
    }

    /// The faults of the files.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Events in one stream with the same time as the one before.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// The descriptions that were ever in force; the descriptions of one stream come in the order of time.
    pub fn tables(&self) -> impl Iterator<Item = &NamesTable> {
        self.tables.iter()
    }

    /// Where the pieces of `event` are.
    pub fn pieces(&self, event: &Event) -> impl Iterator<Item = &Piece> {
        self.pieces[event.pieces.start as usize..event.pieces.end as usize].iter().map(|(piece, _)| piece)
    }

    /// Where a change of state lies, in the order of streams.
    pub fn transition_pieces(&self, transition: &RunTransition) -> impl Iterator<Item = &Piece> {
        let pieces = transition.pieces.start as usize..transition.pieces.end as usize;
        self.pieces[pieces].iter().map(|(piece, _)| piece)
    }

    /// Reads all pieces of `event`. May be called by several threads at once, each with its own `bytes`.
    ///
    /// # Errors
    /// If the operating system reports an error, or the file has changed.
    pub fn read(&self, event: &Event, bytes: &mut EventBytes) -> Result<()> {
        self.read_apart(event, bytes, &mut Apart::default())
    }

    /// The same, but for bytes that are read elsewhere.
    ///
    /// # Errors
    /// As [`Run::read`].
    pub fn read_apart(&self, event: &Event, bytes: &mut EventBytes, apart: &mut Apart<'_>) -> Result<()> {
        self.read_pieces(&event.pieces, bytes, apart)
    }

    /// Fills `bytes` with the bytes of a piece from `start` on.
    ///
    /// # Errors
    /// If the system refuses, or the file has fewer bytes.
    pub fn read_part(&self, piece: &Piece, start: usize, bytes: &mut [u8]) -> Result<()> {
        self.files.read_from(piece, start, bytes)
    }

    /// Reads all pieces of a transition.
    ///
    /// # Errors
    /// As [`Run::read`].
    pub fn read_transition(&self, transition: &RunTransition, bytes: &mut EventBytes) -> Result<()> {
        self.read_pieces(&transition.pieces, bytes, &mut Apart::default())
    }

    /// The records in `bytes`, which were read for `event`.
    pub fn records<'a>(
        &'a self,
        event: &Event,
        bytes: &'a EventBytes,
    ) -> impl Iterator<Item = Record<'a, 'a>> {
        self.records_by_piece(event, bytes).map(|(_, record)| record)
    }

    /// The same, each with the number of its piece.
    pub fn records_by_piece<'a>(
        &'a self,
        event: &Event,
        bytes: &'a EventBytes,
    ) -> impl Iterator<Item = (usize, Record<'a, 'a>)> {
        self.records_of(event.pieces.clone(), bytes)
    }

    /// The records in `bytes`, which were read for `transition`.
    pub fn transition_records<'a>(
        &'a self,
        transition: &RunTransition,
        bytes: &'a EventBytes,
    ) -> impl Iterator<Item = Record<'a, 'a>> {
        self.transition_records_by_piece(transition, bytes).map(|(_, record)| record)
    }

    /// The same, each with the number of its piece.
    pub fn transition_records_by_piece<'a>(
        &'a self,
        transition: &RunTransition,
        bytes: &'a EventBytes,
    ) -> impl Iterator<Item = (usize, Record<'a, 'a>)> {
        self.records_of(transition.pieces.clone(), bytes)
    }

    fn records_of<'a>(
        &'a self,
        pieces: Range<u32>,
        bytes: &'a EventBytes,
    ) -> impl Iterator<Item = (usize, Record<'a, 'a>)> {
        let pieces = self.pieces[pieces.start as usize..pieces.end as usize].iter();
        pieces.zip(bytes.pieces()).enumerate().flat_map(|(piece, ((_, table), bytes))| {
            let datagram = Datagram::parse(bytes).ok();
            let table: &NamesTable = &self.tables[*table as usize];
            datagram.into_iter().flat_map(move |d| d.records(table)).map(move |record| (piece, record))
        })
    }

    fn read_pieces(&self, pieces: &Range<u32>, bytes: &mut EventBytes, apart: &mut Apart<'_>) -> Result<()> {
        bytes.clear();
        let pieces = &self.pieces[pieces.start as usize..pieces.end as usize];
        apart.decide(pieces.iter().map(|(piece, _)| piece.length));
        pieces.iter().try_for_each(|(piece, _)| self.files.read::<DatagramHeader>(piece, bytes, apart))
    }

    /// Returns whether another file was found that belongs to the run.
    fn add(&mut self, group: &Group<DatagramHeader>) -> Result<bool> {
        let header = group.first.header;
        let is_event = header.transition() == Transition::L1Accept;
        let first = self.pieces.len() as u32;
        let mut has_more = false;
        for (stream, entry) in group.streams().zip(group.entries()) {
            let table = if is_event {
                // Events use the descriptions of the last transition.
                self.table_of(stream)
            } else {
                let (table, more) = self.look_into(stream, &entry.piece)?;
                has_more |= more;
                table
            };
            self.pieces.push((entry.piece, table));
        }
        let pieces = first..self.pieces.len() as u32;
        if header.transition() == Transition::BeginStep {
            self.step = Some(self.step.map_or(0, |s| s + 1));
        }
        if is_event {
            let DatagramHeader { event_time_ns, env, .. } = header;
            self.events.push(Event { event_time_ns, env, step: self.step, pieces });
        } else {
            self.transitions.push(RunTransition { header, copies: group.len() as u32, pieces });
        }
        Ok(has_more)
    }

    /// Number of the descriptions that are in force in a stream.
    fn table_of(&mut self, stream: usize) -> u32 {
        while self.current.len() <= stream {
            self.current.push(self.tables.len() as u32);
            self.tables.push(NamesTable::default());
        }
        self.current[stream]
    }

    /// Takes in the descriptions and chunks that a transition names. Returns the number of its descriptions, and
    /// whether another file was found.
    fn look_into(&mut self, stream: usize, piece: &Piece) -> Result<(u32, bool)> {
        let mut bytes = EventBytes::default();
        self.files.read::<DatagramHeader>(piece, &mut bytes, &mut Apart::default())?;
        let table = self.table_of(stream);
        // A transition that cannot be parsed changes nothing.
        let Some(datagram) = bytes.pieces().next().and_then(|b| Datagram::parse(b).ok()) else {
            return Ok((table, false));
        };
        if let Err(error) = datagram.check() {
            let (path, error) = (self.files.path(piece).to_owned(), error.moved_by(piece.offset));
            self.problems.push(Problem { path, error });
        }
        let mut names = self.tables[table as usize].clone();
        // Descriptions seldom change, so unchanged ones are not kept twice.
        if names.update(&datagram) {
            self.state.push(*piece);
            self.current[stream] = self.tables.len() as u32;
            self.tables.push(names);
        }
        let table = self.current[stream];
        let next = next_chunk(&datagram, &self.tables[table as usize]);
        let has_more = next.map_or(Ok(false), |(chunk, name)| self.add_chunk(piece, chunk, &name))?;
        Ok((table, has_more))
    }

    /// Adds the chunk `name` behind the file of `piece`, if it lies beside it and is not there yet.
    fn add_chunk(&mut self, piece: &Piece, chunk: u32, name: &str) -> Result<bool> {
        let path = self.files.path(piece).to_owned();
        let (Some(file_name), Some(here)) = (Path::new(name).file_name(), FileName::parse(&path)) else {
            // A name without a number of a chunk cannot be put into the order.
            return Ok(false);
        };
        // Only the name counts: the folder belongs to the recorder's machine.
        let next = path.with_file_name(file_name);
        if self.has_all_files
            // A chunk before this one would make the search run in circles.
            || chunk <= here.chunk
            || self.files.paths().any(|p| p == next)
            || !self.files.stores.exists(&next)
        {
            return Ok(false);
        }
        self.streams.add_file(&next, Some((here.stream, chunk)), &mut self.files).map(|()| true)
    }
}

/// Number and name of the file in which a stream continues, if a transition tells them.
fn next_chunk(datagram: &Datagram<'_>, names: &NamesTable) -> Option<(u32, String)> {
    let record = datagram.records(names).find(|r| r.names.detector == "chunkinfo")?;
    let number = record.value("chunkid").ok()?.elements::<u32>().ok()?.next()?;
    Some((number, record.value("filename").ok()?.text()?))
}
