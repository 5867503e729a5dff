//! The files of a run that is being recorded: one stream for each input, in chunks.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use livetime_formats::file::{FileName, GrowingFile, write_index};
use livetime_formats::xtc1::{DatagramHeader, Transition, Writer};
use livetime_formats::{Error, Result};
use livetime_runtime::lock;

use super::error::{Unfinished, UnfinishedRun};

/// The transitions before the events, and those after them.
const BEGIN: [Transition; 4] =
    [Transition::Configure, Transition::BeginRun, Transition::BeginCalibCycle, Transition::Enable];
const END: [Transition; 4] =
    [Transition::Disable, Transition::EndCalibCycle, Transition::EndRun, Transition::Unconfigure];
/// The value that means "no fiducial".
const NO_FIDUCIAL: u32 = 0x1_FFFF;

/// A run that is being recorded.
pub(super) struct Files {
    /// Names up to the number of the stream.
    stem: String,
    run: u32,
    chunk_bytes: u64,
    /// Whether each finished file gets an index beside it.
    has_index: bool,
    streams: Vec<Stream>,
    /// A chunk that is brought to the disk and gets its name.
    closing: Option<JoinHandle<std::result::Result<(), Unfinished>>>,
    /// Chunks that could not be finished.
    unfinished: Vec<Unfinished>,
}

#[derive(Default)]
struct Stream {
    writer: Option<Writer>,
    chunk: u32,
    /// Transitions were written before the events.
    has_begun: bool,
    /// Latest time of an event.
    newest_ns: u64,
}

impl Files {
    /// The number of the run whose files begin with `stem`.
    ///
    /// # Errors
    /// If names with `stem` are not names of a run.
    pub(super) fn check_stem(stem: &str) -> Result<u32> {
        let name = FileName::parse(&path(stem, 0, 0));
        Ok(name.ok_or_else(|| Error::new("a template for names as `e1-r0001`", format!("`{stem}`")))?.run)
    }

    /// Creates the first file of the first stream; files of other streams are created with their first datagrams.
    /// `None` if a run of that name exists already.
    ///
    /// # Errors
    /// If names with `stem` are not names of a run, or the operating system reports an error.
    pub(super) fn create_new(
        stem: &str,
        streams: usize,
        (chunk_bytes, has_index): (u64, bool),
    ) -> Result<Option<Files>> {
        let run = Files::check_stem(stem)?;
        let Some(first) = Writer::create_new(&path(stem, 0, 0))? else { return Ok(None) };
        let mut streams: Vec<Stream> = (0..streams).map(|_| Stream::default()).collect();
        if let Some(stream) = streams.first_mut() {
            stream.writer = Some(first);
        }
        let stem = stem.into();
        Ok(Some(Files { stem, run, chunk_bytes, has_index, streams, closing: None, unfinished: Vec::new() }))
    }

    /// Whether there is a file of the run `stem`.
    pub(super) fn is_taken(stem: &str) -> bool {
        GrowingFile::is_taken(&path(stem, 0, 0))
    }

    /// Whether all files are still where they were created.
    pub(super) fn are_in_place(&self) -> bool {
        self.streams.iter().filter_map(|stream| stream.writer.as_ref()).all(Writer::is_in_place)
    }

    /// The files that could not be finished since the last call.
    pub(super) fn take_unfinished(&mut self) -> Vec<Unfinished> {
        std::mem::take(&mut self.unfinished)
    }

    /// The file that stream `stream` is written to now.
    pub(super) fn path_of(&self, stream: usize) -> Option<&Path> {
        self.streams.get(stream)?.writer.as_ref().map(Writer::written_path)
    }

    fn open(&mut self, stream: usize) -> Result<()> {
        let at = &mut self.streams[stream];
        if at.writer.is_none() {
            at.writer = Some(Writer::create(&path(&self.stem, stream, at.chunk))?);
        }
        Ok(())
    }

    /// Appends an event of time `time_ns` to a stream. After an error the next one is tried again, at the place of this one.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub(super) fn write(&mut self, stream: usize, time_ns: u64, datagram: &[u8]) -> Result<()> {
        self.open(stream)?;
        self.go_on(stream, datagram.len() as u64)?;
        let (run, at) = (self.run, &mut self.streams[stream]);
        let Some(writer) = &mut at.writer else { return Ok(()) };
        writer.repair()?;
        if !at.has_begun {
            // The four transitions come in the nanoseconds before the first event, because times must not go back.
            let first_ns = time_ns.saturating_sub(BEGIN.len() as u64);
            writer.write(&transitions(BEGIN, first_ns, run))?;
            at.has_begun = true;
        }
        writer.write(datagram)?;
        at.newest_ns = at.newest_ns.max(time_ns);
        Ok(())
    }

    /// Continues in the next chunk when this one is full. The next one is created before this one gets its
    /// final name, so that a reader that follows the run sees that it has not ended.
    fn go_on(&mut self, stream: usize, more: u64) -> Result<()> {
        let at = &mut self.streams[stream];
        let len = at.writer.as_ref().map_or(0, Writer::len);
        // The transitions at the begin must not be alone in a chunk.
        if !at.has_begun || len + more <= self.chunk_bytes {
            return Ok(());
        }
        // The next file is created before the full one is closed: on an error the recording continues in the full one.
        let next = Writer::create(&path(&self.stem, stream, at.chunk + 1))?;
        at.chunk += 1;
        if let Some(full) = at.writer.replace(next) {
            self.close(full);
        }
        Ok(())
    }

    /// Ends a chunk without waiting for the disk, one at a time. That it fails is no fault of the frame that comes next.
    fn close(&mut self, full: Writer) {
        // At most one file is being closed, which bounds the memory and the threads when the disk is slow.
        self.wait_for_closing();
        let thread = std::thread::Builder::new().name("close-chunk".into());
        let writer = std::sync::Arc::new(std::sync::Mutex::new(Some(full)));
        let (theirs, has_index) = (writer.clone(), self.has_index);
        match thread.spawn(move || finish(take(&theirs), has_index)) {
            Ok(thread) => self.closing = Some(thread),
            // If no thread can be started, this one finishes the file itself.
            Err(_) => self.note(finish(take(&writer), has_index)),
        }
    }

    fn wait_for_closing(&mut self) {
        if let Some(thread) = self.closing.take() {
            let panicked = || Err(Unfinished::Name(Error::new("to end a chunk", "a panic")));
            self.note(thread.join().unwrap_or_else(|_| panicked()));
        }
    }

    fn note(&mut self, finished: std::result::Result<(), Unfinished>) {
        self.unfinished.extend(finished.err());
    }

    /// Ends the run: transitions, and final names; all files are finished as far as possible.
    ///
    /// # Errors
    /// The files that could not be finished.
    pub(super) fn finish(mut self) -> std::result::Result<(), UnfinishedRun> {
        self.wait_for_closing();
        let run = self.run;
        for mut stream in std::mem::take(&mut self.streams) {
            let end = stream.end(run);
            let named = finish(stream.writer, self.has_index);
            // Of two errors of one file, the missing name is the one that users must act on.
            if let (Err(why), Ok(())) = (end, &named) {
                self.unfinished.push(why);
            }
            self.note(named);
        }
        if self.unfinished.is_empty() { Ok(()) } else { Err(UnfinishedRun(self.unfinished)) }
    }
}

impl Stream {
    /// Writes the transitions behind the events.
    ///
    /// # Errors
    /// If the system refuses. A file without its end can still be read: a half-written transition is cut off.
    fn end(&mut self, run: u32) -> std::result::Result<(), Unfinished> {
        let end = transitions(END, self.newest_ns.saturating_add(1), run);
        let Some(writer) = self.writer.as_mut().filter(|_| self.has_begun) else { return Ok(()) };
        // The file may end with a half-written datagram of a full disk; the end of the run must follow a whole one.
        let ended = writer.repair().and_then(|()| writer.write(&end).map(drop));
        // If the end could not be written, its half is cut off; the first error is the one that counts.
        let _ = writer.repair();
        ended.map_err(|e| Unfinished::End(writer.path().to_owned(), e))
    }
}

fn take(writer: &std::sync::Mutex<Option<Writer>>) -> Option<Writer> {
    lock(writer).take()
}

fn finish(writer: Option<Writer>, has_index: bool) -> std::result::Result<(), Unfinished> {
    let Some(writer) = writer else { return Ok(()) };
    let path = writer.path().to_owned();
    writer.finish_on_disk().map_err(Unfinished::Name)?;
    // The index is made of the file as it is on the disk, as `livetime index` makes it.
    match has_index {
        true => write_index::<DatagramHeader>(&path).map(drop).map_err(Unfinished::Index),
        false => Ok(()),
    }
}

fn path(stem: &str, stream: usize, chunk: u32) -> PathBuf {
    format!("{stem}-s{stream:02}-c{chunk:02}.xtc").into()
}

/// One after the other, a ns apart.
fn transitions(all: [Transition; 4], first_ns: u64, run: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (transition, ns) in all.into_iter().zip(first_ns..) {
        let mut header = DatagramHeader::new(transition, ns, NO_FIDUCIAL);
        if transition == Transition::BeginRun {
            header.env.0 = run;
        }
        bytes.extend_from_slice(&header.to_bytes());
    }
    bytes
}
